import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { MIGRATIONS_TABLE } from '../../db/migrations/migrations.ts';
import { openDatabase } from '../../db/open.ts';
import { newServerDatabase, runOn, serverUrl } from './databases.ts';
import { atEnd } from './ends.ts';

/** How many nodes the hubs of these tests have: with more than one, TEST_POSTGRES_URL and TEST_NATS_URL name what joins them. */
export const nodeCount = Number(process.env['TEST_NODES'] ?? 1);
/** Whether the hubs of these tests work on the PostgreSQL server that TEST_POSTGRES_URL names. */
export const onPostgres = serverUrl !== undefined && (process.env['TEST_HUBS_ON'] === 'postgres' || nodeCount > 1);

const MIGRATIONS = join(import.meta.dirname, '../../db/migrations/postgres');

let connection: pg.Pool | undefined;

/** A statement on the one connection of this process that makes and drops databases: a new one each time costs more. */
const onServer = async (server: string, statement: string): Promise<unknown[]> => {
  connection ??= new pg.Pool({ connectionString: server, max: 1, allowExitOnIdle: true });
  return (await connection.query(statement)).rows;
};

const urlOf = (server: string, name: string): string => {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
};

const isThere = async (server: string, name: string): Promise<boolean> =>
  (await onServer(server, `SELECT 1 FROM pg_database WHERE datname = '${name}'`)).length > 0;

const hashOfMigrations = async (): Promise<string> => {
  const hash = createHash('sha256');
  const files = await readdir(MIGRATIONS);
  for (const file of files.sort()) if (file.endsWith('.sql')) hash.update(await readFile(join(MIGRATIONS, file)));
  return hash.digest('hex').slice(0, 24);
};

let serverTemplate: Promise<string> | undefined;

/** A database with its tables on a PostgreSQL server: to copy its files takes a fifth of all migrations. */
const makeServerTemplate = async (server: string): Promise<string> => {
  const name = `causeway_template_${await hashOfMigrations()}`;
  if (await isThere(server, name)) return name;
  const { url, drop } = await newServerDatabase(server);
  const database = await openDatabase({ url });
  await database.migrate();
  await database.close();
  // Of several processes that made one at once, the first gives it the name.
  await onServer(server, `ALTER DATABASE ${new URL(url).pathname.slice(1)} RENAME TO ${name}`).catch(drop);
  return name;
};

/** Databases of hubs that have stopped, without rows: to make and drop one takes longer than most tests. */
const free: string[] = [];
/** The databases in use, by the folders of their hubs. */
const taken = new Map<string, string>();

const makeDatabase = async (server: string): Promise<string> => {
  serverTemplate ??= makeServerTemplate(server);
  const name = `causeway_hub_${randomUUID().replaceAll('-', '')}`;
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE ${await serverTemplate} STRATEGY file_copy`);
  return name;
};

const TRUNCATE = `DO $$ BEGIN EXECUTE (SELECT 'TRUNCATE ' || string_agg(quote_ident(tablename), ',') FROM pg_tables
  WHERE schemaname = current_schema() AND tablename <> '${MIGRATIONS_TABLE}'); END $$`;

/** Leaves the database to the next hub. */
const giveBack = async (server: string, folder: string, name: string): Promise<void> => {
  taken.delete(folder);
  await onServer(server, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  await runOn(urlOf(server, name), TRUNCATE);
  free.push(name);
};

/** The database of the hubs that are started on this folder, until the test is over. */
export const hubDatabase = async (folder: string): Promise<string> => {
  if (!onPostgres || serverUrl === undefined) return `file:${join(folder, 'hub.db')}`;
  const server = serverUrl;
  const known = taken.get(folder);
  if (known !== undefined) return urlOf(server, known);
  const name = free.pop() ?? (await makeDatabase(server));
  taken.set(folder, name);
  atEnd(() => giveBack(server, folder, name));
  return urlOf(server, name);
};

let template: Promise<Buffer> | undefined;

/** A new SQLite file with its tables: migrations take longer than all else that a hub's start does. */
export const preparedDatabase = (): Promise<Buffer> => {
  const make = async (): Promise<Buffer> => {
    const folder = await mkdtemp(join(tmpdir(), 'causeway-template-'));
    const file = join(folder, 'hub.db');
    const database = await openDatabase({ url: `file:${file}` });
    await database.migrate();
    await database.close();
    const bytes = await readFile(file);
    await rm(folder, { recursive: true });
    return bytes;
  };
  template ??= make();
  return template;
};

/** Changes rows behind the hub's back. `?` are the values, in their order. */
export const changeRows = async (folder: string, statement: string, values: (string | number)[]): Promise<void> => {
  if (onPostgres) {
    const client = new pg.Client({ connectionString: await hubDatabase(folder) });
    await client.connect();
    let count = 0;
    const numbered = statement.replaceAll('?', () => {
      count += 1;
      return `$${count}`;
    });
    await client.query(numbered, values).finally(() => client.end());
    return;
  }
  const client = new Sqlite(join(folder, 'hub.db'));
  client.prepare(statement).run(...values);
  client.close();
};
