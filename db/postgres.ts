import { performance } from 'node:perf_hooks';
import { sql } from 'drizzle-orm';
import { postgresColumns } from './columns.ts';
import type { Database, Handle, Reader, Statement } from './database.ts';
import { DatabaseError } from './database-error.ts';
import { assertNotNewer, knownMigrations, MIGRATIONS_TABLE, pendingMigrations } from './migrations.ts';
import { defineTables } from './schema.ts';
import { postgresSearch } from './search.ts';
import { storableValues } from './text.ts';

/** Two hubs that start at once migrate one after the other. Any number that is ours. */
const MIGRATION_LOCK = 0x63617573;

type Query = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

/** What the hub needs of a PostgreSQL driver. `handle` is its drizzle database. */
export type PostgresDriver = {
  handle: unknown;
  query: Query;
  /** Runs work in one transaction on one connection. */
  transaction: <T>(work: (query: Query) => Promise<T>) => Promise<T>;
  close: () => Promise<void>;
};

// Classes: connection, resources, operator intervention, system; then deadlock, serialization, read-only.
const UNAVAILABLE = /^(08|53|57|58|40001$|40P01$|25006$|E[A-Z]+$)/;

/** The SQLSTATE, or the code of the socket's error; empty where there is none. */
export const postgresCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const translator =
  (target: string) =>
  (thrown: unknown): DatabaseError => {
    if (thrown instanceof DatabaseError) return thrown;
    // drizzle's own message repeats the statement and its values.
    const error = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
    const reason = error instanceof Error ? error.message : String(error);
    const isGone = UNAVAILABLE.test(postgresCode(error)) || /timeout|terminated|Connection/.test(reason);
    if (isGone) return new DatabaseError('unavailable', `${target} cannot be used (${reason}).`, { cause: error });
    return new DatabaseError('failed', `The database refused a statement: ${reason}`, { cause: error });
  };

const lastApplied = async (query: Query): Promise<number> => {
  const [table] = await query(`SELECT to_regclass('${MIGRATIONS_TABLE}') IS NOT NULL AS present`);
  if (table?.['present'] !== true) return 0;
  const [row] = await query(`SELECT max(created_at) AS last FROM ${MIGRATIONS_TABLE}`);
  return Number(row?.['last'] ?? 0);
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

/** The hub's database over a driver; `target` names it in messages. @throws DatabaseError newer, unreachable */
export const postgresDatabase = async ({
  driver,
  target,
}: {
  driver: PostgresDriver;
  target: string;
}): Promise<Database> => {
  const translate = translator(target);
  const tables = defineTables(postgresColumns);
  // The queries use what the handles of both dialects share; the contract tests run every one of them on both.
  const handle = driver.handle as Handle;
  const begun = new Set<Promise<unknown>>();
  let isClosed = false;

  const translated = async <T>(work: () => PromiseLike<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw translate(error);
    }
  };
  // Every statement of this engine is awaited.
  const guarded = async <T>(given: () => Statement<T>): Promise<T> => {
    const work = given as () => PromiseLike<T>;
    if (isClosed) throw new DatabaseError('closed', 'The database is closed.');
    const running = translated(work);
    begun.add(running);
    try {
      return await running;
    } finally {
      begun.delete(running);
    }
  };

  const reader: Reader = {
    handle,
    prepare: (name, build) => {
      let prepared: ReturnType<ReturnType<typeof build>['prepare']> | undefined;
      return (values = {}) => {
        if (prepared === undefined) {
          const builder: { prepare(name: string): NonNullable<typeof prepared> } = build();
          prepared = builder.prepare(name);
        }
        return prepared.execute(storableValues(values));
      };
    },
    read: guarded,
  };

  assertNotNewer(knownMigrations('postgres'), await guarded(() => lastApplied(driver.query)), target);

  return {
    engine: 'postgres',
    tables,
    search: postgresSearch({ tables }),
    clock: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
    ...reader,
    handle,
    reader,
    prepareChange: (name, build) => {
      const change = reader.prepare(name, build);
      return (values) =>
        Promise.resolve(change(values)).then((result) => (result as { rowCount: number }).rowCount > 0);
    },
    // PostgreSQL commits in groups by itself, and always durably.
    commit: guarded,
    calm: () => Promise.resolve(),
    migrate: () => guarded(() => migrateNow(driver)),
    pending: () =>
      guarded(async () => pendingMigrations(knownMigrations('postgres'), await lastApplied(driver.query)).length),
    ping: () =>
      guarded(async () => {
        const start = performance.now();
        await driver.query('SELECT 1');
        return performance.now() - start;
      }),
    isEmpty: () =>
      guarded(async () => {
        if ((await lastApplied(driver.query)) === 0) return true;
        return (await driver.query('SELECT 1 FROM projects LIMIT 1')).length === 0;
      }),
    backup: async () => {
      throw new DatabaseError('unsupported', 'The hub copies SQLite databases only; use pg_dump for PostgreSQL.');
    },
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      // A pool that ends leaves those alone that wait for a connection.
      await Promise.allSettled(begun);
      await driver.close();
    },
  };
};
