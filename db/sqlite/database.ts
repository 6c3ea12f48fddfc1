import { statSync } from 'node:fs';
import Sqlite, { type Database as Client } from 'better-sqlite3';
import { Column, getTableName, is, Param, Placeholder, type Query, SQL } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import type {
  Bound,
  Database,
  Handle,
  PlaceholderValues,
  Preparable,
  Prepared,
  Reader,
  Statement,
} from '../database.ts';
import { DatabaseError, diskFull } from '../errors.ts';
import { assertKnown, knownMigrations, MIGRATIONS_TABLE, pendingMigrations } from '../migrations/migrations.ts';
import { sqliteColumns } from '../schema/columns.ts';
import { defineTables, type TableName } from '../schema/tables.ts';
import { storable, storableValues } from '../schema/text.ts';
import { backUp } from './backup.ts';
import { createCheckpointer } from './checkpointer.ts';
import { pathOf, prepareFile } from './file.ts';
import { createSqliteReader, threadConnection } from './reader.ts';
import { createGroupCommit, runNow } from './writer.ts';

/** A prepared query of drizzle. Its fields are not public: a statement with another shape is left to drizzle. */
type Built<T> = ReturnType<Preparable<T>['prepare']> & {
  getQuery(): Query;
  readonly fields?: readonly { path: readonly string[]; field: unknown }[];
  readonly customResultMapper?: unknown;
};
type Run<T> = (values: PlaceholderValues) => Statement<T>;

const givenFor = (values: PlaceholderValues, name: string): unknown => {
  const value = values[name];
  if (value === undefined) throw new TypeError(`No value was given for "${name}".`);
  return value;
};

/** Encodes one parameter. Text that is only compared passes no column's encoder. */
const encoderOf = (param: unknown): ((values: PlaceholderValues) => unknown) => {
  if (is(param, Placeholder)) {
    return (values) => {
      const value = givenFor(values, param.name);
      return typeof value === 'string' ? storable(value) : value;
    };
  }
  if (is(param, Param) && is(param.value, Placeholder)) {
    const { encoder, value } = param;
    const { name } = value;
    return (values) => encoder.mapToDriverValue(givenFor(values, name));
  }
  return () => param;
};

const decoderOf = (field: unknown): ((value: unknown) => unknown) | undefined => {
  if (is(field, Column)) return (value) => field.mapFromDriverValue(value);
  if (!is(field, SQL)) return undefined;
  const { decoder } = field as unknown as { decoder: Pick<Column, 'mapFromDriverValue'> };
  return (value) => decoder.mapFromDriverValue(value);
};

/** The columns that make an object of a row; undefined: drizzle maps it. */
const columnsOf = ({ fields, customResultMapper }: Built<unknown>) => {
  if (customResultMapper !== undefined) return undefined;
  const columns = fields?.flatMap(({ path: [name, ...deeper], field }) => {
    const decode = decoderOf(field);
    return name === undefined || deeper.length > 0 || decode === undefined ? [] : [{ name, decode }];
  });
  return columns?.length === fields?.length ? columns : undefined;
};

const compile = <T>(client: Client, prepared: Built<T>): Run<T> => {
  const columns = columnsOf(prepared);
  if (columns === undefined) return (values) => prepared.execute(storableValues(values));
  const { sql, params } = prepared.getQuery();
  const encoders = params.map(encoderOf);
  const statement = client.prepare<unknown[], unknown[]>(sql).raw();

  const toObject = (row: readonly unknown[]): Record<string, unknown> => {
    const object: Record<string, unknown> = {};
    for (let index = 0; index < columns.length; index += 1) {
      const column = columns[index];
      const value = row[index];
      if (column !== undefined) object[column.name] = value === null ? null : column.decode(value);
    }
    return object;
  };
  return (values) => ({ sync: () => statement.all(...encoders.map((encode) => encode(values))).map(toObject) as T });
};

/**
 * A frequent statement, built at its first use. drizzle resolves parameters and columns at each run; here they are
 * resolved once.
 */
const sqliteStatement = <T>(client: Client, prepare: Preparable<T>['prepare']): Prepared<T> => {
  let run: Run<T> | undefined;
  return (values = {}) => {
    run ??= compile(client, prepare() as Built<T>);
    return run(values);
  };
};

/** A frequent statement that changes rows, and says whether it changed any. */
const sqliteChange = (client: Client, prepare: Preparable<unknown>['prepare']): Prepared<boolean> => {
  let run: Run<boolean> | undefined;
  const compileChange = (): Run<boolean> => {
    const { sql, params } = (prepare() as Built<unknown>).getQuery();
    const encoders = params.map(encoderOf);
    const statement = client.prepare(sql);
    return (values) => ({ sync: () => statement.run(...encoders.map((encode) => encode(values))).changes > 0 });
  };
  return (values = {}) => {
    run ??= compileChange();
    return run(values);
  };
};

/** Explains an SQLite error to operators. */
const sqliteTranslator =
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
const lastSqliteMigration = (client: Client): number => {
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

/** In a transaction that writes: processes write one after another. */
const hasRoom = ({ count, most }: Bound): boolean => {
  const [counted = {}] = runNow(count()) as object[];
  return Number(Object.values(counted)[0]) < most;
};

/** The hub's database over an open client. The client belongs to it from now on. */
export const sqliteDatabase = ({ client, file }: { client: Client; file: string }): Database => {
  const translate = sqliteTranslator(file);
  const tables = defineTables(sqliteColumns);
  // drizzle types this engine as synchronous; everything here is awaited, which is the same for both.
  const handle = drizzle(client) as unknown as Handle;
  client.pragma('foreign_keys = ON');
  const busyForMs = Number(client.pragma('busy_timeout', { simple: true }));
  // An array: for an object, better-sqlite3 would compile a function at each look.
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
    reader,
    prepare,
    prepareChange: (_name, build) => sqliteChange(client, () => build().prepare()),
    read,
    commit,
    together: (works, { onlyIfEmpty, within, durable = true } = {}) => {
      // The commit holds the only lock for writers already.
      const isFull = (name: TableName): boolean =>
        client.prepare(`SELECT 1 FROM ${getTableName(tables[name])} LIMIT 1`).get() !== undefined;
      const all = client.transaction(() => {
        if (onlyIfEmpty !== undefined && isFull(onlyIfEmpty)) return undefined;
        if (within !== undefined && !hasRoom(within)) return undefined;
        return works.map((work) => runNow(work()));
      });
      return commit(() => ({ sync: () => all() }), { durable });
    },
    // There is one node.
    exclusively: (_key, work) => work(),
    calm: () => checkpointer?.calm() ?? Promise.resolve(),
    grant: undefined,
    migrate: () => guarded(() => migrateNow(client, busyForMs)),
    pending: () => guarded(() => pendingMigrations(knownMigrations('sqlite'), lastSqliteMigration(client)).length),
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

/** Largest file that is checked at start; damage in larger files is found when it is read. */
const MAX_CHECKED_BYTES = 64 * 1024 * 1024;
/** When the log is restarted, SQLite cuts a longer file to this size. HOLD_PAGES is less: commits are slower while it grows. */
const MAX_WAL_BYTES = 64 * 1024 * 1024;
const CACHE_KIB = 64 * 1024;
/** Beyond this size (1 GiB), commits checkpoint the log themselves; the checkpointer's thread acts earlier. */
const CHECKPOINT_PAGES = 262_144;

/** Looks at a file without changing it. @throws DatabaseError foreign, newer, corrupt */
export const inspect = (client: Client, file: string): void => {
  const tables = Number(client.prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table'").pluck().get());
  const applied = lastSqliteMigration(client);
  if (tables > 0 && applied === 0) {
    throw new DatabaseError('foreign', `The database ${file} belongs to another program; change DATABASE_URL.`);
  }
  assertKnown(knownMigrations('sqlite'), applied, `The database ${file}`);
  if (statSync(file).size <= MAX_CHECKED_BYTES && client.pragma('quick_check(1)', { simple: true }) !== 'ok') {
    throw new DatabaseError('corrupt', `The database ${file} is damaged; restore a backup.`);
  }
};

const inspectReadOnly = (file: string, timeout: number): void => {
  const client = new Sqlite(file, { readonly: true, timeout });
  try {
    inspect(client, file);
  } finally {
    client.close();
  }
};

const withSettings = (client: Client): Client => {
  client.pragma('synchronous = NORMAL');
  client.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  client.pragma(`cache_size = -${CACHE_KIB}`);
  // A statement that writes many rows keeps the old pages; by default SQLite moves them to a file beyond 64 KiB.
  client.pragma('temp_store = MEMORY');
  client.pragma(`journal_size_limit = ${MAX_WAL_BYTES}`);
  return client;
};

const openToWrite = (file: string, timeout: number): Database => {
  const client = new Sqlite(file, { timeout });
  try {
    client.pragma('journal_mode = WAL');
    return sqliteDatabase({ client: withSettings(client), file });
  } catch (error) {
    client.close();
    throw error;
  }
};

/** Opens a file (or memory), making it where there is none. @throws DatabaseError */
export const openSqlite = async ({ url, busyTimeoutMs }: { url: string; busyTimeoutMs: number }): Promise<Database> => {
  const path = pathOf(url);
  const file = path ?? ':memory:';
  try {
    const hasContent = path !== undefined && prepareFile(path);
    if (hasContent) inspectReadOnly(file, busyTimeoutMs);
    return openToWrite(file, busyTimeoutMs);
  } catch (error) {
    const translated = sqliteTranslator(file)(error);
    if (translated.code !== 'unavailable' || translated.isFull) throw translated;
    const isBusy = error instanceof Sqlite.SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code);
    throw new DatabaseError(isBusy ? 'locked' : 'unreadable', translated.message, { cause: error });
  }
};
