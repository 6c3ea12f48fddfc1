/** Pause between batches; requests admitted together share one commit. */
const EVERY_MS = 5;
/** Batch size: the work of one batch takes a few milliseconds. */
const AT_ONCE = 32;

/**
 * Admits a single request at once, and many in batches in their order, so that other work runs in between.
 */
export const createAdmissionBatches = () => {
  const waiting: (() => void)[] = [];
  let isRunning = false;

  const admitBatch = (): void => {
    const batch = waiting.splice(0, AT_ONCE);
    isRunning = batch.length > 0;
    if (isRunning) setTimeout(admitBatch, EVERY_MS);
    for (const admit of batch) admit();
  };

  /** Resolves when the caller is admitted. */
  return (): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (!isRunning) admitBatch();
    });
};
