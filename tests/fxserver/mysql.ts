import Sqlite from 'better-sqlite3';

type Callback = (result: unknown, problem?: string) => void;
type Parameters = readonly (string | number | null)[] | Record<string, never> | undefined;

const listOf = (parameters: Parameters): (string | number | null)[] =>
  Array.isArray(parameters) ? parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value)) : [];

/**
 * oxmysql over a database of its own in memory, or in a file: the statements of the bridge and of the fakes mean the
 * same in both. Answers come in a later turn. It can be down, or answer nothing until it may.
 */
export const createMysql = ({ file = ':memory:' }: { file?: string } = {}) => {
  const db = new Sqlite(file);
  db.pragma('journal_mode = WAL');
  let isDown = false;
  let isHeld = false;
  const held: (() => void)[] = [];
  const statements: string[] = [];

  const execute = (sql: string, parameters: Parameters) => {
    if (isDown) throw new Error('connect ECONNREFUSED 127.0.0.1:3306');
    statements.push(sql);
    const statement = db.prepare(sql);
    if (statement.reader) return statement.all(...listOf(parameters));
    const { changes, lastInsertRowid } = statement.run(...listOf(parameters));
    return { affectedRows: changes, insertId: Number(lastInsertRowid) };
  };

  const later = (work: () => void): void => {
    if (isHeld) held.push(work);
    else setImmediate(work);
  };

  const method =
    (shape: (result: unknown) => unknown) =>
    (sql: string, parameters: Parameters, done?: Callback, _resource?: string, isPromise = false): void => {
      const answer: Callback = (...args) => {
        try {
          done?.(...args);
        } catch {
          // Who asked is gone.
        }
      };
      later(() => {
        let result: unknown;
        try {
          result = shape(execute(sql, parameters));
        } catch (error) {
          // Without the flag nobody hears of it.
          if (isPromise) answer(null, `${sql} was unable to execute a query! ${String(error)}`);
          return;
        }
        answer(result);
      });
    };
  const first = (rows: unknown): Record<string, unknown> | null => (Array.isArray(rows) ? (rows[0] ?? null) : null);
  const changed = (result: unknown): unknown =>
    typeof result === 'object' && result !== null && 'affectedRows' in result ? result.affectedRows : result;

  return {
    db,
    /** Every statement since the last look. */
    statements: (): string[] => statements.splice(0),
    exports: {
      query: method((result) => result),
      update: method(changed),
      prepare: method(changed),
      insert: method(changed),
      single: method(first),
      scalar: method((rows) => Object.values(first(rows) ?? {})[0] ?? null),
    },
    isDown: (): boolean => isDown,
    down: (on: boolean): void => {
      isDown = on;
    },
    hold: (on: boolean): void => {
      isHeld = on;
      if (!on) for (const work of held.splice(0)) setImmediate(work);
    },
    /** Lets go of what was held in the wrong order, as connections of a pool may. */
    releaseNewestFirst: (): void => {
      isHeld = false;
      for (const work of held.splice(0).reverse()) setImmediate(work);
    },
    heldBack: (): number => held.length,
    close: (): void => {
      db.close();
    },
  };
};
export type Mysql = ReturnType<typeof createMysql>;
