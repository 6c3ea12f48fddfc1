import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import type { Database } from './database.ts';
import { DatabaseError } from './database-error.ts';
import { type PostgresDriver, postgresCode, postgresDatabase } from './postgres.ts';

const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 15_000;

const poolDriver = (pool: pg.Pool): PostgresDriver => ({
  handle: drizzle(pool),
  query: async (text, values) => (await pool.query<Record<string, unknown>>(text, values)).rows,
  transaction: async (work) => {
    const client = await pool.connect();
    let failure: Error | undefined;
    try {
      await client.query('BEGIN');
      const value = await work(
        async (text, values) => (await client.query<Record<string, unknown>>(text, values)).rows,
      );
      await client.query('COMMIT');
      return value;
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      // A connection that failed is closed, which rolls back.
      client.release(failure);
    }
  },
  close: () => pool.end(),
});

const describe = (url: string): string => {
  try {
    const { host, pathname } = new URL(url);
    return `The database ${pathname.slice(1) || 'of the user'} at ${host || 'localhost'}`;
  } catch (error) {
    const message = 'The database URL cannot be read; write postgres://user:password@host:port/name.';
    throw new DatabaseError('invalid_url', message, { cause: error });
  }
};

/** Connects to a PostgreSQL server. @throws DatabaseError invalid_url, unreachable, newer */
export const openPostgres = async ({
  url,
  log,
}: {
  url: string;
  log: (message: string) => void;
}): Promise<Database> => {
  const target = describe(url);
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS + CONNECT_TIMEOUT_MS,
    application_name: 'causeway',
  });
  pool.on('error', (error) => log(`${target} closed an idle connection: ${error.message}`));
  try {
    await pool.query('SELECT 1');
    return await postgresDatabase({ driver: poolDriver(pool), target });
  } catch (error) {
    await pool.end();
    if (error instanceof DatabaseError) throw error;
    const reason = error instanceof Error ? error.message || postgresCode(error) : String(error);
    const message = `${target} cannot be reached (${reason}); check that it runs and correct DATABASE_URL.`;
    throw new DatabaseError('unreachable', message, { cause: error });
  }
};
