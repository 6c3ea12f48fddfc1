import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../db/open.ts';
import { sqliteDatabase } from '../../../db/sqlite/database.ts';
import { createStore, type Store } from '../../../db/store.ts';
import { newServerDatabase, serverUrl } from '../../kit/databases.ts';

/** What runs once a second, or for each transaction of events. */
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
};
/** Indexes of rows that owe events, which are few, and places in the stream. */
const SMALL =
  /commands_owed|batches_owed|schedules_owed|schedule_runs_owed|shop_lines_owed|sessions_owed|players_owed|events_project/;

/** A journal of which a few rows owe an event, and as many events. */
const crowd = (numbers: (most: number) => string, rows: number): string[] => [
  `INSERT INTO commands (id, project_id, server_id, name, class, target, params, fingerprint, status, actor, request_id,
    attempts, void_requested, created_at, expires_at, outbox) SELECT 'c' || n, 'p', 's', 'money', 'exactly-once', 'id', '{}',
    'f', 'succeeded', '{}', 'r', 0, false, n, 9, CASE WHEN n < 5 THEN 2 ELSE 0 END FROM ${numbers(rows)}`,
  `INSERT INTO events (id, project_id, server_id, type, subject, revision, at, body) SELECT 'evt_' || n, CASE WHEN n % 50 = 0 THEN 'p' ELSE 'q' || n % 50 END, 's',
    'command.settled', 'c' || n, 3, n, '{}' FROM ${numbers(rows)}`,
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

  it.each(Object.entries(QUERIES))('of %s reads only what is owed, or from a place on', async (_name, query) => {
    said.length = 0;
    await query(store);
    const statements = said.filter((statement) => statement.startsWith('select'));
    const steps = statements.flatMap((each) => client.prepare<[], Step>(`EXPLAIN QUERY PLAN ${each}`).all());
    const reads = steps
      .map(({ detail }) => detail)
      .filter((detail) =>
        /^(SCAN|SEARCH) (commands|batches|schedule_runs|shop_lines|sessions|players|events)\b/.test(detail),
      );
    expect(steps).not.toEqual([]);
    expect(reads.filter((detail) => !SMALL.test(detail))).toEqual([]);
    expect(steps.map(({ detail }) => detail).filter((detail) => detail.includes('TEMP B-TREE FOR ORDER'))).toEqual([]);
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
    ends = [() => client.end(), database.close, drop];
  }, 60_000);
  afterAll(async () => {
    for (const end of ends) await end();
  });

  it.each(['projectsThatOwe', 'owedCommands', 'after', 'last', 'excess'])(
    'of %s reads only what is owed, or from a place on',
    async (name) => {
      const sent = vi.spyOn(pg.Client.prototype, 'query');
      await QUERIES[name]?.(store);
      const calls = sent.mock.calls as unknown as [{ text: string }, unknown[]][];
      sent.mockRestore();
      const selects = calls.filter(([{ text }]) => text.startsWith('select'));
      expect(selects).not.toEqual([]);
      for (const [{ text }, values] of selects) {
        const { rows } = await client.query(`EXPLAIN ${text}`, values);
        const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n');
        const reads = plan.split('\n').filter((line) => / on (commands|events)\b/.test(line));
        for (const read of reads) {
          if (!/Bitmap Heap Scan/.test(read)) expect(read, plan).toMatch(/commands_owed|events_project/);
        }
      }
    },
  );
});
