import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { asc, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Database, ping } from '../../db/database.ts';
import { knownMigrations } from '../../db/migrations/migrations.ts';
import { openDatabase } from '../../db/open.ts';
import { postgresColumns, sqliteColumns } from '../../db/schema/columns.ts';
import { createStore } from '../../db/store.ts';
import { engines, newServerDatabase, projectOf, runOn, serverUrl, type TestDatabase } from '../kit/databases.ts';
import { newFile } from '../kit/folder.ts';
import { type Snapshot, snapshotOf } from '../kit/migration-snapshots.ts';

const root = join(import.meta.dirname, '../..');

/** The tables and indexes of a snapshot, as lines to compare. */
const linesOf = ({ tables }: Snapshot): string[] =>
  Object.values(tables).flatMap(({ name: table, columns, indexes }) => [
    ...Object.values(columns).map(({ name, type, notNull }) =>
      [table, name, type.replace('bigserial', 'bigint'), notNull ? 'not null' : 'null'].join(' '),
    ),
    ...Object.values(indexes).map(({ name, isUnique, where, columns: parts }) => {
      const keys = parts.map((part) => (typeof part === 'string' ? part : part.expression));
      return [name, isUnique ? 'unique' : 'index', keys.join(), where === undefined ? 'whole' : 'partial'].join(' ');
    }),
  ]);

const COLUMNS = {
  sqlite: sql`(select t.name || ' ' || c.name || ' ' || lower(c.type) || iif(c."notnull", ' not null', ' null') as line
    from sqlite_schema as t join pragma_table_info(t.name) as c where t.type = 'table') as lines`,
  postgres: sql`(select table_name || ' ' || column_name || ' ' || data_type || coalesce(' COLLATE "' || collation_name
    || '"', '') || case is_nullable when 'NO' then ' not null' else ' null' end as line
    from information_schema.columns where table_schema = current_schema()) as lines`,
};
const INDEXES = {
  sqlite: sql`(select sql as line from sqlite_schema where type = 'index' and sql is not null) as lines`,
  postgres: sql`(select indexdef as line from pg_indexes where schemaname = current_schema()
    and indexname not like '%_pk' and indexname not like '%_pkey') as lines`,
};
const linesIn = async ({ handle, read }: Database, source: typeof COLUMNS.sqlite): Promise<string[]> =>
  (await read(() => handle.select({ line: sql<string>`line` }).from(source))).map(({ line }) => line);

/** The same lines, as a database itself tells them. */
const describeTables = async (database: Database): Promise<string[]> => {
  const indexes = (await linesIn(database, INDEXES[database.engine])).map((statement) => {
    const [, unique, name, keys, where] =
      /^CREATE (UNIQUE )?INDEX [`"]?(\w+)[`"]? ON .*?\((.*?)\)( WHERE .*)?$/s.exec(statement) ?? [];
    const plain = keys?.replaceAll(/[`" ]/g, '');
    return [name, unique === undefined ? 'index' : 'unique', plain, where === undefined ? 'whole' : 'partial'].join(
      ' ',
    );
  });
  return [...(await linesIn(database, COLUMNS[database.engine])), ...indexes].sort();
};

const appliedIn = ({ engine }: Database) => {
  const c = engine === 'sqlite' ? sqliteColumns : postgresColumns;
  return c.table('__drizzle_migrations', { hash: c.text('hash'), createdAt: c.instant('created_at').notNull() });
};
const appliedTo = (database: Database): Promise<string[]> => {
  const applied = appliedIn(database);
  const select = () => database.handle.select().from(applied).orderBy(asc(applied.createdAt));
  return database.read(select).then((rows) => rows.map(({ hash }) => String(hash)));
};

describe.each(engines)('migrations on $name', ({ openBare }) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await openBare();
  });
  afterAll(() => opened.dispose());

  // One after the other, on one database: from nothing to the end of it.
  it('make the tables of the snapshot in an empty database', async () => {
    const { database } = opened;
    const known = knownMigrations(database.engine);
    expect(await database.pending()).toBe(known.length);
    await database.migrate();
    expect(await database.pending()).toBe(0);
    const isByHand = (line: string): boolean =>
      /^(__drizzle|player_(search|texts|links|totals|indexed)|players_(search|linked)|rate_limits|sqlite_sequence)/.test(
        line,
      );
    const tables = (await describeTables(database)).filter((line) => !isByHand(line));
    expect(tables).toEqual(linesOf(snapshotOf(database.engine)).sort());
    expect(await appliedTo(database)).toEqual(known.map(({ hash }) => hash));
  });

  it('do nothing the second time, nor two at once', async () => {
    const { database } = opened;
    await createStore(database).projects.create(projectOf('p'));
    const before = [await describeTables(database), await appliedTo(database)];
    await database.migrate();
    await Promise.all([database.migrate(), database.migrate()]);
    expect([await describeTables(database), await appliedTo(database)]).toEqual(before);
    expect(await createStore(database).projects.bySlug('p')).toBeDefined();
  });

  it('leave everything as it was where one fails', async () => {
    const { database } = opened;
    const applied = appliedIn(database);
    const { length } = await appliedTo(database);
    await database.commit(() => database.handle.delete(applied));
    const before = [await describeTables(database), await appliedTo(database)];
    await expect(database.migrate()).rejects.toMatchObject({ name: 'DatabaseError', code: 'failed' });
    expect([await describeTables(database), await appliedTo(database)]).toEqual(before);
    expect(await database.pending()).toBe(length);
    expect(await createStore(database).projects.list()).toHaveLength(1);
  });

  it('and close, which finishes started statements and refuses later ones', async () => {
    const { database } = opened;
    expect(await ping(database)).toBeGreaterThanOrEqual(0);
    const { projects } = createStore(database);
    const begun = Array.from({ length: 60 }, (_, n) => [
      projects.create(projectOf(`p${n}`)),
      projects.byId('p'),
    ]).flat();
    const closed = database.close();
    const outcomes = await Promise.allSettled(begun);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    await closed;
    const late = [projects.list(), projects.create(projectOf('late')), database.migrate(), ping(database)];
    for (const work of [...late, database.pending()]) {
      await expect(work).rejects.toMatchObject({ name: 'DatabaseError', code: 'closed' });
    }
    await database.close();
  });
});

describe('the schema', () => {
  it('has the same tables and columns on both engines', () => {
    const columnsOf = (engine: string): string[] =>
      Object.values(snapshotOf(engine).tables).flatMap(({ name, columns }) =>
        Object.values(columns).map((column) => `${name}.${column.name} ${column.notNull}`),
      );
    expect(columnsOf('sqlite').sort()).toEqual(columnsOf('postgres').sort());
  });
});

describe('processes that start at once', () => {
  it('make one SQLite database', async () => {
    const url = `file:${newFile('hub.db')}`;
    const start = `
      import { openDatabase } from './db/open.ts';
      const database = await openDatabase({ url: '${url}' });
      await database.migrate();
      console.log(await database.pending());
      await database.close();`;
    const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', start], { cwd: root });
    const ended = await Promise.all([run(), run(), run()]);
    expect(ended.map(({ stdout }) => stdout.trim())).toEqual(['0', '0', '0']);
    const database = await openDatabase({ url });
    onTestFinished(database.close);
    expect(await appliedTo(database)).toHaveLength(knownMigrations('sqlite').length);
  });
});

describe.skipIf(serverUrl === undefined)('a PostgreSQL server', () => {
  it('is refused where another version has used it that this one cannot continue, and is not copied to a file', async () => {
    const { url, drop } = await newServerDatabase(serverUrl ?? '');
    onTestFinished(async () => void (await drop()));
    const database = await openDatabase({ url });
    onTestFinished(database.close);
    await database.migrate();
    await expect(database.backup('copy.db')).rejects.toMatchObject({ code: 'unsupported' });
    await runOn(url, `INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('x', ${2 ** 53 - 1})`);
    const refused = (code: string) => ({ code, message: expect.stringContaining(new URL(url).pathname.slice(1)) });
    await expect(openDatabase({ url })).rejects.toMatchObject(refused('newer'));
    await runOn(url, `DELETE FROM __drizzle_migrations WHERE hash = 'x'`);
    await runOn(url, `UPDATE __drizzle_migrations SET created_at = 1`);
    await expect(openDatabase({ url })).rejects.toMatchObject(refused('unreleased'));
  });
});

describe('PostgreSQL', () => {
  it('is told to be out of reach in one line without its password', async () => {
    const url = 'postgres://hub:pass%20word@127.0.0.1:1/hub';
    const failure = await openDatabase({ url }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'DatabaseError', code: 'unreachable' });
    const { message } = failure as Error;
    expect(message).toContain('The database hub at 127.0.0.1:1');
    expect(message).not.toMatch(/pass|word|\n/);
  });

  it.each([
    'postgres://host:port/hub',
    'postgresql://a b@[/',
    // A password without percent-encoding: its rest would be read as the name of the database.
    'postgres://hub:12/secret@host/hub',
    'postgres://hub:12?secret@host/hub',
    'postgres://hub:12#secret@host/hub',
  ])('cannot be at "%s", which is not repeated', async (url) => {
    await expect(openDatabase({ url })).rejects.toMatchObject({
      name: 'DatabaseError',
      code: 'invalid_url',
      message: expect.stringMatching(/^(?!.*secret).*%2F for \//),
    });
  });
});
