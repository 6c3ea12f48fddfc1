/** Waiting for what others do: `notify` says that something happened, and everybody who waits looks again. */
export const createWatch = () => {
  const watchers = new Map<() => void, () => void>();

  /** The first value that `look` finds within `ms`, or undefined. What `look` throws ends the wait. */
  const happens = <T>(look: () => T | undefined, ms: number): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        watchers.delete(check);
      };
      const giveUp = (): void => {
        end();
        resolve(undefined);
      };
      const check = (): void => {
        try {
          const found = look();
          if (found === undefined) return;
          end();
          resolve(found);
        } catch (error) {
          end();
          reject(error);
        }
      };
      const timer = setTimeout(giveUp, Math.max(0, ms));
      watchers.set(check, giveUp);
      check();
    });

  return {
    happens,
    notify: (): void => {
      for (const check of [...watchers.keys()]) check();
    },
    /** Everybody stops waiting. */
    close: (): void => {
      for (const giveUp of [...watchers.values()]) giveUp();
    },
  };
};
export type Watch = ReturnType<typeof createWatch>;
