import { Breach } from '../judges/findings.ts';
import type { Waits } from '../line/watch.ts';

const MOST_MS = 30_000;
/** Number of delays from which randomness can be judged. */
const ENOUGH = 3;

/**
 * The delays between the end of a connection and the next one, if the backoff chose them. The number of earlier delays
 * of a process is known only if verify started the process.
 */
export const createDelays = ({ waits }: { waits: Waits }) => {
  let delays: { ms: number; mostMs: number }[] = [];
  let isCounted = false;
  let drawn = 0;
  return {
    /** Starts over for another process; `isFresh` if it has never connected before. */
    restart: (isFresh: boolean): void => {
      isCounted = isFresh;
      drawn = 0;
    },
    /** A session lasted long enough to reset the backoff. */
    startOver: (): void => {
      isCounted = true;
      drawn = 0;
    },
    /** Whether there are enough delays for a judgement. */
    isEnough: (): boolean => delays.length >= ENOUGH,
    drew: (ms: number): void => {
      delays.push({ ms, mostMs: isCounted ? Math.min(MOST_MS, waits.backoffBaseMs * 2 ** drawn) : MOST_MS });
      drawn += 1;
    },
    /** @throws Breach for delays that the backoff cannot produce */
    judge: (): void => {
      const judged = delays;
      delays = [];
      const late = judged.find(({ ms, mostMs }) => ms > mostMs + waits.graceMs);
      const saw = `delays of ${judged.map(({ ms }) => Math.round(ms)).join(', ')} ms`;
      if (late !== undefined) {
        throw new Breach({ rule: 'R45', expected: `at most ${late.mostMs} ms before the next attempt`, saw });
      }
      const isHammering = judged.length >= ENOUGH && judged.every(({ ms }) => ms < waits.hammerMs);
      if (isHammering) throw new Breach({ rule: 'R45', expected: 'delays that grow and are drawn at random', saw });
    },
  };
};
export type Delays = ReturnType<typeof createDelays>;
