import type { Database } from '../../db/database.ts';

/** The largest work that was done between two turns of the event loop. */
type Turns = { rows: number; characters: number };

/**
 * A database that counts what its callers get and store in one turn of the event loop, which is how long all other
 * callers wait. Rows count, not milliseconds: a busy machine changes nothing.
 */
export const countedDatabase = (database: Database) => {
  const now: Turns = { rows: 0, characters: 0 };
  const largest: Turns = { rows: 0, characters: 0 };
  let isCounting = false;
  let isNextDue = false;

  const add = (rows: number, characters: number): void => {
    if (!isCounting) return;
    if (!isNextDue) {
      isNextDue = true;
      setImmediate(() => {
        isNextDue = false;
        now.rows = 0;
        now.characters = 0;
      });
    }
    now.rows += rows;
    now.characters += characters;
    largest.rows = Math.max(largest.rows, now.rows);
    largest.characters = Math.max(largest.characters, now.characters);
  };
  const counted = <T>(value: T): T => {
    if (isCounting && Array.isArray(value)) add(value.length, JSON.stringify(value)?.length ?? 0);
    return value;
  };
  const read: Database['read'] = async (work) => counted(await database.read(work));
  const readAside: Database['read'] = async (work) => counted(await database.reader.read(work));
  const commit: Database['commit'] = async (work, options) => {
    add(options?.rows ?? 1, 0);
    return counted(await database.commit(work, options));
  };
  const together: Database['together'] = (works, options) => {
    add(works.length, 0);
    return database.together(works, options);
  };

  return {
    database: {
      ...database,
      read,
      commit,
      together,
      reader: { ...database.reader, read: readAside },
    } satisfies Database,
    /** The largest turn while the work was done. */
    during: async (work: () => Promise<unknown>): Promise<Turns> => {
      largest.rows = 0;
      largest.characters = 0;
      isCounting = true;
      try {
        await work();
      } finally {
        isCounting = false;
      }
      return { ...largest };
    },
  };
};
