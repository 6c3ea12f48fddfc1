import type { Database } from '../db/database.ts';
import { DatabaseError } from '../db/database-error.ts';

/** The same database, and whether the last write failed because of it: on a full disk, reading goes on. */
export const watchWrites = (database: Database) => {
  let isFailing = false;
  const commit: Database['commit'] = async (work, options) => {
    try {
      const value = await database.commit(work, options);
      isFailing = false;
      return value;
    } catch (error) {
      if (error instanceof DatabaseError && error.code === 'unavailable') isFailing = true;
      throw error;
    }
  };
  return { database: { ...database, commit }, areWritesFailing: (): boolean => isFailing };
};
