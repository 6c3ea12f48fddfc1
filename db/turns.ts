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

/** Runs work in the same way on this node. A call whose turn does not come within `waitMs` gets the error of `late`. */
export const createTurnsWithin = (waitMs: number, late: () => Error) => {
  const inTurn = createTurns();

  return <T>(key: string, work: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        reject(late());
      }, waitMs);
      void inTurn(key, async () => {
        clearTimeout(timer);
        if (!isLate) await work().then(resolve, reject);
      });
    });
};
