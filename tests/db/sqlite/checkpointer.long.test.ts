import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Sqlite from 'better-sqlite3';
import { count, sql } from 'drizzle-orm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../db/open.ts';
import { createStore } from '../../../db/store.ts';
import { playerOf, projectOf } from '../../kit/databases.ts';
import { newFile } from '../../kit/folder.ts';

const root = join(import.meta.dirname, '../../..');
const PROJECTS = 2_100;
/** A moment of looking at the file. */
const slowCount = sql<number>`(WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5000) SELECT count(*) FROM t)`;

/** The size from which the log is restarted, if that is possible. */
const LARGE_PAGES = 4_096;
const logOf = (file: string): (() => number) => {
  const client = new Sqlite(file, { readonly: true });
  onTestFinished(() => void client.close());
  const look = client.prepare<[], [busy: number, log: number]>('PRAGMA wal_checkpoint(NOOP)').raw();
  return () => look.get()?.[1] ?? 0;
};

describe('the thread that checkpoints', () => {
  it('copies the log into the database while that is open', async () => {
    const file = newFile('hub.db');
    const database = await openDatabase({ url: `file:${file}` });
    onTestFinished(database.close);
    await database.migrate();
    const { projects } = createStore(database);
    const before = statSync(file).size;
    await Promise.all(Array.from({ length: PROJECTS }, (_, n) => projects.create(projectOf(`p${n}`))));
    await expect.poll(() => statSync(file).size, { timeout: 10_000 }).toBeGreaterThan(before);
  });

  it('gets the number of written rows, and commits do not checkpoint', async () => {
    const file = newFile('hub.db');
    const database = await openDatabase({ url: `file:${file}` });
    onTestFinished(database.close);
    await database.migrate();
    const { players } = createStore(database);
    const metadata = { notes: 'n'.repeat(12_000) };
    const write = (statement: number): Promise<void> => {
      const some = Array.from({ length: 100 }, (_, n) => playerOf(`${statement}:${n}`, { metadata }));
      return players.upsert('p', 'main', some, statement);
    };
    await write(0);
    const before = statSync(file).size;
    for (let statement = 1; statement <= 3; statement += 1) await write(statement);
    // By default SQLite copies the log in a commit, from 1,000 pages on.
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(1_000 * 4_096);
    expect(statSync(file).size).toBe(before);
    for (let statement = 4; statement <= 6; statement += 1) await write(statement);
    await expect.poll(() => statSync(file).size, { timeout: 10_000 }).toBeGreaterThan(before);
  });

  it('catches up with constant writes of players, so that the log stays short', async () => {
    const file = newFile('hub.db');
    const database = await openDatabase({ url: `file:${file}` });
    onTestFinished(database.close);
    await database.migrate();
    const { players } = createStore(database);
    const metadata = { notes: 'n'.repeat(2_000) };
    let longest = 0;
    for (let first = 0; first < 12_000; first += 50) {
      const some = Array.from({ length: 50 }, (_, n) =>
        playerOf(`${((first + n) * 7_919) % 12_007}:${n}`, { metadata }),
      );
      await players.calm();
      await players.upsert('p', 'main', some, first);
      longest = Math.max(longest, statSync(`${file}-wal`).size);
    }
    expect(longest).toBeLessThan(64 * 2 ** 20);
  });

  it('restarts the log while orders are written and read without a pause, and each commit is answered', async () => {
    const file = newFile('hub.db');
    const database = await openDatabase({ url: `file:${file}` });
    onTestFinished(database.close);
    await database.migrate();
    const { projects } = createStore(database);
    const { handle, read } = database.reader;
    let isWriting = true;
    const reads = async (): Promise<void> => {
      // Nearly always one of them looks at the file: by itself SQLite would not restart the log.
      while (isWriting) await read(() => handle.select({ n: slowCount }).from(database.tables.projects).limit(1));
    };
    const readers = [reads(), reads()];
    const pagesInLog = logOf(file);
    let last = 0;
    let begunAnew = 0;
    let answered = 0;
    const writer = async (name: number): Promise<void> => {
      for (let n = 0; n < 125; n += 1) {
        await projects.create(projectOf(`p${name}:${n}`, { name: 'n'.repeat(10_000) }));
        answered += 1;
        const pages = pagesInLog();
        if (pages < last) begunAnew += 1;
        last = pages;
      }
    };
    await Promise.all(Array.from({ length: 40 }, (_, name) => writer(name)));
    isWriting = false;
    await Promise.all(readers);
    const [row] = await database.read(() => database.handle.select({ n: count() }).from(database.tables.projects));
    expect({ answered, stored: row?.n }).toEqual({ answered: 5_000, stored: 5_000 });
    // How often depends on the machine.
    expect(begunAnew).toBeGreaterThan(1);
  });

  it('does not stop commits while a reader prevents a restart of the log, and restarts it afterwards', async () => {
    const file = newFile('hub.db');
    const database = await openDatabase({ url: `file:${file}` });
    onTestFinished(database.close);
    await database.migrate();
    const { projects } = createStore(database);
    const name = 'n'.repeat(20_000);
    const write = (id: string) =>
      Promise.all(Array.from({ length: 100 }, (_, n) => projects.create(projectOf(`${id}:${n}`, { name }))));
    const reader = new Sqlite(file, { readonly: true });
    onTestFinished(() => void reader.close());
    reader.exec('BEGIN; SELECT count(*) FROM projects');
    const pagesInLog = logOf(file);
    let written = 0;
    // Large writes, too: they wait for some checkpoints, and not for the reader.
    for (; pagesInLog() < 2.5 * LARGE_PAGES; written += 100) {
      await database.calm();
      await write(`kept ${written}`);
    }
    reader.exec('COMMIT');
    await expect
      .poll(async () => {
        await write(`after ${written}`);
        written += 100;
        return pagesInLog();
      })
      .toBeLessThan(LARGE_PAGES);
    expect(reader.prepare('SELECT count(*) FROM projects').pluck().get()).toBe(written);
  });

  it('and the one that reads do not keep a process from ending, and let it close the database first', async () => {
    const args = ['tests/kit/write-much.ts', newFile('hub.db')];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
    expect(stdout).toBe('closed');
  });
});
