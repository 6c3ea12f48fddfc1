import Sqlite, { type Database as Client } from 'better-sqlite3';
import { getTableName, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { knownMigrations, MIGRATIONS_TABLE, pendingMigrations } from '../migrations/migrations.ts';
import type { Bound, Database, Handle, Insertion, Reader, Whole } from '../port/database.ts';
import { DatabaseError, diskFull } from '../port/errors.ts';
import { sqliteColumns } from '../schema/columns.ts';
import type { TableName } from '../schema/keys.ts';
import { defineTables } from '../schema/tables.ts';
import { backUp } from './backup.ts';
import { createCheckpointer } from './checkpointer.ts';
import { createGroupCommit, runNow } from './group-commit.ts';
import { createSqliteReader, threadConnection } from './reader.ts';
import { sqliteIndexer, sqliteSearch } from './search.ts';
import { sqliteChange, sqliteStatement } from './statement.ts';

/** Explains an SQLite error to operators. */
export const sqliteTranslator =
  (file: string) =>
  (error: unknown): DatabaseError => {
    if (error instanceof DatabaseError && (error.code !== 'unavailable' || error.isFull)) return error;
    const source = error instanceof DatabaseError ? error.cause : error;
    const code = source instanceof Sqlite.SqliteError ? source.code : '';
    const cause = { cause: error };
    // SHMSIZE means that there is no room for the index of the write-ahead log.
    if (/^SQLITE_(FULL|IOERR_SHMSIZE)$/.test(code)) return diskFull(file, error);
    if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') {
      return new DatabaseError('corrupt', `The database ${file} is damaged; stop the hub and restore a backup.`, cause);
    }
    if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
      return new DatabaseError(
        'unavailable',
        `The database ${file} is locked by another process; end that process.`,
        cause,
      );
    }
    if (/^SQLITE_(IOERR|READONLY|CANTOPEN|NOMEM|PROTOCOL)/.test(code) || error instanceof DatabaseError) {
      const reason = error instanceof Error ? error.message : 'no reason was given';
      return new DatabaseError(
        'unavailable',
        `The database ${file} cannot be used (${reason}); check the disk.`,
        cause,
      );
    }
    const reason = error instanceof Error ? error.message : String(error);
    return new DatabaseError('failed', `The database refused a statement: ${reason}`, cause);
  };

/** When the newest migration that this file has was made (epoch ms); 0: none. */
export const lastSqliteMigration = (client: Client): number => {
  const table = client.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(MIGRATIONS_TABLE);
  if (table === undefined) return 0;
  return Number(client.prepare(`SELECT max(created_at) FROM ${MIGRATIONS_TABLE}`).pluck().get() ?? 0);
};

export const migrateNow = (client: Client, busyForMs: number): void => {
  const busyTimeoutMs = client.pragma('busy_timeout', { simple: true });
  client.pragma(`busy_timeout = ${busyForMs}`);
  // A migration that rebuilds a table would otherwise cascade into the rows that refer to it.
  client.pragma('foreign_keys = OFF');
  client.exec('BEGIN IMMEDIATE');
  try {
    client.exec(
      `CREATE TABLE IF NOT EXISTS ${MIGRATIONS_TABLE} (id INTEGER PRIMARY KEY, hash TEXT NOT NULL, created_at NUMERIC)`,
    );
    const insert = client.prepare(`INSERT INTO ${MIGRATIONS_TABLE} (hash, created_at) VALUES (?, ?)`);
    for (const migration of pendingMigrations(knownMigrations('sqlite'), lastSqliteMigration(client))) {
      for (const statement of migration.sql) client.exec(statement);
      insert.run(migration.hash, migration.folderMillis);
    }
    client.exec('COMMIT');
  } finally {
    if (client.inTransaction) client.exec('ROLLBACK');
    client.pragma('foreign_keys = ON');
    client.pragma(`busy_timeout = ${busyTimeoutMs}`);
  }
};

/** In a transaction that writes. */
const insertNow = (insert: () => Whole, { count, most }: Bound): Insertion => {
  const [counted = {}] = runNow(count()) as object[];
  if (Number(Object.values(counted)[0]) >= most) return 'full';
  return (runNow(insert()) as unknown[]).length > 0 ? 'inserted' : 'exists';
};

/** The hub's database over an open client. The client belongs to it from now on. */
export const sqliteDatabase = ({ client, file }: { client: Client; file: string }): Database => {
  const translate = sqliteTranslator(file);
  const tables = defineTables(sqliteColumns);
  // drizzle types this engine as synchronous; everything here is awaited, which is the same for both.
  const handle = drizzle(client) as unknown as Handle;
  client.pragma('foreign_keys = ON');
  const busyForMs = Number(client.pragma('busy_timeout', { simple: true }));
  // As an array: for an object, better-sqlite3 would compile a function at each look.
  const lookAtLog = client.prepare<[], [busy: number, log: number]>('PRAGMA wal_checkpoint(NOOP)').raw();
  const pagesInLog = (): number => {
    try {
      return lookAtLog.get()?.[1] ?? 0;
    } catch {
      // A broken disk: the next write reports the error.
      return 0;
    }
  };
  const checkpointHere = (): void => void client.pragma('wal_checkpoint(PASSIVE)');
  const checkpointer = client.memory ? undefined : createCheckpointer(file, pagesInLog, checkpointHere);
  const { commit, close } = createGroupCommit({
    client,
    busyForMs,
    translate,
    ...(checkpointer && { room: checkpointer.room, onCommitted: checkpointer.wrote }),
  });

  const guarded = async <T>(work: () => T | PromiseLike<T>): Promise<T> => {
    if (!client.open) throw new DatabaseError('closed', 'The database is closed.');
    try {
      return await work();
    } catch (error) {
      throw translate(error);
    }
  };
  const read: Database['read'] = (work) => guarded(() => runNow(work()));
  const awaited: Reader['read'] = (work) => guarded(work as () => PromiseLike<never>);
  const prepare: Reader['prepare'] = (_name, build) => sqliteStatement(client, () => build().prepare());
  // A memory database is visible to its own connection only.
  const thread = client.memory ? undefined : createSqliteReader(file);
  const reader: Reader =
    thread === undefined ? { handle, prepare, read } : { ...threadConnection(thread), read: awaited };
  let backups: Promise<unknown> = Promise.resolve();

  return {
    engine: 'sqlite',
    handle,
    tables,
    search: sqliteSearch(tables),
    clock: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
    reader,
    prepare,
    prepareChange: (_name, build) => sqliteChange(client, () => build().prepare()),
    read,
    commit,
    together: (works, { onlyIfEmpty } = {}) => {
      // The commit holds the only lock for writers already.
      const isFull = (name: TableName): boolean =>
        client.prepare(`SELECT 1 FROM ${getTableName(tables[name])} LIMIT 1`).get() !== undefined;
      const all = client.transaction(() => {
        if (onlyIfEmpty !== undefined && isFull(onlyIfEmpty)) return false;
        for (const work of works) runNow(work());
        return true;
      });
      return commit(() => ({ sync: () => all() }), { durable: true });
    },
    // Processes write one after another.
    insertWithin: (insert, bound) => commit(() => ({ sync: () => insertNow(insert, bound) }), { durable: true }),
    // There is one node.
    exclusively: (_key, work) => work(),
    late: sqliteIndexer(client),
    calm: () => checkpointer?.calm() ?? Promise.resolve(),
    grant: undefined,
    copyMark: undefined,
    identity: undefined,
    migrate: () => guarded(() => migrateNow(client, busyForMs)),
    pending: () => guarded(() => pendingMigrations(knownMigrations('sqlite'), lastSqliteMigration(client)).length),
    ping: () =>
      guarded(() => {
        const start = performance.now();
        client.prepare('SELECT count(*) FROM sqlite_schema').get();
        return performance.now() - start;
      }),
    isEmpty: () =>
      guarded(
        () => lastSqliteMigration(client) === 0 || client.prepare('SELECT 1 FROM projects LIMIT 1').get() === undefined,
      ),
    backup: (target, options) => {
      const backup = guarded(() => backUp(client, target, options));
      backups = Promise.allSettled([backups, backup]);
      return backup;
    },
    close: async () => {
      await close();
      await backups;
      await thread?.close();
      await checkpointer?.close();
      client.close();
    },
  };
};
