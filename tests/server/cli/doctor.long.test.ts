import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../db/open.ts';
import { createStore } from '../../../db/store.ts';
import { runOf, scheduleOf, webhookOf } from '../../kit/batch-rows.ts';
import { openWorkplace, SLOW, takenPort } from '../../kit/cli.ts';
import { commandOf } from '../../kit/databases.ts';
import { examine, withHub } from '../../kit/doctor.ts';
import { freePort } from '../../kit/free-port.ts';
import { createServer } from '../../kit/make-tenant.ts';
import { welcomeRaw } from '../../kit/raw-bridge.ts';
import { mountSmallDisk } from '../../kit/small-disk.ts';

describe('causeway doctor', SLOW, () => {
  it('says what is well, and ends with 0 where nothing fails', async () => {
    const { place, port } = await withHub();
    mkdirSync(join(place.folder, 'backups'));
    const { code, findings, of } = await examine(place, { PORT: port, BACKUP_FOLDER: join(place.folder, 'backups') });
    const names = [
      'settings',
      'node',
      'disk',
      'files',
      'database',
      'clock',
      'bridges',
      'shops',
      'runs',
      'webhooks',
      'players',
      'port',
      'address',
      'tls',
      'nats',
      'backup',
    ];
    expect(findings.map(({ check }) => check)).toEqual(names);
    expect(findings.filter(({ status }) => status === 'fail')).toEqual([]);
    expect(of('port')).toMatchObject({ status: 'ok', text: `a hub answers at 127.0.0.1, port ${port}` });
    expect(of('bridges')).toMatchObject({
      status: 'warn',
      text: expect.stringMatching(/^not connected: main; .* server disable ID$/),
    });
    expect(of('backup')).toMatchObject({ status: 'warn', text: expect.stringContaining('there is none in') });
    expect(of('runs')).toMatchObject({ status: 'ok' });
    expect(code).toBe(0);
    const missing = await examine(place, { PORT: port, BACKUP_FOLDER: join(place.folder, 'nowhere') });
    expect(missing.of('backup')).toMatchObject({ status: 'fail', text: expect.stringContaining('make it') });
    const { stdout } = await place.run(['doctor'], { PORT: port });
    expect(stdout).toMatch(/^(ok {4}|warn {2})node {6}Node\.js /m);
  });

  it('warns of planned runs that did not happen, and of webhooks that get nothing', async () => {
    const { place, port } = await withHub();
    const database = await openDatabase({ url: `file:${place.file}` });
    const store = createStore(database);
    const projectId = (await store.projects.bySlug('default'))?.id ?? '';
    await store.schedules.create(scheduleOf('sch_1', { projectId, paused: true }));
    await store.schedules.claim(runOf(1, { projectId, status: 'missed', touchedAt: Date.now() }));
    await store.webhooks.create(webhookOf('whk_1', { projectId, failures: 5 }), 9);
    await store.webhooks.create(webhookOf('whk_2', { projectId, off: 'paused', failures: 9 }), 9);
    await database.close();
    const { of } = await examine(place, { PORT: port });
    for (const check of ['runs', 'webhooks']) {
      expect(of(check)).toMatchObject({ status: 'warn', text: expect.stringContaining('1 of project default') });
    }
  });

  it('finds what is wrong, says what to do, and ends with 1', async () => {
    const { place } = await withHub();
    chmodSync(place.file, 0o644);
    const taken = await takenPort();
    const folder = join(place.folder, 'backups');
    mkdirSync(folder);
    writeFileSync(join(folder, 'causeway-20200101T000000Z.db'), 'old');
    const { code, stderr, of } = await examine(place, {
      PORT: String(taken),
      PUBLIC_URL: `https://127.0.0.1:${taken}`,
      BACKUP_FOLDER: folder,
    });
    expect(of('files')).toMatchObject({ status: 'fail', text: expect.stringContaining(`chmod 600 ${place.file}`) });
    expect(of('port')).toMatchObject({ status: 'fail', text: expect.stringContaining('set PORT') });
    expect(of('address')).toMatchObject({ status: 'fail', text: expect.stringContaining('set it to the number') });
    expect(of('tls')).toMatchObject({
      status: 'fail',
      text: expect.stringContaining('check DNS, certificate and proxy'),
    });
    expect(of('backup')).toMatchObject({ status: 'fail', text: expect.stringContaining('hours old') });
    expect([code, stderr]).toEqual([1, 'causeway: 5 checks failed\n']);
  });

  it('makes a finding of settings that cannot be used, and goes on with the others', async () => {
    const { place, port } = await withHub();
    const { code, of, stdout } = await examine(place, {
      PORT: port,
      PUBLIC_URL: 'https://user:hunter2@hub.example.com/path',
      BACKUP_KEEP: 'many',
    });
    const says = /PUBLIC_URL: .*no user name.*PUBLIC_URL: .*without a path.*BACKUP_KEEP: must be a whole number/;
    expect(of('settings')).toMatchObject({ status: 'fail', text: expect.stringMatching(says) });
    expect(of('port')).toMatchObject({ status: 'ok' });
    expect([code, stdout.includes('hunter2')]).toEqual([1, false]);
  });

  it('sees a bridge of another version, and a command from the future', async () => {
    const { place, hub, port } = await withHub();
    const software = { name: 'causeway-bridge', version: '0.0.1' };
    await welcomeRaw(hub.bridgeUrl, hub.token, { software });
    const database = await openDatabase({ url: `file:${place.file}` });
    onTestFinished(database.close);
    const store = createStore(database);
    const [project] = await store.projects.list();
    const ahead = commandOf('cmd_ahead', { projectId: project?.id ?? '', createdAt: Date.now() + 3_600_000 });
    await store.commands.insert(ahead, { durable: true });
    const { of } = await examine(place, { PORT: port });
    expect(of('bridges')).toMatchObject({
      status: 'warn',
      text: expect.stringMatching(/^main \(0\.0\.1\): not the version/),
    });
    expect(of('clock')).toMatchObject({ status: 'fail', text: expect.stringContaining('the clock was set back') });
  });

  it('names ten of the servers that are not connected, and counts the others', async () => {
    const { place, port } = await withHub();
    const database = await openDatabase({ url: `file:${place.file}` });
    onTestFinished(database.close);
    const store = createStore(database);
    const [project] = await store.projects.list();
    for (let n = 10; n < 21; n += 1) await createServer(store, project?.id ?? '', { id: `s${n}`, name: `s${n}` });
    const { of } = await examine(place, { PORT: port });
    const names = expect.stringMatching(/^not connected: (\w+, ){9}\w+ and 2 more; start these game servers/);
    expect(of('bridges')).toMatchObject({ status: 'warn', text: names });
  });

  it('sees pending migrations, and brings nothing up to date', async () => {
    const place = openWorkplace(onTestFinished);
    writeFileSync(place.file, '', { mode: 0o600 });
    for (let n = 0; n < 2; n += 1) {
      const { of } = await examine(place);
      const text = expect.stringMatching(/^\d+ migrations are pending; start the hub, or run: causeway migrate$/);
      expect(of('database')).toMatchObject({ status: 'warn', text });
    }
  });

  it('tells a foreign program, a silent one and the hub of another database from the own hub', async () => {
    const port = await freePort();
    const { place, hub } = await withHub({ PORT: String(port) });
    expect((await examine(place, { PORT: String(port) })).of('port')).toMatchObject({ status: 'ok' });
    const other = openWorkplace(onTestFinished);
    await other.run(['migrate']);
    const foreign = (await examine(other, { PORT: String(port) })).of('port');
    expect(foreign).toMatchObject({ status: 'fail', text: expect.stringContaining(`not the hub of ${other.file}`) });
    await hub.stop();
    const website = createHttpServer((_, response) => response.end('welcome'));
    await new Promise<void>((resolve) => website.listen(port, '127.0.0.1', resolve));
    onTestFinished(() => void website.close());
    const found = (await examine(place, { PORT: String(port) })).of('port');
    expect(found).toMatchObject({
      status: 'fail',
      text: expect.stringMatching(/^another program .*\(200\); set PORT$/),
    });
    const silent = (await examine(place, { PORT: String(await takenPort()) })).of('port');
    expect(silent).toMatchObject({
      status: 'fail',
      text: expect.stringMatching(/^no answer in time .*restart the hub/),
    });
  });

  it('looks at the modes of every file with data, and of folders', async () => {
    const { place, port } = await withHub();
    const backups = join(place.folder, 'backups');
    const unpacked = join(place.folder, '.causeway');
    for (const folder of [backups, unpacked]) mkdirSync(folder);
    const copy = join(backups, 'causeway-20260101T030000Z.db');
    writeFileSync(copy, 'a backup', { mode: 0o600 });
    const files = async () => (await examine(place, { PORT: port, BACKUP_FOLDER: backups })).of('files');
    chmodSync(unpacked, 0o700);
    expect(await files()).toMatchObject({ status: 'ok' });
    const cases: [path: string, wrong: number, command: string, right: number][] = [
      [`${place.file}-wal`, 0o640, `chmod 600 ${place.file}-wal`, 0o600],
      [copy, 0o644, `chmod 600 ${copy}`, 0o600],
      [backups, 0o777, `chmod o-w ${backups}`, 0o755],
      [unpacked, 0o755, `chmod 700 ${unpacked}`, 0o700],
      [place.folder, 0o707, `chmod o-w ${place.folder}`, 0o700],
    ];
    for (const [path, wrong, command, right] of cases) {
      chmodSync(path, wrong);
      expect(await files()).toMatchObject({ status: 'fail', text: expect.stringContaining(command) });
      chmodSync(path, right);
    }
  });

  it('looks at the disk of the backups, too', async ({ skip }) => {
    const disk = mountSmallDisk(onTestFinished) ?? skip('this user cannot mount a tmpfs');
    const { place, port } = await withHub();
    const { of } = await examine(place, { PORT: port, BACKUP_FOLDER: disk.folder });
    expect(of('disk')).toMatchObject({
      status: 'fail',
      text: expect.stringMatching(new RegExp(`^\\d MiB are free in ${disk.folder}; make room`)),
    });
  });

  it('counts no backup that is empty or from the future', async () => {
    const { place, port } = await withHub();
    const folder = join(place.folder, 'backups');
    mkdirSync(folder);
    for (const name of ['20260101', '20300101']) writeFileSync(join(folder, `causeway-${name}T000000Z.db`), '');
    const { of } = await examine(place, { PORT: port, BACKUP_FOLDER: folder });
    const text = expect.stringMatching(/^empty or from the future, .*20260101.*20300101/);
    expect(of('backup')).toMatchObject({ status: 'warn', text });
  });

  it('is done in time with a NATS server that says nothing, and a database that is not there', async () => {
    const silent = createTcpServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void silent.close());
    const address = silent.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const place = openWorkplace(onTestFinished);
    const url = 'postgres://hub:secret-word@127.0.0.1:1/hub';
    const { code, of, stdout } = await examine(place, {
      DATABASE_URL: url,
      NATS_URL: `nats://u:secret-word@127.0.0.1:${port}`,
    });
    expect(of('nats')).toMatchObject({ status: 'fail', text: `no NATS server answers at 127.0.0.1:${port}` });
    expect(of('database')).toMatchObject({ status: 'fail' });
    expect(stdout).not.toContain('secret-word');
    expect(code).toBe(1);
    const missing = await examine(openWorkplace(onTestFinished));
    expect(missing.of('database')).toMatchObject({ status: 'fail', text: expect.stringContaining('there is no file') });
  });
});
