import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { CommandLine, Mismatch } from '../../simulator/ledger.ts';
import { until } from '../../tests/kit/until.ts';
import { type BenchHub, pause, startHub } from './hub.ts';
import { openActor } from './processes.ts';
import { inMs, type Line, type Measure, percentile, spread } from './report.ts';
import type { GameEvent } from './telling.ts';

const PLAYERS = 10_000;
const SOME = 500;
const SOME_WITHIN_MS = 5_000;
const ALL_WITHIN_MS = 60_000;
const KILLS = 20;
const KICKS = 500;
/** The p99 of kicks beside a batch, against that without one. */
const BESIDE = 1.5;
const SCHEDULES = 20;

type Lines = { event: 'lines'; lines: CommandLine[]; audit: Mismatch[] };
type Batch = { id: string; status: string; total: number; counts: Record<string, number> };

const openCrowd = (hub: BenchHub) => {
  const args = [hub.url, hub.tokenOf('main'), join(hub.folder, 'world.db'), String(PLAYERS)];
  const actor = openActor<object, GameEvent | Lines>('crowd.ts', { args, logFile: join(hub.folder, 'crowd.log') });
  return {
    ...actor,
    lines: () => {
      actor.order({});
      return actor.told((event): event is Lines => event.event === 'lines', 'the lines of the ledger');
    },
  };
};

const json = async <T>(hub: BenchHub, path: string): Promise<T> => JSON.parse(await hub.caller.text(path)) as T;

type Page = { data: { identifier: string }[]; pagination: { total: number; next: string | null } };
const pageOf = (hub: BenchHub, query: string): Promise<Page> => json(hub, `/api/v2/players?limit=200${query}`);

/** All players, once the hub has them. */
const listed = async (hub: BenchHub): Promise<string[]> => {
  await until(async () => (await pageOf(hub, '')).pagination.total === PLAYERS, 'the players are listed');
  const targets: string[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const page: Page = await pageOf(hub, next === '' ? '' : `&cursor=${encodeURIComponent(next)}`);
    targets.push(...page.data.map(({ identifier }) => identifier));
    next = page.pagination.next;
  }
  return targets;
};

const start = async (hub: BenchHub, targets: readonly string[], key: string): Promise<string> => {
  const params = { type: 'bank', amount: 1, action: 'add' };
  const wish = { serverId: 'main', name: 'money', params, targets, label: key };
  const { status, body } = await hub.caller.ask('POST', '/api/v2/batches', wish, { 'Idempotency-Key': key });
  if (status !== 202 || body.id === undefined) throw new Error(`a batch was answered with ${status} ${body.code}`);
  return body.id;
};
const settled = (hub: BenchHub, id: string, withinMs: number): Promise<void> =>
  until(
    async () => (await json<Batch>(hub, `/api/v2/batches/${id}`).catch(() => undefined))?.status === 'settled',
    `the batch ${id} has ended`,
    { withinMs, everyMs: 50 },
  );

/** How long a batch takes from its request to its last outcome: the hub itself says once a second that it has ended. */
const timeOf = async (hub: BenchHub, targets: readonly string[], key: string, withinMs: number): Promise<Line> => {
  const from = Date.now();
  const id = await start(hub, targets, key);
  await settled(hub, id, withinMs * 4);
  const database = new Sqlite(hub.file, { readonly: true });
  const last = database.prepare<[string], number>('SELECT max(settled_at) FROM commands WHERE batch_id = ?').pluck();
  const tookMs = (last.get(id) ?? Number.NaN) - from;
  database.close();
  return {
    what: `a batch for ${targets.length} players over one bridge`,
    bound: `<= ${inMs(withinMs)}`,
    measured: inMs(tookMs),
    isKept: tookMs <= withinMs,
  };
};

const kicks = async (hub: BenchHub, targets: readonly string[]): Promise<number[]> => {
  const times: number[] = [];
  for (let n = 0; n < KICKS; n += 1) times.push((await hub.caller.kick('main', targets[n] ?? '')).ms);
  return times;
};

const besideBatch = async (hub: BenchHub, targets: readonly string[]): Promise<Line[]> => {
  await kicks(hub, targets);
  const alone = await kicks(hub, targets);
  const id = await start(hub, targets, 'beside');
  const beside = await kicks(hub, targets);
  const isLong = (await json<Batch>(hub, `/api/v2/batches/${id}`)).status !== 'settled';
  await settled(hub, id, ALL_WITHIN_MS * 4);
  const ratio = percentile(beside, 0.99) / percentile(alone, 0.99);
  return [
    { what: 'kicks alone', bound: 'none', measured: spread(alone), isKept: undefined },
    { what: 'kicks beside a batch', bound: 'none', measured: spread(beside), isKept: undefined },
    {
      what: `p99 of kicks beside a batch${isLong ? '' : ', which ended before the last kick'}`,
      bound: `<= ${BESIDE} x`,
      measured: `${ratio.toFixed(2)} x`,
      isKept: ratio <= BESIDE,
    },
  ];
};

/** Kills the hub in the middle of a batch, again and again; then each player has one payment. */
const underKills = async (hub: BenchHub, targets: readonly string[]): Promise<Batch> => {
  const id = await start(hub, targets, 'kills');
  for (let n = 0; n < KILLS; n += 1) {
    await pause(100 + Math.random() * 400);
    await hub.kill();
    await hub.restart();
  }
  await settled(hub, id, ALL_WITHIN_MS * 4);
  return json<Batch>(hub, `/api/v2/batches/${id}`);
};

const exactness = ({ counts, total }: Batch, { lines, audit }: Lines, batches: number): Line => {
  const perPlayer = new Map<string, number>();
  for (const { identifier } of lines) perPlayer.set(identifier, (perPlayer.get(identifier) ?? 0) + 1);
  const ids = new Set(lines.map(({ commandId }) => commandId.replace(/\.\d+$/, '')));
  const doubled = lines.length - ids.size;
  const most = Math.max(...perPlayer.values());
  return {
    what: `a batch whose hub was killed ${KILLS} times`,
    bound: 'each player is paid once',
    measured: `${counts['succeeded'] ?? 0} of ${total} succeeded, ${doubled} doubled, ${audit.length} wrong balances`,
    isKept: counts['succeeded'] === total && doubled === 0 && audit.length === 0 && most <= batches,
  };
};

/** How late schedules run that are due at the same second. */
const lateness = async (hub: BenchHub, target: string): Promise<Line> => {
  const at = new Date(Date.now() + 3_000);
  const params = { target, type: 'bank', amount: 1, action: 'add' };
  for (let n = 0; n < SCHEDULES; n += 1) {
    const body = { serverId: 'main', label: `s${n}`, task: { name: 'money', params }, when: { at: at.toISOString() } };
    await hub.caller.ask('POST', '/api/v2/schedules', body);
  }
  const database = new Sqlite(hub.file, { readonly: true });
  const created = database
    .prepare<[number], number>(
      "SELECT created_at FROM commands WHERE batch_id IS NULL AND name = 'money' AND created_at >= ?",
    )
    .pluck();
  await until(() => created.all(at.getTime()).length === SCHEDULES, 'each schedule has run');
  const late = created.all(at.getTime()).map((time) => time - at.getTime());
  database.close();
  return {
    what: `${SCHEDULES} schedules of the same second: late by`,
    bound: 'none',
    measured: spread(late),
    isKept: undefined,
  };
};

/** Batches over one bridge: their speed, their effect on single commands, and their sum when the hub is killed. */
export const batchesAndSchedules: Measure = async () => {
  const hub = await startHub(['main']);
  const crowd = openCrowd(hub);
  try {
    const targets = await listed(hub);
    const lines = [
      await timeOf(hub, targets.slice(0, SOME), 'some', SOME_WITHIN_MS),
      await timeOf(hub, targets, 'all', ALL_WITHIN_MS),
      ...(await besideBatch(hub, targets)),
      await lateness(hub, targets[0] ?? ''),
    ];
    const killed = await underKills(hub, targets);
    // One payment by each batch, and those of the schedules.
    return [...lines, exactness(killed, await crowd.lines(), 4 + SCHEDULES)];
  } finally {
    await crowd.kill();
    await hub.close();
  }
};
