import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { knownMigrations, MIGRATIONS_TABLE } from '../../db/migrations/migrations.ts';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { ask, type CliHub, openWorkplace, SLOW } from '../testkit/cli.ts';
import { createEconomy, startGameServer } from '../testkit/game-server.ts';
import { openRaw } from '../testkit/raw-bridge.ts';
import { createGate } from '../testkit/stage.ts';

const PLAYER = 'char1:ana';
const WAIT_MS = '1000';
const PAYMENT = { target: PLAYER, type: 'bank', amount: 5, action: 'add' };
const KICK = { target: PLAYER, reason: 'a test' };
/** Slow enough for the project's limit: a hub looks for room every five seconds. */
const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 30_000, interval: 400 });

const diskOf = ({ skip }: TestContext): SmallDisk =>
  mountSmallDisk(onTestFinished) ?? skip('this user cannot mount a tmpfs');

/** A hub on a small disk, with a game server whose player it has stored. */
const openStage = async (context: TestContext, before: () => Promise<void> = async () => undefined) => {
  // First, so that it goes last: processes are ended before the disk is taken away.
  const disk = diskOf(context);
  const place = openWorkplace(onTestFinished);
  const file = join(disk.folder, 'hub.db');
  const start = (): Promise<CliHub> => place.startHub({ DATABASE_URL: `file:${file}`, COMMAND_WAIT_MS: WAIT_MS });
  let hub = await start();
  const { key, token } = hub;
  const economy = createEconomy({ [PLAYER]: 100 });
  startGameServer({ url: () => hub.bridgeUrl, token, folder: place.folder, economy, before });
  const get = (path: string) => ask(hub, key, path);
  const post = (path: string, body: object, headers?: Record<string, string>) => ask(hub, key, path, body, headers);
  await eventually(async () => (await get(`/players/${PLAYER}`)).status).toBe(200);
  return {
    disk,
    place,
    file,
    economy,
    get,
    post,
    hub: (): CliHub => hub,
    restart: async (): Promise<void> => {
      hub = await start();
    },
    refusedBridge: () => openRaw(hub.bridgeUrl, token).refused(),
  };
};
type Stage = Awaited<ReturnType<typeof openStage>>;

const onlyReads = async ({ disk, hub, get, post, refusedBridge }: Stage): Promise<void> => {
  expect(disk.freeBytes()).toBe(0);
  await hub().line(/"the disk is full[^"]*make room/);
  expect(await get('/health')).toMatchObject({ status: 503, body: { status: 'fail' } });
  const players = await get('/players');
  expect(players).toMatchObject({ status: 200, body: { data: [{ identifier: PLAYER }] } });
  expect(await get('/commands')).toMatchObject({ status: 200 });
  const refused = { status: 503, body: { code: 'store_unavailable', executed: 'no', retryable: true } };
  expect(await post('/bridge/main/kick', KICK)).toMatchObject(refused);
  expect(await post('/bridge/main/money', PAYMENT)).toMatchObject(refused);
  const { status, body } = await refusedBridge();
  expect({ status, body: JSON.parse(body) }).toMatchObject({ status: 503, body: { code: 'store_unavailable' } });
  expect((await fetch(`${hub().address}/readyz`)).status).toBe(200);
};

const goesOn = async ({ disk, hub, get, post, economy }: Stage): Promise<void> => {
  disk.empty();
  await eventually(async () => (await get('/health')).body['status']).toBe('pass');
  expect(await post('/bridge/main/money', PAYMENT)).toMatchObject({ status: 200, body: { executed: 'yes' } });
  expect(economy.banks.get(PLAYER)).toBe(105);
  expect(await hub().stop()).toMatchObject({ code: 0, stderr: '' });
};

describe('a hub that is started on a full disk', SLOW, () => {
  it('reads after a clean stop, as often as it is started, and goes on when there is room', async (context) => {
    const stage = await openStage(context);
    await stage.hub().stop();
    stage.disk.fill();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await stage.restart();
      await onlyReads(stage);
      expect((await stage.hub().stop(signal)).stderr).toBe('');
    }
    await stage.restart();
    await onlyReads(stage);
    await goesOn(stage);
  });

  it('holds its lock without room for the lock file, and a second hub ends with one line', async (context) => {
    const stage = await openStage(context);
    await stage.hub().stop();
    rmSync(`${stage.file}.lock`);
    stage.disk.fill();
    await stage.restart();
    await onlyReads(stage);
    const second = async (): Promise<void> => {
      const { code, stdout, stderr } = await stage.place.run(['start'], { DATABASE_URL: `file:${stage.file}` });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^causeway: Another hub uses the database \S+hub\.db \([^\n]+\n$/);
    };
    await second();
    stage.disk.empty();
    await second();
    stage.disk.fill();
    await goesOn(stage);
  });

  it('reads after a crash, and goes on when there is room', async (context) => {
    const stage = await openStage(context);
    await stage.hub().stop('SIGKILL');
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      stage.disk.fill();
      await stage.restart();
      await onlyReads(stage);
      expect((await stage.hub().stop(signal)).stderr).toBe('');
    }
    // A clean stop takes the write-ahead log away.
    stage.disk.fill();
    await stage.restart();
    await onlyReads(stage);
    await goesOn(stage);
  });

  it('does not say of a payment in doubt that it was not executed', async (context) => {
    const gate = createGate();
    const stage = await openStage(context, gate.pass);
    const { post, economy } = stage;
    const key = { 'Idempotency-Key': 'once' };
    void post('/bridge/main/money', PAYMENT, key).catch(() => undefined);
    await eventually(gate.reached).toBe(1);
    await stage.hub().stop('SIGKILL');
    stage.disk.fill();
    await stage.restart();
    const isUnknown = { status: 202, body: { executed: 'unknown' } };
    expect(await post('/bridge/main/money', PAYMENT, key)).toMatchObject(isUnknown);
    gate.open();
    stage.disk.empty();
    const settled = { status: 200, body: { executed: 'yes' } };
    await eventually(() => post('/bridge/main/money', PAYMENT, key)).toMatchObject(settled);
    expect(economy.applied).toHaveLength(1);
  });

  it('ends with one line if a migration is pending', async (context) => {
    const disk = diskOf(context);
    const place = openWorkplace(onTestFinished);
    const file = join(disk.folder, 'hub.db');
    const client = new Sqlite(file);
    client.pragma('journal_mode = WAL');
    client.exec(`CREATE TABLE ${MIGRATIONS_TABLE} (id INTEGER PRIMARY KEY, hash TEXT NOT NULL, created_at NUMERIC)`);
    const insert = client.prepare(`INSERT INTO ${MIGRATIONS_TABLE} (hash, created_at) VALUES (?, ?)`);
    for (const { sql, hash, folderMillis } of knownMigrations('sqlite').slice(0, -1)) {
      for (const statement of sql) client.exec(statement);
      insert.run(hash, folderMillis);
    }
    client.close();
    disk.fill();
    const { code, stdout, stderr } = await place.run(['start'], { DATABASE_URL: `file:${file}` });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^causeway: The disk of the database \S+hub\.db is full; make room\.\n$/);
  });
});
