import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { ask, type CliHub, openWorkplace, SLOW } from '../kit/cli.ts';
import { createEconomy, startGameServer } from '../kit/game-server.ts';
import { mountSmallDisk, type SmallDisk } from '../kit/small-disk.ts';
import { createGate } from '../kit/stage.ts';

const PLAYER = 'char1:ana';
const WAIT_MS = '1000';
const PAYMENT = { target: PLAYER, type: 'bank', amount: 5, action: 'add' };
const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 30_000, interval: 400 });

const diskOf = ({ skip }: TestContext): SmallDisk =>
  mountSmallDisk(onTestFinished) ?? skip('this user cannot mount a tmpfs');

/** A hub on a small disk, with a game server whose player it has stored. */
const openStage = async (context: TestContext, before: () => Promise<void> = async () => undefined) => {
  // First, so that it goes last: processes are ended before the disk is taken away.
  const disk = diskOf(context);
  const place = openWorkplace(onTestFinished);
  const file = join(disk.folder, 'hub.db');
  const env = { DATABASE_URL: `file:${file}`, COMMAND_WAIT_MS: WAIT_MS };
  const start = (): Promise<CliHub> => place.startHub(env);
  let hub = await start();
  const { key, token } = hub;
  const economy = createEconomy({ [PLAYER]: 100 });
  startGameServer({ url: () => hub.bridgeUrl, token, folder: place.folder, economy, before });
  const get = (path: string) => ask(hub, key, path);
  const pay = (headers?: Record<string, string>) => ask(hub, key, '/bridge/main/money', PAYMENT, headers);
  await eventually(async () => (await get(`/players/${PLAYER}`)).status).toBe(200);
  return {
    disk,
    file,
    economy,
    get,
    pay,
    hub: (): CliHub => hub,
    run: (...args: string[]) => place.run(args, env),
    outside: place.folder,
    restart: async (): Promise<void> => {
      hub = await start();
    },
  };
};
type Stage = Awaited<ReturnType<typeof openStage>>;

const isRefused = async ({ disk, run }: Stage): Promise<void> => {
  expect(disk.freeBytes()).toBe(0);
  const before = readdirSync(disk.folder).toSorted();
  const { code, stdout, stderr } = await run('start');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe(
    `causeway: The disk is full: the folder ${disk.folder} has no room for the files of the database; make room.\n`,
  );
  expect(readdirSync(disk.folder).toSorted()).toEqual(before);
};

describe('a hub that is started on a full disk', SLOW, () => {
  it('ends with one line that names the folder, leaves no file behind, and starts when there is room', async (context) => {
    const stage = await openStage(context);
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await stage.hub().stop(signal);
      stage.disk.fill();
      await isRefused(stage);
      rmSync(`${stage.file}.lock`);
      stage.disk.fill();
      await isRefused(stage);
      stage.disk.empty();
      await stage.restart();
      await eventually(async () => (await stage.get('/health')).body['status']).toBe('pass');
    }
    expect(await stage.pay()).toMatchObject({ status: 200, body: { executed: 'yes' } });
    expect(stage.economy.banks.get(PLAYER)).toBe(105);
  });

  it('settles a payment in doubt once there is room, and pays it once', async (context) => {
    const gate = createGate();
    const stage = await openStage(context, gate.pass);
    const key = { 'Idempotency-Key': 'once' };
    void stage.pay(key).catch(() => undefined);
    await eventually(gate.reached).toBe(1);
    await stage.hub().stop('SIGKILL');
    stage.disk.fill();
    await isRefused(stage);
    gate.open();
    stage.disk.empty();
    await stage.restart();
    await eventually(() => stage.pay(key)).toMatchObject({ status: 200, body: { executed: 'yes' } });
    expect(stage.economy.applied).toHaveLength(1);
  });
});

describe('a hub whose disk becomes full', SLOW, () => {
  it('answers reads, and a second hub names it and ends', async (context) => {
    const stage = await openStage(context);
    const { disk, get, pay, run, outside } = stage;
    disk.fill();
    const refused = { status: 503, body: { code: 'store_unavailable', executed: 'no' } };
    await eventually(pay).toMatchObject(refused);
    expect(await get('/health')).toMatchObject({ status: 503, body: { status: 'fail' } });
    expect(await get('/players')).toMatchObject({ status: 200, body: { data: [{ identifier: PLAYER }] } });
    expect(await run('command', 'list', '--project', 'default')).toMatchObject({ code: 0, stderr: '' });
    expect(await run('backup', join(outside, 'kept.db'))).toMatchObject({ code: 0, stderr: '' });
    expect((await run('doctor')).stdout).toMatch(/fail {2}disk.*make room[\s\S]*all 1 are connected/);
    const { code, stdout, stderr } = await run('start');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^causeway: Another hub uses the database \S+hub\.db \([^\n]+\n$/);
    disk.empty();
    await eventually(async () => (await get('/health')).body['status']).toBe('pass');
    await eventually(pay).toMatchObject({ status: 200, body: { executed: 'yes' } });
  });
});
