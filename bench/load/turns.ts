import { percentile } from '../statistics.ts';

/** How long the thread was held at a time, milliseconds. */
export type Slices = { count: number; p50Ms: number; p99Ms: number; maxMs: number; over5: number; totalMs: number };

/** A turn of the loop in which nothing ran is shorter. */
const NOTHING_MS = 0.1;
export const SLOW_MS = 5;
const MOST_TURNS = 1 << 17;

export const slicesOf = (slices: readonly number[]): Slices => ({
  count: slices.length,
  p50Ms: percentile(slices, 0.5),
  p99Ms: percentile(slices, 0.99),
  maxMs: slices.reduce((most, slice) => Math.max(most, slice), 0),
  over5: slices.filter((slice) => slice > SLOW_MS).length,
  totalMs: slices.reduce((sum, slice) => sum + slice, 0),
});

/** From `startTime` to `startTime + wallMs` of the clock of this process, and what the thread worked in it, milliseconds. */
export type Turn = { startTime: number; wallMs: number; cpuMs: number };

/** Keeps turns outside of the heap: V8 would collect garbage in those that come after, for the sake of those before. */
export const createTurns = () => {
  const kept = new Float64Array(3 * MOST_TURNS);
  let count = 0;
  return {
    /** @throws when too many are kept already */
    add: ({ startTime, wallMs, cpuMs }: Turn): void => {
      if (count === MOST_TURNS) throw new Error(`more than ${MOST_TURNS} turns were watched`);
      kept[3 * count] = startTime;
      kept[3 * count + 1] = wallMs;
      kept[3 * count + 2] = cpuMs;
      count += 1;
    },
    all: (): Turn[] =>
      Array.from({ length: count }, (_, nth) => {
        const [startTime = 0, wallMs = 0, cpuMs = 0] = kept.subarray(3 * nth, 3 * nth + 3);
        return { startTime, wallMs, cpuMs };
      }),
  };
};

/**
 * Watches the loop of this process: whatever ran between two of its turns held the thread for that long. After each turn in
 * which something ran comes `between`, which belongs to none.
 */
export const watchTurns = ({
  cpuUs = () => 0,
  between = () => {},
}: {
  cpuUs?: () => number;
  between?: () => void;
} = {}): { stop: () => Turn[] } => {
  const watched = createTurns();
  let isWatching = true;
  let last = performance.now();
  let used = cpuUs();
  const look = (): void => {
    if (!isWatching) return;
    const wallMs = performance.now() - last;
    // What the kernel does in this process while it is asked does not belong to the turn.
    const cpuMs = Math.min(wallMs, (cpuUs() - used) / 1_000);
    if (wallMs > NOTHING_MS) {
      watched.add({ startTime: last, wallMs, cpuMs });
      between();
    }
    setImmediate(look);
    used = cpuUs();
    last = performance.now();
  };
  setImmediate(look);
  return {
    stop: () => {
      isWatching = false;
      return watched.all();
    },
  };
};
