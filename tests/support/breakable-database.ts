import type { Database } from '../../db/database.ts';
import { DatabaseError } from '../../db/database-error.ts';

type Breakage = 'none' | 'writes' | 'everything';

/** The real database, until its disk goes: then writes, or all of it, fail as SQLite's do. */
export const breakableDatabase = (database: Database) => {
  let broken: Breakage = 'none';
  const unless = <A extends unknown[], T>(breakages: Breakage[], work: (...args: A) => Promise<T>) => {
    return async (...args: A): Promise<T> => {
      if (breakages.includes(broken)) throw new DatabaseError('unavailable', 'The disk is gone.');
      return work(...args);
    };
  };
  const breakable: Database = {
    ...database,
    read: unless(['everything'], database.read) as Database['read'],
    commit: unless(['writes', 'everything'], database.commit) as Database['commit'],
    ping: unless(['everything'], database.ping),
  };
  return {
    database: breakable,
    break: (breakage: Breakage): void => {
      broken = breakage;
    },
  };
};
