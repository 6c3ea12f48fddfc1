import { fileURLToPath } from 'node:url';
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator';
import { DatabaseError } from '../errors.ts';

export const MIGRATIONS_TABLE = '__drizzle_migrations';

/** The migrations of this version, oldest first. */
export const knownMigrations = (engine: 'sqlite' | 'postgres'): MigrationMeta[] =>
  readMigrationFiles({ migrationsFolder: fileURLToPath(new URL(`./${engine}`, import.meta.url)) });

/** The migrations after the last applied one (its time in ms; 0: none). */
export const pendingMigrations = (known: readonly MigrationMeta[], lastApplied: number): MigrationMeta[] =>
  known.filter((migration) => migration.folderMillis > lastApplied);

/** @throws DatabaseError newer */
export const assertNotNewer = (known: readonly MigrationMeta[], lastApplied: number, target: string): void => {
  if (lastApplied <= (known.at(-1)?.folderMillis ?? 0)) return;
  throw new DatabaseError(
    'newer',
    `${target} was last used by a newer version of Causeway; start that version, or restore a backup made before the update.`,
  );
};
