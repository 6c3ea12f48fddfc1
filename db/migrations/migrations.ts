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

/** Whether this version can go on from the last applied migration. @throws DatabaseError newer, unreleased */
export const assertKnown = (known: readonly MigrationMeta[], lastApplied: number, target: string): void => {
  if (lastApplied > 0 && lastApplied < (known[0]?.folderMillis ?? 0)) {
    throw new DatabaseError(
      'unreleased',
      `${target} was made by a build of Causeway from before its first release, which no version continues; start with a new database.`,
    );
  }
  if (lastApplied <= (known.at(-1)?.folderMillis ?? 0)) return;
  throw new DatabaseError(
    'newer',
    `${target} was last used by a newer version of Causeway; start that version, or restore a backup made before the update.`,
  );
};
