import { setImmediate as nextTurn } from 'node:timers/promises';
import Sqlite, { type Database as Client } from 'better-sqlite3';
import type { Statement } from '../database.ts';
import { DatabaseError } from '../errors.ts';

/** While another process writes, SQLite blocks for the first time; then the hub retries after the second. */
const BUSY_TIMEOUT_MS = 5;
const BUSY_RETRY_MS = 20;
/** One transaction has at most this many statements; the rest goes into the next turn of the loop. */
const MAX_STATEMENTS = 512;

type Settle = () => void;
type Entry = {
  durable: boolean;
  rows: number;
  /** Runs the statement. The returned function answers the caller, after the commit. */
  attempt: () => Settle;
  fail: (error: unknown) => void;
};

const isBusy = (error: unknown): boolean => error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');

/** Runs a statement of drizzle on SQLite now, not when its promise would. */
export const runNow = <T>(statement: Statement<T>): T => {
  const prepared =
    'prepare' in statement && typeof statement.prepare === 'function' ? statement.prepare().execute() : statement;
  if (!('sync' in prepared) || typeof prepared.sync !== 'function') {
    throw new TypeError('Only a whole statement can be part of a group commit, not an asynchronous function.');
  }
  return prepared.sync();
};

/** Collects the writes of one turn of the event loop into one transaction. */
export const createGroupCommit = ({
  client,
  busyForMs,
  translate,
  room = () => undefined,
  onCommitted = () => undefined,
}: {
  client: Client;
  /** The longest wait of a transaction for another writing process. */
  busyForMs: number;
  translate: (error: unknown) => DatabaseError;
  /** Prepares the disk before a transaction, if needed. It never rejects. */
  room?: () => Promise<void> | undefined;
  /** Reports the committed rows. */
  onCommitted?: (rows: number) => void;
}) => {
  client.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  const queue: Entry[] = [];
  const begin = client.prepare('BEGIN IMMEDIATE');
  const end = client.prepare('COMMIT');
  let synchronous: 'NORMAL' | 'FULL' | undefined;
  let isScheduled = false;
  let busySince: number | undefined;
  let isClosed = false;
  let lastFailure: unknown;

  const setSynchronous = (mode: 'NORMAL' | 'FULL'): void => {
    if (mode === synchronous) return;
    client.pragma(`synchronous = ${mode}`);
    synchronous = mode;
  };

  /** False: another process is writing. */
  const isBegun = (): boolean => {
    try {
      begin.run();
      busySince = undefined;
      return true;
    } catch (error) {
      busySince ??= performance.now();
      const isOver = performance.now() - busySince >= busyForMs;
      if (isOver) busySince = undefined;
      if (isOver || !isBusy(error)) throw error;
      return false;
    }
  };

  const run = (batch: readonly Entry[]): Settle[] | undefined => {
    setSynchronous(batch.some((entry) => entry.durable) ? 'FULL' : 'NORMAL');
    if (!isBegun()) return undefined;
    const settles: Settle[] = [];
    for (const entry of batch) {
      settles.push(entry.attempt());
      // A full disk or a failed read makes SQLite give up the whole transaction, not only the statement.
      if (!client.inTransaction) {
        throw new DatabaseError('unavailable', 'SQLite gave up the transaction.', { cause: lastFailure });
      }
    }
    end.run();
    return settles;
  };

  const write = (): void => {
    isScheduled = false;
    const batch = queue.splice(0, MAX_STATEMENTS);
    try {
      const settles = run(batch);
      if (settles === undefined) {
        queue.unshift(...batch);
        isScheduled = true;
        setTimeout(write, BUSY_RETRY_MS);
        return;
      }
      for (const settle of settles) settle();
      onCommitted(batch.reduce((sum, { rows }) => sum + rows, 0));
    } catch (error) {
      if (client.inTransaction) client.exec('ROLLBACK');
      const translated = translate(error);
      for (const entry of batch) entry.fail(translated);
    }
    if (queue.length > 0) schedule();
  };

  const flush = (): void => {
    const ready = room();
    if (ready === undefined) write();
    else void ready.then(write);
  };

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(flush);
  };

  return {
    commit: <T>(
      work: () => Statement<T>,
      { durable = false, rows = 1 }: { durable?: boolean; rows?: number } = {},
    ): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        if (isClosed) return reject(new DatabaseError('closed', 'The database is closed.'));
        const attempt = (): Settle => {
          try {
            const value = runNow(work());
            return () => resolve(value);
          } catch (error) {
            lastFailure = error;
            return () => reject(translate(error));
          }
        };
        queue.push({ durable, rows, attempt, fail: reject });
        schedule();
      }),
    /** Resolves when all earlier statements are committed; later ones are refused. */
    close: async (): Promise<void> => {
      isClosed = true;
      while (isScheduled) await nextTurn();
    },
  };
};
