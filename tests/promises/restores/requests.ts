import { expect } from 'vitest';
import { SECRET } from '../../kit/shop-signature.ts';
import type { Dice, Order, openWorld } from './world.ts';
import { PLAYERS } from './world.ts';

type World = Awaited<ReturnType<typeof openWorld>>;
/** Something that is sent before the restore, and word for word once more after it. */
export type Request = { name: string; isRefund: boolean; send: () => Promise<void> };

const WAITS = ['when_online', 'when_online', 'when_connected'] as const;
const moneyOf = (dice: Dice, reason: string) => ({ type: 'bank', amount: 1 + dice.below(50), action: 'add', reason });
const some = (dice: Dice): string[] => PLAYERS.slice(0, 2 + dice.below(PLAYERS.length - 1));
/** The hub stored nothing, for a reason of the moment. */
const isForNow = (status: number): boolean => status === 429 || status === 503;

/** A payment that waits for its player or its server. */
const paymentOf = (world: World, dice: Dice, key: string, note: (key: string, id: string) => void): Request => {
  const order: Order = {
    key,
    path: '/bridge/main/money',
    body: {
      target: dice.pick(PLAYERS),
      ...moneyOf(dice, key),
      deliver: dice.pick(WAITS),
      // Some end while the hub is away, or soon after it is back.
      expiresInSeconds: dice.pick([3, 600, 600]),
    },
  };
  const send = async (): Promise<void> => {
    const { status, body } = await world.send(order);
    expect([200, 202, 409, 502, 503], JSON.stringify(body)).toContain(status);
    note(key, String(body.command?.id ?? body.id));
  };
  return { name: key, isRefund: false, send };
};

/** Sends until the hub has room, and its bridge has reported its players. */
const persistently = async (world: World, order: Order): Promise<Awaited<ReturnType<World['send']>>> => {
  for (;;) {
    const reply = await world.send(order);
    if (!isForNow(reply.status)) return reply;
    await world.goOn(5);
  }
};

const batchOf = (world: World, dice: Dice, key: string, note: (key: string, id: string) => void): Request => {
  const isForAll = dice.chance(0.3);
  const order: Order = {
    key,
    path: '/batches',
    body: {
      serverId: 'main',
      name: 'money',
      params: moneyOf(dice, key),
      targets: isForAll ? { online: true } : some(dice),
      deliver: dice.pick(['now', ...WAITS]),
    },
  };
  const send = async (): Promise<void> => {
    const { status, body } = await persistently(world, order);
    // All have left.
    if (isForAll && status === 422) return;
    expect([200, 201, 202], JSON.stringify(body)).toContain(status);
    note(key, String(body.id));
  };
  return { name: key, isRefund: false, send };
};

/** A schedule that runs once, in the middle of the rest. */
const scheduleOf = (world: World, dice: Dice, key: string, note: (key: string, id: string) => void): Request => {
  const afterMs = dice.pick([1_500, 2_000, 3_000]);
  const missed = dice.pick(['skip', 'run_once']);
  const one = { target: dice.pick(PLAYERS) };
  const isBatch = dice.chance(0.7);
  const params = moneyOf(dice, key);
  const task = isBatch
    ? { name: 'money', params, targets: some(dice), deliver: dice.pick(['now', ...WAITS]) }
    : { name: 'money', params: { ...one, ...params }, deliver: dice.pick(WAITS) };
  let at: string | undefined;
  const send = async (): Promise<void> => {
    const isFirst = at === undefined;
    at ??= new Date(Date.now() + afterMs).toISOString();
    const reply = await world.send({
      key,
      path: '/schedules',
      body: { serverId: 'main', label: key, task, when: { at }, missed },
    });
    // The restored hub has forgotten it, and its time has passed.
    if (!isFirst && reply.status === 422) return;
    expect(reply.status, JSON.stringify(reply.body)).toBe(201);
    note(key, String(reply.body.id));
  };
  return { name: key, isRefund: false, send };
};

/** A shop with packages of their own for each order, so that their effects can be counted. */
export const openShop = async (world: World, dice: Dice, count: number) => {
  const orders = Array.from({ length: count }, (_, n) => ({ id: `o${n}`, quantity: 1 + dice.below(2) }));
  const commandOf = (id: string, step: number) => ({ name: 'money', params: moneyOf(dice, `${id}.${step}`) });
  const packages = Object.fromEntries(orders.map(({ id }) => [`p-${id}`, [commandOf(id, 1), commandOf(id, 2)]]));
  const made = await world.send({
    key: 'shop',
    path: '/integrations',
    body: { kind: 'orders', name: 'The shop', secret: SECRET, serverId: 'main', packages },
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const integrationId = String(made.body.id);
  const requestOf = (name: string, isRefund: boolean, body: object): Request => ({
    name,
    isRefund,
    send: async () => expect((await world.notify(integrationId, body)).status, name).toBe(200),
  });
  return {
    orders,
    paid: orders.map(({ id, quantity }) =>
      requestOf(`${id} paid`, false, {
        id,
        type: 'paid',
        buyer: dice.pick(PLAYERS),
        packages: [{ id: `p-${id}`, quantity }],
      }),
    ),
    refunded: orders
      .filter(() => dice.chance(0.5))
      .map(({ id }) => requestOf(`${id} refunded`, true, { id, type: 'refunded' })),
  };
};

/** Payments, batches and schedules, each with a key. `note` hears the id that a key has. */
export const requestsOf = (world: World, dice: Dice, note: (key: string, id: string) => void): Request[] => [
  ...Array.from({ length: 6 }, (_, n) => paymentOf(world, dice, `payment-${n}`, note)),
  ...Array.from({ length: 2 }, (_, n) => batchOf(world, dice, `batch-${n}`, note)),
  ...Array.from({ length: 2 }, (_, n) => scheduleOf(world, dice, `schedule-${n}`, note)),
];
