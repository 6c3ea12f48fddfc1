import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';

export type Store = Database.Database;

const APPLICATION_ID = 0x63777764;
const VERSION = 2;
/** How long to wait for another process that is closing the same file. */
const BUSY_TIMEOUT_MS = 500;

const TABLES = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT;
CREATE TABLE players (
  position INTEGER PRIMARY KEY,
  identifier TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  identifiers TEXT NOT NULL,
  online INTEGER NOT NULL,
  away_until INTEGER NOT NULL DEFAULT 0,
  inventory TEXT NOT NULL,
  vehicles TEXT NOT NULL,
  metadata TEXT NOT NULL
) STRICT;
CREATE INDEX players_online ON players (online);
CREATE TABLE balances (
  identifier TEXT NOT NULL REFERENCES players (identifier),
  account TEXT NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (identifier, account)
) STRICT, WITHOUT ROWID;
CREATE TABLE plates (
  plate TEXT PRIMARY KEY,
  identifier TEXT NOT NULL REFERENCES players (identifier)
) STRICT, WITHOUT ROWID;
CREATE TABLE transactions (
  id INTEGER PRIMARY KEY,
  command_id TEXT,
  identifier TEXT NOT NULL,
  account TEXT NOT NULL,
  delta INTEGER NOT NULL,
  before INTEGER NOT NULL,
  after INTEGER NOT NULL,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX transactions_command ON transactions (command_id) WHERE command_id IS NOT NULL;
CREATE TABLE journal (
  id TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  status TEXT NOT NULL,
  outcome TEXT,
  sequence INTEGER NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  acknowledged INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX journal_open ON journal (sequence) WHERE acknowledged = 0;
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${VERSION};
`;

const connect = (file: string | undefined): Store => {
  if (file === undefined) return new Database(':memory:');
  // SQLite gives its companion files the mode of the first one.
  closeSync(openSync(file, 'a', 0o600));
  return new Database(file, { timeout: BUSY_TIMEOUT_MS });
};

/** Checks the file before any write, so that a foreign file stays as it is. Returns whether the file is empty. */
const inspect = (db: Store, file: string): boolean => {
  if (db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined) return true;
  if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
    throw new Error(`The file ${file} is a database, but not a world.`);
  }
  if (db.pragma('user_version', { simple: true }) !== VERSION) {
    throw new Error(`The world ${file} was made by another version.`);
  }
  return false;
};

const prepare = (db: Store, file: string): void => {
  // Two processes on one world would run the same commands twice. The lock is therefore held until the file is closed.
  db.pragma('locking_mode = EXCLUSIVE');
  const isEmpty = db.transaction(inspect).exclusive(db, file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  if (isEmpty) db.transaction(() => db.exec(TABLES)).immediate();
};

const explain = (error: unknown, file: string): unknown => {
  if (!(error instanceof Database.SqliteError)) return error;
  if (error.code.startsWith('SQLITE_BUSY')) return new Error(`The world ${file} is open in another process.`);
  return error.code === 'SQLITE_NOTADB' ? new Error(`The file ${file} is not a world.`) : error;
};

/**
 * Opens the file of a world (mode 0600), or a database in memory without `file`, and creates its tables.
 * @throws Error when the file is not a world, or is open in another process
 */
export const openStore = (file: string | undefined): Store => {
  const db = connect(file);
  try {
    prepare(db, file ?? 'in memory');
    return db;
  } catch (error) {
    db.close();
    throw explain(error, file ?? 'in memory');
  }
};
