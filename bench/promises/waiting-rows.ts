import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { until } from '../../tests/kit/until.ts';
import { type BenchHub, pause, startHub } from './hub.ts';
import { openActor } from './processes.ts';
import { inMs, type Line, type Measure, percentile } from './report.ts';
import type { GameEvent } from './telling.ts';

/** A batch may use 9,000 of a server's 10,000 places, so two servers share the rows. */
const SERVERS = ['one', 'two'] as const;
const ROWS_EACH = 5_000;
/** Four of ten simulated players are offline. */
const PLAYERS_EACH = 15_000;
const IDLE_MS = 20_000;
const STARTS = 5;
/** Differences below these are within what two measurements without rows differ by. */
const CPU_SHARE = 0.01;
const START_MS = 100;

type Page = { data: { identifier: string }[]; pagination: { next: string | null } };

const absentOf = async (hub: BenchHub, server: string): Promise<string[]> => {
  const targets: string[] = [];
  for (let next: string | null = ''; next !== null && targets.length < ROWS_EACH; ) {
    const query: string = next === '' ? '' : `&cursor=${encodeURIComponent(next)}`;
    const path = `/api/v2/players?serverId=${server}&online=false&limit=200${query}`;
    const page = JSON.parse(await hub.caller.text(path)) as Page;
    targets.push(...page.data.map(({ identifier }) => identifier));
    next = page.pagination.next;
  }
  return targets.slice(0, ROWS_EACH);
};

const openRows = (hub: BenchHub) => {
  const database = new Sqlite(hub.file, { readonly: true });
  const one = (query: string) => database.prepare<[], number>(query).pluck();
  const players = one('SELECT count(*) FROM players');
  const waiting = one("SELECT count(*) FROM commands WHERE status = 'waiting'");
  return { players: () => players.get(), waiting: () => waiting.get(), close: () => database.close() };
};

/** Each absent player of both servers gets a payment that waits for them. */
const fill = async (hub: BenchHub): Promise<void> => {
  for (const serverId of SERVERS) {
    const params = { type: 'bank', amount: 1, action: 'add' };
    const targets = await absentOf(hub, serverId);
    const wish = { serverId, name: 'money', params, targets, deliver: 'when_online' };
    const { status, body } = await hub.caller.ask('POST', '/api/v2/batches', wish, { 'Idempotency-Key': serverId });
    if (status !== 202) throw new Error(`a batch was answered with ${status} ${body.code}`);
  }
};

/** The share of a processor that the idle hub uses, and the median time of its start. */
const costs = async (hub: BenchHub): Promise<{ idle: number; startMs: number }> => {
  const times: number[] = [];
  for (let n = 0; n < STARTS; n += 1) {
    await hub.kill();
    const from = performance.now();
    await hub.restart();
    times.push(performance.now() - from);
  }
  const isBack = async (server: string): Promise<boolean> =>
    (await hub.caller.ask('GET', `/api/v2/servers/${server}`)).body.connected === true;
  for (const server of SERVERS) await until(() => isBack(server), 'the bridge is back', { withinMs: 60_000 });
  await pause(IDLE_MS);
  const before = await hub.cpu();
  await pause(IDLE_MS);
  return { idle: ((await hub.cpu()) - before) / (IDLE_MS / 1_000), startMs: percentile(times, 0.5) };
};

const shown = ({ idle, startMs }: { idle: number; startMs: number }): string =>
  `${(idle * 100).toFixed(1)} % of a processor, ready ${inMs(startMs)} after the start`;

/** The cost of commands that wait for absent players: an idle hub with and without them. */
export const waitingRows: Measure = async (): Promise<Line[]> => {
  const hub = await startHub(SERVERS);
  const rows = openRows(hub);
  const games = SERVERS.map((server) =>
    openActor<object, GameEvent>('crowd.ts', {
      args: [hub.url, hub.tokenOf(server), join(hub.folder, `${server}.db`), String(PLAYERS_EACH)],
      logFile: join(hub.folder, `${server}.log`),
    }),
  );
  try {
    await until(() => rows.players() === PLAYERS_EACH * SERVERS.length, 'the players are stored', {
      withinMs: 120_000,
      everyMs: 100,
    });
    const without = await costs(hub);
    await fill(hub);
    const all = ROWS_EACH * SERVERS.length;
    await until(() => rows.waiting() === all, 'the commands wait', { withinMs: 120_000, everyMs: 100 });
    const beside = await costs(hub);
    if (rows.waiting() !== all) throw new Error(`${rows.waiting()} of ${all} commands wait`);
    return [
      { what: 'an idle hub without waiting commands', bound: 'none', measured: shown(without), isKept: undefined },
      {
        what: `an idle hub with ${all} waiting commands`,
        bound: `<= ${CPU_SHARE * 100} % and ${START_MS} ms more`,
        measured: shown(beside),
        isKept: beside.idle - without.idle <= CPU_SHARE && beside.startMs - without.startMs <= START_MS,
      },
    ];
  } finally {
    rows.close();
    await Promise.all(games.map((game) => game.kill()));
    await hub.close();
  }
};
