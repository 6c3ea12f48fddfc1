import { closeSync, existsSync, openSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite, { type Database as Client } from 'better-sqlite3';
import { DatabaseError } from '../errors.ts';
import { assertRoom, noRoom, pathOf } from './file.ts';

/** The process that holds the lock, for error messages. */
export type Holder = { pid: number; host: string; address: string };

/** A rollback journal: readers see the holder while the lock is held. */
const openLock = (file: string): Client => {
  closeSync(openSync(file, 'a', 0o600));
  const client = new Sqlite(file, { timeout: 0 });
  client.pragma('journal_mode = DELETE');
  return client;
};

const isBusy = (error: unknown): boolean => error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');

/** Records the holder. Another process may take the lock between this commit and the lock. */
const take = (client: Client, { pid, host, address }: Holder): void => {
  client.exec('BEGIN IMMEDIATE');
  client.exec('CREATE TABLE IF NOT EXISTS holder (pid INTEGER, host TEXT, address TEXT); DELETE FROM holder');
  client.prepare('INSERT INTO holder VALUES (?, ?, ?)').run(pid, host, address);
  client.exec('COMMIT');
  client.exec('BEGIN IMMEDIATE');
};

/** Undefined: it is not recorded yet. */
const holderIn = (client: Client): Holder | undefined => {
  try {
    return client.prepare<[], Holder>('SELECT * FROM holder').get();
  } catch {
    return undefined;
  }
};

const described = (client: Client): string => {
  const holder = holderIn(client);
  return holder === undefined ? 'an unknown process' : `process ${holder.pid} on ${holder.host}, ${holder.address}`;
};

const lockFileOf = (path: string): string => `${existsSync(path) ? realpathSync(path) : path}.lock`;

/** The newest holder of the lock of an SQLite database, which may have ended; undefined: none is known. */
export const readHolder = (url: string): Holder | undefined => {
  const path = url.startsWith('file:') ? pathOf(url) : undefined;
  if (path === undefined || !existsSync(lockFileOf(path))) return undefined;
  const client = new Sqlite(lockFileOf(path), { readonly: true, timeout: 0 });
  try {
    return holderIn(client);
  } finally {
    client.close();
  }
};

/**
 * Locks an SQLite database for one hub, with a file beside it. The operating system frees the lock when the process
 * ends, however it ends. Undefined where the URL names no file, or none that could be opened.
 * @throws DatabaseError locked: another hub has it; unavailable: the disk is full, and no file was made
 */
export const lockForHub = (url: string, holder: Holder): { release: () => void } | undefined => {
  const path = url.startsWith('file:') ? pathOf(url) : undefined;
  if (path === undefined || !existsSync(dirname(path))) return undefined;
  const file = existsSync(path) ? realpathSync(path) : path;
  // A lock file is never taken away, because another process may have opened it: without room, none is made.
  const isNew = !existsSync(`${file}.lock`);
  if (isNew) assertRoom(file);
  let client: Client | undefined;
  try {
    client = openLock(`${file}.lock`);
    take(client, holder);
    // Not before: another hub may need this room.
    if (!isNew) assertRoom(file);
    const held = client;
    return { release: () => void held.close() };
  } catch (error) {
    const first = isBusy(error) && client !== undefined ? described(client) : undefined;
    client?.close();
    if (error instanceof DatabaseError) throw error;
    if (error instanceof Sqlite.SqliteError && error.code === 'SQLITE_FULL') throw noRoom(file, error);
    const reason = error instanceof Error ? error.message : String(error);
    const message =
      first === undefined
        ? `The file ${file}.lock cannot be used (${reason}); check the disk and its permissions, or change DATABASE_URL.`
        : `Another hub uses the database ${file} (${first}); stop it or change DATABASE_URL.`;
    throw new DatabaseError(first === undefined ? 'unreadable' : 'locked', message, { cause: error });
  }
};
