import { describe, expect, it } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { onPostgres } from '../../kit/hub-database.ts';
import { backUp, restoreBackup, rewriteBackup } from '../../kit/restore-hub.ts';
import { becomes, connectShop } from '../../kit/shop.ts';
import { ANA, eventually, openStage } from '../../kit/stage.ts';

const GIVE = { name: 'money', params: { type: 'bank', amount: 10, action: 'add' } };
const PAID = { id: 'o1', type: 'paid', buyer: ANA, packages: [{ id: 'vip' }] };
const REFUND = { id: 'o1', type: 'refunded' };

/** A hub that has delivered an order since its backup. */
const open = async () => {
  const stage = await openStage();
  const hub = stage.hub();
  const shop = await connectShop(hub, 'orders', { vip: [GIVE] });
  await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).status).toBe(200);
  await backUp(hub);
  await shop.send(PAID);
  await becomes(hub, shop, 'o1', ['delivered']);
  const restore = async () => {
    await restoreBackup(hub);
    return stage.nextHub();
  };
  return { stage, hub, shop, restore };
};

describe.skipIf(onPostgres)('a shop order that a restored hub has forgotten', () => {
  it('is on the list of the staff when it is refunded, and stays there', async () => {
    const { stage, shop, restore } = await open();
    const at = await restore();
    const reasons = async () => (await shop.staff(at)).map(({ state, reason }) => [state, reason]);
    for (const outcome of ['refunded', 'duplicate']) {
      expect((await shop.send(REFUND, { at })).body).toEqual({ outcome });
      expect(await reasons()).toEqual([['owed', 'unknown_order']]);
    }
    // The hub gives nothing for the refunded payment, but may have given it before.
    expect((await shop.send(PAID, { at })).body).toEqual({ outcome: 'blocked' });
    await becomes(at, shop, 'o1', ['owed', 'blocked']);
    expect(await reasons()).toEqual([['owed', 'unknown_order']]);
    expect(stage.bank()).toBe(10);
  });

  it('is taken back if the shop sends its payment again first', async () => {
    const { stage, shop, restore } = await open();
    const at = await restore();
    await shop.send(PAID, { at });
    await becomes(at, shop, 'o1', ['delivered']);
    await shop.send(REFUND, { at });
    await becomes(at, shop, 'o1', ['reversed']);
    expect(stage.bank()).toBe(0);
  });

  it('is not taken back twice', async () => {
    const { stage, hub, shop, restore } = await open();
    await shop.send(REFUND);
    await becomes(hub, shop, 'o1', ['reversed']);
    const at = await restore();
    await shop.send(PAID, { at });
    await becomes(at, shop, 'o1', ['delivered']);
    await shop.send(REFUND, { at });
    await becomes(at, shop, 'o1', ['reversed']);
    expect(stage.bank()).toBe(0);
    expect(stage.economy.applied).toHaveLength(2);
  });

  it('but for its payment is on the list of the staff when it is refunded before its buyer is known again', async () => {
    const { stage, hub, shop } = await open();
    await backUp(hub);
    // The backup was made between the payment and its lines.
    for (const table of ['shop_lines', 'commands', 'players']) rewriteBackup(hub, `DELETE FROM ${table}`);
    rewriteBackup(hub, 'UPDATE shop_orders SET is_open = 1');
    await stage.game().stop();
    await restoreBackup(hub);
    const at = await startHub({ folder: hub.folder });
    await becomes(at, shop, 'o1', ['pending']);
    await shop.send(REFUND, { at });
    await becomes(at, shop, 'o1', ['owed']);
    expect(await shop.staff(at)).toMatchObject([{ reason: 'given_before' }]);
    expect(stage.bank()).toBe(10);
  });

  it('and that a person gave since the backup is on their list again when it is refunded', async () => {
    const stage = await openStage();
    const hub = stage.hub();
    const shop = await connectShop(hub, 'orders', { vip: [GIVE] });
    await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).status).toBe(200);
    await shop.send({ ...PAID, buyer: null });
    await becomes(hub, shop, 'o1', ['unmatched']);
    await backUp(hub);
    const [line] = await shop.staff();
    await hub.request(`${shop.path}/unmatched/${line?.id}`, { json: { target: ANA } });
    await becomes(hub, shop, 'o1', ['delivered']);
    await restoreBackup(hub);
    const at = await stage.nextHub();
    await becomes(at, shop, 'o1', ['unmatched']);
    await shop.send(REFUND, { at });
    await becomes(at, shop, 'o1', ['owed']);
    expect(await shop.staff(at)).toMatchObject([{ id: line?.id, reason: 'given_before' }]);
    expect(stage.bank()).toBe(10);
  });
});
