import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import type { Database } from '../../../db/database.ts';
import { openDatabase } from '../../../db/open.ts';
import { lockForHub } from '../../../db/sqlite/lock.ts';
import { mountSmallDisk } from '../../kit/small-disk.ts';

const HOLDER = { pid: process.pid, host: 'here', address: 'http://127.0.0.1:8080' };

const openArena = async ({ skip }: TestContext) => {
  const disk = mountSmallDisk(onTestFinished) ?? skip('this user cannot mount a tmpfs');
  const file = join(disk.folder, 'hub.db');
  const lock = () => {
    const held = lockForHub(`file:${file}`, HOLDER);
    onTestFinished(() => held?.release());
    return held;
  };
  const open = async (): Promise<Database> => {
    const database = await openDatabase({ url: `file:${file}`, busyTimeoutMs: 50 });
    onTestFinished(database.close);
    return database;
  };
  const full = {
    code: 'unavailable',
    isFull: true,
    message: `The disk is full: the folder ${disk.folder} has no room for the files of the database; make room.`,
  };
  return { disk, file, lock, open, full, files: (): string[] => readdirSync(disk.folder).toSorted() };
};

describe('the lock of an SQLite file on a full disk', () => {
  it('is refused to a new database, and no file is made', async (context) => {
    const { disk, lock, full, files } = await openArena(context);
    disk.fill();
    expect(lock).toThrow(expect.objectContaining(full));
    expect(files()).toEqual(['filler']);
    disk.empty();
    expect(lock()).toBeDefined();
  });

  it('is refused to a database with or without a lock file, and its files stay as they are', async (context) => {
    const { disk, file, lock, open, full, files } = await openArena(context);
    const database = await open();
    await database.migrate();
    await database.close();
    lock()?.release();
    disk.fill();
    for (const expected of [
      ['filler', 'hub.db', 'hub.db.lock'],
      ['filler', 'hub.db'],
    ]) {
      if (!expected.includes('hub.db.lock')) rmSync(`${file}.lock`);
      expect(lock).toThrow(expect.objectContaining(full));
      expect(files()).toEqual(expected);
    }
    disk.empty();
    expect(lock()).toBeDefined();
  });

  it('says that another hub has it, before it says that the disk is full', async (context) => {
    const { disk, lock } = await openArena(context);
    lock();
    disk.fill();
    expect(lock).toThrow(expect.objectContaining({ code: 'locked', message: expect.stringContaining('Another hub') }));
  });
});
