import { Worker } from 'node:worker_threads';

/** Written rows after which the log is checkpointed. */
const ROWS = 500;
/** Shortest time between checkpoints, because each one takes CPU from the hub. */
const EVERY_MS = 100;
/** Rows since the log was empty after which large writes wait; about 60 MiB of players. */
const MUCH = 2_000;
/** Checkpoints that a large write waits for at most. */
const TRIES = 4;
/** Pages of the log (16 MiB) at which commits wait until it begins anew, so that it fits on a small disk. */
const LARGE_PAGES = 4_096;
/** Rows after which the pages are counted. */
const LOOK_ROWS = 64;
/** Longest wait of a commit: it is more urgent than a short log. */
const HOLD_MS = 100;
/** A backup or a long look at the file can keep the log as it is: after so many pages more (4 MiB) a commit waits again. */
const MORE_PAGES = 1_024;

/** Rows between two marks that are copied without a thread, which would take 12 MB. */
const FEW_ROWS = 32;
/** Marks of an idle hub (10 minutes) that are copied together. */
const MARKS = 200;

type Answer = { what: 'checkpoint' | 'restart'; isDone: boolean };

/**
 * Runs WAL checkpoints in a worker thread, because a checkpoint is synchronous I/O. The thread starts with the first
 * checkpoint. `pagesInLog` counts the pages of the log; `checkpointHere` copies a small log in this thread.
 */
export const createCheckpointer = (file: string, pagesInLog: () => number, checkpointHere: () => void) => {
  let worker: Worker | undefined;
  let ended: Promise<unknown> | undefined;
  let begunAt = 0;
  let sinceEmpty = 0;
  let sinceBegun = 0;
  let marks = 0;
  let isBusy = false;
  let isGone = false;
  let tries = 0;
  const waiting: (() => void)[] = [];
  let pages = 0;
  let sinceLook = 0;
  let holdFrom = LARGE_PAGES;
  let isRestarting = false;
  let release = (): void => undefined;

  /** The log is copied up to its end at the start of the step; newer rows are copied by the next step. */
  const finish = (isCopied: boolean): void => {
    isBusy = false;
    if (isCopied && sinceBegun === 0) sinceEmpty = 0;
    else if (isCopied && waiting.length > 0 && tries < TRIES) {
      tries += 1;
      return begin();
    }
    tries = 0;
    for (const resolve of waiting.splice(0)) resolve();
  };

  const restarted = (isEmpty: boolean): void => {
    isRestarting = false;
    if (isEmpty) pages = 0;
    holdFrom = isEmpty ? LARGE_PAGES : pages + MORE_PAGES;
    release();
  };

  const start = (): Worker => {
    const started = new Worker(new URL('./checkpoint-worker.js', import.meta.url), { workerData: { file } });
    started.unref();
    ended = new Promise((resolve) => started.once('exit', resolve));
    started.on('message', ({ what, isDone }: Answer) => (what === 'restart' ? restarted : finish)(isDone));
    // The connection that writes checkpoints a log that grows too large itself; without the thread it does so alone.
    started.on('error', () => {
      isGone = true;
      finish(false);
      restarted(false);
    });
    return started;
  };

  const begin = (): void => {
    if (isBusy || isGone) return;
    begunAt = performance.now();
    sinceBegun = 0;
    marks = 0;
    isBusy = true;
    worker ??= start();
    worker.postMessage('checkpoint');
  };

  return {
    /** Counts committed rows. The pages of a small log are read only after many rows: a look costs as much as a row. */
    wrote: (count: number): void => {
      sinceLook += count;
      if (sinceLook >= LOOK_ROWS || pages >= LARGE_PAGES / 2) {
        sinceLook = 0;
        pages = pagesInLog();
        if (pages < LARGE_PAGES) holdFrom = LARGE_PAGES;
      }
      sinceEmpty += count;
      sinceBegun += count;
      if (sinceBegun >= ROWS && performance.now() - begunAt >= EVERY_MS) begin();
    },
    /**
     * For each commit: undefined while the log is small. A large one begins anew first, or a while has passed. While
     * commits and readers follow one another without a pause, SQLite by itself never begins the log anew.
     */
    room: (): Promise<void> | undefined => {
      if (pages < holdFrom || isGone || isRestarting) return undefined;
      isRestarting = true;
      worker ??= start();
      worker.postMessage('restart');
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, HOLD_MS);
        release = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    /** Called after each renewed mark, which is one row. Begins a checkpoint, unless one is under way. */
    marked: (): void => {
      marks += 1;
      const others = sinceBegun - marks;
      if (worker !== undefined || others > FEW_ROWS) return begin();
      if (others <= 0 && marks < MARKS) return;
      sinceBegun = 0;
      marks = 0;
      checkpointHere();
    },
    /**
     * Resolves when the log is not far ahead of the database. A log that many write into without a pause never begins
     * again: it grows until a commit has to copy it.
     */
    calm: async (): Promise<void> => {
      if (sinceEmpty < MUCH || isGone) return;
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        begin();
      });
    },
    close: async (): Promise<void> => {
      // It was not to keep the process alive while it waits for work; its end is waited for.
      worker?.ref();
      worker?.postMessage('close');
      await ended;
      isGone = true;
    },
  };
};
