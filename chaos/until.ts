/** Idle time of a busy machine may be all that there is for it. */
const READY_WITHIN_MS = 120_000;

/** Waits until it is so. @throws Error it was not within this time */
export const until = async (holds: () => Promise<boolean>, what: string, withinMs = READY_WITHIN_MS): Promise<void> => {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
