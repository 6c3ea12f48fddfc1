type Fn = (...args: unknown[]) => void;
type Timer = { id: number; ref(): void; unref(): void; hasRef(): boolean; refresh(): void };
type Entry = { fn: Fn; args: unknown[]; at: number; everyMs: number | undefined };

/** FXServer's timers: they fire at a tick of the server and at no other time, and never during the one that set them. */
export const createTimers = ({ now, error }: { now: () => number; error: (line: string) => void }) => {
  const entries = new Map<number, Entry>();
  let last = 0;

  const add = (fn: Fn, ms: number, everyMs: number | undefined, args: unknown[]): Timer => {
    last += 1;
    const id = last;
    entries.set(id, { fn, args, at: now() + ms, everyMs });
    const refresh = (): void => {
      entries.set(id, { fn, args, at: now() + ms, everyMs });
    };
    return { id, ref: () => {}, unref: () => {}, hasRef: () => true, refresh };
  };
  const remove = (timer: Timer | number | undefined): void => {
    entries.delete(typeof timer === 'object' && timer !== null ? timer.id : (timer ?? 0));
  };

  return {
    globals: {
      setTimeout: (fn: Fn, ms = 0, ...args: unknown[]) => add(fn, ms, undefined, args),
      setInterval: (fn: Fn, ms = 0, ...args: unknown[]) => add(fn, ms, ms, args),
      setImmediate: (fn: Fn, ...args: unknown[]) => add(fn, 0, undefined, args),
      setTick: (fn: Fn) => add(fn, 0, 0, []),
      clearTimeout: remove,
      clearInterval: remove,
      clearImmediate: remove,
    },
    tick: (at: number): void => {
      for (const [id, entry] of [...entries]) {
        if (entry.at > at || entries.get(id) !== entry) continue;
        if (entry.everyMs === undefined) entries.delete(id);
        else entries.set(id, { ...entry, at: at + entry.everyMs });
        try {
          entry.fn(...entry.args);
        } catch (problem) {
          error(`timer: ${problem instanceof Error ? (problem.stack ?? problem.message) : String(problem)}`);
        }
      }
    },
    close: (): void => entries.clear(),
  };
};
