/** On a busy machine, the awaited work may get only idle time. */
const WITHIN_MS = 120_000;

/** Asks again every `everyMs` until the answer is yes. @throws Error when it is not in time */
export const until = async (
  holds: () => Promise<boolean> | boolean,
  what: string,
  { withinMs = WITHIN_MS, everyMs = 5 }: { withinMs?: number; everyMs?: number } = {},
): Promise<void> => {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
};
