import { Worker } from 'node:worker_threads';

/** After so many statements what is in the write-ahead log is copied into the database. */
const STATEMENTS = 2_000;

/**
 * Checkpoints an SQLite file in a thread of their own: one reads the log, writes the file and syncs both, and would
 * hold the event loop for all of that. The thread starts when there is something to do for the first time.
 */
export const createCheckpointer = (file: string) => {
  let worker: Worker | undefined;
  let ended: Promise<unknown> | undefined;
  let statements = 0;
  let isBusy = false;

  const start = (): Worker => {
    const started = new Worker(new URL('./checkpoint-worker.js', import.meta.url), { workerData: { file } });
    started.unref();
    ended = new Promise((resolve) => started.once('exit', resolve));
    const idle = (): void => {
      isBusy = false;
    };
    started.on('message', idle);
    // The connection that writes checkpoints a log that grows too large itself; without the thread it does so alone.
    started.on('error', idle);
    return started;
  };

  return {
    /** So many statements were committed. */
    wrote: (count: number): void => {
      statements += count;
      if (statements < STATEMENTS || isBusy) return;
      statements = 0;
      isBusy = true;
      worker ??= start();
      worker.postMessage('checkpoint');
    },
    close: async (): Promise<void> => {
      // It was not to keep the process alive while it waits for work; its end is waited for.
      worker?.ref();
      worker?.postMessage('close');
      await ended;
    },
  };
};
