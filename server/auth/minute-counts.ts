const WINDOW_MS = 60_000;
const MAX_NAMES = 50_000;

/** A count and the end of its minute. */
export type MinuteCount = { count: number; resetMs: number };

/**
 * Counts by name, such as an address, in windows of a minute that begin with the first count. Over 50,000 names, the
 * oldest windows are forgotten.
 */
export const createMinuteCounts = ({ now = () => performance.now() }: { now?: () => number } = {}) => {
  const windows = new Map<string, { from: number; count: number }>();

  const current = (name: string, at: number) => {
    const known = windows.get(name);
    return known !== undefined && at - known.from < WINDOW_MS ? known : undefined;
  };

  const begin = (name: string, at: number) => {
    const window = { from: at, count: 0 };
    // A map keeps the order of insertion, so the oldest windows come first.
    windows.delete(name);
    windows.set(name, window);
    const [oldest] = windows.keys();
    if (windows.size > MAX_NAMES && oldest !== undefined) windows.delete(oldest);
    return window;
  };

  return {
    add: (name: string): MinuteCount => {
      const at = now();
      const window = current(name, at) ?? begin(name, at);
      window.count += 1;
      return { count: window.count, resetMs: window.from + WINDOW_MS - at };
    },
    /** True if nothing is counted. */
    isEmpty: (): boolean => windows.size === 0,
    read: (name: string): MinuteCount => {
      const at = now();
      const window = current(name, at);
      return { count: window?.count ?? 0, resetMs: window === undefined ? 0 : window.from + WINDOW_MS - at };
    },
  };
};
