import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { drizzle } from 'drizzle-orm/pglite';
import { type Database, openDatabase } from '../../db/database.ts';
import { type PostgresDriver, postgresDatabase } from '../../db/postgres.ts';

export type TestDatabase = {
  database: Database;
  /** Deletes every row. */
  empty: () => Promise<void>;
  dispose: () => Promise<void>;
};

/** A folder of its own in the system's temporary folder. */
export const makeFolder = async (): Promise<{ path: string; dispose: () => Promise<void> }> => {
  const path = await mkdtemp(join(tmpdir(), 'causeway-db-'));
  return { path, dispose: () => rm(path, { recursive: true, force: true }) };
};

const empty = async ({ handle, tables, commit }: Database): Promise<void> => {
  const { strayResults, commands, players, sessions, servers, apiKeys, projects } = tables;
  for (const table of [strayResults, commands, players, sessions, servers, apiKeys, projects]) {
    await commit(() => handle.delete(table));
  }
};

const openFile = async (): Promise<TestDatabase> => {
  const folder = await makeFolder();
  const database = await openDatabase({ url: `file:${join(folder.path, 'hub.db')}` });
  await database.migrate();
  const dispose = async (): Promise<void> => {
    await database.close();
    await folder.dispose();
  };
  return { database, empty: () => empty(database), dispose };
};

/** PostgreSQL inside this process, behind the same code as a server. */
export const pgliteDriver = async (): Promise<PostgresDriver> => {
  const client = await PGlite.create({ extensions: { pg_trgm } });
  return {
    handle: drizzle(client),
    query: async (text, values) => (await client.query<Record<string, unknown>>(text, values)).rows,
    transaction: (work) =>
      client.transaction(async (transaction) =>
        work(async (text, values) => (await transaction.query<Record<string, unknown>>(text, values)).rows),
      ),
    close: () => client.close(),
  };
};

const openPglite = async (): Promise<TestDatabase> => {
  const database = await postgresDatabase({ driver: await pgliteDriver(), target: 'The test database' });
  await database.migrate();
  return { database, empty: () => empty(database), dispose: database.close };
};

const openServer = (url: string) => async (): Promise<TestDatabase> => {
  const database = await openDatabase({ url });
  await database.migrate();
  await empty(database);
  return { database, empty: () => empty(database), dispose: database.close };
};

const serverUrl = process.env['TEST_POSTGRES_URL'];

/** Every engine a contract test runs on; a PostgreSQL server too where TEST_POSTGRES_URL names an empty database. */
export const engines: { name: string; open: () => Promise<TestDatabase> }[] = [
  { name: 'SQLite', open: openFile },
  { name: 'PostgreSQL', open: openPglite },
  ...(serverUrl === undefined ? [] : [{ name: 'a PostgreSQL server', open: openServer(serverUrl) }]),
];
