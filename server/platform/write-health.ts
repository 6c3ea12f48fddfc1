import type { Database } from '../../db/port/database.ts';
import { DatabaseError } from '../../db/port/errors.ts';

/** Wraps a database and notes whether its last write failed: on a full disk, reads still work. */
export const watchWrites = (database: Database) => {
  let isFailing = false;
  const succeeded = <T>(value: T): T => {
    isFailing = false;
    return value;
  };
  const failed = (error: unknown): never => {
    if (error instanceof DatabaseError && error.code === 'unavailable') isFailing = true;
    throw error;
  };
  const commit: Database['commit'] = (work, options) => database.commit(work, options).then(succeeded, failed);
  return { database: { ...database, commit }, areWritesFailing: (): boolean => isFailing };
};
