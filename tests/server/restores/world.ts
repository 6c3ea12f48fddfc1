import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { type Bridge, createBridge, type Outcome, type Player } from '../../../bridge-protocol/index.ts';
import { openFileJournal } from '../../../bridge-protocol/journal/file.ts';
import { openWebSocket } from '../../../bridge-protocol/ws.ts';
import { ask, type CliHub, openWorkplace, type Workplace } from '../../testkit/cli.ts';
import { playerFrame } from '../../testkit/frames.ts';
import { pay } from '../../testkit/purse.ts';
import { eventually } from '../../testkit/stage.ts';

/** The same numbers from 0 to 1 for the same seed. */
export const createDice = (seed: number) => {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    chance: (of: number): boolean => next() < of,
    below: (bound: number): number => Math.floor(next() * bound),
    pick: <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T,
  };
};
export type Dice = ReturnType<typeof createDice>;

const PLAYERS = ['char1:ana', 'char1:bo', 'char1:cy', 'char1:di'];
const OFFLINE: Outcome = { status: 'rejected', error: { code: 'player_offline', message: 'They have left.' } };

/**
 * A game with the reference bridge and its file journal. A payment carries its key as the reason, so that its effects can
 * be counted. Some players leave just before they are paid.
 */
export const createGame = (options: { url: () => string; token: string; folder: string; dice: Dice }) => {
  const banks = new Map(PLAYERS.map((id) => [id, 0]));
  const playing = new Set<string>();
  const applied = new Map<string, number>();
  let isShy = true;

  const recordOf = (identifier: string): Player =>
    playerFrame(identifier, { online: playing.has(identifier), accounts: { bank: banks.get(identifier) ?? 0 } });
  const carryOut = (order: Parameters<typeof pay>[1] & { reason?: string | undefined }): Outcome => {
    if (!playing.has(order.target) || (isShy && options.dice.chance(0.4))) return OFFLINE;
    const outcome = pay(banks, order);
    if (outcome.status === 'done') applied.set(order.reason ?? '', (applied.get(order.reason ?? '') ?? 0) + 1);
    return outcome;
  };
  const start = () => {
    const journal = openFileJournal({ path: join(options.folder, 'journal.jsonl'), class: 'durable' });
    const bridge = createBridge({
      openSocket: (events) => openWebSocket({ url: options.url(), token: options.token })(events),
      software: { name: 'test-game', version: '1.0.0' },
      journal,
      accounts: ['bank'],
      commands: { money: carryOut },
      players: { snapshot: () => PLAYERS.map(recordOf), read: recordOf },
      timings: { reconnectBaseMs: 20, reconnectMaxMs: 100 },
    });
    bridge.start();
    return { bridge, journal };
  };
  let process = start();
  const stop = async (): Promise<void> => {
    await process.bridge.stop();
    await process.journal.close();
  };
  const report = (identifier: string): void => process.bridge.changed({ players: [recordOf(identifier)] });

  return {
    effectsOf: (key: string): number => applied.get(key) ?? 0,
    state: (): Bridge['state'] => process.bridge.state,
    stop,
    /** The next process over the same journal. */
    restart: async (): Promise<void> => {
      await stop();
      process = start();
    },
    /** Some players come, others leave. */
    shuffle: (): void => {
      for (const id of PLAYERS) {
        if (options.dice.chance(0.5)) playing.add(id);
        else playing.delete(id);
        report(id);
      }
    },
    /** All players play, and stay. */
    settle: (): void => {
      isShy = false;
      for (const id of PLAYERS) {
        playing.add(id);
        report(id);
      }
    },
  };
};

/** A request that is sent again, word for word, after the restore. */
export type Order = { key: string; path: string; body: object };
/** The state of a command, as a hub told it. */
export type Told = { status: string; executed: string };

export const paymentOf = (dice: Dice, key: string): Order => ({
  key,
  path: '/bridge/main/money',
  body: {
    target: dice.pick(PLAYERS),
    type: 'bank',
    amount: 1 + dice.below(50),
    action: 'add',
    reason: key,
    deliver: dice.pick(['when_online', 'when_online', 'when_connected']),
    // Some end while the hub is away, or soon after it is back.
    expiresInSeconds: dice.pick([3, 600, 600]),
  },
});

/** A hub of real processes with a database file that is replaced by a backup, and one game server. */
export const openWorld = async (dice: Dice) => {
  const place: Workplace = openWorkplace(onTestFinished);
  let hub: CliHub = await place.startHub();
  const { key, token } = hub;
  const game = createGame({ url: () => hub.bridgeUrl, token, folder: place.folder, dice });
  onTestFinished(game.stop);
  const welcomed = (): Promise<void> => eventually(game.state).toBe('welcomed');
  const done = async (...args: string[]): Promise<void> => {
    const { code, stderr } = await place.run(args);
    expect([code, stderr], args.join(' ')).toEqual([0, '']);
  };
  await done('project', 'set', 'default', '--rate-limit', '1000000');
  await welcomed();
  await eventually(async () => (await ask(hub, key, '/players/char1:ana')).status).toBe(200);

  const toldOf = async (id: string): Promise<Told> => {
    const { body } = await ask(hub, key, `/commands/${id}`);
    return { status: String(body['status']), executed: String(body['executed']) };
  };

  return {
    game,
    /** Sends an order; returns the id of its command. */
    send: async ({ key: idempotencyKey, path, body }: Order): Promise<string> => {
      const headers = { 'Idempotency-Key': idempotencyKey, Prefer: 'respond-async' };
      const reply = await ask(hub, key, path, body, headers);
      expect([200, 202, 409, 502, 503], JSON.stringify(reply.body)).toContain(reply.status);
      return String(reply.body.command?.id ?? reply.body.id);
    },
    toldOf,
    /** Waits until a command has ended. */
    ending: async (id: string): Promise<Told> => {
      await eventually(async () => (await toldOf(id)).status).not.toMatch(/^(waiting|accepted|dispatched)$/);
      return toldOf(id);
    },
    backUp: (name: string): Promise<void> => done('backup', name),
    /** Puts a backup in the place of the database, and starts the hub again. */
    restore: async (name: string, signal: NodeJS.Signals): Promise<void> => {
      hub.signal(signal);
      await hub.ended();
      if (dice.chance(0.5)) await game.restart();
      await done('restore', name);
      hub = await place.startHub();
      await welcomed();
    },
    /** Lets the hub and the game work; counted in answers of the hub, not in time. */
    goOn: async (steps: number): Promise<void> => {
      for (let step = 0; step < steps; step += 1) await ask(hub, key, '/servers/main');
    },
  };
};

const FINAL = /^(succeeded|failed|rejected|voided|expired)$/;

/** One backup, one restore, and all keys once more: nothing is paid twice, and each answer is true in the end. */
export const restoreInTheMiddle = async (seed: number): Promise<void> => {
  const dice = createDice(seed);
  const world = await openWorld(dice);
  const orders = Array.from({ length: 10 }, (_, n) => paymentOf(dice, `order-${n}`));
  const ids = new Map<string, string>();
  const send = async (some: readonly Order[]): Promise<void> => {
    for (const order of some) {
      const id = await world.send(order);
      expect(ids.get(order.key) ?? id, order.key).toBe(id);
      ids.set(order.key, id);
    }
  };
  const play = async (): Promise<void> => {
    world.game.shuffle();
    await world.goOn(5 + dice.below(30));
  };

  const early = 2 + dice.below(6);
  await send(orders.slice(0, early));
  for (let n = dice.below(3); n > 0; n -= 1) await play();
  await world.backUp('copy.db');
  await send(orders.slice(early));
  for (let n = 1 + dice.below(4); n > 0; n -= 1) await play();
  const before = new Map<string, Told>();
  for (const [key, id] of ids) before.set(key, await world.toldOf(id));

  await world.restore('copy.db', dice.pick(['SIGTERM', 'SIGKILL']));
  await send(orders);
  for (let n = dice.below(3); n > 0; n -= 1) await play();
  world.game.settle();
  for (const { key } of orders) {
    const told = await world.ending(ids.get(key) ?? '');
    const context = JSON.stringify({ seed, key, before: before.get(key), told });
    const effects = world.game.effectsOf(key);
    expect(told.executed, context).toBe(effects === 0 ? 'no' : 'yes');
    expect(effects, context).toBeLessThanOrEqual(1);
    const earlier = before.get(key);
    // An outcome that a hub had told before the restore stays true.
    if (earlier !== undefined && FINAL.test(earlier.status)) expect(told.executed, context).toBe(earlier.executed);
  }
};
