import { describe, expect, it } from 'vitest';
import { becomes, connectShop } from '../../kit/shop.ts';
import { ANA, eventually, openStage } from '../../kit/stage.ts';

const GIVE = { name: 'money', params: { type: 'bank', amount: 10, action: 'add' } };
const packages = [{ id: 'vip', quantity: 2 }];
const paid = { id: 'o1', type: 'paid', buyer: ANA, packages };

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
});
