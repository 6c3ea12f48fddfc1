import Sqlite, { type Database as Client } from 'better-sqlite3';
import { DatabaseError, diskFull } from '../port/errors.ts';
import { hasRoom } from './file.ts';

/**
 * Opens a file for this connection alone. SQLite keeps the index of the write-ahead log in memory then; otherwise the
 * index is a mapped file, and without room for it the open fails or a write to it ends the process (SIGBUS).
 */
export const openExclusive = (file: string, busyTimeoutMs: number): Client => {
  const client = new Sqlite(file, { timeout: busyTimeoutMs });
  // Before the first access, which decides where the index is kept.
  client.pragma('locking_mode = EXCLUSIVE');
  return client;
};

const setJournalMode = (client: Client, mode: 'delete' | 'wal'): void => {
  const reached = client.pragma(`journal_mode = ${mode}`, { simple: true });
  if (reached !== mode) throw new DatabaseError('unavailable', `The journal mode is ${reached}, not ${mode}.`);
};

/**
 * Lets other connections use the file as well; prepared statements stay valid. If a step fails, all of them may be
 * repeated. @throws DatabaseError unavailable; SqliteError
 */
export const endExclusive = (client: Client, file: string): void => {
  // Checked first: a file that is in WAL mode and has no room for its index cannot be read.
  if (!hasRoom(file)) throw diskFull(file);
  const synchronous = client.pragma('synchronous', { simple: true });
  // A rollback journal needs more syncs than a write-ahead log to survive a power cut.
  client.pragma('synchronous = FULL');
  try {
    // SQLite changes the locking mode only outside of WAL mode.
    setJournalMode(client, 'delete');
    client.pragma('locking_mode = NORMAL');
    setJournalMode(client, 'wal');
    client.prepare('SELECT count(*) FROM sqlite_schema').get();
  } finally {
    client.pragma(`synchronous = ${synchronous}`);
  }
};
