import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { openDatabase } from '../../db/open.ts';
import { newServerDatabase, serverUrl } from './databases.ts';
import { atEnd } from './ends.ts';

/** How many nodes the hubs of these tests have: with more than one, TEST_POSTGRES_URL and TEST_NATS_URL name what joins them. */
export const nodeCount = Number(process.env['TEST_NODES'] ?? 1);
/** Whether the hubs of these tests work on the PostgreSQL server that TEST_POSTGRES_URL names. */
export const onPostgres = serverUrl !== undefined && (process.env['TEST_HUBS_ON'] === 'postgres' || nodeCount > 1);

const nameOf = (folder: string): string =>
  `causeway_hub_${createHash('sha256').update(folder).digest('hex').slice(0, 24)}`;

const MIGRATIONS = join(import.meta.dirname, '../../db/migrations/postgres');

let connection: pg.Pool | undefined;

/** A statement on the one connection of this process that makes and drops databases: a new one each time costs more. */
const onServer = async (server: string, statement: string): Promise<unknown[]> => {
  connection ??= new pg.Pool({ connectionString: server, max: 1, allowExitOnIdle: true });
  return (await connection.query(statement)).rows;
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

/** The database of the hubs that are started on this folder, made for the first of them; it is gone with the test. */
export const hubDatabase = async (folder: string): Promise<string> => {
  if (!onPostgres || serverUrl === undefined) return `file:${join(folder, 'hub.db')}`;
  const name = nameOf(folder);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  if (!(await isThere(serverUrl, name))) {
    const server = serverUrl;
    serverTemplate ??= makeServerTemplate(server);
    await onServer(server, `CREATE DATABASE ${name} TEMPLATE ${await serverTemplate} STRATEGY file_copy`);
    atEnd(async () => void (await onServer(server, `DROP DATABASE ${name} WITH (FORCE)`)));
  }
  return url.href;
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
