import { existsSync } from 'node:fs';
import type { Database } from '../../db/port/database.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import { pathOf } from '../../db/sqlite/file.ts';
import type { Store } from '../../db/store.ts';
import { type Config, readConfig } from '../platform/config.ts';
import { commandName } from './command-name.ts';
import { CliError } from './output.ts';

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

/** The same with all queries, on a migrated database. Only `mayCreate` creates a missing one. */
export const withStore = <T>(work: (store: Store) => Promise<T>, { mayCreate = false } = {}): Promise<T> => {
  if (!mayCreate) assertExists(readConfig(process.env));
  return withDatabase(async (database, config) => {
    await bringUpToDate(database, config);
    const { createStore } = await import('../../db/store.ts');
    return work(createStore(database));
  });
};

/** The project by its slug. @throws CliError */
export const projectOf = async (store: Store, slug: string): Promise<ProjectRow> => {
  const project = await store.projects.bySlug(slug);
  if (project === undefined) throw new CliError(`there is no project "${slug}"; see: ${commandName()} project list`);
  return project;
};
