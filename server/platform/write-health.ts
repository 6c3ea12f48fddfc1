import type { Database } from '../../db/port/database.ts';
import { DatabaseError } from '../../db/port/errors.ts';

/** The same database, and whether the last write failed because of it: on a full disk, reading goes on. */
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
