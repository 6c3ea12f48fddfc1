import { openThreadClock } from './thread.ts';
import { createTurns, type Turn } from './turns.ts';

/** The duration of half of the resource's slices. */
const SLICE_MS = 0.65;
/** This many runs over this many numbers measure the speed: enough runs for V8's final compilation. */
const TRIED = { times: 1_000, numbers: 50_000 };
/** 256 KiB: other work evicts part of it from the core's cache, as it evicts the resource's data. */
const NUMBERS = new Int32Array(1 << 16).fill(1_103_515_245);

/** Sums up this many numbers: work of constant duration. */
const sumUp = (count: number): number => {
  const last = NUMBERS.length - 1;
  let sum = 1;
  for (let at = 0; at < count; at += 1) sum = (Math.imul(sum, 31) + (NUMBERS[at & last] ?? 0)) | 0;
  return sum;
};

/** Identical slices between the measured ones: differences in their duration come from the machine. */
export const createSteady = () => {
  const threadUs = openThreadClock();
  const tryIt = (): void => {
    for (let times = 0; times < TRIED.times; times += 1) sumUp(TRIED.numbers);
  };
  tryIt();
  const before = threadUs();
  tryIt();
  const count = Math.round((SLICE_MS * 1_000 * TRIED.times * TRIED.numbers) / (threadUs() - before));
  const done = createTurns();
  return {
    run: (): void => {
      const [startTime, used] = [performance.now(), threadUs()];
      sumUp(count);
      done.add({ startTime, cpuMs: (threadUs() - used) / 1_000, wallMs: performance.now() - startTime });
    },
    all: (): Turn[] => done.all(),
  };
};
