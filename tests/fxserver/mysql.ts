import type { Engine, Row, Run, Values } from './engine.ts';
import { createMariadb } from './mariadb.ts';
import { createSqlite } from './sqlite.ts';

type Callback = (result: unknown, problem?: string) => void;

const first = (rows: unknown): Row | null => (Array.isArray(rows) ? (rows[0] ?? null) : null);
const changed = (result: unknown): unknown =>
  typeof result === 'object' && result !== null && 'affectedRows' in result ? result.affectedRows : result;

/** Of one row its only value, or itself; of more a list. */
const prepared = (result: unknown): unknown => {
  if (!Array.isArray(result)) return changed(result);
  const [row] = result as Row[];
  if (result.length !== 1 || row === undefined) return row === undefined ? null : result;
  const values = Object.values(row);
  return values.length === 1 ? values[0] : row;
};

/** A statement is prepared once, and may be carried out with several lists of values. */
const listsOf = (parameters: Values): Values[] =>
  Array.isArray(parameters) && Array.isArray(parameters[0]) ? parameters : [parameters];

const createEngine = (): Engine => {
  const address = process.env['CAUSEWAY_MYSQL'];
  return address === undefined ? createSqlite() : createMariadb(address);
};

/**
 * oxmysql over a database of its own: in the MariaDB that `CAUSEWAY_MYSQL` is the address of, otherwise in memory by
 * SQLite, unless another one is given. Answers come in a later turn. It can be down, lose its answers, or do nothing until it may.
 */
export const createMysql = ({
  engine = createEngine(),
  turn = () => new Promise((resolve) => setImmediate(resolve)),
}: {
  engine?: Engine;
  /** How long a statement is on its way. */
  turn?: () => Promise<unknown>;
} = {}) => {
  let isDown = false;
  let isDeaf = false;
  let holding: RegExp | undefined;
  let running = 0;
  let process = 0;
  const held: { sql: string; begin: () => void }[] = [];
  const statements: string[] = [];

  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
    }
  };

  const later = (sql: string, work: () => Promise<void>): void => {
    const sender = process;
    const begin = (): void => {
      void counted(async () => {
        await turn();
        if (sender === process) await work();
      });
    };
    if (holding?.test(sql)) held.push({ sql, begin });
    else begin();
  };

  const method =
    (shape: (result: unknown) => unknown) =>
    (sql: string, parameters: Values, done?: Callback, _resource?: string, isPromise = false): void => {
      const answer: Callback = (...args) => {
        try {
          done?.(...args);
        } catch {
          // The caller has stopped.
        }
      };
      later(sql, async () => {
        let result: unknown;
        try {
          if (isDown) throw new Error('connect ECONNREFUSED 127.0.0.1:3306');
          statements.push(sql);
          const results: unknown[] = [];
          for (const values of listsOf(parameters)) results.push(shape(await engine.run(sql, values)));
          result = results.length > 1 ? results : results[0];
          if (isDeaf) throw new Error('Connection lost: The server closed the connection.');
        } catch (error) {
          // Without the flag the error is not reported.
          if (isPromise) answer(null, `${sql} was unable to execute a query! ${String(error)}`);
          return;
        }
        answer(result);
      });
    };

  const release = (order: typeof held): void => {
    holding = undefined;
    held.length = 0;
    for (const { begin } of order) begin();
  };

  return {
    /** For tests, and for fakes that do not go through oxmysql: a statement that is neither held nor lost. */
    run: (...args: Parameters<Run>) => counted(() => engine.run(...args)),
    create: engine.create,
    close: engine.close,
    /** The first row of an answer. */
    look: async (sql: string, parameters?: Values): Promise<Row | undefined> =>
      first(await counted(() => engine.run(sql, parameters))) ?? undefined,
    /** Every statement since the last look. */
    statements: (): string[] => statements.splice(0),
    exports: {
      awaitConnection: () => true,
      query: method((result) => result),
      rawExecute: method((result) => result),
      update: method(changed),
      prepare: method(prepared),
      insert: method(changed),
      single: method(first),
      scalar: method((rows) => Object.values(first(rows) ?? {})[0] ?? null),
    },
    isDown: (): boolean => isDown,
    down: (on: boolean): void => {
      isDown = on;
    },
    /** Statements are executed, and their senders get "connection lost". */
    deafen: (on: boolean): void => {
      isDeaf = on;
    },
    /** Begins nothing from now on, or nothing of a kind. */
    hold: (on: boolean, which = /^/): void => {
      if (on) holding = which;
      else release([...held]);
    },
    /** Releases the oldest held statement, and holds the others. */
    next: (): void => held.shift()?.begin(),
    /** Releases the held statements in the wrong order, as the connections of a pool may do. */
    releaseNewestFirst: (): void => release([...held].reverse()),
    /** The process died: statements that the database had not begun are dropped. */
    crash: (): void => {
      process += 1;
      held.length = 0;
    },
    /** The number of held statements, without the liveness query and the reads of players. */
    heldBack: (): number => held.filter(({ sql }) => !/LIMIT \?|vehicles|^SELECT 1$/.test(sql)).length,
    /** The number of all held statements. */
    waiting: (): number => held.length,
    /** Waits until no statement is in flight, except held ones. */
    quiet: async (): Promise<void> => {
      do await new Promise((resolve) => setImmediate(resolve));
      while (running > 0);
    },
  };
};
export type Mysql = ReturnType<typeof createMysql>;
