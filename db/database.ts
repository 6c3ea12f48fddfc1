import { count, sql } from 'drizzle-orm';
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core';
import type { TableName, Tables } from './schema/tables.ts';

/** Values of a statement by the names of their placeholders. */
export type PlaceholderValues = Record<string, unknown>;

/** `want`: the wanted number of requests. The answer is the admitted number. */
export type GrantRequest = { projectId: string; limit: number; want: number };
export type Grant = {
  granted: number;
  /** Requests that would still be admitted. */
  free: number;
  /** The granted requests must be used within this time. */
  validMs: number;
  /** When the oldest counted requests leave the window. */
  resetMs: number;
};

/** The part of drizzle for queries. No transactions: the engines differ, and compare-and-set needs none. */
export type Handle = Pick<
  BaseSQLiteDatabase<'async', unknown, Record<string, never>>,
  'select' | 'insert' | 'update' | 'delete'
>;

/** A query that drizzle has built, before it is prepared. */
export type Preparable<T> = { prepare(): { execute(values?: PlaceholderValues): PromiseLike<T> } };
/** A statement with its values, to be run by `read` or `commit`: the engine awaits it, or runs it at once. */
export type Statement<T> = PromiseLike<T> | { sync(): T };
/** A whole statement of drizzle with its values. */
export type Whole = Statement<unknown> & { toSQL(): { sql: string; params: unknown[] } };
/** A statement that was built once. */
export type Prepared<T> = (values?: PlaceholderValues) => Statement<T>;

export type BackupOptions = {
  /** Ends the backup and deletes its file. */
  signal?: AbortSignal;
  /** Deadline of the whole backup. */
  withinMs?: number;
  /** Called after each step. */
  onProgress?: (copiedPages: number, allPages: number) => void;
};

/** The largest number of rows. `key` names the counted rows: the same for each insert that the bound holds for. */
export type Bound = { key: string; count: () => Whole; most: number };
/** `full`: nothing was inserted, because of a bound. `exists`: nothing was, because of a unique index. */
export type Insertion = 'inserted' | 'full' | 'exists';

/** A connection to read from. */
export type Reader<H = Pick<Handle, 'select'>> = {
  readonly handle: H;
  /**
   * Builds a statement once, at its first use. The name is unique in the program. `anew`: the best plan depends on the
   * values, so PostgreSQL plans each execution.
   */
  prepare<T>(name: string, build: () => Preparable<T>, plan?: 'anew'): Prepared<T>;
  /** Runs one statement that only reads. @throws DatabaseError unavailable, corrupt, failed */
  read<T>(work: () => Statement<T>): Promise<T>;
};

export type Database = Reader<Handle> & {
  readonly engine: 'sqlite' | 'postgres';
  readonly tables: Tables;
  /**
   * For queries over many rows: an SQLite file is read in another thread, so that the event loop is free. Sees all rows
   * committed before the call.
   */
  readonly reader: Reader;
  /**
   * Builds a statement that changes rows, once. It returns whether it changed any. In SQLite this is cheaper than
   * RETURNING.
   */
  prepareChange(name: string, build: () => Preparable<unknown>): Prepared<boolean>;
  /**
   * Runs one statement that writes (a builder or a prepared statement) together with all others of this turn of the
   * loop, in one transaction; resolves after it is committed. `durable`: survives a power cut, not only a crash of
   * the process. `rows`: the number of written rows, if there are many. A statement that fails rejects only its own
   * caller, a commit that fails rejects all. @throws DatabaseError unavailable, corrupt, failed
   */
  commit<T>(work: () => Statement<T>, options?: { durable?: boolean; rows?: number }): Promise<T>;
  /**
   * Runs several statements in one transaction, `durable` unless said otherwise: all take effect, or none. Returns the
   * result of each. Undefined, and nothing written: the condition does not hold. `onlyIfEmpty`: that table has no row, and
   * rows of other transactions cannot enter it meanwhile. `within`: there are fewer rows than this bound allows. They are
   * counted in the transaction, and no other one with the bound's key runs meanwhile, in no process and on no node.
   * @throws DatabaseError as `commit`
   */
  together(
    works: readonly (() => Whole)[],
    condition?: { onlyIfEmpty?: TableName; within?: Bound; durable?: boolean },
  ): Promise<unknown[] | undefined>;
  /**
   * Runs work while no other node runs work with this key, so what was counted still holds when a row is stored. The work
   * uses other connections. A lock whose connection breaks is lost, and the work goes on.
   * @throws DatabaseError unavailable: the key was not free in time, and the work did not begin
   */
  exclusively<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Back-pressure for large writes, between two commits: resolves when there is room for more. */
  calm(): Promise<void>;
  /** Admits requests of a project, counted over all nodes; undefined with a single node (SQLite). */
  readonly grant: ((request: GrantRequest) => Promise<Grant>) | undefined;
  /** Brings the tables up to date. */
  migrate(): Promise<void>;
  /** The number of pending migrations. */
  pending(): Promise<number>;
  /** Copies all rows committed before the start into a new file while the hub runs, and checks it; SQLite only. */
  backup(file: string, options?: BackupOptions): Promise<void>;
  /** Finishes running work. Later calls reject with `closed`. */
  close(): Promise<void>;
};

/** The first row of a statement that returns some. */
export const first = async <T>(rows: Promise<T[]>): Promise<T | undefined> => (await rows)[0];

/** Runs a trivial query and returns its time in milliseconds. */
export const ping = async ({ engine, handle, prepare, read }: Database): Promise<number> => {
  const start = performance.now();
  // SQLite looks at its file only for a table.
  const table = sql.raw(engine === 'sqlite' ? 'sqlite_schema' : '(select 1) as one');
  const statement = prepare('ping', () => handle.select({ rows: count() }).from(table));
  await read(() => statement());
  return performance.now() - start;
};

/** Inserts a row, durably, within a bound. The statement skips a row that exists, and returns a new one. */
export const insertWithin = async ({ together }: Database, insert: () => Whole, within: Bound): Promise<Insertion> => {
  const results = await together([insert], { within });
  if (results === undefined) return 'full';
  return (results[0] as unknown[]).length > 0 ? 'inserted' : 'exists';
};

const MAX_STATEMENTS = 256;

/**
 * Statements of one kind whose shape depends on the request, each built once; `key` is unique in the program.
 * `isPlannedOnce`: the values do not change the best way to its rows.
 */
export const createStatements = <T>({ handle, prepare, read }: Reader, { isPlannedOnce = false } = {}) => {
  const known = new Map<string, Prepared<T>>();
  return {
    handle,
    run: (key: string, build: Parameters<typeof prepare<T>>[1], values: PlaceholderValues): Promise<T> => {
      let statement = known.get(key);
      if (statement === undefined) {
        if (known.size >= MAX_STATEMENTS) known.clear();
        statement = isPlannedOnce ? prepare(key, build) : prepare(key, build, 'anew');
        known.set(key, statement);
      }
      const prepared = statement;
      return read(() => prepared(values));
    },
  };
};
