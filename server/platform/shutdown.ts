import type { Logger } from 'pino';

/** Time for all steps. A silent database would otherwise cost its timeout for each statement. */
const ENDED_WITHIN_MS = 5_000;

/** How far a hub has come between its start and its end. */
export type Phase = {
  /** It stops: bridges and new callers go to other nodes before commands end. */
  isLeaving: boolean;
  /** Its bridges have moved, and it accepts no new commands. */
  isDraining: boolean;
};

/** The name of a step and its work. */
export type Ending = readonly [what: string, end: () => Promise<unknown> | undefined];

/**
 * Runs the steps in order, in 5 s at most. A failed step is logged and the next one runs. A late step is abandoned as in
 * a crash: nothing confirmed is lost.
 */
export const endInTurn = async (endings: readonly Ending[], log: Logger): Promise<void> => {
  let current = '';
  const inTurn = async (): Promise<void> => {
    for (const [what, end] of endings) {
      current = what;
      await end()?.catch((error: unknown) => log.warn({ err: error, what }, 'shutdown step failed'));
    }
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      log.warn({ what: current }, 'shutdown step took too long');
      resolve();
    }, ENDED_WITHIN_MS);
  });
  await Promise.race([inTurn(), late]);
  clearTimeout(timer);
};
