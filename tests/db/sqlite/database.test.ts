import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../../db/database.ts';
import { openDatabase } from '../../../db/open.ts';
import { createStore } from '../../../db/store.ts';
import { playerOf, projectOf } from '../../kit/databases.ts';
import { newFile } from '../../kit/folder.ts';

/** In a page that nothing reads at the start of a hub. */
const MARK = 'This is in the table of projects.';

const open = async (file: string, busyTimeoutMs = 50): Promise<Database> => {
  const database = await openDatabase({ url: `file:${file}`, busyTimeoutMs });
  onTestFinished(database.close);
  return database;
};
const openMigrated = async (file: string): Promise<Database> => {
  const database = await open(file);
  await database.migrate();
  return database;
};
/** A file as a hub leaves it that was stopped. */
const makeDatabase = async (slugs: readonly string[] = ['p']): Promise<string> => {
  const file = newFile('hub.db');
  const database = await openMigrated(file);
  for (const slug of slugs) await createStore(database).projects.create(projectOf(slug, { name: MARK }));
  await database.close();
  return file;
};
/** Another process, as far as SQLite can tell. */
const connect = (file: string): Sqlite.Database => {
  const client = new Sqlite(file);
  onTestFinished(() => void client.close());
  return client;
};
const filesBeside = (file: string): string[] => readdirSync(join(file, '..')).sort();
const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);
const slugsIn = async (database: Database): Promise<string[]> =>
  (await createStore(database).projects.list()).map(({ slug }) => slug);

describe('a new SQLite file', () => {
  it('is for its owner only, with the files beside it, whatever the umask', async () => {
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    const file = newFile('hub.db');
    await openMigrated(file);
    expect(filesBeside(file)).toEqual(['hub.db', 'hub.db-shm', 'hub.db-wal']);
    for (const name of ['', '-shm', '-wal']) expect(modeOf(`${file}${name}`)).toBe('600');
  });

  it('has a write-ahead log, which is gone after a stop', async () => {
    const file = await makeDatabase();
    expect(filesBeside(file)).toEqual(['hub.db']);
    expect(connect(file).pragma('journal_mode', { simple: true })).toBe('wal');
  });

  it('may be named by a path or a URL, with spaces and more in it', async () => {
    const file = newFile('häb #1 100%.db');
    const byPath = await openMigrated(file);
    await createStore(byPath).projects.create(projectOf('p'));
    await byPath.close();
    const byUrl = await openDatabase({ url: pathToFileURL(file).href });
    onTestFinished(byUrl.close);
    expect(await slugsIn(byUrl)).toEqual(['p']);
  });

  it('may be there already, empty', async () => {
    const file = newFile('hub.db');
    writeFileSync(file, '');
    expect(await slugsIn(await openMigrated(file))).toEqual([]);
  });

  it('may be memory only', async () => {
    const [one, other] = [await openMigrated(':memory:'), await openMigrated(':memory:')];
    await createStore(one).projects.create(projectOf('p'));
    expect([await slugsIn(one), await slugsIn(other)]).toEqual([['p'], []]);
  });
});

describe('a URL that names no database', () => {
  it.each(['', 'file:', 'hub.db', 'mysql://localhost/hub', 'sqlite:hub.db', 'file://host/hub.db'])(
    'is refused: "%s"',
    async (url) => {
      await expect(openDatabase({ url })).rejects.toMatchObject({ name: 'DatabaseError', code: 'invalid_url' });
    },
  );
});

/** Overwrites the head of the page that this place is in. */
const spoilPage = (bytes: Buffer, place: number): Buffer => {
  const start = place - (place % 4096);
  return bytes.fill(0xff, start, start + 8);
};

describe('a file that is no database of the hub', () => {
  /** Refused with this code and a line that names the file, which keeps every byte. */
  const expectRefused = async (file: string, code: string): Promise<void> => {
    const before = readFileSync(file);
    await expect(open(file)).rejects.toMatchObject({ code, message: expect.stringContaining(file) });
    expect(before.equals(readFileSync(file))).toBe(true);
    // SQLite reads a write-ahead log through these two and cannot delete them where it may only read.
    expect(filesBeside(file).filter((name) => !/^hub\.db(-shm|-wal)?$/.test(name))).toEqual([]);
    expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  };

  it.each(['x', 'SQLite format 2\0 and more', 'hello\n'.repeat(5_000)])('is left alone: garbage', async (garbage) => {
    const file = newFile('hub.db');
    writeFileSync(file, garbage);
    await expectRefused(file, 'not_a_database');
  });

  it('is left alone: a database of another program', async () => {
    const file = newFile('hub.db');
    const other = new Sqlite(file);
    other.exec('CREATE TABLE invoices (id INTEGER PRIMARY KEY)');
    other.close();
    await expectRefused(file, 'foreign');
  });

  it('is left alone: one that a newer version has used', async () => {
    const file = await makeDatabase();
    const client = new Sqlite(file);
    client.exec("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('newer', 9007199254740991)");
    client.close();
    await expectRefused(file, 'newer');
  });

  it('is left alone: one that a build from before the first release has made', async () => {
    const file = await makeDatabase();
    const client = new Sqlite(file);
    client.exec("UPDATE __drizzle_migrations SET hash = 'early', created_at = 1");
    client.close();
    await expectRefused(file, 'unreleased');
  });

  it.each([
    { damage: 'pages overwritten', spoil: (bytes: Buffer) => bytes.fill('garbage ', 4096, bytes.length - 4096) },
    { damage: 'a header with nothing behind it', spoil: (bytes: Buffer) => bytes.fill(0xff, 16) },
    { damage: 'one page zeroed', spoil: (bytes: Buffer) => bytes.fill(0, bytes.length - 4096) },
    { damage: 'rows without an order', spoil: (bytes: Buffer) => spoilPage(bytes, bytes.indexOf(MARK)) },
  ])('is left alone: a damaged one ($damage)', async ({ spoil }) => {
    const file = await makeDatabase();
    writeFileSync(file, spoil(readFileSync(file)));
    await expectRefused(file, 'corrupt');
  });

  it('is left alone: one that was cut off', async () => {
    const file = await makeDatabase();
    truncateSync(file, Math.floor(statSync(file).size / 2));
    await expectRefused(file, 'corrupt');
  });

  it('is left alone: a folder, or a path into a folder that is not there', async () => {
    const file = newFile('hub.db');
    await mkdir(file);
    await expect(open(file)).rejects.toMatchObject({ code: 'unreadable', message: expect.stringContaining(file) });
    await expect(open(join(file, 'no', 'hub.db'))).rejects.toMatchObject({ code: 'unreadable' });
    await expect(open(join(await makeDatabase(), 'hub.db'))).rejects.toMatchObject({ code: 'unreadable' });
    expect(readdirSync(file)).toEqual([]);
  });

  it('is left alone: one that another process keeps to itself', async () => {
    const file = await makeDatabase();
    const other = connect(file);
    other.pragma('locking_mode = EXCLUSIVE');
    other.exec('BEGIN EXCLUSIVE');
    await expect(open(file)).rejects.toMatchObject({ code: 'locked', message: expect.stringContaining(file) });
    other.exec('COMMIT');
    other.close();
    expect(await slugsIn(await open(file))).toEqual(['p']);
  });
});

describe('a backup', () => {
  it('opens as a database with the committed rows, for its owner only', async () => {
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    const file = await makeDatabase(['p', 'q']);
    const database = await open(file);
    await createStore(database).players.upsert('p', 'main', [playerOf('a', { name: 'Ana Souza' })], 1);
    const copy = `${file}.backup`;
    await database.backup(copy);
    expect(filesBeside(file)).toEqual(['hub.db', 'hub.db-shm', 'hub.db-wal', 'hub.db.backup']);
    expect(modeOf(copy)).toBe('600');
    const restored = await open(copy);
    expect(await slugsIn(restored)).toEqual(['p', 'q']);
    const found = await createStore(restored).players.list({ projectId: 'p', search: 'souza', limit: 1 });
    expect(found.total).toBe(1);
  });

  it('goes on while the hub writes, and is whole', async () => {
    const database = await openMigrated(newFile('hub.db'));
    const store = createStore(database);
    const copy = newFile('hub.db');
    const backup = database.backup(copy);
    const writes = Array.from({ length: 20 }, (_, n) => store.projects.create(projectOf(`p${n}`)));
    await Promise.all([backup, ...writes]);
    expect(connect(copy).pragma('integrity_check', { simple: true })).toBe('ok');
    expect(await slugsIn(database)).toHaveLength(20);
  });

  it('is not begun again by commits of another process, and tells how far it is', async () => {
    const file = await makeDatabase();
    const database = await open(file);
    const other = connect(file);
    other.exec('CREATE TABLE ballast (x BLOB)');
    for (let n = 0; n < 20; n += 1) other.exec('INSERT INTO ballast VALUES (zeroblob(1048576))');
    const copy = newFile('hub.db');
    const told: number[] = [];
    const onProgress = (copied: number): void => {
      told.push(copied);
      if (told.length < 1_000) other.exec('INSERT INTO ballast VALUES (zeroblob(8192))');
    };
    await database.backup(copy, { onProgress });
    expect(told.length).toBeGreaterThan(3);
    expect(told.length).toBeLessThan(100);
    expect(told).toEqual([...told].sort((a, b) => a - b));
    expect(connect(copy).pragma('integrity_check', { simple: true })).toBe('ok');
    expect(connect(copy).prepare('SELECT count(*) FROM ballast').pluck().get()).toBe(20);
  });

  it.each([
    ['stopped', () => ({ signal: AbortSignal.abort() })],
    ['late', () => ({ withinMs: 0 })],
  ] as const)('that is %s leaves nothing behind', async (code, options) => {
    const database = await open(await makeDatabase());
    const copy = newFile('hub.db');
    await expect(database.backup(copy, options())).rejects.toMatchObject({ code });
    expect(filesBeside(copy).filter((name) => name.includes('partial'))).toEqual([]);
    expect(existsSync(copy)).toBe(false);
  });

  it('does not overwrite a file', async () => {
    const file = await makeDatabase();
    const database = await open(file);
    const copy = newFile('hub.db');
    writeFileSync(copy, 'precious');
    await expect(database.backup(copy)).rejects.toMatchObject({ code: 'exists' });
    expect(readFileSync(copy, 'utf8')).toBe('precious');
  });

  it('leaves nothing behind where it fails', async () => {
    const database = await openMigrated(newFile('hub.db'));
    const copy = join(newFile('hub.db'), 'no', 'copy.db');
    const refused = { code: 'unreadable', message: expect.stringContaining(copy) };
    await expect(database.backup(copy)).rejects.toMatchObject(refused);
    expect(existsSync(copy)).toBe(false);
  });

  it('that was begun is finished by close', async () => {
    const file = await makeDatabase();
    const database = await open(file);
    const copy = `${file}.backup`;
    const [backup] = await Promise.allSettled([database.backup(copy), database.close()]);
    expect(backup.status).toBe('fulfilled');
    expect(await slugsIn(await open(copy))).toEqual(['p']);
  });

  it('by copying the file of a stopped hub works as well', async () => {
    const file = await makeDatabase();
    const copy = newFile('hub.db');
    copyFileSync(file, copy);
    expect(await slugsIn(await open(copy))).toEqual(['p']);
  });
});
