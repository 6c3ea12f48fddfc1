import { PerformanceObserver } from 'node:perf_hooks';
import { percentile } from '../statistics.ts';

/** How long the thread was held at a time, milliseconds. */
export type Slices = { count: number; p50Ms: number; p99Ms: number; maxMs: number; over5: number; totalMs: number };

/** A turn of the loop in which nothing ran is shorter. */
const NOTHING_MS = 0.1;
const SLOW_MS = 5;

export const slicesOf = (slices: readonly number[]): Slices => ({
  count: slices.length,
  p50Ms: percentile(slices, 0.5),
  p99Ms: percentile(slices, 0.99),
  maxMs: slices.reduce((most, slice) => Math.max(most, slice), 0),
  over5: slices.filter((slice) => slice > SLOW_MS).length,
  totalMs: slices.reduce((sum, slice) => sum + slice, 0),
});

/**
 * Of the slices over 5 ms by the clock: those in which the thread worked for less and waited for a core, and of the others
 * those in which V8 collected garbage for 2 ms.
 */
export type Slow = { waiting: number; collecting: number };
const COLLECTED_MS = 2;
type Span = { startTime: number; duration: number };
export type Turn = Span & { cpuMs: number };

/** The times at which garbage was collected, from now on. */
const watchGarbage = (): { spans: Span[]; stop: () => void } => {
  const spans: Span[] = [];
  const observer = new PerformanceObserver((list) => spans.push(...list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  return {
    spans,
    stop: () => {
      spans.push(...observer.takeRecords());
      observer.disconnect();
    },
  };
};

const whySlow = (turns: readonly Turn[], garbage: readonly Span[]): Slow => {
  const slow = turns.filter(({ duration }) => duration > SLOW_MS);
  const busy = slow.filter(({ cpuMs }) => cpuMs > SLOW_MS);
  const collecting = busy.filter(({ startTime, duration }) => {
    const within = garbage.filter((span) => span.startTime >= startTime && span.startTime < startTime + duration);
    return within.reduce((sum, span) => sum + span.duration, 0) >= COLLECTED_MS;
  });
  return { waiting: slow.length - busy.length, collecting: collecting.length };
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
} = {}): {
  /** `all` are the turns, and `busy` those that worked for more than 5 ms. */
  stop: () => { wall: Slices; cpu: Slices; slow: Slow; turns: Record<'all' | 'busy', Turn[]> };
} => {
  const watched: Turn[] = [];
  let isWatching = true;
  const garbage = watchGarbage();
  let last = performance.now();
  let used = cpuUs();
  const look = (): void => {
    if (!isWatching) return;
    const tookMs = performance.now() - last;
    // What the kernel does in this process while it is asked does not belong to the turn.
    const cpuMs = Math.min(tookMs, (cpuUs() - used) / 1_000);
    if (tookMs > NOTHING_MS) {
      watched.push({ startTime: last, duration: tookMs, cpuMs });
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
      garbage.stop();
      return {
        wall: slicesOf(watched.map(({ duration }) => duration)),
        cpu: slicesOf(watched.map(({ cpuMs }) => cpuMs)),
        slow: whySlow(watched, garbage.spans),
        turns: { all: watched, busy: watched.filter(({ cpuMs }) => cpuMs > SLOW_MS) },
      };
    },
  };
};
