import { Worker } from 'node:worker_threads';

/** Written rows after which the log is checkpointed. */
const ROWS = 500;
/** Shortest time between checkpoints, because each one takes CPU from the hub. */
const EVERY_MS = 100;
/** Pages of the log (16 MiB) from which checkpoints follow one another, until the log can be restarted. */
const LARGE_PAGES = 4_096;
/** Pages (32 MiB) at which large writes wait, so that checkpoints catch up. */
const CALM_PAGES = 2 * LARGE_PAGES;
/** Checkpoints that a large write waits for at most. */
const TRIES = 4;
/** From this size (48 MiB), all commits wait up to HOLD_MS for a restart of the log, so that it fits on a small disk. */
const HOLD_PAGES = 3 * LARGE_PAGES;
/** Pages (2 MiB) that are copied while all commits wait; this takes some milliseconds. */
const NEAR_PAGES = 512;
/** Longest wait of a commit: it is more urgent than a short log. */
const HOLD_MS = 100;
/** A backup or a long query can prevent a restart: the next try is after 4 MiB more, or a quarter more if that is larger. */
const MORE_PAGES = 1_024;
/** Rows after which the pages of a small log are counted. */
const LOOK_ROWS = 64;

/** `copied`: pages of the log that are in the database now. */
type Answer = { what: 'checkpoint'; copied: number } | { what: 'restart'; isDone: boolean };

/** `answered` is called with undefined if the thread fails. @throws Error if the system allows no more threads */
const startThread = (file: string, answered: (answer: Answer | undefined) => void) => {
  const workerData = { file, nearPages: NEAR_PAGES };
  const worker = new Worker(new URL('./checkpoint-worker.js', import.meta.url), { workerData });
  worker.unref();
  worker.on('message', answered);
  worker.on('error', () => answered(undefined));
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  return { worker, ended };
};

/** Large writes wait until checkpoints catch up, for TRIES checkpoints at most. */
const createLargeWrites = () => {
  let waiting: (() => void)[] = [];
  let tries = 0;
  const go = (): void => {
    tries = 0;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  return {
    wait: (): Promise<void> => new Promise((resolve) => waiting.push(resolve)),
    go,
    checkpointed: (pages: number): void => {
      tries += 1;
      if (pages < CALM_PAGES || tries >= TRIES) go();
    },
  };
};

/** Commits wait at a shut gate until it opens, at most HOLD_MS. Shutting a shut gate does not make this longer. */
const createGate = () => {
  let shut: Promise<void> | undefined;
  let open = (): void => undefined;
  return {
    shut: (): void => {
      shut ??= new Promise((resolve) => {
        const timer = setTimeout(() => open(), HOLD_MS);
        open = () => {
          clearTimeout(timer);
          shut = undefined;
          resolve();
        };
      });
    },
    open: (): void => open(),
    passed: (): Promise<void> | undefined => shut,
  };
};

/**
 * Runs WAL checkpoints in a worker thread, because a checkpoint is synchronous I/O. The thread starts with the first
 * checkpoint. `pagesInLog` counts the pages of the log. `checkpointHere` copies the log in the calling thread, if the
 * worker has failed.
 *
 * While commits and readers follow one another without a pause, SQLite by itself never restarts the log. So a large
 * log is copied until few pages are left, and commits wait for these.
 */
export const createCheckpointer = (file: string, pagesInLog: () => number, checkpointHere: () => void) => {
  let thread: ReturnType<typeof startThread> | undefined;
  let begunAt = 0;
  let sinceBegun = 0;
  let isBusy = false;
  let isGone = false;
  let lastCopied = 0;
  const largeWrites = createLargeWrites();
  let pages = 0;
  let sinceLook = 0;
  let restartFrom = LARGE_PAGES;
  let isRestarting = false;
  const gate = createGate();

  const look = (): void => {
    pages = pagesInLog();
    if (pages < LARGE_PAGES) restartFrom = LARGE_PAGES;
  };

  const copiedUpTo = (copied: number): void => {
    isBusy = false;
    look();
    // A reader, or a full disk, can keep a checkpoint from copying more than the last one.
    const isStuck = copied === lastCopied;
    lastCopied = copied;
    largeWrites.checkpointed(pages);
    if (pages < restartFrom || isStuck) return largeWrites.go();
    if (pages - copied <= NEAR_PAGES) restart();
    else begin();
  };

  const restarted = (isDone: boolean): void => {
    isRestarting = false;
    if (isDone) pages = 0;
    restartFrom = isDone ? LARGE_PAGES : pages + Math.max(MORE_PAGES, pages / 4);
    gate.open();
    largeWrites.go();
  };

  const ask = (what: Answer['what']): void => {
    const answered = (answer: Answer | undefined): void => {
      if (answer === undefined) isGone = true;
      if (answer?.what === 'checkpoint') copiedUpTo(answer.copied);
      else restarted(answer?.isDone ?? false);
    };
    try {
      thread ??= startThread(file, answered);
      thread.worker.postMessage(what);
    } catch {
      answered(undefined);
    }
  };

  const begin = (): void => {
    if (isBusy || isGone) return;
    begunAt = performance.now();
    sinceBegun = 0;
    isBusy = true;
    ask('checkpoint');
  };

  /** Commits wait from now on, until the log is restarted or the time is over. */
  const restart = (): void => {
    if (isRestarting || isGone) return;
    isRestarting = true;
    gate.shut();
    ask('restart');
  };

  return {
    /** Counts committed rows. The pages of a small log are read only after many rows: a look costs as much as a row. */
    wrote: (count: number): void => {
      sinceLook += count;
      if (sinceLook >= LOOK_ROWS || pages >= LARGE_PAGES / 2) {
        sinceLook = 0;
        look();
      }
      sinceBegun += count;
      if (performance.now() - begunAt < EVERY_MS) return;
      if (sinceBegun >= ROWS || pages >= restartFrom) begin();
      if (isGone && pages >= CALM_PAGES) checkpointHere();
    },
    /** For each commit: undefined, or what it must wait for. */
    room: (): Promise<void> | undefined => {
      if (pages < HOLD_PAGES || pages < restartFrom) return gate.passed();
      restartFrom = pages + MORE_PAGES;
      // A restart that takes longer than the wait must not let the log grow without a bound.
      if (isRestarting) gate.shut();
      else restart();
      return gate.passed();
    },
    /** For large writes: resolves when the log is not far ahead of the database, or after some checkpoints. */
    calm: async (): Promise<void> => {
      if (pages < CALM_PAGES || isGone) return;
      const caughtUp = largeWrites.wait();
      begin();
      await caughtUp;
    },
    close: async (): Promise<void> => {
      // It was not to keep the process alive while it waits for work; its end is waited for.
      isGone = true;
      thread?.worker.ref();
      thread?.worker.postMessage('close');
      await thread?.ended;
      largeWrites.go();
    },
  };
};
