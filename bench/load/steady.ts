import { openThreadClock } from './thread.ts';
import { type Slices, slicesOf } from './turns.ts';

const IN_A_ROW = 10;
const PAUSE_MS = 2;
const TRIED = 1e8;

/** Sums up so many numbers: nothing that could take longer one time than the next. */
const work = (rounds: number): number => {
  let sum = 1;
  for (let round = 0; round < rounds; round += 1) sum = (sum * 1_103_515_245 + 12_345) & 0x7fff_ffff;
  return sum;
};

/** Slices that all do the same: by how much some are longer all the same is the machine's. */
export const steadySlices = async (plan: {
  count: number;
  sliceMs: number;
}): Promise<{ wall: Slices; cpu: Slices }> => {
  const threadUs = openThreadClock();
  const before = threadUs();
  work(TRIED);
  const rounds = Math.round((plan.sliceMs * 1_000 * TRIED) / (threadUs() - before));
  const [wall, cpu]: [number[], number[]] = [[], []];
  while (wall.length < plan.count) {
    const [startedAt, used] = [performance.now(), threadUs()];
    work(rounds);
    cpu.push((threadUs() - used) / 1_000);
    wall.push(performance.now() - startedAt);
    if (wall.length % IN_A_ROW === 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return { wall: slicesOf(wall), cpu: slicesOf(cpu) };
};
