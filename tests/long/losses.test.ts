import { copyFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask, type CliHub, openWorkplace, SLOW } from '../testkit/cli.ts';
import { createEconomy, startGameServer } from '../testkit/game-server.ts';

const PLAYER = 'char1:ana';
/** Processes start and connect slowly on a busy machine. */
const WAIT = { timeout: 30_000, interval: 20 };

/** The rows of the database file without its write-ahead log; undefined during a write. */
const inFileAlone = (file: string): { sessions: number; seenAt: number } | undefined => {
  const copy = `${file}.alone`;
  try {
    copyFileSync(file, copy);
    const client = new Sqlite(copy);
    const sessions = Number(client.prepare('SELECT count(*) FROM sessions').pluck().get());
    const seenAt = Number(client.prepare('SELECT max(lease_ends_at) FROM nodes').pluck().get());
    client.close();
    return { sessions, seenAt };
  } catch {
    return undefined;
  } finally {
    for (const ending of ['', '-wal', '-shm']) rmSync(copy + ending, { force: true });
  }
};

/** Waits until the hub has just copied its log, with the session of the bridge, into the file: every three seconds. */
const afterCheckpoint = async (file: string): Promise<void> => {
  const before = inFileAlone(file)?.seenAt ?? 0;
  const isNew = (): boolean => {
    const { sessions = 0, seenAt = 0 } = inFileAlone(file) ?? {};
    return sessions === 1 && seenAt > before;
  };
  await expect.poll(isNew, WAIT).toBe(true);
};

/** A hub that is killed with a payment at the game server, which carries it out while the hub is away. */
const killedWithPayment = async () => {
  const place = openWorkplace(onTestFinished);
  writeFileSync(place.file, '');
  let hub: CliHub = await place.startHub();
  const { key, token } = hub;
  const economy = createEconomy({ [PLAYER]: 100 });
  let carryOut = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    carryOut = resolve;
  });
  let arrived = false;
  const before = (): Promise<void> => {
    arrived = true;
    return gate;
  };
  startGameServer({ url: () => hub.bridgeUrl, token, folder: place.folder, economy, before });
  await expect.poll(async () => (await ask(hub, key, `/players/${PLAYER}`)).status, WAIT).toBe(200);
  const backup = join(place.folder, 'backup.db');
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await place.run(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  await run('backup', backup);
  await afterCheckpoint(place.file);
  const askedAt = Date.now();
  const json = { target: PLAYER, type: 'bank', amount: 5, action: 'add' };
  void ask(hub, key, '/bridge/main/money', json).catch(() => undefined);
  await expect.poll(() => arrived, WAIT).toBe(true);
  const { body } = await ask(hub, key, '/commands?status=dispatched');
  const [{ id } = { id: 'none' }] = body['data'] as { id: string }[];
  await hub.stop('SIGKILL');
  carryOut();
  await expect.poll(() => economy.applied, WAIT).toHaveLength(1);
  const restart = async (): Promise<CliHub> => {
    hub = await place.startHub();
    return hub;
  };
  const journal = async () => (await ask(hub, key, '/health')).body['journal'] as Record<string, unknown>;
  const status = async () => (await ask(hub, key, `/commands/${id}`)).body['status'];
  const isBack = async () =>
    expect.poll(async () => (await ask(hub, key, '/health')).body['bridges'], WAIT).toEqual({ connected: 1, total: 1 });
  return { place, backup, run, restart, journal, status, isBack, askedAt, id };
};

const garble = (file: string): void => writeFileSync(file, Buffer.alloc(statSync(file).size, 0x5a));
const DAMAGES: [string, (file: string) => void][] = [
  [
    'says that commands are missing when its write-ahead log was cut to nothing',
    (file) => truncateSync(`${file}-wal`, 0),
  ],
  ['says that commands are missing when its write-ahead log was garbled', (file) => garble(`${file}-wal`)],
  ['says that commands are missing when its write-ahead log was deleted', (file) => rmSync(`${file}-wal`)],
];

describe('a hub that was killed', SLOW, () => {
  it.each(DAMAGES)('%s', async (_name, damage) => {
    const { place, run, restart, journal, status, askedAt, id } = await killedWithPayment();
    damage(place.file);
    const hub = await restart();
    await expect.poll(journal, WAIT).toMatchObject({ status: 'warn', missing: 1 });
    expect(await status()).toBe(404);
    const { since, detail } = await journal();
    expect(Date.parse(String(since))).toBeLessThanOrEqual(askedAt);
    expect(Date.parse(String(since))).toBeGreaterThan(askedAt - 10_000);
    expect(detail).toContain('causeway command missing');
    await hub.line(/"a command is missing from the database"/);
    expect(hub.output.stdout).toContain(id);

    await hub.stop();
    const again = await restart();
    await again.line(/"missing":1,.*causeway command missing/);
    expect(await run('command', 'missing', '--project', 'default')).toMatch(
      new RegExp(`${id} +main +done +.*"after":105`),
    );
    expect(await run('command', 'missing', '--project', 'default', '--acknowledge')).toBe(
      '1 missing commands of project "default" acknowledged.\n',
    );
    expect(await journal()).toMatchObject({ status: 'pass', missing: 0 });
  });

  it('says nothing when all of its files are as they were: the payment is settled', async () => {
    const { restart, journal, status } = await killedWithPayment();
    await restart();
    await expect.poll(status, WAIT).toBe('succeeded');
    expect(await journal()).toMatchObject({ status: 'pass', missing: 0 });
  });

  it('says nothing when the index of its log was damaged, which SQLite makes anew', async () => {
    const { place, restart, journal, status } = await killedWithPayment();
    garble(`${place.file}-shm`);
    await restart();
    await expect.poll(status, WAIT).toBe('succeeded');
    expect(await journal()).toMatchObject({ status: 'pass', missing: 0 });
  });

  it('says nothing after a restored backup', async () => {
    const { place, backup, restart, journal, isBack, id } = await killedWithPayment();
    for (const ending of ['-wal', '-shm']) rmSync(place.file + ending, { force: true });
    writeFileSync(place.file, readFileSync(backup));
    expect(existsSync(`${backup}-wal`)).toBe(false);
    const hub = await restart();
    await isBack();
    await hub.line(new RegExp(`${id}.*"stray result: its command is unknown"`));
    expect(await journal()).toMatchObject({ status: 'pass', missing: 0 });
  });
});
