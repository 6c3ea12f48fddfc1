import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { provisionFirst } from '../../../server/admin/projects.ts';
import { createHub } from '../../../server/hub.ts';
import { readConfig } from '../../../server/platform/config.ts';
import { commandOf, engines, useStore } from '../../kit/databases.ts';
import { newFile, newFolder } from '../../kit/folder.ts';
import { startHub } from '../../kit/hub.ts';
import { onPostgres } from '../../kit/hub-database.ts';
import { openHubNode } from '../../kit/hub-node.ts';
import { silentLog } from '../../kit/silent-log.ts';
import { makeReadOnly, mountSmallDisk } from '../../kit/small-disk.ts';

const NAME = /^causeway-\d{8}T\d{6}Z\.db$/;
const AT_ONCE = { backupCheckMs: 20, backupDelayMs: 0 };
const PATIENCE = { timeout: 15_000 };

const start = async (folder: string, env: Record<string, string> = {}, tuning: object = AT_ONCE) => {
  const logTo: string[] = [];
  const hub = await startHub({ env: { BACKUP_FOLDER: folder, ...env }, tuning, logTo });
  const backup = async () =>
    (await hub.request('/api/v2/health')).body['backup'] as { status: string; lastGoodAt: string };
  return { ...hub, request: hub.request, stop: hub.stop, logTo, backup };
};
const backupsIn = (folder: string): string[] => readdirSync(folder).filter((name) => NAME.test(name));

describe.skipIf(onPostgres)('regular backups', () => {
  it('are whole databases for the owner only, and health says when the last one was made', async () => {
    const folder = newFolder();
    const { backup, request } = await start(folder);
    await expect.poll(backup, PATIENCE).toMatchObject({ status: 'pass', lastGoodAt: expect.any(String), detail: null });
    const [name = ''] = backupsIn(folder);
    expect(readdirSync(folder)).toEqual([name]);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    const copy = new Sqlite(join(folder, name), { readonly: true });
    onTestFinished(() => void copy.close());
    expect(copy.pragma('quick_check', { simple: true })).toBe('ok');
    expect(copy.prepare('SELECT slug FROM projects').pluck().all()).toEqual(['test']);
    const metrics = await request('/metrics');
    expect(metrics.text).toMatch(/^causeway_last_backup_timestamp_seconds 1\d{9}/m);
  });

  it('go on from the newest one in the folder, keep as many as they should, and touch no other file', async () => {
    const folder = newFolder();
    const old = ['20260101', '20260102', '20260103', '20260104'].map((day) => `causeway-${day}T030000Z.db`);
    const others = ['notes.txt', 'causeway-20260101T030000Z.db.gz', 'my-causeway-20260101T030000Z.db'];
    for (const name of [...old, ...others]) writeFileSync(join(folder, name), 'old');
    const { backup } = await start(folder, { BACKUP_KEEP: '3' });
    await expect.poll(() => backupsIn(folder).includes(old[1] ?? ''), PATIENCE).toBe(false);
    expect(backupsIn(folder).toSorted().slice(0, 2)).toEqual(old.slice(2));
    expect(backupsIn(folder)).toHaveLength(3);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(others));
    expect(await backup()).toMatchObject({ status: 'pass' });
  });

  it('take no notice of files that are empty or from the future: log and health say so', async () => {
    const folder = newFolder();
    const old = ['causeway-20260101T030000Z.db', 'causeway-20260102T030000Z.db'];
    for (const name of old) writeFileSync(join(folder, name), 'old');
    const ignored = ['causeway-20260103T030000Z.db', 'causeway-20300101T000000Z.db'];
    for (const name of ignored) writeFileSync(join(folder, name), name.includes('2030') ? 'from the future' : '');
    const { backup, logTo } = await start(folder, { BACKUP_KEEP: '2' });
    await expect.poll(() => backupsIn(folder).includes(old[0] ?? ''), PATIENCE).toBe(false);
    expect(backupsIn(folder)).toEqual(expect.arrayContaining([old[1], ...ignored]));
    expect(backupsIn(folder)).toHaveLength(4);
    const detail = expect.stringContaining('empty or from the future');
    const health = await backup();
    expect(health).toMatchObject({ status: 'warn', detail });
    expect(Math.abs(Date.parse(health.lastGoodAt) - Date.now())).toBeLessThan(60_000);
    for (const name of ignored) expect(logTo.join('')).toContain(name);
    for (const name of ignored) rmSync(join(folder, name));
    await expect.poll(backup, PATIENCE).toMatchObject({ status: 'pass', detail: null });
  });

  it('are made again after the clock was set back', async () => {
    const folder = newFolder();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2030, 0, 1) });
    onTestFinished(() => void vi.useRealTimers());
    const { backup, stop } = await start(folder);
    await vi.waitFor(() => expect(backupsIn(folder)).toHaveLength(1), PATIENCE);
    vi.setSystemTime(Date.UTC(2026, 0, 1));
    await vi.waitFor(() => expect(backupsIn(folder)).toHaveLength(2), PATIENCE);
    const [newest, ahead] = backupsIn(folder).toSorted();
    expect([newest?.slice(0, 17), ahead?.slice(0, 17)]).toEqual(['causeway-20260101', 'causeway-20300101']);
    await vi.waitFor(async () => {
      expect(await backup()).toMatchObject({ status: 'warn', lastGoodAt: expect.stringMatching(/^2026-01-01/) });
    }, PATIENCE);
    await stop();
  });

  it('remove the unfinished files of a hub that was killed during one, and nothing else', async () => {
    const folder = newFolder();
    const partial = 'causeway-20260101T030000Z.db.partial';
    for (const suffix of ['', '-journal', '-wal', '-shm']) writeFileSync(join(folder, `${partial}${suffix}`), 'half');
    writeFileSync(join(folder, 'mine.db.partial'), 'half');
    const { stop } = await start(folder, {}, { ...AT_ONCE, backupDelayMs: 60_000 });
    expect(readdirSync(folder)).toEqual(['mine.db.partial']);
    await stop();
  });

  it('are not made again before their time', async () => {
    const folder = newFolder();
    const name = `causeway-${new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z.db`;
    writeFileSync(join(folder, name), 'just now');
    const { backup } = await start(folder, { BACKUP_EVERY: '1h' });
    expect(await backup()).toMatchObject({ status: 'pass', lastGoodAt: expect.any(String) });
    expect(backupsIn(folder)).toEqual([name]);
  });

  it.each<[string, (folder: string) => void, (folder: string) => void]>([
    ['is missing', (folder) => rmSync(folder, { recursive: true }), (folder) => mkdirSync(folder)],
    [
      'is a file',
      (folder) => {
        rmSync(folder, { recursive: true });
        writeFileSync(folder, '');
      },
      (folder) => {
        rmSync(folder);
        mkdirSync(folder);
      },
    ],
  ])('fail where the folder %s: the hub goes on, and health says it', async (_, spoil) => {
    const folder = newFolder();
    spoil(folder);
    const { backup, request, logTo } = await start(folder);
    await expect.poll(backup, PATIENCE).toMatchObject({ status: 'warn', lastGoodAt: null });
    const health = await request('/api/v2/health');
    expect([health.status, health.body['status']]).toEqual([200, 'warn']);
    expect(JSON.stringify(health.body)).not.toContain(folder);
    expect(logTo.join('')).toContain(folder);
  });

  it('fail on a full disk, leave nothing behind, and keep the older copy', async ({ skip }) => {
    const disk = mountSmallDisk(onTestFinished) ?? skip('this user cannot mount a tmpfs');
    const old = 'causeway-20260101T030000Z.db';
    writeFileSync(join(disk.folder, old), 'old');
    disk.fill();
    const { backup, request } = await start(disk.folder, { BACKUP_KEEP: '1' });
    const detail = expect.stringContaining('The last backup failed');
    await expect.poll(backup, PATIENCE).toMatchObject({ status: 'warn', detail });
    expect(backupsIn(disk.folder)).toEqual([old]);
    expect(readdirSync(disk.folder).filter((name) => name.includes('partial'))).toEqual([]);
    expect((await request('/api/v2/project')).status).toBe(200);
  });

  it.each<[string, (partial: string) => void]>([
    [
      'is unsound',
      (partial) => {
        const bytes = readFileSync(partial);
        bytes.fill(0xff, 4_096, bytes.length - 4_096);
        writeFileSync(partial, bytes);
      },
    ],
    [
      'lacks the newest command',
      (partial) => {
        const copy = new Sqlite(partial);
        copy.exec('DELETE FROM commands WHERE seq = (SELECT max(seq) FROM commands)');
        copy.close();
      },
    ],
  ])('do not count a copy that %s: the older one is kept', async (_, spoil) => {
    const folder = newFolder();
    const old = 'causeway-20260101T030000Z.db';
    writeFileSync(join(folder, old), 'old');
    const node = await openHubNode({
      env: { BACKUP_FOLDER: folder, BACKUP_KEEP: '1' },
      tuning: AT_ONCE,
      databaseUrl: `file:${newFile('hub.db')}`,
      natsUrl: undefined,
      logTo: undefined,
      panel: false,
    });
    const { key = '' } = (await provisionFirst(node.store, { name: 'P', server: { id: 'main', name: 'M' } })) ?? {};
    const [project] = await node.store.projects.list();
    for (const id of ['cmd_1', 'cmd_2']) {
      await node.store.commands.insert(commandOf(id, { projectId: project?.id ?? '' }), { durable: true });
    }
    node.breakable.spoilCopies(spoil);
    const { port } = await node.hub.start();
    onTestFinished(() => node.hub.stop());
    const health = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v2/health`, { headers: { 'X-API-Key': key } });
      return ((await answer.json()) as { backup: object }).backup;
    };
    const lastGoodAt = '2026-01-01T03:00:00.000Z';
    const detail = expect.stringContaining('The last backup failed');
    await expect.poll(health, PATIENCE).toMatchObject({ status: 'warn', lastGoodAt, detail });
    expect(readdirSync(folder)).toEqual([old]);
  });

  it('fail in a folder that cannot be written: the hub goes on, and health says it', async ({ skip }) => {
    const disk = mountSmallDisk(onTestFinished) ?? skip('this user cannot mount a tmpfs');
    const old = 'causeway-20260101T030000Z.db';
    writeFileSync(join(disk.folder, old), 'old');
    writeFileSync(join(disk.folder, `${old}.partial`), 'half');
    makeReadOnly(disk.folder);
    const { backup, request, logTo } = await start(disk.folder, { BACKUP_KEEP: '1' });
    const detail = expect.stringContaining('The last backup failed');
    await expect.poll(backup, PATIENCE).toMatchObject({ status: 'warn', detail });
    expect(readdirSync(disk.folder).sort()).toEqual([old, `${old}.partial`]);
    expect((await request('/api/v2/project')).status).toBe(200);
    await expect.poll(() => logTo.join(''), PATIENCE).toContain('backup failed');
  });

  it('are made on another disk than the database', async ({ skip }) => {
    const disk = mountSmallDisk(onTestFinished) ?? skip('this user cannot mount a tmpfs');
    const { backup, folder } = await start(disk.folder);
    expect(statSync(disk.folder).dev).not.toBe(statSync(folder).dev);
    await expect.poll(backup, PATIENCE).toMatchObject({ status: 'pass', lastGoodAt: expect.any(String) });
    expect(backupsIn(disk.folder)).toHaveLength(1);
  });

  it('delete no older copy when the new one cannot be made', async () => {
    const folder = newFolder();
    const old = 'causeway-20260101T030000Z.db';
    writeFileSync(join(folder, old), 'old');
    // Root may write everywhere: the partial file's name is taken by a folder instead.
    const taken = new Set<string>();
    for (let s = 0; s < 120; s += 1) {
      const at = new Date(Date.now() + s * 1_000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '');
      taken.add(`causeway-${at}Z.db.partial`);
    }
    for (const name of taken) mkdirSync(join(folder, name));
    const { backup } = await start(folder, { BACKUP_KEEP: '1' });
    const detail = expect.stringContaining('The last backup failed');
    await expect.poll(backup, PATIENCE).toMatchObject({ status: 'warn', detail });
    expect(existsSync(join(folder, old))).toBe(true);
  });
});

describe.each(engines)('without BACKUP_FOLDER, on $name', ({ open }) => {
  const db = useStore(open);

  it('health says nothing of backups, because the hub knows nothing of them', async () => {
    const log = silentLog();
    const hub = createHub({ database: db.database, config: readConfig({ PORT: '0' }), log });
    onTestFinished(hub.stop);
    const { key = '' } = (await provisionFirst(db.store, { name: 'P', server: { id: 'main', name: 'M' } })) ?? {};
    const { port } = await hub.start();
    const answer = await fetch(`http://127.0.0.1:${port}/api/v2/health`, { headers: { 'X-API-Key': key } });
    const health = (await answer.json()) as object;
    expect([answer.status, Object.keys(health)]).toEqual([200, expect.arrayContaining(['databases', 'bridges'])]);
    expect(health).not.toHaveProperty('backup');
  });
});

describe('settings of backups', () => {
  it.each([
    [{ BACKUP_FOLDER: '/b', DATABASE_URL: 'postgres://hub@db/hub' }, /BACKUP_FOLDER.*pg_dump/],
    [{ BACKUP_EVERY: '1' }, /BACKUP_EVERY.*such as 30m, 12h or 1d/],
    [{ BACKUP_EVERY: '0d' }, /BACKUP_EVERY/],
    [{ BACKUP_KEEP: '0' }, /BACKUP_KEEP.*from 1 to 1000/],
  ])('that cannot be used stop the start: %j', (env, says) => {
    expect(() => readConfig(env)).toThrow(says);
  });

  it('are a day and seven copies where they are not set', () => {
    expect(readConfig({})).toMatchObject({ BACKUP_EVERY: 86_400_000, BACKUP_KEEP: 7 });
  });
});
