import { percentile } from '../statistics.ts';

/** How long the thread was held in each turn, milliseconds. */
export type Slices = { count: number; p50Ms: number; p99Ms: number; maxMs: number; over5: number; totalMs: number };

/** An empty turn of the event loop is shorter than this. */
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

/**
 * A turn from `startTime` to `startTime + wallMs` of this process's clock, and the thread's CPU time in it,
 * milliseconds.
 */
export type Turn = { startTime: number; wallMs: number; cpuMs: number };

/** Keeps turns outside of the heap, so that their storage does not cause garbage collections in later turns. */
export const createTurns = () => {
  const kept = new Float64Array(3 * MOST_TURNS);
  let count = 0;
  return {
    /** @throws when the storage is full */
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
 * Watches the event loop of this process: work between two turns held the thread for that long. After each turn with
 * work it calls `between`, whose time belongs to no turn.
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
    // The kernel's work for this query does not belong to the turn.
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
