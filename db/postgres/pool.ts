import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import type { Database } from '../database.ts';
import { DatabaseError } from '../errors.ts';
import type { Query } from './batch.ts';
import { type PostgresDriver, postgresDatabase } from './database.ts';
import { postgresCode } from './errors.ts';
import { keyLocks } from './locks.ts';

export type PoolLimits = {
  connections: number;
  /** Deadline for getting a connection. */
  connectTimeoutMs: number;
  /** Deadline of a statement in the server; the client waits a little longer. */
  statementTimeoutMs: number;
};

/** Default limits of a node. */
const POOL_LIMITS: PoolLimits = { connections: 10, connectTimeoutMs: 5_000, statementTimeoutMs: 10_000 };
/** Searches may use one in three connections. */
const FAR_SHARE = 3;
const ANSWER_TIMEOUT_MS = 2_000;
/** Migrations may build a large index, or wait for another node that does. */
const MIGRATION_TIMEOUT_MS = 6 * 3_600_000;
const KEEP_ALIVE_AFTER_MS = 10_000;
/**
 * The hub's statements are too short for parallel workers and JIT. Each has an index, and sequential scans are turned
 * off, because a plan that was made for an empty table would scan all of it later.
 */
export const SESSION = { jit: 'off', max_parallel_workers_per_gather: '0', enable_seqscan: 'off' };

const inTransaction = (client: pg.PoolClient, timeoutMs: number): Query => {
  // A connection that breaks while idle fails its next statement. Without a listener, the error would end the process.
  client.on('error', () => undefined);
  return async (text, values = []) => {
    // Not among the types of `pg`.
    const query = { text, values, query_timeout: timeoutMs + ANSWER_TIMEOUT_MS };
    return (await client.query<Record<string, unknown>>(query)).rows;
  };
};

/** A pool of connections, as the hub uses it. */
export const poolDriver = (pool: pg.Pool, exclusively: PostgresDriver['exclusively']): PostgresDriver => ({
  exclusively,
  handle: drizzle(pool),
  query: async (text, values, name) =>
    (await pool.query<Record<string, unknown>>({ text, ...(values && { values }), ...(name && { name }) })).rows,
  transaction: async (work, timeoutMs = MIGRATION_TIMEOUT_MS) => {
    const client = await pool.connect();
    let failure: Error | undefined;
    try {
      const query = inTransaction(client, timeoutMs);
      await query('BEGIN');
      await query(`SET LOCAL statement_timeout = ${timeoutMs}`);
      const value = await work(query);
      await query('COMMIT');
      return value;
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      // A connection that failed is closed, which rolls back; the listeners of the others must not pile up.
      client.release(failure ?? true);
    }
  },
  close: () => pool.end(),
});

const describe = (url: string): string => {
  try {
    const { host, pathname, search, hash } = new URL(url);
    // A raw "@" or "/" in the password ended it too early, so host and name contain the rest of the password.
    if (`${pathname}${search}${hash}`.includes('@')) throw new Error('there is an @ behind the host');
    return `The database ${pathname.slice(1) || 'of the user'} at ${host || 'localhost'}`;
  } catch (error) {
    const message =
      'The database URL cannot be read; write postgres://user:password@host:port/name, and in the password %2F for /, %3F for ?, %23 for #, %40 for @.';
    throw new DatabaseError('invalid_url', message, { cause: error });
  }
};

/** The remedy for a refusal, by SQLSTATE or socket error code. */
const remedyFor = (code: string): string => {
  if (/^28/.test(code)) return 'correct the user and the password in DATABASE_URL';
  if (code === '3D000') return 'create it (CREATE DATABASE) or correct DATABASE_URL';
  if (/^53/.test(code)) return 'raise its max_connections or lower DATABASE_CONNECTIONS';
  if (/^E(NOTFOUND|AI_AGAIN)$/.test(code)) return 'correct the host in DATABASE_URL';
  return 'check that it runs and correct DATABASE_URL';
};

/** Requires UTF-8: otherwise names in other scripts would be refused later. */
const assertUsable = async (pool: pg.Pool, target: string): Promise<void> => {
  const { rows } = await pool.query<{ server_encoding: string }>('SHOW server_encoding');
  if (rows[0]?.server_encoding === 'UTF8') return;
  throw new DatabaseError(
    'unsupported',
    `${target} is not in UTF-8; create it with ENCODING 'UTF8' TEMPLATE template0.`,
  );
};

type Server = { url: string; log: (message: string) => void; limits?: Partial<PoolLimits> };

/** Whether a copy into the database began and has not ended: no hub may use it. */
const isMarked = async (query: Query): Promise<boolean> => {
  const [row] = await query(`SELECT to_regclass('unfinished_copy') IS NOT NULL AS present`);
  return row?.['present'] === true;
};

/** @throws DatabaseError invalid_url, unreachable, unsupported, newer, and what `use` throws */
const connect = async <T>(
  { url, log, limits = {} }: Server,
  use: (database: Database, query: Query, target: string) => Promise<T>,
): Promise<T> => {
  const target = describe(url);
  const { connections, connectTimeoutMs, statementTimeoutMs } = { ...POOL_LIMITS, ...limits };
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + ANSWER_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    application_name: 'causeway',
    options: Object.entries(SESSION)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  });
  pool.on('error', (error) => log(`${target} closed an idle connection: ${error.message}`));
  try {
    await assertUsable(pool, target);
    const farReads = Math.ceil(connections / FAR_SHARE);
    const driver = poolDriver(pool, keyLocks(pool, connections, target));
    return await use(await postgresDatabase({ driver, target, farReads }), driver.query, target);
  } catch (error) {
    await pool.end();
    if (error instanceof DatabaseError) throw error;
    const code = postgresCode(error);
    const reason = error instanceof Error ? error.message || code : String(error);
    const message = `${target} cannot be reached (${reason}); ${remedyFor(code)}.`;
    throw new DatabaseError('unreachable', message, { cause: error });
  }
};

/** Connects to a PostgreSQL server. @throws DatabaseError invalid_url, unreachable, unsupported, newer, unfinished */
export const openPostgres = (server: Server): Promise<Database> =>
  connect(server, async (database, query, target) => {
    if (!(await isMarked(query))) return database;
    throw new DatabaseError('unfinished', `${target} is not whole: finish the copy with causeway copy --resume.`);
  });

const SERIALS = [
  ['players', 'id'],
  ['commands', 'seq'],
  ['deliveries', 'seq'],
  ['shop_lines', 'seq'],
  ['events', 'seq'],
] as const;

/** Opens a database that a copy is written into. From `begin` to `end` no hub can use it. @throws DatabaseError */
export const openCopyTarget = (url: string) =>
  connect({ url, log: () => undefined }, async (database, query) => {
    const run = (text: string) => database.commit(() => query(text));
    return {
      database,
      isUnfinished: () => database.read(() => isMarked(query)),
      /** Whether there is no project in it. */
      isEmpty: async (): Promise<boolean> => {
        const [table] = await run(`SELECT to_regclass('projects') IS NOT NULL AS present`);
        return table?.['present'] !== true || (await run('SELECT 1 FROM projects LIMIT 1')).length === 0;
      },
      begin: async (): Promise<void> => void (await run('CREATE TABLE IF NOT EXISTS unfinished_copy ()')),
      /** Moves the sequences behind the copied rows, too. */
      end: async (): Promise<void> => {
        for (const [table, column] of SERIALS) {
          const last = `(SELECT coalesce(max("${column}"), 0) + 1 FROM ${table})`;
          await run(`SELECT setval(pg_get_serial_sequence('${table}', '${column}'), ${last}, false)`);
        }
        await run('DROP TABLE IF EXISTS unfinished_copy');
      },
    };
  });
export type CopyTarget = Awaited<ReturnType<typeof openCopyTarget>>;
