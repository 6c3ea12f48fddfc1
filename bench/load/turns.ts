import { percentile } from '../statistics.ts';

/** How long the thread was held at a time, milliseconds. */
export type Slices = { count: number; p50Ms: number; p99Ms: number; maxMs: number; over5: number; totalMs: number };

/** A turn of the loop in which nothing ran is shorter. */
const NOTHING_MS = 0.1;

export const slicesOf = (slices: readonly number[]): Slices => ({
  count: slices.length,
  p50Ms: percentile(slices, 0.5),
  p99Ms: percentile(slices, 0.99),
  maxMs: slices.reduce((most, slice) => Math.max(most, slice), 0),
  over5: slices.filter((slice) => slice > 5).length,
  totalMs: slices.reduce((sum, slice) => sum + slice, 0),
});

/** Watches the loop of this process: whatever ran between two of its turns held the thread for that long. */
export const watchTurns = (cpuUs: () => number = () => 0): { stop: () => { wall: Slices; cpu: Slices } } => {
  const wall: number[] = [];
  const cpu: number[] = [];
  let isWatching = true;
  let last = performance.now();
  let used = cpuUs();
  const look = (): void => {
    if (!isWatching) return;
    const tookMs = performance.now() - last;
    if (tookMs > NOTHING_MS) {
      wall.push(tookMs);
      cpu.push((cpuUs() - used) / 1_000);
    }
    setImmediate(look);
    used = cpuUs();
    last = performance.now();
  };
  setImmediate(look);
  return {
    stop: () => {
      isWatching = false;
      return { wall: slicesOf(wall), cpu: slicesOf(cpu) };
    },
  };
};
