import Sqlite from 'better-sqlite3';
import { expect } from 'vitest';
import { openShop, type Request, requestsOf } from './requests.ts';
import { createDice, type Dice, type Effect, openWorld, type Told } from './world.ts';

type World = Awaited<ReturnType<typeof openWorld>>;
type Line = { transaction: string; step: number; state: string; reason: string | null };

const OPEN = /^(waiting|accepted|dispatched)$/;
/**
 * Ends that stay. A refund before the restore takes the gift of a shop back, and has to do so again: the gift was voided, or
 * its player was away when it arrived, and it did not wait for them any more.
 */
const isFinal = ({ status, error, params }: Told): boolean =>
  /^(succeeded|failed|rejected|expired)$/.test(status) &&
  !(error?.code === 'player_offline' && /^o\d+\.\d$/.test(params.reason ?? ''));
const WORKING: readonly string[] = ['pending', 'placed', 'refunding', 'reversing', 'undoing'];
const AGO_MS = 7_200_000;

const shuffled = <T>(all: readonly T[], dice: Dice): T[] =>
  all
    .map((each) => ({ each, at: dice.below(1_000_000) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ each }) => each);

const countBy = (effects: readonly Effect[], nameOf: (effect: Effect) => string): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const effect of effects) counts.set(nameOf(effect), (counts.get(nameOf(effect)) ?? 0) + 1);
  return counts;
};

const linesIn = (file: string): Line[] => {
  const client = new Sqlite(file, { readonly: true });
  try {
    return client.prepare('SELECT "transaction", step, state, reason FROM shop_lines').all() as Line[];
  } finally {
    client.close();
  }
};

/** A hub that did not look for two hours before the backup: what was planned since then falls into a gap. */
const age = (file: string): void => {
  const client = new Sqlite(file);
  client.prepare("UPDATE schedule_looks SET at = at - ? WHERE id = 'last'").run(AGO_MS);
  client.close();
};

/** Waits until nothing is on its way any more, while all players play. */
const settled = async (world: World): Promise<void> => {
  const isOver = async (): Promise<string[]> => {
    const open = (await world.journal()).filter(({ status }) => OPEN.test(status)).map(({ id }) => id);
    const lines = linesIn(world.place.file).filter(({ state }) => WORKING.includes(state));
    if (open.length === 0 && lines.length > 0) {
      // A refund that found its player away is tried again when a player joins.
      world.game.empty();
      await world.goOn(5);
    }
    world.game.settle();
    return [...open, ...lines.map(({ transaction, state }) => `${transaction} ${state}`)];
  };
  await expect.poll(isOver, { interval: 250, timeout: 60_000 }).toEqual([]);
};

/** No command of the journal says anything but the truth. */
const checkJournal = (journal: readonly Told[], before: ReadonlyMap<string, Told>, world: World, context: object) => {
  const byId = countBy(world.game.effects, ({ id }) => id);
  for (const told of journal) {
    const text = JSON.stringify({ ...context, told, before: before.get(told.id) });
    const effects = byId.get(told.id) ?? 0;
    expect(told.executed, text).toBe(effects === 0 ? 'no' : 'yes');
    const earlier = before.get(told.id);
    // An outcome that a hub had told before the restore stays true.
    if (earlier !== undefined && isFinal(earlier)) expect(told.executed, text).toBe(earlier.executed);
  }
};

/** Each run was made once, or is told as one that did not happen, or as one that the hub cannot know. */
const checkRuns = async (world: World, ids: ReadonlyMap<string, string>, context: object) => {
  const paid = countBy(world.game.effects, ({ reason }) => reason);
  for (const [key, id] of ids) {
    if (!key.startsWith('schedule')) continue;
    const runs = async () => (await world.get(`/schedules/${id}/runs`))['data'] as { status: string; error: unknown }[];
    // A restored hub may have forgotten it for good.
    if ((await world.get(`/schedules/${id}`))['code'] !== undefined) continue;
    const areOver = async () => {
      const statuses = (await runs()).map(({ status }) => status);
      return statuses.length > 0 && !statuses.includes('started');
    };
    await expect.poll(areOver, { timeout: 20_000 }).toBe(true);
    const [run] = await runs();
    const text = JSON.stringify({ ...context, key, run });
    expect(run, text).toBeDefined();
    if (run?.status !== 'done' && (paid.get(key) ?? 0) > 0)
      expect(run, text).toMatchObject({ error: { code: 'restored' } });
  }
};

/** Each line of an order says what its buyer has. */
const checkOrders = (world: World, orders: readonly { id: string; quantity: number }[], context: object): void => {
  const lines = linesIn(world.place.file);
  const { effects } = world.game;
  for (const { id, quantity } of orders) {
    const ofOrder = lines.filter(({ transaction }) => transaction === id);
    const isOfStaff = ofOrder.some(({ reason }) => reason === 'unknown_order');
    for (const step of [1, 2]) {
      const given = effects.filter(({ reason }) => reason === `${id}.${step}`);
      const refunds = new Set(given.map((effect) => `Refund of ${effect.id}`));
      const taken = effects.filter(({ reason }) => refunds.has(reason)).length;
      const count = (state: string): number =>
        ofOrder.filter((line) => line.step === step && line.state === state).length;
      const text = JSON.stringify({ ...context, id, step, given: given.length, taken, ofOrder });
      expect(given.length, text).toBeLessThanOrEqual(quantity);
      expect(taken, text).toBeLessThanOrEqual(given.length);
      // A person has to look.
      if (isOfStaff) continue;
      expect([given.length, taken], text).toEqual([count('delivered') + count('reversed'), count('reversed')]);
    }
  }
};

/** One backup, one restore, and all keys once more: nothing is paid twice, and each answer is true in the end. */
export const restoreInTheMiddle = async (seed: number): Promise<void> => {
  const dice = createDice(seed);
  const world = await openWorld(dice);
  const ids = new Map<string, string>();
  const note = (key: string, id: string): void => {
    expect(ids.get(key) ?? id, key).toBe(id);
    ids.set(key, id);
  };
  const shop = await openShop(world, dice, 3);
  const first = shuffled([...requestsOf(world, dice, note), ...shop.paid], dice);
  const requests = [...first];
  // A refund comes at any time after its payment, sometimes before it.
  for (const refund of shop.refunded) {
    const paidAt = requests.findIndex(({ name }) => name === refund.name.replace('refunded', 'paid'));
    requests.splice(dice.chance(0.2) ? paidAt : paidAt + 1 + dice.below(requests.length - paidAt), 0, refund);
  }
  const send = async (some: readonly Request[]): Promise<void> => {
    for (const request of some) await request.send();
  };
  const play = async (): Promise<void> => {
    world.game.shuffle();
    await world.goOn(5 + dice.below(30));
  };

  const early = 2 + dice.below(requests.length - 4);
  await send(requests.slice(0, early));
  for (let n = dice.below(3); n > 0; n -= 1) await play();
  await world.backUp('copy.db');
  await send(requests.slice(early));
  for (let n = 1 + dice.below(4); n > 0; n -= 1) await play();
  const before = new Map((await world.journal()).map((told) => [told.id, told]));

  if (dice.chance(0.4)) age(`${world.place.folder}/copy.db`);
  await world.restore('copy.db', dice.pick(['SIGTERM', 'SIGKILL']));
  // The webhooks of refunds are repeated sooner than those of payments, or in their order.
  const isHasty = dice.chance(0.3);
  await send(requests.toSorted((a, b) => (isHasty ? Number(b.isRefund) - Number(a.isRefund) : 0)));
  for (let n = dice.below(3); n > 0; n -= 1) await play();
  await settled(world);

  const context = { seed, early, isHasty };
  await checkRuns(world, ids, context);
  // A run may have been made meanwhile.
  await settled(world);
  checkJournal(await world.journal(), before, world, context);
  const single = world.game.effects.filter(({ reason }) => /^(payment|batch|schedule)-/.test(reason));
  for (const [name, count] of countBy(single, ({ reason, target }) => `${reason} to ${target}`))
    expect(count, JSON.stringify({ ...context, name })).toBe(1);
  checkOrders(world, shop.orders, context);
};
