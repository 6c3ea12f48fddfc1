import { setTimeout as pause } from 'node:timers/promises';
import { getTableName, sql } from 'drizzle-orm';
import type {
  Bound,
  Database,
  Grant,
  GrantRequest,
  Handle,
  PlaceholderValues,
  Reader,
  Statement,
  Whole,
} from '../database.ts';
import { DatabaseError } from '../errors.ts';
import { assertKnown, knownMigrations, MIGRATIONS_TABLE, pendingMigrations } from '../migrations/migrations.ts';
import { postgresColumns } from '../schema/columns.ts';
import { defineTables } from '../schema/tables.ts';
import { storableValues } from '../schema/text.ts';
import { inBatches, postgresBatches, type Query } from './batch.ts';
import { isDeadlock, postgresError } from './errors.ts';
import { atMostAtOnce, lockNumber } from './locks.ts';

/** Pauses before a statement is repeated that PostgreSQL has ended because of a deadlock: the other one goes on meanwhile. */
const DEADLOCK_PAUSES_MS = [20, 100, 300, 1_000, 2_000];
/** First number of the advisory locks of bounds; the second one is made of the bound's key. */
const BOUND_LOCKS = 0x63617576;
/** Deadline of each statement in a transaction of several. */
const TOGETHER_TIMEOUT_MS = 10_000;
/** Largest number of unfinished statements; further ones fail at once. */
const MAX_BEGUN = 10_000;
/** Advisory lock of migrations: two starting hubs migrate one after the other. */
const MIGRATION_LOCK = 0x63617573;

/** A unique id of this database for all of its nodes. The databases of one server share its system identifier. */
export const postgresIdentity = async ({ handle, read }: Database): Promise<string> => {
  const oid = sql`(SELECT oid FROM pg_database WHERE datname = current_database())`;
  const id = sql<string>`system_identifier::text || '-' || ${oid}::text`;
  const [row] = await read(() => handle.select({ id }).from(sql`pg_control_system()`));
  return row?.id ?? '';
};

/** The functions of a PostgreSQL driver that the hub uses. `handle` is its drizzle database. */
export type PostgresDriver = {
  handle: unknown;
  query: Query;
  /** Runs work in one transaction on one connection. `timeoutMs`: deadline of each statement; absent: that of migrations. */
  transaction: <T>(work: (query: Query) => Promise<T>, timeoutMs?: number) => Promise<T>;
  /** Undefined: there are too few connections for locks. */
  exclusively: Database['exclusively'] | undefined;
  close: () => Promise<void>;
};

const lastApplied = async (query: Query): Promise<number> => {
  const [table] = await query(`SELECT to_regclass('${MIGRATIONS_TABLE}') IS NOT NULL AS present`);
  if (table?.['present'] !== true) return 0;
  const [row] = await query(`SELECT max(created_at) AS last FROM ${MIGRATIONS_TABLE}`);
  return Number(row?.['last'] ?? 0);
};

/** Keeps writers out of the table until the transaction ends, then looks: a statement sees all rows committed before it. */
const lockIfEmpty = async (query: Query, table: string): Promise<boolean> => {
  await query(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
  return (await query(`SELECT 1 FROM ${table} LIMIT 1`)).length === 0;
};

const run = (query: Query, statement: Whole) => {
  const { sql: text, params } = statement.toSQL();
  return query(text, params);
};

/** The lock comes first: PostgreSQL's statements see what was committed before they began. */
const hasRoom = async (query: Query, { key, count, most }: Bound): Promise<boolean> => {
  await query('SELECT pg_advisory_xact_lock($1, $2)', [BOUND_LOCKS, lockNumber(key)]);
  const [counted = {}] = await run(query, count());
  return Number(Object.values(counted)[0]) < most;
};

const migrateNow = (driver: PostgresDriver): Promise<void> =>
  driver.transaction(async (query) => {
    await query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await query(
      `CREATE TABLE IF NOT EXISTS ${MIGRATIONS_TABLE} (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint)`,
    );
    for (const migration of pendingMigrations(knownMigrations('postgres'), await lastApplied(query))) {
      for (const statement of migration.sql) await query(statement);
      await query(`INSERT INTO ${MIGRATIONS_TABLE} (hash, created_at) VALUES ($1, $2)`, [
        migration.hash,
        migration.folderMillis,
      ]);
    }
  });

/** Requests of one half second are counted together. */
const BUCKET_MS = 500;
const WINDOW_MS = 60_000;

const NOW = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
const ENDING = `(now / ${BUCKET_MS} + 2) * ${BUCKET_MS}`;
const sumOf = (buckets: string): string => `(SELECT coalesce(sum(value::bigint), 0) FROM jsonb_each_text(${buckets}))`;

// One row for a project: {"end of the half second in which the requests may be used": their number}. A count leaves the
// window 60 s after that end, so no 60 s ever contain more than the limit. The statement does not wait for the disk: a
// crash of the server loses less than a second of counting.
const GRANT = `
  INSERT INTO rate_limits AS held (project_id, granted, ending, buckets)
  SELECT $1, many, ${ENDING}, jsonb_build_object(${ENDING}, many)
  FROM (SELECT ${NOW} AS now, least($2::bigint, $3::bigint) AS many, set_config('synchronous_commit', 'off', true)) AS first
  ON CONFLICT (project_id) DO UPDATE SET (granted, ending, buckets) = (
    WITH clock AS MATERIALIZED (SELECT ${NOW} AS now),
    live AS MATERIALIZED (
      SELECT coalesce(jsonb_object_agg(key, value), '{}') AS buckets
      FROM clock, jsonb_each(held.buckets) WHERE key::bigint + ${WINDOW_MS} > now
    ),
    given AS MATERIALIZED (
      SELECT greatest(0, least($3::bigint, $2::bigint - ${sumOf('live.buckets')})) AS many, ${ENDING} AS ending
      FROM clock, live
    )
    SELECT many, ending, CASE many WHEN 0 THEN live.buckets
      ELSE live.buckets || jsonb_build_object(ending, coalesce((live.buckets ->> ending::text)::bigint, 0) + many) END
    FROM live, given
  )
  RETURNING granted::float8 AS granted, greatest(0, $2::bigint - ${sumOf('buckets')})::float8 AS free,
    greatest(0, ending - ${NOW})::float8 AS "validMs",
    greatest(0, (SELECT coalesce(min(key::bigint), 0) + ${WINDOW_MS} FROM jsonb_object_keys(buckets) AS key)
      - ${NOW})::float8 AS "resetMs"`;

/** Counts the requests of all nodes, by one compare-and-set statement. */
const postgresGrants =
  (query: Query) =>
  async ({ projectId, limit, want }: GrantRequest): Promise<Grant> => {
    const [row] = await query(GRANT, [projectId, limit, want], 'rateLimits.grant');
    if (row === undefined) throw new Error('The count of requests gave no row.');
    // The columns have the names of the fields, and a float8 is a number.
    return row as Grant;
  };

/** The hub's database over a driver; `target` names it in messages. @throws DatabaseError newer */
export const postgresDatabase = async ({
  driver,
  target,
  farReads = 3,
}: {
  driver: PostgresDriver;
  target: string;
  /** Limit of concurrent queries over many rows, so that commands do not wait for a connection behind searches. */
  farReads?: number;
}): Promise<Database> => {
  const tables = defineTables(postgresColumns);
  // The queries use only functions that both dialects have; the contract tests run every query on both.
  const handle = driver.handle as Handle;
  const grant = postgresGrants(driver.query);
  const batches = postgresBatches(driver.query, tables);
  const begun = new Set<Promise<unknown>>();
  let isClosed = false;

  const translated = async <T>(work: () => PromiseLike<T>, pauses = DEADLOCK_PAUSES_MS): Promise<T> => {
    const [pauseMs, ...left] = pauses;
    try {
      return await work();
    } catch (error) {
      // It had no effect.
      if (pauseMs === undefined || !isDeadlock(error)) throw postgresError(target, error);
    }
    await pause(pauseMs);
    return translated(work, left);
  };
  // Every statement of this engine is awaited.
  const guarded = async <T>(given: () => Statement<T>): Promise<T> => {
    const work = given as () => PromiseLike<T>;
    if (isClosed) throw new DatabaseError('closed', 'The database is closed.');
    if (begun.size >= MAX_BEGUN) {
      const message = `${target} cannot be used (${begun.size} statements are under way).`;
      throw new DatabaseError('unavailable', message);
    }
    const running = translated(work);
    begun.add(running);
    try {
      return await running;
    } finally {
      begun.delete(running);
    }
  };

  const near: Reader = {
    handle,
    prepare: (name, build, plan) => {
      let prepared: ReturnType<ReturnType<typeof build>['prepare']> | undefined;
      return (values = {}) => {
        if (prepared === undefined) {
          const builder: { prepare(name: string): NonNullable<typeof prepared> } = build();
          // The server plans named statements once.
          prepared = builder.prepare(plan === 'anew' ? '' : name);
        }
        return prepared.execute(storableValues(values));
      };
    },
    read: guarded,
  };
  const inTurn = atMostAtOnce(farReads);
  const reader: Reader = {
    ...near,
    read: <T>(given: () => Statement<T>) => guarded(() => inTurn(async () => (given as () => PromiseLike<T>)())),
  };

  assertKnown(knownMigrations('postgres'), await guarded(() => lastApplied(driver.query)), target);

  return {
    engine: 'postgres',
    tables,
    ...near,
    handle,
    reader,
    prepareChange: (name, build) => {
      const change = near.prepare(name, build);
      const one = async (values?: PlaceholderValues): Promise<boolean> =>
        ((await change(values)) as { rowCount: number }).rowCount > 0;
      const many = batches.get(name);
      if (many === undefined) return one;
      const batch = inBatches(many, one, (error) => postgresError(target, error).code === 'failed');
      return (values = {}) => batch(values);
    },
    // PostgreSQL commits in groups by itself, and always durably.
    commit: guarded,
    together: (works, { onlyIfEmpty, within } = {}) => {
      const all = async (query: Query): Promise<unknown[] | undefined> => {
        // A node that is stopped in the middle does not hold up the others for ever.
        await query(`SET LOCAL idle_in_transaction_session_timeout = ${TOGETHER_TIMEOUT_MS}`);
        if (onlyIfEmpty && !(await lockIfEmpty(query, getTableName(tables[onlyIfEmpty])))) return undefined;
        if (within && !(await hasRoom(query, within))) return undefined;
        const results: unknown[] = [];
        for (const work of works) results.push(await run(query, work()));
        return results;
      };
      return guarded(() => driver.transaction(all, TOGETHER_TIMEOUT_MS));
    },
    exclusively: driver.exclusively ?? ((_key, work) => work()),
    calm: () => Promise.resolve(),
    grant: (request) => guarded(() => grant(request)),
    migrate: () => guarded(() => migrateNow(driver)),
    pending: () =>
      guarded(async () => pendingMigrations(knownMigrations('postgres'), await lastApplied(driver.query)).length),
    backup: async () => {
      throw new DatabaseError('unsupported', 'The hub copies SQLite databases only; use pg_dump for PostgreSQL.');
    },
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      // A pool that ends does not reject statements that wait for a connection.
      await Promise.allSettled(begun);
      await driver.close();
    },
  };
};
