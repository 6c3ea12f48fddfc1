import { describe, expect, it } from 'vitest';
import type { NewShopLine } from '../../../db/queries/shop-orders.ts';
import { createTurns } from '../../../db/turns.ts';
import { ordersOf } from '../../../server/shops/orders.ts';
import { becomes, connectShop, linesIn } from '../../kit/shop.ts';
import { ANA, eventually, openStage } from '../../kit/stage.ts';

const GIVE = { name: 'money', params: { type: 'bank', amount: 10, action: 'add' } };
const packages = [{ id: 'vip', quantity: 2 }];
const paid = { id: 'o1', type: 'paid', buyer: ANA, packages };

/** States of lines that left nothing with the player. */
const TAKEN_BACK = ['blocked', 'reversed'];

const open = async () => {
  const stage = await openStage();
  const hub = stage.hub();
  const shop = await connectShop(hub, 'orders', { vip: [GIVE] });
  await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).status).toBe(200);
  return { stage, hub, shop };
};

describe('a refund that comes before its payment', () => {
  it('of a part blocks the payment, and tells the staff what the buyer still has paid for', async () => {
    const { stage, hub, shop } = await open();
    await shop.send({ id: 'o1', type: 'refunded', packages: [{ id: 'vip', quantity: 1 }] });
    for (let n = 0; n < 2; n += 1) await shop.send(paid);
    await eventually(async () => (await shop.staff()).map(({ reason }) => reason)).toEqual(['partial_refund']);
    await becomes(hub, shop, 'o1', ['owed', 'blocked', 'blocked']);
    expect(stage.bank()).toBe(0);
  });

  it.each([{}, { packages }])('of all blocks the payment, and needs no staff: %j', async (all) => {
    const { stage, hub, shop } = await open();
    await shop.send({ id: 'o1', type: 'refunded', ...all });
    // Until its payment comes, the hub may have forgotten it.
    expect((await shop.staff()).map(({ reason }) => reason)).toEqual(['unknown_order']);
    expect((await shop.send(paid)).body).toEqual({ outcome: 'blocked' });
    await becomes(hub, shop, 'o1', ['blocked', 'blocked']);
    expect(await shop.staff()).toEqual([]);
    expect(stage.bank()).toBe(0);
  });

  it('at a node that reads the order late leaves the staff nothing to look for', async () => {
    const { stage, hub, shop } = await open();
    const integration = await hub.store.integrations.byId(shop.id);
    if (integration === undefined) throw new Error('the shop was not stored');
    const { shopOrders, shopLines } = hub.store;
    let isFirst = true;
    /** Knows no order when it looks; payment and refund come to the hub before it goes on. */
    const get: typeof shopOrders.get = async (key) => {
      const known = await shopOrders.get(key);
      if (!isFirst) return known;
      isFirst = false;
      expect(known).toBeUndefined();
      expect((await shop.send(paid)).body).toEqual({ outcome: 'stored' });
      expect((await shop.send({ id: 'o1', type: 'refunded' })).body).toEqual({ outcome: 'refunded' });
      return known;
    };
    const store = { ...hub.store, shopOrders: { ...shopOrders, get } };
    const add = async (some: NewShopLine[]) => (await shopLines.add(some)) === some.length;
    const lines = { add, change: async () => undefined, refund: async () => true };
    const node = ordersOf(store, lines, createTurns());
    const sums = { packages: null, paid: null, isWhole: true, isDisputeLost: false };
    const refund = { is: 'refunded' as const, transaction: 'o1', ...sums };
    expect(await node.keep(integration, refund, 'req_1')).toBe('duplicate');
    expect(await shop.staff()).toEqual([]);
    const given = async () => (await linesIn(hub, shop, 'o1')).filter(({ state }) => !TAKEN_BACK.includes(state));
    await eventually(given).toEqual([]);
    expect(stage.bank()).toBe(0);
  });
});
