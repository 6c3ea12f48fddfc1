import { Breach } from '../judges/findings.ts';
import type { Waits } from '../line/watch.ts';

const MOST_MS = 30_000;
/** So many delays tell whether they are drawn at all. */
const ENOUGH = 3;

/**
 * The delays between the end of a connection and the next one, as far as they were drawn by the backoff. How many a
 * process has drawn is known only if verify has started it.
 */
export const createDelays = ({ waits }: { waits: Waits }) => {
  let delays: { ms: number; mostMs: number }[] = [];
  let isCounted = false;
  let drawn = 0;
  return {
    /** Another process begins anew; `isFresh` when it has not dialled anybody before. */
    restart: (isFresh: boolean): void => {
      isCounted = isFresh;
      drawn = 0;
    },
    /** A session was held so long that the backoff starts over. */
    startOver: (): void => {
      isCounted = true;
      drawn = 0;
    },
    /** Whether there are enough of them to be judged. */
    isEnough: (): boolean => delays.length >= ENOUGH,
    drew: (ms: number): void => {
      delays.push({ ms, mostMs: isCounted ? Math.min(MOST_MS, waits.backoffBaseMs * 2 ** drawn) : MOST_MS });
      drawn += 1;
    },
    /** @throws Breach for delays that the backoff does not give */
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
