import Sqlite from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { sqliteDatabase } from '../../../db/sqlite/database.ts';
import { createStore } from '../../../db/store.ts';

type Step = { detail: string };

const said: string[] = [];
const client = new Sqlite(':memory:', { verbose: (statement) => said.push(String(statement)) });
const database = sqliteDatabase({ client, file: ':memory:' });
const { commands } = createStore(database);

beforeAll(async () => {
  await database.migrate();
  return database.close;
});

const ADDRESS = { projectId: 'p', serverId: 's' };
const GONE = { ...ADDRESS, createdBefore: 1, error: { code: 'voided', message: 'Gone.' }, at: 1 };
const MOST = { player: 1, server: 1, project: 1 };
/** Queries that run for each command, on a timer, or for each look at a page. */
const QUERIES: Record<string, () => Promise<unknown>> = {
  firstWaiting: () => commands.firstWaiting(ADDRESS, { target: 'a', deliver: 'when_online' }),
  'firstWaiting without a target': () => commands.firstWaiting(ADDRESS, { target: null, deliver: 'when_connected' }),
  openInLane: () => commands.openInLane(ADDRESS, { target: 'a', deliver: 'when_online' }),
  'openInLane without a target': () => commands.openInLane(ADDRESS, { target: null, deliver: 'when_connected' }),
  lanesOf: () => commands.lanesOf(ADDRESS),
  serversThatWait: () => commands.serversThatWait('n'),
  waitingCounts: () => commands.waitingCounts(ADDRESS, 'a', MOST),
  expireWaiting: () => commands.expireWaiting(0, 1),
  askOverdue: () => commands.askOverdue(0, 1),
  askAll: () => commands.askAll(GONE),
  askTargets: () => commands.askTargets({ ...GONE, targets: ['a'] }),
  goneTargets: () => commands.goneTargets(1),
  'goneTargets of a server': () => commands.goneTargets(1, ADDRESS),
  noMoreRounds: () => commands.noMoreRounds({ ...GONE, targets: ['a'] }),
  rejectWaiting: () => commands.rejectWaiting({ ...GONE, targets: ['a'], limit: 1 }),
  withdrawAll: () => commands.withdrawAll(GONE),
  dueAccepted: () => commands.dueAccepted(0, 1),
  openFor: () => commands.openFor('p', 's'),
  openCounts: () => commands.openCounts('p', 's'),
  abandonedBefore: () => commands.abandonedBefore(0, 1),
  counts: () => commands.counts('p'),
  'counts of some servers': () => commands.counts('p', ['s', 't']),
};
/** Indexes whose size does not grow with the journal, and look-ups of one row. */
const SMALL =
  /INDEX commands_(waiting|waiting_until|accepted|dispatched|indeterminate)\b|USING INTEGER PRIMARY KEY \(rowid=\?\)/;

describe('the plan of SQLite for commands', () => {
  it.each(Object.entries(QUERIES))('of %s reads no command that has ended', async (_name, query) => {
    said.length = 0;
    await query();
    const statements = said.filter((statement) => /^(select|update)/.test(statement));
    const steps = statements.flatMap((each) => client.prepare<[], Step>(`EXPLAIN QUERY PLAN ${each}`).all());
    const reads = steps.map(({ detail }) => detail).filter((detail) => /^(SCAN|SEARCH) commands\b/.test(detail));
    expect(reads).not.toEqual([]);
    expect(reads.filter((detail) => !SMALL.test(detail))).toEqual([]);
  });
});
