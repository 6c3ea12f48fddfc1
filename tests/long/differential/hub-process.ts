import { enableCompileCache, flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Boundaries } from './boundaries.ts';
import { VirtualTime } from './virtual-time.ts';

/** A question of the test to a hub, and what it answers. */
export type Wish =
  | { do: 'open'; file: string; wall: number; monotonic: number }
  | { do: 'advance'; ms: number }
  | { do: 'shift'; ms: number }
  | { do: 'arm'; boundary: number }
  | { do: 'quiet' }
  | { do: 'stop' }
  | { do: 'close' };
export type Told = { port: number; begun: number; ended: number };

type Program = {
  readConfig: (environment: Record<string, string>) => object;
  runHub: (config: object) => Promise<{ hub: { stop: () => Promise<void> }; address: string }>;
};

/** The process of a hub, of whatever version: its time stands still, and moves when the test says so. */
const time = new VirtualTime();
time.install();
const boundaries = new Boundaries();
boundaries.install();
const program = process.argv[2] ?? '';
// Most of a start is otherwise the compiler's.
enableCompileCache(fileURLToPath(new URL('compiled', program)));
const { readConfig, runHub }: Program = await import(program);
let hub: Awaited<ReturnType<Program['runHub']>>['hub'] | undefined;
let port = 0;

const open = async ({ file, wall, monotonic }: Extract<Wish, { do: 'open' }>): Promise<void> => {
  time.begin(wall, monotonic);
  const started = await runHub(readConfig({ DATABASE_URL: `file:${file}`, PORT: '0', LOG_LEVEL: 'error' }));
  hub = started.hub;
  port = Number(new URL(started.address).port);
};

/** Stops the hub, but not its process: the next walk begins with another hub here, whose code is compiled already. */
const close = async (): Promise<void> => {
  let isOpen = true;
  void hub?.stop().then(() => {
    isOpen = false;
  });
  while (isOpen) await time.advance(100);
};

const act = async (wish: Wish): Promise<void> => {
  if (wish.do === 'open') await open(wish);
  if (wish.do === 'arm') boundaries.arm(wish.boundary);
  if (wish.do === 'shift') time.shift(wish.ms);
  if (wish.do === 'advance') await time.advance(wish.ms);
  if (wish.do === 'stop') flushCompileCache();
  if (wish.do === 'stop') void hub?.stop().then(() => process.exit(0));
  if (wish.do === 'close') await close();
  await time.quiet();
};

process.on('disconnect', () => process.exit(1));
process.on('message', (wish: Wish) => {
  void act(wish).then(() => process.send?.({ port, ...time.requests } satisfies Told));
});
