import { Worker } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/sqlite-proxy';
import type { Reader } from '../database.ts';
import { storableValues } from '../schema/text.ts';

const CACHE_KIB = 64 * 1024;

type Answer = { id: number; rows?: unknown[][]; error?: { code: string; message: string } };
type Caller = { resolve: (rows: unknown[][]) => void; reject: (error: Error) => void };

const errorOf = ({ code, message }: { code: string; message: string }): Error =>
  code.startsWith('SQLITE_') ? new Sqlite.SqliteError(message, code) : new Error(message);

/**
 * Reads an SQLite file in a worker thread, one statement at a time, so that large queries do not block the event loop.
 * Each statement sees all rows committed before the call. The thread starts with the first statement.
 */
export const createSqliteReader = (file: string) => {
  const callers = new Map<number, Caller>();
  let worker: Worker | undefined;
  let ended: Promise<unknown> | undefined;
  let asked = 0;

  const settle = (id: number, then: (caller: Caller) => void): void => {
    const caller = callers.get(id);
    callers.delete(id);
    // It keeps the process alive only while a statement is running.
    if (callers.size === 0) worker?.unref();
    if (caller !== undefined) then(caller);
  };

  const start = (): Worker => {
    const started = new Worker(new URL('./reader-worker.js', import.meta.url), {
      workerData: { file, cacheKib: CACHE_KIB },
    });
    ended = new Promise((resolve) => started.once('exit', resolve));
    started.on('message', ({ id, rows = [], error }: Answer) =>
      settle(id, ({ resolve, reject }) => (error === undefined ? resolve(rows) : reject(errorOf(error)))),
    );
    // The next statement starts a new thread.
    started.on('error', (error) => {
      worker = undefined;
      for (const id of [...callers.keys()]) settle(id, ({ reject }) => reject(error));
    });
    return started;
  };

  return {
    /** All rows of one statement, each an array of columns. @throws SqliteError */
    all: (text: string, values: readonly unknown[]): Promise<unknown[][]> =>
      new Promise((resolve, reject) => {
        worker ??= start();
        worker.ref();
        asked += 1;
        callers.set(asked, { resolve, reject });
        worker.postMessage({ id: asked, text, values });
      }),
    /** Resolves when all earlier statements have ended. */
    close: async (): Promise<void> => {
      worker?.ref();
      worker?.postMessage('close');
      await ended;
    },
  };
};

/** Builds queries that run in the thread. */
export const threadConnection = ({
  all,
}: Pick<ReturnType<typeof createSqliteReader>, 'all'>): Pick<Reader, 'handle' | 'prepare'> => ({
  handle: drizzle(async (text, values) => ({ rows: await all(text, values) })) as unknown as Reader['handle'],
  prepare: (_name, build) => {
    let prepared: ReturnType<ReturnType<typeof build>['prepare']> | undefined;
    return (values = {}) => {
      prepared ??= build().prepare();
      return prepared.execute(storableValues(values));
    };
  },
});
