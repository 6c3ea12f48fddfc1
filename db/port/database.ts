import type { SQL } from 'drizzle-orm';
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core';
import type { Tables } from '../schema/tables.ts';
import type { Grant, GrantRequest } from './rate-limits.ts';
import type { Search } from './search.ts';

export type Engine = 'sqlite' | 'postgres';

/** What queries may use of drizzle. No transactions: the engines disagree on them, compare-and-set needs none. */
export type Handle = Pick<
  BaseSQLiteDatabase<'async', unknown, Record<string, never>>,
  'select' | 'insert' | 'update' | 'delete'
>;

export type PlaceholderValues = Record<string, unknown>;
type Preparable<T> = { prepare(): { execute(values?: PlaceholderValues): PromiseLike<T> } };
/** A statement with its values, to be run by `read` or `commit`: the engine awaits it, or runs it at once. */
export type Statement<T> = PromiseLike<T> | { sync(): T };
/** A statement that was built once. */
export type Prepared<T> = (values?: PlaceholderValues) => Statement<T>;

/** `rows`: how many a statement writes, where they are many. */
export type CommitOptions = { durable?: boolean; rows?: number };

export type BackupOptions = {
  /** Ends the backup; nothing of it stays. */
  signal?: AbortSignal;
  /** Of the whole backup. */
  withinMs?: number;
  /** Told after each step. */
  onProgress?: (copiedPages: number, allPages: number) => void;
};

/** A connection to read from. */
export type Reader = {
  readonly handle: Pick<Handle, 'select'>;
  /**
   * Builds a statement once, at its first use. The name is unique in the program. `anew`: the best way to its rows
   * depends on the values, so PostgreSQL is to look for it each time.
   */
  prepare<T>(name: string, build: () => Preparable<T>, plan?: 'anew'): Prepared<T>;
  /** Runs one statement that only reads. @throws DatabaseError unavailable, corrupt, failed */
  read<T>(work: () => Statement<T>): Promise<T>;
};

export type Database = Reader & {
  readonly engine: Engine;
  readonly handle: Handle;
  readonly tables: Tables;
  readonly search: Search;
  /** The time by the clock of the database, epoch milliseconds: the one that all nodes share. */
  readonly clock: SQL<number>;
  /**
   * For what looks at many rows: an SQLite file is read in another thread, so that the loop goes on meanwhile. Sees
   * everything that is committed when it is asked.
   */
  readonly reader: Reader;
  /**
   * Builds a statement that changes rows, once; it tells whether it changed any. In SQLite this costs less than
   * RETURNING, which is a trigger there.
   */
  prepareChange(name: string, build: () => Preparable<unknown>): Prepared<boolean>;
  /**
   * Runs one statement that writes (a builder or a prepared statement) together with all others of this turn of the
   * loop, in one transaction; resolves after it is committed. `durable`: survives a power cut, not only a crash of
   * the process. A statement that fails rejects only its own caller, a commit that fails rejects all.
   * @throws DatabaseError unavailable, corrupt, failed
   */
  commit<T>(work: () => Statement<T>, options?: CommitOptions): Promise<T>;
  /**
   * The search index, where new players may be late in it; undefined where none is ever late (PostgreSQL). `some` takes
   * the next players into it and tells whether there were any. `atOnce`: how many may wait while more are written; a
   * search looks at each of these.
   */
  readonly late: { readonly some: () => Statement<boolean>; readonly atOnce: number } | undefined;
  /** For those who write a lot without a pause, between two commits: resolves when there is room for more. */
  calm(): Promise<void>;
  /**
   * Copies what is committed from the write-ahead log into the file, so that a damaged log takes the newest rows only:
   * `soon` in a thread, `now` before it returns. Nothing to do where there is no such log (PostgreSQL, memory).
   */
  checkpoint(when: 'now' | 'soon'): void;
  /** Lets requests of a project in, counted over all nodes; undefined where there is only one (SQLite). */
  readonly grant: ((request: GrantRequest) => Promise<Grant>) | undefined;
  /** Says that it is not whole yet; undefined where nothing is copied to (SQLite). */
  readonly copyMark: { isSet(): Promise<boolean>; set(): Promise<void>; clear(): Promise<void> } | undefined;
  /** How far one database is behind another one that it follows; undefined where none follows (SQLite). */
  readonly replication: { position(): Promise<string>; lagMs(position: string): Promise<number | null> } | undefined;
  /** Which database this is, the same for all who use it and for no other one; undefined where one process has it (SQLite). */
  readonly identity: (() => Promise<string>) | undefined;
  /**
   * Ends the exclusive use of a file that was opened on a full disk (`readsWhenFull`), so that it can be written again.
   * Does nothing for any other database. @throws DatabaseError unavailable: there is still no room
   */
  share(): Promise<void>;
  /** Brings the tables up to date. */
  migrate(): Promise<void>;
  /** How many migrations are still to do. */
  pending(): Promise<number>;
  /** Asks the database something; milliseconds. */
  ping(): Promise<number>;
  /** Whether there is no project yet. */
  isEmpty(): Promise<boolean>;
  /** An online copy in a new file, of what is committed when it begins; SQLite only. */
  backup(file: string, options?: BackupOptions): Promise<void>;
  /** Finishes what was begun; afterwards everything rejects with `closed`. */
  close(): Promise<void>;
};
