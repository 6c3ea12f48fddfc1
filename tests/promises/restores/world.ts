import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import {
  type Bridge,
  type CommandHandler,
  createBridge,
  type Outcome,
  type Player,
} from '../../../bridge-protocol/index.ts';
import { openFileJournal } from '../../../bridge-protocol/journal/file.ts';
import { openWebSocket } from '../../../bridge-protocol/ws.ts';
import { ask, type CliHub, openWorkplace, type Workplace } from '../../kit/cli.ts';
import { playerFrame } from '../../kit/frames.ts';
import { pay } from '../../kit/purse.ts';
import { orderSignature } from '../../kit/shop-signature.ts';
import { eventually } from '../../kit/stage.ts';

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

export const PLAYERS = ['char1:ana', 'char1:bo', 'char1:cy', 'char1:di'] as const;
const OFFLINE: Outcome = { status: 'rejected', error: { code: 'player_offline', message: 'They have left.' } };

/** An effect of a command in the game. Its reason says which request it came from. */
export type Effect = { id: string; reason: string; target: string; action: 'add' | 'remove' };

/**
 * A game with the reference bridge and its file journal. A payment carries its key as the reason, so that its effects can
 * be counted. Some players leave just before they are paid.
 */
export const createGame = (options: { url: () => string; token: string; folder: string; dice: Dice }) => {
  const banks = new Map<string, number>(PLAYERS.map((id) => [id, 0]));
  const playing = new Set<string>();
  const effects: Effect[] = [];
  let isShy = true;

  const recordOf = (identifier: string): Player =>
    playerFrame(identifier, { online: playing.has(identifier), accounts: { bank: banks.get(identifier) ?? 0 } });
  const carryOut: CommandHandler<'money'> = ({ target, amount, action, reason = '' }, { id: wireId }) => {
    if (!playing.has(target) || (isShy && options.dice.chance(0.4))) return OFFLINE;
    const outcome = pay(banks, { target, amount, action });
    const [id = ''] = wireId.split('.');
    if (outcome.status === 'done') effects.push({ id, reason, target, action });
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
    effects,
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
    /** All players leave. */
    empty: (): void => {
      playing.clear();
      for (const id of PLAYERS) report(id);
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
export type Told = {
  id: string;
  status: string;
  executed: string;
  params: { reason?: string };
  error?: { code: string };
};
type Reply = Awaited<ReturnType<typeof ask>>;

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

  return {
    game,
    place,
    /** Sends a request with its key. */
    send: ({ key: idempotencyKey, path, body }: Order): Promise<Reply> =>
      ask(hub, key, path, body, { 'Idempotency-Key': idempotencyKey, Prefer: 'respond-async' }),
    /** Sends a signed webhook of a shop. */
    notify: (integrationId: string, body: object): Promise<Reply> =>
      ask(hub, key, `/integrations/${integrationId}/orders`, body, {
        'X-Causeway-Signature': orderSignature(JSON.stringify(body)),
      }),
    get: async (path: string): Promise<Reply['body']> => (await ask(hub, key, path)).body,
    /** All commands of the hub, as it tells them. */
    journal: async (): Promise<Told[]> => (await ask(hub, key, '/commands?limit=200')).body['data'] as Told[],
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
