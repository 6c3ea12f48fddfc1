import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { compare } from '../../chaos/ledgers.ts';
import { ROW_COLUMNS, type Row } from '../../chaos/rows.ts';
import type { CommandLine, Mismatch } from '../../simulator/ledger.ts';
import { until } from '../../tests/kit/until.ts';
import { type BenchHub, pause, startHub } from './hub.ts';
import { openActor } from './processes.ts';
import { type Line, lineOf, type Measure } from './report.ts';
import type { GameEvent } from './telling.ts';

const ROUNDS = 12;
const IN_FLIGHT = 32;
/** Handlers take 250 to 500 ms: at the latest of these moments some commands have ended and others are about to end. */
const KILLED_WITHIN_MS = 400;
const BOUND_MS = 1_000;

type Welcome = Extract<GameEvent, { event: 'welcome' }>;
type Lines = { event: 'lines'; lines: CommandLine[]; audit: Mismatch[] };
type StoredRow = Row & { settledAt: number | null };

const openGame = (hub: BenchHub) => {
  const args = [hub.url, hub.tokenOf('main'), join(hub.folder, 'world.db')];
  const actor = openActor<object, GameEvent | Lines>('world.ts', { args, logFile: join(hub.folder, 'world.log') });
  return {
    ...actor,
    welcomed: () => actor.told((event): event is Welcome => event.event === 'welcome', 'the welcome'),
    lines: () => {
      actor.order({});
      return actor.told((event): event is Lines => event.event === 'lines', 'the lines of the ledger');
    },
  };
};

/** The hub's commands, read from its file, so that they can be read while the hub is dead. */
const openRows = (file: string) => {
  const database = new Sqlite(file, { readonly: true });
  const open = database.prepare<[], string>("SELECT id FROM commands WHERE status IN ('accepted', 'dispatched')");
  const all = database.prepare<[], StoredRow>(`SELECT ${ROW_COLUMNS}, settled_at AS settledAt FROM commands`);
  return { open: () => open.pluck().all(), all: () => all.all(), close: () => database.close() };
};

const measure = async (who: 'bridge' | 'hub') => {
  const hub = await startHub(['main']);
  let game = openGame(hub);
  await game.welcomed();
  const rows = openRows(hub.file);
  const players = async (): Promise<string[]> =>
    [...(await hub.caller.text(`/api/v2/players?limit=${IN_FLIGHT}`)).matchAll(/"identifier":"([^"]+)"/g)].map(
      ([, identifier = '']) => identifier,
    );
  await until(async () => (await players()).length === IN_FLIGHT, 'the players are listed');
  const targets = await players();

  const round = async (n: number): Promise<{ each: number[]; allMs: number }> => {
    for (const target of targets) void hub.caller.money('main', target).catch(() => undefined);
    await until(() => rows.all().length === n * IN_FLIGHT, 'the commands are stored', { everyMs: 1 });
    await pause(Math.random() * KILLED_WITHIN_MS);
    game.forget();
    if (who === 'hub') await hub.kill();
    else await game.kill();
    const doubtful = new Set(rows.open());
    if (who === 'hub') await hub.restart();
    else game = openGame(hub);
    const { hubMs } = await game.welcomed();
    await until(() => rows.open().length === 0, 'every command has ended', { everyMs: 1 });
    const allMs = Date.now() - hubMs;
    const ended = rows.all().filter(({ id }) => doubtful.has(id));
    return { each: ended.map(({ settledAt }) => Math.max(0, (settledAt ?? 0) - hubMs)), allMs };
  };

  try {
    const rounds: Awaited<ReturnType<typeof round>>[] = [];
    for (let n = 1; n <= ROUNDS; n += 1) rounds.push(await round(n));
    const { lines, audit } = await game.lines();
    const ended = rows.all();
    return { rounds, ended, problems: [...compare({ calls: [], rows: ended, lines }), ...audit.map(String)] };
  } finally {
    rows.close();
    await game.kill();
    await hub.close();
  }
};

const linesOf = (who: string, { rounds, ended, problems }: Awaited<ReturnType<typeof measure>>): Line[] => {
  const counts = new Map<string, number>();
  for (const { status } of ended) counts.set(status, (counts.get(status) ?? 0) + 1);
  const statuses = [...counts].map(([status, count]) => `${status} ${count}`).join(', ');
  const bound = { share: 0.99, ms: BOUND_MS };
  return [
    lineOf(
      `${who} killed: each doubtful command, from the welcome`,
      rounds.flatMap(({ each }) => each),
      bound,
    ),
    lineOf(
      `${who} killed: all of a round seen ended`,
      rounds.map(({ allMs }) => allMs),
      { ...bound, share: 1 },
    ),
    {
      what: `${who} killed: hub and game say the same`,
      bound: 'of every command',
      measured: problems.length === 0 ? statuses : problems.slice(0, 3).join('; '),
      isKept: problems.length === 0 && !counts.has('indeterminate'),
    },
  ];
};

/** How soon open commands get their true outcome after a process was killed. */
export const isUnknown: Measure = async () => [
  ...linesOf('bridge', await measure('bridge')),
  ...linesOf('hub', await measure('hub')),
];
