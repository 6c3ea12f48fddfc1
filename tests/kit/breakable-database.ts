import { readFileSync } from 'node:fs';
import type { Database, Prepared, Statement } from '../../db/database.ts';
import { DatabaseError } from '../../db/errors.ts';

type Breakage = 'none' | 'writes' | 'everything';

/**
 * A moment in which a process may die: just before a statement is committed, or after the commit and before its answer.
 * `statement`: its name, or the first words of one without a name, such as `insert into batches`.
 */
export type Moment = { statement: string; when: 'before' | 'after' };

/** A statement that begins when it is awaited; SQLite's begin with their commit. */
const later = <T>(begin: () => Statement<T>): Statement<T> => ({
  // biome-ignore lint/suspicious/noThenProperty: statements are thenables, here as in drizzle.
  then: (resolve, reject) => (begin() as PromiseLike<T>).then(resolve, reject),
});

/** The first three words of a statement without a name. */
const wordsOf = (statement: object): string | undefined => {
  if (!('toSQL' in statement) || typeof statement.toSQL !== 'function') return undefined;
  const { sql } = statement.toSQL() as { sql: string };
  return sql
    .replaceAll(/["`]/g, '')
    .split(' ')
    .slice(0, sql.startsWith('update') ? 2 : 3)
    .join(' ');
};

const leaveCopy = (_partial: string): void => undefined;

/** Whether a copy has all pages that its header counts (SQLite's file format, 1.3). */
const isWholeCopy = (partial: string): boolean => {
  const bytes = readFileSync(partial);
  if (bytes.length < 100) return false;
  const pageSize = bytes.readUInt16BE(16);
  return bytes.readUInt32BE(28) * (pageSize === 1 ? 65_536 : pageSize) === bytes.length;
};

/** The real database, until its disk fails: then writes, or all statements, fail as in SQLite. It may also hang. */
export const breakableDatabase = (database: Database) => {
  const names = new WeakMap<object, string>();
  let broken: Breakage = 'none';
  let moment: Moment | undefined;
  let lost: { statement?: string; times: number } = { times: 0 };
  let reached = false;
  let spoilCopy = leaveCopy;
  let held: Promise<unknown> | undefined;
  let answersHeld: Promise<unknown> | undefined;
  let heldAnswer: { statement: string; until: Promise<unknown>; reached: () => void } | undefined;
  let arePingsHeld = false;
  let kill = (): void => undefined;
  const killed = new Promise<never>((_, reject) => {
    kill = () => {
      broken = 'everything';
      reject(new DatabaseError('closed', 'The process is gone.'));
    };
  });
  killed.catch(() => undefined);

  const unless = <A extends unknown[], T>(breakages: Breakage[], work: (...args: A) => Promise<T>) => {
    return async (...args: A): Promise<T> => {
      if (breakages.includes(broken)) throw new DatabaseError('unavailable', 'The disk is gone.');
      return work(...args);
    };
  };
  /** Holds the answer of a statement back. */
  const answerOf = async (name: string | undefined): Promise<void> => {
    if (heldAnswer === undefined || heldAnswer.statement !== name) return;
    heldAnswer.reached();
    await heldAnswer.until;
  };
  const read: Database['read'] = async (work) => {
    const late = answersHeld;
    const statement = work();
    const name = names.get(statement);
    if (held !== undefined && (name !== 'ping' || arePingsHeld)) await held;
    const rows = await database.read(() => statement);
    await late;
    await answerOf(name);
    return rows;
  };
  const stopHere = async (statement: string | undefined, when: Moment['when']): Promise<void> => {
    if (moment === undefined || moment.statement !== statement || moment.when !== when) return;
    reached = true;
    await killed;
  };
  const named =
    <T>(name: string, prepared: Prepared<T>): Prepared<T> =>
    (values) => {
      const statement = database.engine === 'sqlite' ? prepared(values) : later(() => prepared(values));
      names.set(statement, name);
      return statement;
    };
  const commit: Database['commit'] = async (work, options) => {
    const statement = work();
    const name = names.get(statement) ?? (moment && wordsOf(statement));
    if (name !== undefined && name === lost.statement && lost.times > 0) {
      lost.times -= 1;
      await database.commit(() => statement, options);
      throw new DatabaseError('unavailable', 'The connection broke.', { isUnknown: true });
    }
    await stopHere(name, 'before');
    const value = await Promise.race([database.commit(() => statement, options), killed]);
    await stopHere(name, 'after');
    await answerOf(name);
    return value;
  };
  const together: Database['together'] = async (works, options) => {
    await stopHere('together', 'before');
    const isWritten = await Promise.race([database.together(works, options), killed]);
    await stopHere('together', 'after');
    return isWritten;
  };
  const backup: Database['backup'] = (file, options) => {
    const { signal } = new AbortController();
    let isSpoiled = false;
    const look = (): boolean => {
      // The hub looks after every step: the copy is whole when its first page names as many as the file has.
      if (!isSpoiled && isWholeCopy(`${file}.partial`)) {
        isSpoiled = true;
        spoilCopy(`${file}.partial`);
      }
      return options?.signal?.aborted === true;
    };
    return database.backup(file, { ...options, signal: Object.defineProperty(signal, 'aborted', { get: look }) });
  };
  const breakable: Database = {
    ...database,
    backup: (file, options) => (spoilCopy === leaveCopy ? database.backup(file, options) : backup(file, options)),
    prepare: (name, build, plan) => named(name, database.prepare(name, build, plan)),
    prepareChange: (name, build) => named(name, database.prepareChange(name, build)),
    read: unless(['everything'], read) as Database['read'],
    commit: unless(['writes', 'everything'], commit) as Database['commit'],
    together: unless(['writes', 'everything'], together),
    reader: { ...database.reader, read: unless(['everything'], database.reader.read) as Database['read'] },
    grant: database.grant && unless(['everything'], database.grant),
  };
  return {
    database: breakable,
    break: (breakage: Breakage): void => {
      broken = breakage;
    },
    /** The statement of this name is carried out so often, and its answer is lost with its connection. */
    loseAnswer: (statement: string, times: number): void => {
      lost = { statement, times };
    },
    /** The statement of this name never returns from now on. */
    stopAt: (at: Moment): void => {
      moment = at;
      reached = false;
    },
    /** Reads that begin from now on wait for this; pings only if the test says so. */
    holdReads: (until: Promise<unknown>, { withPings = false } = {}): void => {
      held = until;
      arePingsHeld = withPings;
    },
    /** Reads that begin during `work` get the rows of now, but only after `until`. */
    holdAnswers: async (until: Promise<unknown>, work: () => unknown): Promise<void> => {
      answersHeld = until;
      const done = work();
      answersHeld = undefined;
      await done;
    },
    /** Statements of this name have the effect of now, and answer only after `until`; resolves when the first has it. */
    holdAnswersOf: (statement: string, until: Promise<unknown>): Promise<void> =>
      new Promise((reached) => {
        heldAnswer = { statement, until, reached };
      }),
    /** From now on, a disk does this to each copy before the hub checks it. */
    spoilCopies: (spoil: (partial: string) => void): void => {
      spoilCopy = spoil;
    },
    /** Whether a statement waits there. */
    hasStopped: (): boolean => reached,
    /** Refuses all later statements, and ends the waiting ones. */
    kill: (): void => kill(),
  };
};
