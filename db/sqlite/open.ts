import { statSync } from 'node:fs';
import Sqlite, { type Database as Client } from 'better-sqlite3';
import { assertNotNewer, knownMigrations } from '../migrations/migrations.ts';
import type { Database } from '../port/database.ts';
import { DatabaseError } from '../port/errors.ts';
import { lastSqliteMigration, sqliteDatabase, sqliteTranslator } from './database.ts';
import { pathOf, prepareFile } from './file.ts';

/** Largest file that is checked at start; damage in larger files is found when it is read. */
const MAX_CHECKED_BYTES = 64 * 1024 * 1024;
/** When the log is restarted, SQLite cuts a longer file to this size. HOLD_PAGES is less: commits are slower while it grows. */
const MAX_WAL_BYTES = 64 * 1024 * 1024;
const CACHE_KIB = 64 * 1024;
/** Beyond this size (1 GiB), commits checkpoint the log themselves; the checkpointer's thread acts earlier. */
const CHECKPOINT_PAGES = 262_144;

/** Looks at a file without changing it. @throws DatabaseError foreign, newer, corrupt */
export const inspect = (client: Client, file: string): void => {
  const tables = Number(client.prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table'").pluck().get());
  const applied = lastSqliteMigration(client);
  if (tables > 0 && applied === 0) {
    throw new DatabaseError('foreign', `The database ${file} belongs to another program; change DATABASE_URL.`);
  }
  assertNotNewer(knownMigrations('sqlite'), applied, `The database ${file}`);
  if (statSync(file).size <= MAX_CHECKED_BYTES && client.pragma('quick_check(1)', { simple: true }) !== 'ok') {
    throw new DatabaseError('corrupt', `The database ${file} is damaged; restore a backup.`);
  }
};

const inspectReadOnly = (file: string, timeout: number): void => {
  const client = new Sqlite(file, { readonly: true, timeout });
  try {
    inspect(client, file);
  } finally {
    client.close();
  }
};

const withSettings = (client: Client): Client => {
  client.pragma('synchronous = NORMAL');
  client.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  client.pragma(`cache_size = -${CACHE_KIB}`);
  // A statement that writes many rows keeps the old pages; by default SQLite moves them to a file beyond 64 KiB.
  client.pragma('temp_store = MEMORY');
  client.pragma(`journal_size_limit = ${MAX_WAL_BYTES}`);
  return client;
};

const openToWrite = (file: string, timeout: number): Database => {
  const client = new Sqlite(file, { timeout });
  try {
    client.pragma('journal_mode = WAL');
    return sqliteDatabase({ client: withSettings(client), file });
  } catch (error) {
    client.close();
    throw error;
  }
};

/** Opens a file (or memory), making it where there is none. @throws DatabaseError */
export const openSqlite = async ({ url, busyTimeoutMs }: { url: string; busyTimeoutMs: number }): Promise<Database> => {
  const path = pathOf(url);
  const file = path ?? ':memory:';
  try {
    const hasContent = path !== undefined && prepareFile(path);
    if (hasContent) inspectReadOnly(file, busyTimeoutMs);
    return openToWrite(file, busyTimeoutMs);
  } catch (error) {
    const translated = sqliteTranslator(file)(error);
    if (translated.code !== 'unavailable' || translated.isFull) throw translated;
    const isBusy = error instanceof Sqlite.SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code);
    throw new DatabaseError(isBusy ? 'locked' : 'unreadable', translated.message, { cause: error });
  }
};
