import { existsSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { pathOf } from '../../db/sqlite/file.ts';
import { readConfig } from '../platform/config.ts';
import { assertExists, withDatabase, withStore } from './database.ts';
import { CliError, print } from './output.ts';

const PROGRESS_EVERY_MS = 1_000;

const assertFolder = (folder: string): void => {
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder) throw new CliError(`the folder ${folder} does not exist`);
};

const backup = async (file: string): Promise<void> => {
  assertExists(readConfig(process.env));
  assertFolder(dirname(resolve(file)));
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  let toldAt = performance.now();
  const onProgress = (copied: number, all: number): void => {
    if (performance.now() - toldAt < PROGRESS_EVERY_MS) return;
    toldAt = performance.now();
    print(`${Math.floor((100 * copied) / all)} % copied.`);
  };
  await withDatabase(async (database) => {
    await database.backup(file, { signal: stop.signal, onProgress });
    print(`Backed up to ${file}.`);
  });
};

const askedAbout = (open: number): string =>
  `${open} ${open === 1 ? 'command' : 'commands'} had no outcome yet: the hub asks the bridges before it ends one.`;

/** A bridge may have carried out an open command of the backup. */
const restored = (): Promise<void> =>
  withStore(async (store) => print(askedAbout(await store.commands.markRestored(Date.now()))));

const restore = async (file: string): Promise<void> => {
  const { DATABASE_URL, HOST, PORT } = readConfig(process.env);
  const path = DATABASE_URL.startsWith('file:') ? pathOf(DATABASE_URL) : undefined;
  if (path === undefined) {
    throw new CliError(
      'restore is for an SQLite file; use pg_restore while no hub runs on the PostgreSQL database, then "causeway restored"',
    );
  }
  if (!existsSync(file)) throw new CliError(`there is no backup ${resolve(file)}`);
  assertFolder(dirname(path));
  const { lockForHub } = await import('../../db/sqlite/lock.ts');
  const { restoreSqlite } = await import('../../db/sqlite/restore.ts');
  const lock = lockForHub(DATABASE_URL, { pid: process.pid, host: hostname(), address: `http://${HOST}:${PORT}` });
  try {
    const { commands, open, newestAt, replaced } = restoreSqlite(resolve(file), path, new Date());
    const newest = newestAt === null ? '' : `, the newest of ${new Date(newestAt).toISOString()}`;
    print(`Restored ${path} from ${file}: ${commands} commands${newest}.`);
    if (replaced !== undefined) print(`The database from before is ${replaced}; delete it when you need it no more.`);
    if (open > 0) print(askedAbout(open));
    print(
      'Commands after the backup are missing in it. Bridges know them for 14 days: a request that is repeated with its Idempotency-Key, body and deliver pays no player twice. Runs of schedules since then may have been made, although they are told as missed or refused.',
    );
    print('Keys and tokens that were revoked after the backup work again; revoke them again.');
  } finally {
    lock?.release();
  }
};

export const defineBackup = (command: Command): Command =>
  command.argument('<file>', 'where to write the copy; it must not exist').action(backup);

export const defineRestore = (command: Command): Command =>
  command.argument('<file>', 'a copy made by causeway backup').action(restore);

export const defineRestored = (command: Command): Command => command.action(restored);
