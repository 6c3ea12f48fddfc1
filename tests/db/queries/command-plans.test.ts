import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../db/open.ts';
import { sqliteDatabase } from '../../../db/sqlite/database.ts';
import { createStore, type Store } from '../../../db/store.ts';
import { newServerDatabase, serverUrl } from '../../kit/databases.ts';

const ADDRESS = { projectId: 'p', serverId: 's' };
const GONE = { ...ADDRESS, createdBefore: 1, error: { code: 'voided', message: 'Gone.' }, at: 1 };
const MOST = { player: 1, server: 1, project: 1 };
const LIST = { projectId: 'p', limit: 50 };

/** Queries that run for each command that waits. */
const OF_ONE: Record<string, (store: Store) => Promise<unknown>> = {
  firstWaiting: ({ commands }) => commands.firstWaiting(ADDRESS, { target: 'id7', deliver: 'when_online' }),
  'firstWaiting without a target': ({ commands }) =>
    commands.firstWaiting(ADDRESS, { target: null, deliver: 'when_connected' }),
  release: ({ commands }) => commands.release({ id: 'waiting 7', expiresAt: 1, at: 1 }),
  lanesAfter: ({ commands }) => commands.lanesAfter(ADDRESS, { target: 'id7', deliver: 'when_online' }, 64),
  waitingAmong: ({ commands }) => commands.waitingAmong(ADDRESS, ['id7', 'id8']),
};
/** Queries on a timer, or for each look at a page. */
const QUERIES: Record<string, (store: Store) => Promise<unknown>> = {
  ...OF_ONE,
  serversThatWait: ({ commands }) => commands.serversThatWait('n'),
  waitingCounts: ({ commands }) => commands.waitingCounts(ADDRESS, 'a', MOST),
  expireWaiting: ({ commands }) => commands.expireWaiting(0, 1),
  askOverdue: ({ commands }) => commands.askOverdue(0, 1),
  askAll: ({ commands }) => commands.askAll(GONE),
  askTargets: ({ commands }) => commands.askTargets({ ...GONE, targets: ['a'] }),
  goneTargets: ({ commands }) => commands.goneTargets(1),
  'goneTargets of a server': ({ commands }) => commands.goneTargets(1, ADDRESS),
  noMoreRounds: ({ commands }) => commands.noMoreRounds({ ...GONE, targets: ['a'] }),
  rejectWaiting: ({ commands }) => commands.rejectWaiting({ ...GONE, targets: ['a'], limit: 1 }),
  withdrawAll: ({ commands }) => commands.withdrawAll(GONE),
  dueAccepted: ({ commands }) => commands.dueAccepted(0, 1),
  undoing: ({ commands }) => commands.undoing('p', ['waiting 7', 'waiting 8']),
  openFor: ({ commands }) => commands.openFor('p', 's'),
  openCounts: ({ commands }) => commands.openCounts('p', 's'),
  abandonedBefore: ({ commands }) => commands.abandonedBefore(0, 1),
  counts: ({ commands }) => commands.counts('p'),
  'counts of some servers': ({ commands }) => commands.counts('p', ['s', 't']),
  'the journal of what waits': ({ commands }) => commands.list({ ...LIST, statuses: ['waiting'] }),
  'the journal of what is open, of a day': ({ commands }) =>
    commands.list({ ...LIST, statuses: ['accepted', 'dispatched', 'indeterminate'], since: 1 }),
  'the journal of a batch': ({ commands }) => commands.list({ ...LIST, batches: 'bat_1' }),
  'the journal of a batch, of a day': ({ commands }) => commands.list({ ...LIST, batches: 'bat_1', since: 1 }),
  'the sums of a batch': ({ commands }) => commands.sums({ projectId: 'p', batches: 'bat_1' }),
};

/** Rows of one server: as many as have ended, and ten thousand that wait, for as many players. */
const crowd = (numbers: (most: number) => string, ended: number): string[] => {
  const rows = (status: string, deliver: string, most: number) => `INSERT INTO commands (id, project_id, server_id,
    name, class, target, params, fingerprint, status, actor, request_id, attempts, void_requested, created_at, expires_at,
    deliver, deliver_until, round) SELECT '${status} ' || n, 'p', 's', 'money', 'exactly-once', 'id' || n % 10000, '{}', 'f',
    '${status}', '{}', 'r', 0, false, n, 9, ${deliver}, 9, 0 FROM ${numbers(most)}`;
  return [rows('succeeded', `'when_online'`, ended), rows('waiting', `'when_online'`, 10_000)];
};

/** Indexes whose size does not grow with the journal, and look-ups of one row. */
const SMALL =
  /INDEX commands_(waiting|waiting_until|round|round_untargeted|accepted|dispatched|indeterminate|undoes|batch)\b|INDEX commands_id \(id=\?\)|USING INTEGER PRIMARY KEY \(rowid=\?\)/;

describe('the plan of SQLite for commands', () => {
  type Step = { detail: string };
  const said: string[] = [];
  const client = new Sqlite(':memory:', { verbose: (statement) => said.push(String(statement)) });
  const database = sqliteDatabase({ client, file: ':memory:' });
  const store = createStore(database);

  beforeAll(async () => {
    await database.migrate();
    const numbers = (most: number) =>
      `(WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${most - 1}) SELECT n FROM numbers)`;
    for (const statement of crowd(numbers, 30_000)) client.exec(statement);
    return database.close;
  });

  it.each(Object.entries(QUERIES))('of %s reads no command that has ended', async (_name, query) => {
    said.length = 0;
    await query(store);
    const statements = said.filter((statement) => /^(select|update)/.test(statement));
    const steps = statements.flatMap((each) => client.prepare<[], Step>(`EXPLAIN QUERY PLAN ${each}`).all());
    const reads = steps
      .map(({ detail }) => detail)
      .filter((detail) => /^(SCAN|SEARCH) (commands|flying)\b/.test(detail));
    expect(reads).not.toEqual([]);
    expect(reads.filter((detail) => !SMALL.test(detail))).toEqual([]);
  });

  it('finds the oldest command and the next lanes in the order of an index', async () => {
    said.length = 0;
    for (const query of Object.values(OF_ONE)) await query(store);
    const statements = said.filter((statement) => /^(select|update)/.test(statement));
    expect(statements).toHaveLength(Object.keys(OF_ONE).length);
    const steps = statements.flatMap((each) => client.prepare<[], Step>(`EXPLAIN QUERY PLAN ${each}`).all());
    expect(steps.map(({ detail }) => detail).filter((detail) => detail.includes('TEMP B-TREE'))).toEqual([]);
  });
});

describe.skipIf(serverUrl === undefined)('the plan of PostgreSQL for commands that wait', () => {
  const ENDED = 200_000;
  let ends: (() => Promise<unknown>)[] = [];
  let client: pg.Client;
  let store: Store;

  beforeAll(async () => {
    const { url, drop } = await newServerDatabase(serverUrl ?? '');
    const database = await openDatabase({ url });
    await database.migrate();
    store = createStore(database);
    client = new pg.Client({ connectionString: url });
    await client.connect();
    for (const statement of crowd((most) => `generate_series(0, ${most - 1}) AS numbers (n)`, ENDED)) {
      await client.query(statement);
    }
    await client.query('ANALYZE');
    ends = [() => client.end(), database.close, drop];
  }, 60_000);
  afterAll(async () => {
    for (const end of ends) await end();
  });

  it.each(Object.entries(OF_ONE))('of %s reads only commands that wait or are in a round', async (name, query) => {
    const sent = vi.spyOn(pg.Client.prototype, 'query');
    await query(store);
    const calls = sent.mock.calls as unknown as [{ text: string }, unknown[]][];
    sent.mockRestore();
    const [statement, ...more] = calls.filter(([{ text }]) => /^(select|update)/.test(text));
    expect(more).toEqual([]);
    const { rows } = await client.query(`EXPLAIN ${statement?.[0].text}`, statement?.[1]);
    const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n');
    const reads = plan.split('\n').filter((line) => / on (commands|commands_\w+)\b/.test(line));
    expect(reads, plan).not.toEqual([]);
    for (const read of reads) {
      const isOfHeap = /Bitmap Heap Scan/.test(read) || /Update on/.test(read);
      if (!isOfHeap) expect(read, plan).toMatch(/commands_(waiting|round|round_untargeted|id)\b/);
    }
    // It is read in pages: a page must not sort all that waits.
    if (name === 'lanesAfter') expect(plan).not.toMatch(/Sort|HashAggregate/);
  });
});
