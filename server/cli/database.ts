import { existsSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Database } from '../../db/database.ts';
import type { CopyTarget } from '../../db/postgres/pool.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import { pathOf } from '../../db/sqlite/file.ts';
import type { Store } from '../../db/store.ts';
import { type Config, readConfig, urlOf } from '../platform/config.ts';
import { CliError, commandName, print, printTable } from './output.ts';

/** Opens the configured database, works, closes. @throws DatabaseError, ConfigError */
export const withDatabase = async <T>(work: (database: Database, config: Config) => Promise<T>): Promise<T> => {
  const config = readConfig(process.env);
  // Loaded late, so that help and usage errors are fast.
  const { openDatabase } = await import('../../db/open.ts');
  const database = await openDatabase({ url: config.DATABASE_URL });
  try {
    return await work(database, config);
  } finally {
    await database.close();
  }
};

/** Migrates the database; if MIGRATE_ON_START forbids that, refuses one that is not up to date. @throws CliError */
export const bringUpToDate = async (database: Database, config: Config): Promise<void> => {
  if (config.MIGRATE_ON_START) await database.migrate();
  else if ((await database.pending()) > 0)
    throw new CliError(`the database is not up to date; run: ${commandName()} migrate`);
};

/** Refuses a missing file, instead of creating an empty database in the wrong folder. @throws CliError */
export const assertExists = ({ DATABASE_URL }: Config): void => {
  const path = DATABASE_URL.startsWith('file:') ? pathOf(DATABASE_URL) : undefined;
  if (path === undefined || existsSync(path)) return;
  throw new CliError(`there is no database ${path}; run this in the folder of the hub, or set DATABASE_URL`);
};

/** Runs `work` with all queries on a migrated database. Only `mayCreate` creates a missing one. */
export const withStore = <T>(work: (store: Store) => Promise<T>, { mayCreate = false } = {}): Promise<T> => {
  if (!mayCreate) assertExists(readConfig(process.env));
  return withDatabase(async (database, config) => {
    await bringUpToDate(database, config);
    const { createStore } = await import('../../db/store.ts');
    return work(createStore(database));
  });
};

/** Runs `work` with all queries and the project of this slug. @throws CliError */
export const withProject = <T>(slug: string, work: (store: Store, project: ProjectRow) => Promise<T>): Promise<T> =>
  withStore(async (store) => {
    const project = await store.projects.bySlug(slug);
    if (project === undefined) throw new CliError(`there is no project "${slug}"; see: ${commandName()} project list`);
    return work(store, project);
  });

const migrate = (): Promise<void> =>
  withDatabase(async (database) => {
    const count = await database.pending();
    await database.migrate();
    if (count === 0) print('The database is up to date.');
    else print(`${count} ${count === 1 ? 'migration' : 'migrations'} applied.`);
  });

export const defineMigrate = (command: Command): Command => command.action(migrate);

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
  const lock = lockForHub(DATABASE_URL, { pid: process.pid, host: hostname(), address: urlOf(HOST, PORT) });
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

type CopyOptions = { from: string; to: string; resume?: boolean };

/** @throws CliError if the copy would mix with existing rows, or the state of the target is unknown */
const assertReady = async (source: Database, target: CopyTarget, resume: boolean | undefined): Promise<void> => {
  if ((await source.pending()) > 0) {
    throw new CliError(`the source is not up to date; run ${commandName()} migrate with DATABASE_URL as --from`);
  }
  const isUnfinished = await target.isUnfinished();
  if (isUnfinished && resume !== true) {
    throw new CliError(
      'the target is an unfinished copy; continue with --resume, or drop the database and create it again',
    );
  }
  if (isUnfinished) return;
  if (!(await target.isEmpty())) throw new CliError('the target is not empty; name a database without projects');
};

/** Checked after the options are parsed: commander repeats the value in its errors, and it may contain a password. */
const assertAddresses = ({ from, to }: CopyOptions): void => {
  if (!/^file:./.test(from)) throw new CliError('--from must be file:<path>', 2);
  if (!/^postgres(ql)?:\/\/./.test(to)) throw new CliError('--to must be postgres://user@host:port/name', 2);
};

const copy = async (options: CopyOptions): Promise<void> => {
  assertAddresses(options);
  const { from, to, resume } = options;
  const path = pathOf(from);
  if (path === undefined || !existsSync(path)) throw new CliError(`there is no database ${path ?? 'in memory'}`);
  const { openDatabase } = await import('../../db/open.ts');
  const { openCopyTarget } = await import('../../db/postgres/pool.ts');
  const { copyDatabase } = await import('../../db/copy.ts');
  const source = await openDatabase({ url: from });
  try {
    const target = await openCopyTarget(to);
    try {
      await assertReady(source, target, resume);
      await target.begin();
      await target.database.migrate();
      const done = await copyDatabase(source, target.database, ({ table, rows, written }) =>
        print(`${table}: ${rows} rows, ${written} of them written`),
      );
      await target.end();
      printTable(
        ['table', 'rows', 'sha256 on both sides'],
        done.map(({ table, rows, sha256 }) => [table, String(rows), sha256]),
      );
      print('The copy is whole.');
    } finally {
      await target.database.close();
    }
  } finally {
    await source.close();
  }
};

export const defineCopy = (command: Command): Command =>
  command
    .requiredOption('--from <url>', 'file:<path>')
    .requiredOption('--to <url>', 'postgres://… of an empty database')
    .option('--resume', 'continue an unfinished copy, with all changes since')
    .action(copy);
