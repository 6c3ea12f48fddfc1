import type { Database } from '../../db/port/database.ts';
import { DatabaseError } from '../../db/port/errors.ts';

/** On a full disk a small write may succeed between two that fail: it proves nothing for this long. */
const FULL_MS = 5_000;

/** Wraps a database and notes whether its last write failed: on a full disk, reads still work. */
export const watchWrites = (database: Database, { now = () => performance.now() }: { now?: () => number } = {}) => {
  let isFailing = false;
  let fullAt = Number.NEGATIVE_INFINITY;
  const succeeded = <T>(value: T): T => {
    if (now() - fullAt >= FULL_MS) isFailing = false;
    return value;
  };
  const failed = (error: unknown): never => {
    if (error instanceof DatabaseError && error.code === 'unavailable') {
      isFailing = true;
      if (error.isFull) fullAt = now();
    }
    throw error;
  };
  const commit: Database['commit'] = (work, options) => database.commit(work, options).then(succeeded, failed);
  const together: Database['together'] = (works, options) => database.together(works, options).then(succeeded, failed);
  const insertWithin: Database['insertWithin'] = (...all) => database.insertWithin(...all).then(succeeded, failed);
  return { database: { ...database, commit, together, insertWithin }, areWritesFailing: (): boolean => isFailing };
};
