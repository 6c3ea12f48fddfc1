import type { Database } from '../../port/database.ts';
import { DatabaseError } from '../../port/errors.ts';
import { playerFind } from './find.ts';
import { playerList } from './list.ts';

/** A replica that did not answer is not asked for this long, because an attempt may take seconds. */
const PAUSE_MS = 5_000;

const readsOf = (database: Database) => ({ list: playerList(database), find: playerFind(database).find });

/** Lists and details of players, from a replica while it answers, which may be a moment behind. */
export const playerReads = (database: Database, replica: Database | undefined): ReturnType<typeof readsOf> => {
  const here = readsOf(database);
  if (replica === undefined) return here;
  const there = readsOf(replica);
  let pausedUntil = 0;

  const preferring =
    <A, T>(first: (request: A) => Promise<T>, second: (request: A) => Promise<T>) =>
    async (request: A): Promise<T> => {
      if (performance.now() < pausedUntil) return second(request);
      try {
        return await first(request);
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error;
        pausedUntil = performance.now() + PAUSE_MS;
        return second(request);
      }
    };
  return { list: preferring(there.list, here.list), find: preferring(there.find, here.find) };
};
