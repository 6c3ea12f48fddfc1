import { Worker } from 'node:worker_threads';

/** After so many rows what is in the write-ahead log is copied into the database. */
const ROWS = 500;
/** Not more often: rows of commands are small, and the thread takes a turn on the core each time. */
const EVERY_MS = 100;
/** Beyond so many since the log was empty, who writes much waits: some 60 MiB of players. */
const MUCH = 2_000;
/** How often what was written meanwhile is copied as well before a writer goes on all the same. */
const TRIES = 4;
/** With so many pages in the log (16 MiB) a commit waits until the log is emptied, so that it fits on a small disk. */
const LARGE_PAGES = 4_096;
/** After so many rows the pages are counted. */
const LOOK_ROWS = 64;
/** After this a commit goes on all the same: it is more urgent than a short log. */
const HOLD_MS = 100;
/** A backup or a long look at the file can keep the log as it is: after so many pages more (4 MiB) a commit waits again. */
const MORE_PAGES = 1_024;

type Answer = { what: 'checkpoint' | 'restart'; isDone: boolean };

/**
 * Checkpoints an SQLite file in a thread of their own: one reads the log, writes the file and syncs both, and would
 * hold the event loop for all of that. The thread starts when there is something to do for the first time. `pagesInLog`
 * counts the pages of the log.
 */
export const createCheckpointer = (file: string, pagesInLog: () => number) => {
  let worker: Worker | undefined;
  let ended: Promise<unknown> | undefined;
  let rows = 0;
  let begunAt = 0;
  let sinceEmpty = 0;
  let sinceBegun = 0;
  let isBusy = false;
  let isGone = false;
  let tries = 0;
  const waiting: (() => void)[] = [];
  let pages = 0;
  let sinceLook = 0;
  let holdFrom = LARGE_PAGES;
  let isRestarting = false;
  let release = (): void => undefined;

  /** All of the log is copied up to where it was when the thread began; what came meanwhile is soon copied too. */
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
    rows = 0;
    begunAt = performance.now();
    sinceBegun = 0;
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
      rows += count;
      sinceEmpty += count;
      sinceBegun += count;
      if (rows >= ROWS && performance.now() - begunAt >= EVERY_MS) begin();
    },
    /**
     * For each commit: undefined while the log is small. A large one is emptied first, or a while has passed. While
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
    /** Begins one, unless one is under way. */
    checkpoint: begin,
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
