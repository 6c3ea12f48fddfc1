import { describe, expect, it } from 'vitest';
import { connectShop, linesIn, type Shop } from '../../kit/shop.ts';
import { ANA, eventually, openStage, PAY, type Stage } from '../../kit/stage.ts';
import { until } from '../../kit/until.ts';

/** More runs, from another seed on: SHOP_RUNS=300 SHOP_SEED=1000. */
const RUNS = Number(process.env['SHOP_RUNS'] ?? 3);
const SEED = Number(process.env['SHOP_SEED'] ?? 1);
const ORDERS = 8;
const AT_ONCE = 4;

const VIP = { vip: [{ name: 'money', params: { type: 'bank', amount: PAY, action: 'add' } }] };

/** Numbers below 1 that are the same for the same seed (mulberry32). */
const dice = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

type Planned = { id: string; quantity: number; isRefunded: boolean };
type Hook = { at: number; body: object };

const shuffled = <T>(items: readonly T[], roll: () => number): T[] =>
  items
    .map((item) => ({ item, place: roll() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);

/** Every webhook twice, in any order: a refund may come before its payment. */
const hooksOf = (orders: readonly Planned[], roll: () => number): Hook[] => {
  const all = orders.flatMap(({ id, quantity, isRefunded }) => {
    const packages = [{ id: 'vip', quantity }];
    const paid = { id, type: 'paid', buyer: ANA, packages };
    const refunded = { id, type: 'refunded' };
    return isRefunded ? [paid, paid, refunded, refunded] : [paid, paid];
  });
  return shuffled(all, roll).map((body, at) => ({ at, body }));
};

/** Sends as a shop does: again until the answer is 200. */
const deliver = async (stage: Stage, shop: Shop, body: object): Promise<void> =>
  until(async () => {
    const answer = await shop.send(body, { at: stage.hub() }).catch(() => undefined);
    return answer?.status === 200;
  }, 'a webhook');

const FAULTS = [
  'hub killed',
  'game server killed',
  'hub killed before a command',
  'hub killed after a command',
] as const;

/** Something breaks, and comes back. */
const breakDown = async (stage: Stage, fault: (typeof FAULTS)[number]): Promise<void> => {
  if (fault === 'game server killed') {
    await stage.game().crash();
    await stage.nextGame();
    return;
  }
  const hub = stage.hub();
  if (fault !== 'hub killed') {
    hub.stopAt({ statement: 'commands.insert', when: fault === 'hub killed before a command' ? 'before' : 'after' });
  }
  await hub.crash();
  await stage.nextHub();
};

describe('a shop that sends everything twice and out of order, while hub and game server are killed', () => {
  it.each(Array.from({ length: RUNS }, (_, run) => SEED + run))(
    'has given each package once, and taken back what was refunded (seed %i)',
    async (seed) => {
      const roll = dice(seed);
      const stage = await openStage();
      const shop = await connectShop(stage.hub(), 'orders', VIP);
      await eventually(async () => (await stage.hub().request(`/api/v2/players/${ANA}`)).status).toBe(200);
      const orders = Array.from({ length: ORDERS }, (_, n) => ({
        id: `order-${n}`,
        quantity: 1 + Math.floor(roll() * 3),
        isRefunded: roll() < 0.5,
      }));
      const hooks = hooksOf(orders, roll);
      const breaks = new Map(
        [0, 1].map(() => [Math.floor(roll() * hooks.length), FAULTS[Math.floor(roll() * FAULTS.length)]]),
      );
      for (let from = 0; from < hooks.length; from += AT_ONCE) {
        const some = hooks.slice(from, from + AT_ONCE);
        const sending = some.map(({ body }) => deliver(stage, shop, body));
        const fault = some.flatMap(({ at }) => breaks.get(at) ?? [])[0];
        if (fault !== undefined) await breakDown(stage, fault);
        await Promise.all(sending);
      }
      for (const { id, quantity, isRefunded } of orders) {
        const ends = isRefunded ? ['blocked', 'reversed'] : ['delivered'];
        await eventually(async () => {
          const lines = await linesIn(stage.hub(), shop, id);
          return lines.map(({ state, reason }) => (ends.includes(state) ? 'ended' : `${state} ${reason}`));
        }).toEqual(Array(quantity).fill('ended'));
      }
      const kept = orders.filter(({ isRefunded }) => !isRefunded).reduce((sum, { quantity }) => sum + quantity, 0);
      expect(stage.bank()).toBe(kept * PAY);
      const ids = stage.economy.applied.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    },
    120_000,
  );
});
