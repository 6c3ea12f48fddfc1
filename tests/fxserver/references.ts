type Held<T> = { fn: T; holders: number };

/** Functions that other runtimes hold, each until the last of these runtimes releases it. */
export const createReferences = <T>() => {
  const held = new Map<number, Held<T>>();
  let last = 0;
  return {
    add: (fn: T): number => {
      last += 1;
      held.set(last, { fn, holders: 0 });
      return last;
    },
    get: (id: number): T | undefined => held.get(id)?.fn,
    hold: (id: number): void => {
      const one = held.get(id);
      if (one !== undefined) one.holders += 1;
    },
    /** True if the last holder released it, and it is removed. */
    release: (id: number): boolean => {
      const one = held.get(id);
      if (one === undefined) return false;
      one.holders -= 1;
      return one.holders <= 0 && held.delete(id);
    },
    clear: (): void => held.clear(),
  };
};
