import { type Child, type Core, startChild } from './children.ts';
import { type Contestant, startCauseway } from './contestants.ts';
import type { Load } from './load/callers.ts';
import type { Drive, DrivePlan } from './load/worker.ts';

/** Our hub runs on its own core; the other processes share the other core. */
export type Stand = { hub: Contestant } & Record<'worker' | 'reader', () => Child>;

type Start = Omit<Parameters<typeof startCauseway>[0], 'core'> & { isPinned: boolean };

/** Starts our hub, passes it to the work, and always ends it with all processes that were started beside it. */
export const withHub = async <T>({ isPinned, ...start }: Start, use: (stand: Stand) => Promise<T>): Promise<T> => {
  const core = (which: Core): Core | undefined => (isPinned ? which : undefined);
  const children: Child[] = [];
  const hub = await startCauseway({ ...start, core: core(0) });
  const begin = (file: string) => (): Child => {
    const child = startChild({ args: [`bench/load/${file}.ts`], core: core(1) });
    children.push(child);
    return child;
  };
  try {
    return await use({ hub, worker: begin('worker'), reader: begin('reader') });
  } finally {
    for (const child of children) await child.stop();
    await hub.close();
  }
};

/** Asks for JSON of the hub's REST API. @throws when the answer is not 200 */
export const getJson = async <T>({ port, headers }: Contestant, path: string): Promise<T> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers, signal: AbortSignal.timeout(60_000) });
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  return (await response.json()) as T;
};

/** @throws when an answer was not the expected one */
export const assertAnswered = (what: string, { failed }: Load): void => {
  const failures = Object.entries(failed).map(([line, count]) => `${count} × ${line}`);
  if (failures.length > 0) throw new Error(`${what}: the hub answered ${failures.join(', ')}`);
};

/** Kicks through a worker whose bridges are connected, for `forMs`. */
export const kick = async (
  { port, prefix, headers, servers }: Contestant,
  worker: Child,
  plan: Pick<DrivePlan, 'callers' | 'forMs'> & { servers?: readonly string[] },
): Promise<Drive> => {
  const question: DrivePlan = { port, prefix, headers, servers, command: 'kick', ...plan };
  const driven = await worker.ask<Drive>({ do: 'drive', ...question });
  assertAnswered('kick', driven);
  return driven;
};

/** Connects bridges of some of the hub's servers (default: all), not all at once. */
export const connectBridges = async (
  { port, bridges, servers, tokens }: Contestant,
  worker: Child,
  wanted: readonly string[] = servers,
): Promise<void> => {
  const AT_ONCE = 250;
  for (let first = 0; first < wanted.length; first += AT_ONCE) {
    const some = wanted.slice(first, first + AT_ONCE);
    const theirs = some.map((name) => tokens[servers.indexOf(name)] ?? '');
    await worker.ask({ do: 'connect', kind: bridges, port, servers: some, tokens: theirs });
  }
};
