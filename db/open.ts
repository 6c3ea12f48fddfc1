import type { Database } from './database.ts';
import { DatabaseError } from './errors.ts';
import { openPostgres, type PoolLimits } from './postgres/pool.ts';
import { openSqlite } from './sqlite/database.ts';

/** Connects to a database. Refuses unusable ones without changing them. @throws DatabaseError */
export const openDatabase = async ({
  url,
  log = () => undefined,
  busyTimeoutMs = 5_000,
  limits = {},
}: {
  /** `file:path`, `file::memory:` or `postgres://…`. */
  url: string;
  /** Called with one line for each lost connection. */
  log?: (message: string) => void;
  /** The longest wait for another process that writes (SQLite). */
  busyTimeoutMs?: number;
  /** The most connections, and the longest time of a statement (PostgreSQL). */
  limits?: Partial<PoolLimits>;
}): Promise<Database> => {
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgres({ url, log, limits });
  if (url.startsWith('file:') && url.length > 'file:'.length) return openSqlite({ url, busyTimeoutMs });
  throw new DatabaseError(
    'invalid_url',
    'The database URL is neither file:<path> nor postgres://…; correct DATABASE_URL.',
  );
};
