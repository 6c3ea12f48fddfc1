import type { Logger } from 'pino';

/** For all of it. A database that says nothing would be waited for much longer, once for each statement. */
const ENDED_WITHIN_MS = 5_000;

/** What ends, and how. */
export type Ending = readonly [what: string, end: () => Promise<unknown> | undefined];

/**
 * Ends one after the other, in 5 s at most. What fails is logged and does not keep the rest from ending well; what is late
 * is left as a crash would leave it: nothing that was confirmed is lost.
 */
export const endInTurn = async (endings: readonly Ending[], log: Logger): Promise<void> => {
  let current = '';
  const inTurn = async (): Promise<void> => {
    for (const [what, end] of endings) {
      current = what;
      await end()?.catch((error: unknown) => log.warn({ err: error, what }, 'it did not end well'));
    }
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      log.warn({ what: current }, 'it did not end in time');
      resolve();
    }, ENDED_WITHIN_MS);
  });
  await Promise.race([inTurn(), late]);
  clearTimeout(timer);
};
