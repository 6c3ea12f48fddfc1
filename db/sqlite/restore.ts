import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';
import Sqlite, { type Database as Client } from 'better-sqlite3';
import { DatabaseError } from '../errors.ts';
import { inspect, migrateNow } from './database.ts';

/**
 * `open`: how many of the commands have no outcome in the backup. `replaced`: where the database from before is now;
 * undefined: there was none. Times in epoch milliseconds.
 */
export type Restored = { commands: number; open: number; newestAt: number | null; replaced: string | undefined };

const sync = (path: string): void => {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/** Copies the write-ahead log into the database file. A damaged database keeps its log, which is renamed with it. */
const emptyLog = (file: string): void => {
  try {
    const client = new Sqlite(file, { timeout: 0 });
    try {
      client.pragma('journal_mode = DELETE');
    } finally {
      client.close();
    }
  } catch {
    // The database is being replaced, so a damaged log is expected.
  }
};

/** Keeps the old database under another name. The old name stays until the new database takes it. */
const keep = (file: string, replaced: string): void => {
  emptyLog(file);
  // A log that stays would be read into the new database.
  for (const suffix of ['-wal', '-shm', '-journal']) {
    if (existsSync(`${file}${suffix}`)) renameSync(`${file}${suffix}`, `${replaced}${suffix}`);
  }
  try {
    linkSync(file, replaced);
  } catch {
    // Some file systems know no links.
    copyFileSync(file, replaced);
    sync(replaced);
  }
};

const damaged = (backup: string, cause?: unknown): DatabaseError =>
  new DatabaseError('corrupt', `The backup ${backup} is damaged, or no database; nothing was changed.`, { cause });

const isDamage = (error: unknown): boolean =>
  error instanceof Sqlite.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);

/**
 * Notes the restore, and marks commands that a bridge may have carried out since the backup: none ends as not executed
 * before it was asked. Returns how many.
 */
const markOpen = (client: Client, at: Date): number => {
  client
    .prepare(
      "INSERT INTO schedule_looks (id, at) VALUES ('restored', ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at",
    )
    .run(at.getTime());
  return client
    .prepare("UPDATE commands SET restored_at = ? WHERE status IN ('waiting', 'accepted', 'dispatched')")
    .run(at.getTime()).changes;
};

/** Checks a copy completely, marks its open commands, and makes it a single file. */
const check = (client: Client, backup: string, at: Date): Omit<Restored, 'replaced'> => {
  inspect(client, backup);
  if (client.pragma('integrity_check(1)', { simple: true }) !== 'ok') throw damaged(backup);
  // A backup of an earlier version has no column for the mark.
  migrateNow(client, 0);
  const open = markOpen(client, at);
  client.pragma('journal_mode = DELETE');
  const row = client
    .prepare<[], { commands: number; newestAt: number | null }>(
      'SELECT count(*) AS commands, max(created_at) AS newestAt FROM commands',
    )
    .get();
  return { commands: row?.commands ?? 0, open, newestAt: row?.newestAt ?? null };
};

/** Copies the backup, and checks the copy: so the backup may be on a disk that cannot be written. */
const copyChecked = (backup: string, copy: string, at: Date): Omit<Restored, 'replaced'> => {
  for (const suffix of ['', '-wal']) {
    if (!existsSync(`${backup}${suffix}`)) continue;
    copyFileSync(`${backup}${suffix}`, `${copy}${suffix}`);
    chmodSync(`${copy}${suffix}`, 0o600);
  }
  let client: Client | undefined;
  try {
    client = new Sqlite(copy);
    return check(client, backup, at);
  } catch (error) {
    throw isDamage(error) ? damaged(backup, error) : error;
  } finally {
    client?.close();
  }
};

const removeCopy = (copy: string): void => {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${copy}${suffix}`, { force: true });
};

/**
 * Replaces the database `file` by a backup while no hub uses it. The old database stays beside it. After a crash, one of
 * the two is in place, complete. @throws DatabaseError
 */
export const restoreSqlite = (backup: string, file: string, at: Date): Restored => {
  const target = existsSync(file) ? realpathSync(file) : file;
  if (existsSync(backup) && realpathSync(backup) === target) {
    throw new DatabaseError('exists', `The backup ${backup} is the database itself; name another file.`);
  }
  const stamp = at.toISOString().replaceAll(/[:.]/g, '-');
  const copy = `${target}.restoring`;
  // Files of an attempt that a crash ended.
  removeCopy(copy);
  try {
    const found = copyChecked(backup, copy, at);
    sync(copy);
    const replaced = existsSync(target) ? `${target}.replaced-${stamp}` : undefined;
    if (replaced !== undefined) keep(target, replaced);
    renameSync(copy, target);
    sync(dirname(target));
    return { ...found, replaced };
  } finally {
    removeCopy(copy);
  }
};
