import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { openDatabase } from '../../db/open.ts';
import { runOn, serverUrl } from './databases.ts';
import { atEnd } from './ends.ts';

/** How many nodes the hubs of these tests have: with more than one, TEST_POSTGRES_URL and TEST_NATS_URL name what joins them. */
export const nodeCount = Number(process.env['TEST_NODES'] ?? 1);
/** Whether the hubs of these tests work on the PostgreSQL server that TEST_POSTGRES_URL names. */
export const onPostgres = serverUrl !== undefined && (process.env['TEST_HUBS_ON'] === 'postgres' || nodeCount > 1);

const nameOf = (folder: string): string =>
  `causeway_hub_${createHash('sha256').update(folder).digest('hex').slice(0, 24)}`;

/** The database of the hubs that are started on this folder, made for the first of them; it is gone with the test. */
export const hubDatabase = async (folder: string): Promise<string> => {
  if (!onPostgres || serverUrl === undefined) return `file:${join(folder, 'hub.db')}`;
  const name = nameOf(folder);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const isThere = (await runOn(serverUrl, `SELECT 1 FROM pg_database WHERE datname = '${name}'`)).length > 0;
  if (!isThere) {
    await runOn(serverUrl, `CREATE DATABASE ${name}`);
    const server = serverUrl;
    atEnd(async () => void (await runOn(server, `DROP DATABASE ${name} WITH (FORCE)`)));
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
