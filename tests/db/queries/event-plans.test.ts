import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../db/open.ts';
import { SESSION } from '../../../db/postgres/pool.ts';
import { sqliteDatabase } from '../../../db/sqlite/database.ts';
import { createStore, type Store } from '../../../db/store.ts';
import { newServerDatabase, serverUrl } from '../../kit/databases.ts';

/** What runs once a second or once a minute, for each transaction of events, and for each round of posts or a request. */
const QUERIES: Record<string, (store: Store) => Promise<unknown>> = {
  projectsThatOwe: ({ events }) => events.projectsThatOwe(),
  owedCommands: ({ events }) => events.owedCommands('p', 200),
  owedBatches: ({ events }) => events.owedBatches('p', 200),
  owedSchedules: ({ events }) => events.owedSchedules('p', 200),
  owedRuns: ({ events }) => events.owedRuns('p', 200),
  owedLines: ({ events }) => events.owedLines('p', 200),
  owedSessions: ({ events }) => events.owedSessions('p'),
  owedPlayers: ({ events }) => events.owedPlayers('p', 200),
  after: ({ events }) => events.after('p', 100, 100),
  last: ({ events }) => events.last('p'),
  excess: ({ events }) => events.excess('p', 10),
  get: ({ events }) => events.get('p', 'evt_50'),
  some: ({ events }) => events.some('p', ['evt_50', 'evt_51']),
  placeBefore: ({ events }) => events.placeBefore('p', 900),
  countAfter: ({ events }) => events.countAfter('p', 5, 1_000),
  pruneOld: ({ events }) => events.pruneOld(3, 10),
  pruneUpTo: ({ events }) => events.pruneUpTo('p', 50, 10),
  oldestOwed: ({ events }) => events.oldestOwed(),
  withWork: ({ webhooks }) => webhooks.withWork(5),
  claim: ({ webhooks }) => webhooks.claim('w0', 'n', 1),
  due: ({ webhooks }) => webhooks.due('w0', 9, 9),
  oldestWaiting: ({ webhooks }) => webhooks.oldestWaiting('w0'),
  record: async ({ webhooks }) => {
    const [row] = await webhooks.list('p');
    const { rows } = await webhooks.attempts('w0', { limit: 2 });
    if (row !== undefined) await webhooks.record(row, 'n', { patch: row, rows, healed: 5 });
  },
  attempts: ({ webhooks }) => webhooks.attempts('w0', { limit: 9 }),
  attemptsOfState: ({ webhooks }) => webhooks.attempts('w0', { limit: 9, state: 'waiting' }),
  counts: ({ webhooks }) => webhooks.counts('w0'),
  totals: ({ webhooks }) => webhooks.totals(),
  wake: ({ webhooks }) => webhooks.wake('w0', 1),
  retry: ({ webhooks }) => webhooks.retry('w0', 'evt_0', 1),
  pruneAttempts: ({ webhooks }) => webhooks.pruneAttempts(3),
};
/** Indexes of rows that owe events, which are few; places in the stream; the attempts of one webhook, or that are due. */
const SMALL =
  /commands_owed|batches_owed|schedules_owed|schedule_runs_owed|shop_lines_owed|sessions_owed|players_owed|events_project|events_id|events_at|webhook_attempts_/;
/** Rows by their own key, which a subquery has found. */
const BY_KEY = /PRIMARY KEY \(rowid=\?\)/;
/** For each of the few rows of a webhook, or of an instant. */
const SORTED: ReadonlySet<string> = new Set(['oldestWaiting']);

/** A journal of which a few rows owe an event, and as many events. */
const crowd = (numbers: (most: number) => string, rows: number): string[] => [
  `INSERT INTO commands (id, project_id, server_id, name, class, target, params, fingerprint, status, actor, request_id,
    attempts, void_requested, created_at, expires_at, outbox) SELECT 'c' || n, 'p', 's', 'money', 'exactly-once', 'id', '{}',
    'f', 'succeeded', '{}', 'r', 0, false, n, 9, CASE WHEN n < 5 THEN 2 ELSE 0 END FROM ${numbers(rows)}`,
  `INSERT INTO events (id, project_id, server_id, type, subject, revision, at, body) SELECT 'evt_' || n, CASE WHEN n % 50 = 0 THEN 'p' ELSE 'q' || (n % 50) END, 's',
    'command.settled', 'c' || n, 3, n, '{}' FROM ${numbers(rows)}`,
  `INSERT INTO webhooks (id, project_id, format, url, names, secrets, maker, cursor, failures, failed_days, created_at,
    updated_at) SELECT 'w' || n, CASE WHEN n % 50 = 0 THEN 'p' ELSE 'q' || (n % 50) END, 'json', 'clear:', true, '[]', '{}',
    100, 0, 0, 1, 1 FROM ${numbers(500)}`,
  `INSERT INTO webhook_attempts (project_id, webhook_id, event_id, event_seq, type, state, attempts, answer, took_ms, at,
    due_at) SELECT 'p', 'w' || (n % 20), 'evt_' || n, n, 'command.settled', CASE WHEN n < 50 THEN 'waiting' ELSE 'delivered' END,
    1, '', 1, n, CASE WHEN n < 50 THEN 9 END FROM ${numbers(rows)}`,
];

describe('the plan of SQLite for events', () => {
  type Step = { detail: string };
  const said: string[] = [];
  const client = new Sqlite(':memory:', { verbose: (statement) => said.push(String(statement)) });
  const database = sqliteDatabase({ client, file: ':memory:' });
  const store = createStore(database);

  beforeAll(async () => {
    await database.migrate();
    const numbers = (most: number) =>
      `(WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${most - 1}) SELECT n FROM numbers)`;
    for (const statement of crowd(numbers, 20_000)) client.exec(statement);
    return database.close;
  });

  it.each(Object.entries(QUERIES))('of %s reads only what is owed, or from a place on', async (name, query) => {
    said.length = 0;
    await query(store);
    const statements = said.filter((statement) => /^(?:select|update|delete|insert)\b/.test(statement));
    const steps = statements.flatMap((each) => client.prepare<[], Step>(`EXPLAIN QUERY PLAN ${each}`).all());
    const reads = steps
      .map(({ detail }) => detail)
      .filter((detail) =>
        /^(SCAN|SEARCH) (commands|batches|schedule_runs|shop_lines|sessions|players|events|webhook_attempts)\b/.test(
          detail,
        ),
      );
    expect(steps).not.toEqual([]);
    expect(reads.filter((detail) => !SMALL.test(detail) && !BY_KEY.test(detail))).toEqual([]);
    expect(reads.filter((detail) => /^SCAN/.test(detail) && !/_(?:due|owed)\b/.test(detail))).toEqual([]);
    const sorted = steps.filter(({ detail }) => detail.includes('TEMP B-TREE FOR ORDER'));
    expect(sorted).toHaveLength(SORTED.has(name) ? 1 : 0);
    // Otherwise each round of a webhook would read what it has sent already.
    if (name === 'after') expect(reads).toEqual([expect.stringContaining('(project_id=? AND seq>?)')]);
  });
});

describe.skipIf(serverUrl === undefined)('the plan of PostgreSQL for events', () => {
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
    for (const statement of crowd((most) => `generate_series(0, ${most - 1}) AS numbers (n)`, 100_000)) {
      await client.query(statement);
    }
    await client.query('ANALYZE');
    for (const [name, value] of Object.entries(SESSION)) await client.query(`SET ${name} = ${value}`);
    ends = [() => client.end(), database.close, drop];
  }, 60_000);
  afterAll(async () => {
    for (const end of ends) await end();
  });

  it.each(Object.entries(QUERIES))('of %s reads only what is owed, or from a place on', async (_name, query) => {
    const sent = vi.spyOn(pg.Client.prototype, 'query');
    await query(store);
    const calls = sent.mock.calls as unknown as [{ text: string; values?: unknown[] }, unknown[] | undefined][];
    sent.mockRestore();
    const statements = calls.filter(([{ text }]) => /^(?:select|update|delete|insert)\b/.test(text));
    expect(statements).not.toEqual([]);
    for (const [{ text, values: own }, values = own] of statements) {
      const { rows } = await client.query(`EXPLAIN ${text}`, values);
      const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n');
      const reads = plan.split('\n').filter((line) => /Scan.* on (commands|events|webhook_attempts)\b/.test(line));
      for (const read of reads) {
        if (!/Bitmap Heap Scan|Tid Scan/.test(read)) {
          expect(read, plan).toMatch(/commands_owed|events_(project|id|at|pkey)|webhook_attempts_/);
        }
      }
    }
  });
});
