import { until } from '../../tests/kit/until.ts';
import { HANGING, openGames } from './games.ts';
import { type BenchHub, pause, startHub } from './hub.ts';
import { lineOf, type Measure } from './report.ts';

const SERVERS = ['one', 'two', 'three'];
const IDLE_MS = 25_000;
const BUSY_MS = 5_000;
/** By this time a bridge has sent all frames that follow its welcome. */
const SAID_MS = 500;

type Games = ReturnType<typeof openGames>;
type Begin = (hub: BenchHub, games: Games, server: string) => Promise<unknown>;

/** Stops the process of a welcomed bridge; resolves with how long the hub still reported it as connected. */
const dieAndBeNoticed = async (hub: BenchHub, server: string, { before, after }: { before?: Begin; after?: Begin }) => {
  const games = openGames(hub, server);
  games.open(server);
  await games.welcomed(server);
  await pause(SAID_MS);
  await before?.(hub, games, server);
  games.pause();
  const from = performance.now();
  void after?.(hub, games, server);
  await until(async () => !(await hub.caller.isConnected(server)), `${server} is noticed`, { everyMs: 10 });
  const ms = performance.now() - from;
  await games.kill();
  return ms;
};

const measure = async (begin: Parameters<typeof dieAndBeNoticed>[2]): Promise<number[]> => {
  const hub = await startHub(SERVERS);
  try {
    return await Promise.all(SERVERS.map((server) => dieAndBeNoticed(hub, server, begin)));
  } finally {
    await hub.close();
  }
};

const give: Begin = (hub, _games, server) => hub.caller.money(server, 'char1:ana').catch(() => undefined);
const hang: Begin = async (hub, games, server) => {
  void hub.caller.money(server, HANGING).catch(() => undefined);
  await games.hangs(server);
  await pause(SAID_MS);
};

/** How soon the hub notices a stopped bridge that has just sent a frame and has no commands. */
export const deadPeerIdle: Measure = async () => [
  lineOf('stopped while idle, until connected: false', await measure({}), { share: 1, ms: IDLE_MS }),
  lineOf('stopped while a confirmed command runs', await measure({ before: hang }), { share: 1, ms: IDLE_MS }),
];

/** How soon the hub notices a stopped bridge that has not confirmed a command. */
export const deadPeerBusy: Measure = async () => [
  lineOf('stopped, then a command is sent to it', await measure({ after: give }), { share: 1, ms: BUSY_MS }),
];
