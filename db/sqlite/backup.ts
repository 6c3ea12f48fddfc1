import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import Sqlite, { type Database as Client } from 'better-sqlite3';
import type { BackupOptions } from '../database.ts';
import { DatabaseError } from '../errors.ts';
import { createSqliteReader } from './reader.ts';

/** 4 MiB; progress, signal and deadline are checked between two steps. */
const PAGES_A_STEP = 1_024;
const WITHIN_MS = 30 * 60_000;

/** An empty file for its owner only. SQLite gives the files beside it the same mode. */
const createPartial = (partial: string, file: string): void => {
  try {
    closeSync(openSync(partial, 'w', 0o600));
  } catch (error) {
    const message = `The file ${file} cannot be created; check its folder or choose another name.`;
    throw new DatabaseError('unreadable', message, { cause: error });
  }
};

const NEWEST = 'SELECT max(seq) FROM commands';

const newestIn = (client: Client): unknown => {
  const table = client.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'commands'").get();
  return table === undefined ? null : client.prepare(NEWEST).pluck().get();
};

/** Reads the whole copy in a thread: its structure must be sound, and the newest command of the snapshot in it. */
const assertSound = async (copy: string, file: string, newest: unknown): Promise<void> => {
  const reader = createSqliteReader(copy);
  try {
    const [[verdict] = []] = await reader.all('PRAGMA quick_check(1)', []);
    const [[last] = []] = newest === null ? [[null]] : await reader.all(NEWEST, []);
    if (verdict === 'ok' && last === newest) return;
    throw new DatabaseError('corrupt', `The copy ${file} was not sound, and is deleted. Check the disks.`);
  } finally {
    await reader.close();
  }
};

/** A connection with one snapshot, because SQLite restarts a backup when its source changes. */
const openSnapshot = (source: Client): Client => {
  const client = new Sqlite(source.name, { readonly: true });
  try {
    client.exec('BEGIN');
    client.prepare('SELECT count(*) FROM sqlite_schema').get();
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
};

/**
 * Copies all committed rows into a new file while writers continue, and checks the copy.
 * @throws DatabaseError exists, unreadable, late, stopped, corrupt
 */
export const backUp = async (source: Client, file: string, options: BackupOptions = {}): Promise<void> => {
  const { signal, withinMs = WITHIN_MS, onProgress = () => undefined } = options;
  if (existsSync(file)) throw new DatabaseError('exists', `The file ${file} exists already; choose another name.`);
  const partial = `${file}.partial`;
  createPartial(partial, file);
  const endsAt = performance.now() + withinMs;
  const assertGoing = (): void => {
    if (signal?.aborted === true) throw new DatabaseError('stopped', 'The backup was stopped; it left no file.');
    if (performance.now() < endsAt) return;
    const message = `The backup was not done after ${Math.round(withinMs / 1000)} s; it left no file. Check the disks.`;
    throw new DatabaseError('late', message);
  };
  // Memory is seen by its own connection only.
  const client = source.memory ? source : openSnapshot(source);
  try {
    const progress = ({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }): number => {
      assertGoing();
      onProgress(totalPages - remainingPages, totalPages);
      return PAGES_A_STEP;
    };
    await client.backup(partial, { progress });
    const newest = newestIn(client);
    // An open snapshot prevents a restart of the write-ahead log, and the check of the copy takes long.
    if (client !== source) client.close();
    assertGoing();
    await assertSound(partial, file, newest);
    assertGoing();
    renameSync(partial, file);
  } finally {
    if (client !== source) client.close();
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(`${partial}${suffix}`, { force: true });
  }
};
