import { openThreadClock } from './thread.ts';
import { createTurns, type Turn } from './turns.ts';

/** As long as half of the resource's slices. */
const SLICE_MS = 0.65;
/** So many times so many numbers tell how fast it is: often enough to be compiled for good. */
const TRIED = { times: 1_000, numbers: 50_000 };
/** 256 KiB: other work throws some of it out of the core's own memory, as it does with what the resource reads. */
const NUMBERS = new Int32Array(1 << 16).fill(1_103_515_245);

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
