import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask, type CliHub, openWorkplace, SLOW } from '../kit/cli.ts';
import { createEconomy, startGameServer } from '../kit/game-server.ts';
import { createGate } from '../kit/gate.ts';

const PLAYER = 'char1:ana';
/** Processes start and connect slowly on a busy machine. */
const WAIT = { timeout: 30_000, interval: 20 };

/** A hub that is killed with a payment at the game server, which carries it out while the hub is away. */
const killedWithPayment = async () => {
  const place = openWorkplace(onTestFinished);
  writeFileSync(place.file, '');
  let hub: CliHub = await place.startHub();
  const { key, token } = hub;
  const economy = createEconomy({ [PLAYER]: 100 });
  const gate = createGate();
  const restart = async (): Promise<CliHub> => {
    hub = await place.startHub();
    return hub;
  };
  const isBack = () =>
    expect.poll(async () => (await ask(hub, key, '/health')).body['bridges'], WAIT).toEqual({ connected: 1, total: 1 });
  const json = { target: PLAYER, type: 'bank', amount: 5, action: 'add' };
  const pay = () => ask(hub, key, '/bridge/main/money', json, { 'Idempotency-Key': 'vote' });

  startGameServer({ url: () => hub.bridgeUrl, token, folder: place.folder, economy, before: gate.pass });
  await expect.poll(async () => (await ask(hub, key, `/players/${PLAYER}`)).status, WAIT).toBe(200);
  // A clean stop copies the log into the file.
  await hub.stop();
  await restart();
  await isBack();
  const backup = join(place.folder, 'backup.db');
  expect(await place.run(['backup', backup])).toMatchObject({ code: 0, stderr: '' });
  void pay().catch(() => undefined);
  await expect.poll(gate.reached, WAIT).toBe(1);
  const { body } = await ask(hub, key, '/commands?status=dispatched');
  const [{ id } = { id: 'none' }] = body['data'] as { id: string }[];
  await hub.stop('SIGKILL');
  gate.open();
  await expect.poll(() => economy.applied, WAIT).toHaveLength(1);
  const status = async () => (await ask(hub, key, `/commands/${id}`)).body['status'];
  return { place, backup, restart, status, isBack, pay, economy, id };
};

const garble = (file: string): void => writeFileSync(file, Buffer.alloc(statSync(file).size, 0x5a));
const DAMAGES: [string, (file: string) => void][] = [
  ['pays once for one key when its write-ahead log was cut to nothing', (file) => truncateSync(`${file}-wal`, 0)],
  ['pays once for one key when its write-ahead log was garbled', (file) => garble(`${file}-wal`)],
  ['pays once for one key when its write-ahead log was deleted', (file) => rmSync(`${file}-wal`)],
];

describe('a hub that was killed', SLOW, () => {
  it.each(DAMAGES)('%s', async (_name, damage) => {
    const { place, restart, status, isBack, pay, economy, id } = await killedWithPayment();
    damage(place.file);
    const hub = await restart();
    await isBack();
    await hub.line(new RegExp(`${id}.*"stray result: its command is unknown"`));
    expect(await status()).toBe(404);
    expect(await pay()).toMatchObject({ status: 200, body: { id, executed: 'yes' } });
    expect(economy.applied).toHaveLength(1);
  });

  it('settles the payment when all of its files are as they were', async () => {
    const { restart, status } = await killedWithPayment();
    await restart();
    await expect.poll(status, WAIT).toBe('succeeded');
  });

  it('settles it when the index of its log was damaged, which SQLite makes anew', async () => {
    const { place, restart, status } = await killedWithPayment();
    garble(`${place.file}-shm`);
    await restart();
    await expect.poll(status, WAIT).toBe('succeeded');
  });

  it('names its result in the log after a copied backup', async () => {
    const { place, backup, restart, isBack, id } = await killedWithPayment();
    for (const ending of ['-wal', '-shm']) rmSync(place.file + ending, { force: true });
    writeFileSync(place.file, readFileSync(backup));
    expect(existsSync(`${backup}-wal`)).toBe(false);
    const hub = await restart();
    await isBack();
    await hub.line(new RegExp(`${id}.*"stray result: its command is unknown"`));
  });
});
