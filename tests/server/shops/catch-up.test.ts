import { expect, it, vi } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { becomes, connectShop, linesIn } from '../../kit/shop.ts';
import { ANA, eventually, openStage } from '../../kit/stage.ts';

const GIVE = { name: 'money', params: { type: 'bank', amount: 1, action: 'add' } };
/** More than one step of the catching up. */
const UNITS = 51;

it('a hub that starts looks once at refunds whose server is away, however many they are', async () => {
  const stage = await openStage();
  const shop = await connectShop(stage.hub(), 'orders', { vip: [GIVE] });
  await eventually(async () => (await stage.hub().request(`/api/v2/players/${ANA}`)).status).toBe(200);
  const bought = { id: 'o1', type: 'paid', buyer: ANA, packages: [{ id: 'vip', quantity: UNITS }] };
  expect((await shop.send(bought)).status).toBe(200);
  await becomes(stage.hub(), shop, 'o1', Array(UNITS).fill('delivered'));
  await stage.game().stop();
  await eventually(() => stage.hub().sizes().sessions).toBe(0);
  expect((await shop.send({ id: 'o1', type: 'refunded' })).body).toEqual({ outcome: 'refunded' });
  await becomes(stage.hub(), shop, 'o1', Array(UNITS).fill('refunding'));
  const { folder } = stage.hub();
  await stage.hub().stop();

  const next = await startHub({ folder });
  const looks = vi.spyOn(next.hub.store.shopLines, 'missed');
  const told = async () => (await linesIn(next, shop, 'o1')).every(({ reason }) => reason === 'bridge_offline');
  await eventually(told).toBe(true);
  // A hub that goes on looking does not stop, because it waits for its work.
  await next.stop();
  expect(looks.mock.calls.length).toBeLessThanOrEqual(2);
});
