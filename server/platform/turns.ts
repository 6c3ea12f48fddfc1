/**
 * Runs work one after another for each key, in the order of the calls: what was counted still holds when the row is
 * stored. It holds for this process only. Work that fails does not hold up the next.
 */
export const createTurns = () => {
  const last = new Map<string, Promise<unknown>>();

  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(key);
    const turn = (async () => {
      await before?.catch(() => undefined);
      return work();
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
