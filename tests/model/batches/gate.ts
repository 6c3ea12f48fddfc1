import type { Database } from '../../../db/database.ts';
import { DatabaseError } from '../../../db/errors.ts';

/** A statement of a node that has not begun. */
export type Call = {
  /** Carries it out and answers. */
  run: () => void;
  /** It has no effect, and its node gets an error. */
  fail: () => void;
  /** It is carried out, and the connection breaks before the answer. Undefined: it only reads. */
  loseAnswer: (() => void) | undefined;
};

/** A database of one node whose statements begin only when a walk says so. */
export const gatedDatabase = (database: Database) => {
  const calls: Call[] = [];
  let isOpen = true;

  const gate = <T>(work: () => Promise<T>, isWrite: boolean): Promise<T> =>
    new Promise((resolve, reject) => {
      // A process that is gone neither asks nor hears.
      if (!isOpen) return;
      const take = (act: () => void) => (): void => {
        calls.splice(calls.indexOf(call), 1);
        act();
      };
      const lost = (): void => reject(new DatabaseError('unavailable', 'The connection broke.', { isUnknown: true }));
      const call: Call = {
        run: take(() => void work().then(resolve, reject)),
        fail: take(() => reject(new DatabaseError('unavailable', 'The database is gone.'))),
        loseAnswer: isWrite ? take(() => void work().then(lost, reject)) : undefined,
      };
      calls.push(call);
    });

  const gated: Database = {
    ...database,
    read: (work) => gate(() => database.read(work), false),
    commit: (work, options) => gate(() => database.commit(work, options), true),
    together: (works, options) => gate(() => database.together(works, options), true),
    reader: { ...database.reader, read: (work) => gate(() => database.reader.read(work), false) },
  };
  return {
    database: gated,
    calls,
    /** Its process dies: what has not begun never will. */
    kill: (): void => {
      isOpen = false;
      calls.length = 0;
    },
  };
};
