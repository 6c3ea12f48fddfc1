import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseError } from '../../port/errors.ts';

/** Long enough for a server that is started again. */
const PAUSES_MS = [50, 200, 500, 1_000, 1_500];

/**
 * Does once more what may be done twice, while nobody knows whether it was done: it failed with `error`.
 * @throws DatabaseError unavailable, `inDoubt` if it still is
 */
export const untilKnown = async <T>(error: unknown, work: () => Promise<T>): Promise<T> => {
  if (!(error instanceof DatabaseError) || !error.inDoubt) throw error;
  for (const pauseMs of PAUSES_MS) {
    await pause(pauseMs);
    try {
      return await work();
    } catch {
      // What was in doubt stays so, however the attempts after it fail: none of them says what the first one did.
    }
  }
  throw error;
};
