import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { drizzle } from 'drizzle-orm/pglite';
import type { PostgresDriver } from '../../db/postgres/database.ts';

const MODULES = join(import.meta.dirname, '../../node_modules');

/** The data folder of initdb. Its creation takes seconds, so it is stored once and loaded. */
const freshDataFolder = async (): Promise<Blob> => {
  const manifest = await readFile(join(MODULES, '@electric-sql/pglite/package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const file = join(MODULES, `.cache/causeway/pglite-${version}.tar`);
  const kept = await readFile(file).catch(() => undefined);
  if (kept !== undefined) return new Blob([kept]);
  const client = await PGlite.create();
  const made = await client.dumpDataDir('none');
  await client.close();
  await mkdir(dirname(file), { recursive: true });
  const partial = `${file}.${process.pid}`;
  await writeFile(partial, new Uint8Array(await made.arrayBuffer()));
  await rename(partial, file);
  return made;
};

/** Makes it as it was when it was new; nothing of ours is outside of that schema. */
const FORGET = ['ROLLBACK', 'DROP SCHEMA public CASCADE', 'CREATE SCHEMA public', 'DISCARD ALL', 'CHECKPOINT'];
const idle: PGlite[] = [];

/** A free, empty instance to use again: a start takes half a second. */
const takeClient = async (): Promise<PGlite> => {
  const used = idle.pop();
  if (used === undefined) return PGlite.create({ extensions: { pg_trgm }, loadDataDir: await freshDataFolder() });
  for (const statement of FORGET) await used.query(statement);
  return used;
};

/** PostgreSQL inside this process, behind the same code as a server. `said` hears every statement of a query. */
export const pgliteDriver = async (
  said: (statement: string, values: unknown[]) => void = () => undefined,
): Promise<PostgresDriver> => {
  const client = await takeClient();
  let isOpen = true;
  return {
    handle: drizzle(client, { logger: { logQuery: said } }),
    query: async (text, values) => (await client.query<Record<string, unknown>>(text, values)).rows,
    // It has one connection, and no other node.
    exclusively: undefined,
    transaction: (work) =>
      client.transaction(async (transaction) =>
        work(async (text, values) => (await transaction.query<Record<string, unknown>>(text, values)).rows),
      ),
    close: async () => {
      if (isOpen) idle.push(client);
      isOpen = false;
    },
  };
};
