import type { Database } from './database.ts';

/**
 * Runs work one after another for each key, on this node in the order of the calls. With `exclusively`, no other node runs
 * work of the same key at that time. Work that fails does not hold up the next.
 */
export const createTurns = (exclusively: Database['exclusively'] = (_key, work) => work()) => {
  const last = new Map<string, Promise<unknown>>();

  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(key);
    const turn = (async () => {
      await before?.catch(() => undefined);
      return exclusively(key, work);
    })();
    last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (last.get(key) === turn) last.delete(key);
    }
  };
};
export type InTurn = ReturnType<typeof createTurns>;
