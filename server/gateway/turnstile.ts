/** Pause between batches; requests admitted together share one commit. */
const EVERY_MS = 5;
/** Batch size: the work of one batch takes a few milliseconds. */
const AT_ONCE = 32;

/**
 * Admits a single request at once, and many in batches in their order, so that other work runs in between.
 */
export const createTurnstile = () => {
  const waiting: (() => void)[] = [];
  let isTurning = false;

  const turn = (): void => {
    const through = waiting.splice(0, AT_ONCE);
    isTurning = through.length > 0;
    if (isTurning) setTimeout(turn, EVERY_MS);
    for (const pass of through) pass();
  };

  /** Resolves when it is the caller's turn. */
  return (): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (!isTurning) turn();
    });
};
