import { openDatabase } from '../../db/database.ts';
import type { ProjectRow } from '../../db/projects.ts';
import { createStore, type Store } from '../../db/store.ts';
import { readConfig } from '../config.ts';
import { CliError } from './output.ts';

/** Opens the configured database, brings it up to date, works, closes. */
export const withStore = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
  const database = await openDatabase({ url: readConfig(process.env).DATABASE_URL });
  try {
    await database.migrate();
    return await work(createStore(database));
  } finally {
    await database.close();
  }
};

/** The project by its slug. @throws CliError */
export const projectOf = async (store: Store, slug: string): Promise<ProjectRow> => {
  const project = await store.projects.bySlug(slug);
  if (project === undefined) throw new CliError(`there is no project "${slug}"; see: causeway project list`);
  return project;
};
