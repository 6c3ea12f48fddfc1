import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Player } from '../../bridge-protocol/wire/player.ts';
import type { Database } from '../../db/database.ts';
import { openDatabase } from '../../db/open.ts';
import type { PostgresDriver } from '../../db/postgres/database.ts';
import { poolDriver } from '../../db/postgres/pool.ts';
import type { CommandRow } from '../../db/queries/commands/read.ts';
import type { NewEvent } from '../../db/queries/events.ts';
import type { NewProject } from '../../db/queries/projects.ts';
import type { NewServer } from '../../db/queries/servers.ts';
import { TABLE_NAMES } from '../../db/schema/tables.ts';
import { createStore, type Store } from '../../db/store.ts';

export type TestDatabase = {
  database: Database;
  /** Deletes every row. */
  empty: () => Promise<void>;
  dispose: () => Promise<void>;
};

const empty = async ({ handle, tables, commit }: Database): Promise<void> => {
  for (const name of TABLE_NAMES.toReversed()) await commit(() => handle.delete(tables[name]));
};

const openFile = async (): Promise<TestDatabase> => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-db-'));
  const database = await openDatabase({ url: `file:${join(folder, 'hub.db')}` });
  const dispose = async (): Promise<void> => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { database, empty: () => empty(database), dispose };
};

/** One statement on a connection of its own. */
export const runOn = async (url: string, statement: string): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(statement).finally(() => client.end());
  return rows;
};

/** A PostgreSQL server to test on (any database of it); undefined: there is none. */
export const serverUrl = process.env['TEST_POSTGRES_URL'];

/** A new database on that server. */
export const newServerDatabase = async (server: string): Promise<{ url: string; drop: () => Promise<unknown> }> => {
  const name = `causeway_test_${randomUUID().replaceAll('-', '')}`;
  const own = new URL(server);
  own.pathname = `/${name}`;
  await runOn(server, `CREATE DATABASE ${name}`);
  return { url: own.href, drop: () => runOn(server, `DROP DATABASE ${name} WITH (FORCE)`) };
};

/** The hub's driver over a new database on the server that TEST_POSTGRES_URL names. `said` hears each statement. */
export const newServerDriver = async (
  said: (statement: string, values: unknown[]) => void = () => undefined,
  options: pg.PoolConfig = {},
): Promise<PostgresDriver> => {
  const { url, drop } = await newServerDatabase(serverUrl ?? '');
  const pool = new pg.Pool({ connectionString: url, ...options });
  // A connection may still be closing when its database is dropped; without a listener that would end the process.
  pool.on('error', () => undefined);
  const driver = poolDriver(pool, undefined);
  const close = async (): Promise<void> => {
    await driver.close();
    await drop();
  };
  return { ...driver, handle: drizzle(pool, { logger: { logQuery: said } }), close };
};

const openServer = (server: string) => async (): Promise<TestDatabase> => {
  const { url, drop } = await newServerDatabase(server);
  const database = await openDatabase({ url });
  const dispose = async (): Promise<void> => {
    await database.close();
    await drop();
  };
  return { database, empty: () => empty(database), dispose };
};

type Engine = {
  name: string;
  /** A database without tables. */
  openBare: () => Promise<TestDatabase>;
  /** A database with the tables of now, and no rows. */
  open: () => Promise<TestDatabase>;
};

const engineOf = (name: string, openBare: Engine['openBare']): Engine => ({
  name,
  openBare,
  open: async () => {
    const opened = await openBare();
    await opened.database.migrate();
    return opened;
  },
});

/** Every engine that a contract test runs on: SQLite, and a PostgreSQL server where TEST_POSTGRES_URL names one. */
export const engines: Engine[] = [
  // `.ci/run` has it, so a run on a server need not repeat it.
  ...(process.env['TEST_HUBS_ON'] === 'postgres' ? [] : [engineOf('SQLite', openFile)]),
  ...(serverUrl === undefined ? [] : [engineOf('a PostgreSQL server', openServer(serverUrl))]),
];

/** One database for all tests of a describe block, emptied before each of them. */
export const useStore = (open: Engine['open']): { readonly database: Database; readonly store: Store } => {
  let opened: (TestDatabase & { store: Store }) | undefined;
  beforeAll(async () => {
    const fresh = await open();
    opened = { ...fresh, store: createStore(fresh.database) };
  });
  beforeEach(() => opened?.empty());
  afterAll(() => opened?.dispose());
  const current = () => {
    if (opened === undefined) throw new Error('The database is open only while tests run.');
    return opened;
  };
  return {
    get database() {
      return current().database;
    },
    get store() {
      return current().store;
    },
  };
};

/** A player as a bridge reports it. */
export const playerOf = (identifier: string, changes: Partial<Player> = {}): Player => ({
  identifier,
  name: identifier,
  online: true,
  identifiers: [],
  accounts: {},
  inventory: [],
  vehicles: [],
  metadata: {},
  ...changes,
});

export const projectOf = (id: string, changes: Partial<NewProject> = {}): NewProject => ({
  id,
  slug: id,
  name: `Project ${id}`,
  createdAt: 1_000,
  updatedAt: 1_000,
  ...changes,
});

export const serverOf = (projectId: string, id: string, changes: Partial<NewServer> = {}): NewServer => ({
  projectId,
  id,
  name: `Server ${id}`,
  tokenPrefix: 'cwb_1234',
  tokenHash: `token of ${projectId} ${id}`,
  createdAt: 1_000,
  updatedAt: 1_000,
  ...changes,
});

type NewSession = Parameters<Store['sessions']['open']>[0];

export const sessionOf = (projectId: string, serverId: string, changes: Partial<NewSession> = {}): NewSession => ({
  projectId,
  serverId,
  id: 'ses_1',
  node: 'node-1',
  instance: 'instance-1',
  software: { name: 'bridge', version: '1.0.0', game: 'fivem', framework: 'esx' },
  commands: ['kick@1', 'money@1'],
  accounts: ['bank', 'cash'],
  classes: null,
  journalClass: 'atomic',
  at: 5_000,
  ...changes,
});

/** An event that tells that a command has settled. */
export const eventOf = (id: string, changes: Partial<NewEvent> = {}): NewEvent => ({
  id,
  projectId: 'p',
  serverId: 'main',
  type: 'command.settled',
  subject: 'cmd_1',
  revision: 3,
  at: 1_000,
  body: '{}',
  ...changes,
});

export const commandOf = (id: string, changes: Partial<CommandRow> = {}): CommandRow => ({
  id,
  projectId: 'p',
  serverId: 'main',
  name: 'money',
  class: 'exactly-once',
  target: 'char1:a',
  outbox: null,
  undoes: null,
  repeats: null,
  params: { amount: 500, type: 'bank' },
  fingerprint: 'fingerprint',
  status: 'accepted',
  idempotencyKey: null,
  actor: { keyId: 'key_1', name: 'Shop' },
  requestId: 'req_1',
  attempts: 0,
  epoch: null,
  sessionId: null,
  voidRequested: false,
  result: null,
  error: null,
  createdAt: 1_000,
  expiresAt: 31_000,
  dispatchedAt: null,
  settledAt: null,
  resolution: null,
  journalId: null,
  crashes: null,
  restoredAt: null,
  deliver: null,
  deliverUntil: null,
  round: null,
  batchId: null,
  roles: null,
  ...changes,
});
