import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseError } from './database-error.ts';

/** Long enough for a server that is started again. */
const PAUSES_MS = [50, 200, 500, 1_000, 1_500];

const isUnavailable = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && error.code === 'unavailable';

/**
 * Does once more what may be done twice, while nobody knows whether it was done; `again` tells that the answer is not
 * the first one's. @throws DatabaseError unavailable, `inDoubt` if it still is
 */
export const untilKnown = async <T>(work: () => Promise<T>): Promise<{ value: T; again: boolean }> => {
  let doubt: DatabaseError | undefined;
  for (const pauseMs of [...PAUSES_MS, undefined]) {
    try {
      return { value: await work(), again: doubt !== undefined };
    } catch (error) {
      // What was in doubt stays so, however the attempts after it fail.
      if (!isUnavailable(error) || (doubt === undefined && !error.inDoubt)) throw error;
      doubt ??= error;
    }
    if (pauseMs !== undefined) await pause(pauseMs);
  }
  throw doubt;
};
