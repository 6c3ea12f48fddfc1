import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import Sqlite, { type Database as Client } from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { sqliteColumns } from './columns.ts';
import type { Database, Handle } from './database.ts';
import { DatabaseError } from './database-error.ts';
import { createGroupCommit, runNow } from './group-commit.ts';
import { assertNotNewer, knownMigrations, MIGRATIONS_TABLE, pendingMigrations } from './migrations.ts';
import { defineTables } from './schema.ts';
import { sqliteSearch } from './search.ts';
import { pathOf, prepareFile } from './sqlite-file.ts';

/** A whole check of a larger file would delay the start; damage there is found when it is read. */
const MAX_CHECKED_BYTES = 64 * 1024 * 1024;
const MAX_WAL_BYTES = 64 * 1024 * 1024;

const translator =
  (file: string) =>
  (error: unknown): DatabaseError => {
    if (error instanceof DatabaseError && error.code !== 'unavailable') return error;
    const code = error instanceof Sqlite.SqliteError ? error.code : '';
    const cause = { cause: error };
    if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') {
      return new DatabaseError(
        'corrupt',
        `The database ${file} is damaged; stop the hub and restore a backup.`,
        cause,
      );
    }
    if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
      return new DatabaseError(
        'unavailable',
        `The database ${file} is locked by another process; end that process.`,
        cause,
      );
    }
    if (
      /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|NOMEM|PROTOCOL)/.test(code) ||
      error instanceof DatabaseError
    ) {
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

const lastApplied = (client: Client): number => {
  const table = client
    .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
    .get(MIGRATIONS_TABLE);
  if (table === undefined) return 0;
  return Number(client.prepare(`SELECT max(created_at) FROM ${MIGRATIONS_TABLE}`).pluck().get() ?? 0);
};

const migrateNow = (client: Client): void => {
  // A migration that rebuilds a table would otherwise cascade into the rows that refer to it.
  client.pragma('foreign_keys = OFF');
  client.exec('BEGIN IMMEDIATE');
  try {
    client.exec(
      `CREATE TABLE IF NOT EXISTS ${MIGRATIONS_TABLE} (id INTEGER PRIMARY KEY, hash TEXT NOT NULL, created_at NUMERIC)`,
    );
    const insert = client.prepare(`INSERT INTO ${MIGRATIONS_TABLE} (hash, created_at) VALUES (?, ?)`);
    for (const migration of pendingMigrations(knownMigrations('sqlite'), lastApplied(client))) {
      for (const statement of migration.sql) client.exec(statement);
      insert.run(migration.hash, migration.folderMillis);
    }
    client.exec('COMMIT');
  } finally {
    if (client.inTransaction) client.exec('ROLLBACK');
    client.pragma('foreign_keys = ON');
  }
};

const copyTo = async (client: Client, file: string): Promise<void> => {
  if (existsSync(file))
    throw new DatabaseError('exists', `The file ${file} exists already; choose another name.`);
  const partial = `${file}.partial`;
  closeSync(openSync(partial, 'w', 0o600));
  try {
    await client.backup(partial);
    renameSync(partial, file);
  } finally {
    rmSync(partial, { force: true });
  }
};

/** The hub's database over an open client. The client belongs to it from now on. */
export const sqliteDatabase = ({ client, file }: { client: Client; file: string }): Database => {
  const translate = translator(file);
  const tables = defineTables(sqliteColumns);
  // drizzle types this engine as synchronous; everything here is awaited, which is the same for both.
  const handle = drizzle(client) as unknown as Handle;
  client.pragma('foreign_keys = ON');
  const { commit, close } = createGroupCommit({ client, translate });

  const guarded = async <T>(work: () => T | Promise<T>): Promise<T> => {
    if (!client.open) throw new DatabaseError('closed', 'The database is closed.');
    try {
      return await work();
    } catch (error) {
      throw translate(error);
    }
  };
  const read: Database['read'] = (work) => guarded(() => runNow(work()));

  return {
    engine: 'sqlite',
    handle,
    tables,
    search: sqliteSearch({ handle, tables, read }),
    prepare: (_name, build) => {
      let prepared: ReturnType<ReturnType<typeof build>['prepare']> | undefined;
      return (values) => {
        prepared ??= build().prepare();
        return prepared.execute(values);
      };
    },
    read,
    commit,
    migrate: () => guarded(() => migrateNow(client)),
    pending: () => guarded(() => pendingMigrations(knownMigrations('sqlite'), lastApplied(client)).length),
    ping: () =>
      guarded(() => {
        const start = performance.now();
        client.prepare('SELECT count(*) FROM sqlite_schema').get();
        return performance.now() - start;
      }),
    isEmpty: () =>
      guarded(
        () =>
          lastApplied(client) === 0 || client.prepare('SELECT 1 FROM projects LIMIT 1').get() === undefined,
      ),
    backup: (target) => guarded(() => copyTo(client, target)),
    close: async () => {
      await close();
      client.close();
    },
  };
};

/** Looks at a file without changing it. */
const inspect = (file: string, busyTimeoutMs: number): void => {
  const client = new Sqlite(file, { readonly: true, timeout: busyTimeoutMs });
  try {
    const tables = Number(
      client.prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table'").pluck().get(),
    );
    const applied = lastApplied(client);
    if (tables > 0 && applied === 0) {
      throw new DatabaseError(
        'foreign',
        `The database ${file} belongs to another program; change DATABASE_URL.`,
      );
    }
    assertNotNewer(knownMigrations('sqlite'), applied, `The database ${file}`);
    if (
      statSync(file).size <= MAX_CHECKED_BYTES &&
      client.pragma('quick_check(1)', { simple: true }) !== 'ok'
    ) {
      throw new DatabaseError('corrupt', `The database ${file} is damaged; restore a backup.`);
    }
  } finally {
    client.close();
  }
};

/** Opens a file (or memory), making it where there is none. @throws DatabaseError */
export const openSqlite = async ({
  url,
  busyTimeoutMs,
}: {
  url: string;
  busyTimeoutMs: number;
}): Promise<Database> => {
  const path = pathOf(url);
  const file = path ?? ':memory:';
  let client: Client | undefined;
  try {
    if (path !== undefined && prepareFile(path)) inspect(path, busyTimeoutMs);
    client = new Sqlite(file, { timeout: busyTimeoutMs });
    client.pragma('journal_mode = WAL');
    client.pragma('synchronous = NORMAL');
    client.pragma('wal_autocheckpoint = 0');
    client.pragma(`journal_size_limit = ${MAX_WAL_BYTES}`);
    return sqliteDatabase({ client, file });
  } catch (error) {
    client?.close();
    const translated = translator(file)(error);
    if (translated.code !== 'unavailable') throw translated;
    const isBusy = error instanceof Sqlite.SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code);
    throw new DatabaseError(isBusy ? 'locked' : 'unreadable', translated.message, { cause: error });
  }
};
