/** So long the others wait once somebody has passed: what passes together shares a commit. */
const EVERY_MS = 5;
/** The work of so many holds the loop for a few milliseconds. */
const AT_ONCE = 32;

/**
 * Lets whoever comes alone pass at once, and of a crowd some at a time, in the order in which they came: new sockets are
 * taken in and commands answered in between.
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
