import { copyFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { openDatabase } from '../../../db/open.ts';
import type { Database } from '../../../db/port/database.ts';
import { createStore, type Store } from '../../../db/store.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';
import { projectOf } from '../../testkit/databases.ts';

const FULL = { code: 'unavailable', isFull: true };

const openArena = async ({ skip }: TestContext) => {
  const disk = mountSmallDisk(onTestFinished) ?? skip('this user cannot mount a tmpfs');
  const file = join(disk.folder, 'hub.db');
  const open = async (readsWhenFull = true): Promise<Database> => {
    const database = await openDatabase({ url: `file:${file}`, busyTimeoutMs: 50, readsWhenFull });
    onTestFinished(database.close);
    return database;
  };
  const first = await open();
  await first.migrate();
  await createStore(first).projects.create(projectOf('before'));
  return { disk, file, open, first };
};

const slugsIn = async (store: Store): Promise<string[]> => (await store.projects.list()).map(({ slug }) => slug);

/** The same in the thread that reads players. */
const namesIn = async (database: Database): Promise<unknown[]> => {
  const { handle, read } = database.reader;
  const rows = await read(() => handle.select({ slug: database.tables.projects.slug }).from(database.tables.projects));
  return rows.map(({ slug }) => slug);
};

describe('an SQLite file on a full disk', () => {
  it('is read and refuses writes, and is used as always once there is room', async (context) => {
    const { disk, file, open, first } = await openArena(context);
    await first.close();
    disk.fill();
    const database = await open();
    const store = createStore(database);
    expect(await slugsIn(store)).toEqual(['before']);
    expect(await namesIn(database)).toEqual(['before']);
    await expect(store.projects.create(projectOf('refused'))).rejects.toMatchObject(FULL);
    await expect(database.share()).rejects.toMatchObject(FULL);
    expect(await namesIn(database)).toEqual(['before']);

    disk.empty();
    await database.share();
    await store.projects.create(projectOf('after'));
    expect(await slugsIn(store)).toEqual(['after', 'before']);
    expect(await namesIn(database)).toEqual(['after', 'before']);
    const other = new Sqlite(file);
    onTestFinished(() => void other.close());
    expect(other.prepare('SELECT slug FROM projects ORDER BY slug').pluck().all()).toEqual(['after', 'before']);
    expect(other.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(other.pragma('integrity_check', { simple: true })).toBe('ok');
  });

  it('is read with the rows that a crash left in a log without an index', async (context) => {
    const { disk, file, open, first } = await openArena(context);
    copyFileSync(`${file}-wal`, `${file}.kept`);
    copyFileSync(file, `${file}.copy`);
    await first.close();
    renameSync(`${file}.copy`, file);
    renameSync(`${file}.kept`, `${file}-wal`);
    disk.fill();
    const database = await open();
    expect(await namesIn(database)).toEqual(['before']);
    disk.empty();
    await database.share();
    await createStore(database).projects.create(projectOf('after'));
    expect(await namesIn(database)).toEqual(['after', 'before']);
  });

  it('is refused where only reading would not do', async (context) => {
    const { disk, open, first } = await openArena(context);
    await first.close();
    disk.fill();
    await expect(open(false)).rejects.toMatchObject(FULL);
  });

  it('may be opened by another process as soon as it is shared, and not before', async (context) => {
    const { disk, open, first } = await openArena(context);
    await first.close();
    disk.fill();
    const database = await open();
    disk.empty();
    await expect(open()).rejects.toMatchObject({ code: 'locked' });
    await database.share();
    expect(await namesIn(await open())).toEqual(['before']);
  });
});
