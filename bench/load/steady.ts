import { percentile } from '../statistics.ts';
import { openThreadClock } from './thread.ts';
import { type Slices, slicesOf, type Turn } from './turns.ts';

/** As long as half of the resource's slices. */
const SLICE_MS = 0.65;
/** So many times so many numbers tell how fast it is: often enough to be compiled for good. */
const TRIED = { times: 1_000, numbers: 50_000 };
/** 256 KiB: other work throws some of it out of the core's own memory, as it does with what the resource reads. */
const NUMBERS = new Int32Array(1 << 16).fill(1_103_515_245);
/** So much longer than most of them, and so near to a slice, tells that the machine was slow then. */
const LONGER_MS = 1;
const NEAR_MS = 100;

/** Sums up so many numbers: nothing that could take longer one time than the next. */
const sumUp = (count: number): number => {
  const last = NUMBERS.length - 1;
  let sum = 1;
  for (let at = 0; at < count; at += 1) sum = (Math.imul(sum, 31) + (NUMBERS[at & last] ?? 0)) | 0;
  return sum;
};

/** Slices that all do the same, between others: by how much some of them are longer all the same is the machine's. */
export const createSteady = () => {
  const threadUs = openThreadClock();
  const tryIt = (): void => {
    for (let times = 0; times < TRIED.times; times += 1) sumUp(TRIED.numbers);
  };
  tryIt();
  const before = threadUs();
  tryIt();
  const count = Math.round((SLICE_MS * 1_000 * TRIED.times * TRIED.numbers) / (threadUs() - before));
  const done: Turn[] = [];
  return {
    run: (): void => {
      const [startTime, used] = [performance.now(), threadUs()];
      sumUp(count);
      done.push({ startTime, cpuMs: (threadUs() - used) / 1_000, duration: performance.now() - startTime });
    },
    slices: (): { wall: Slices; cpu: Slices } => ({
      wall: slicesOf(done.map(({ duration }) => duration)),
      cpu: slicesOf(done.map(({ cpuMs }) => cpuMs)),
    }),
    /** Tells of others whether the machine was slow shortly before them or after, as these have it. */
    slowness: (): ((other: Turn) => boolean) => {
      const usualMs = percentile(
        done.map(({ cpuMs }) => cpuMs),
        0.5,
      );
      const slow = done.filter(({ cpuMs }) => cpuMs > usualMs + LONGER_MS).map(({ startTime }) => startTime);
      return ({ startTime, duration }) =>
        slow.some((at) => at > startTime - NEAR_MS && at < startTime + duration + NEAR_MS);
    },
  };
};
