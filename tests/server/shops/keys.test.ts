import { describe, expect, it } from 'vitest';
import { becomes, connectShop, linesIn } from '../../kit/shop.ts';
import { ANA, eventually, openStage, PAY, pay } from '../../kit/stage.ts';

const GIVE = { name: 'money', params: { type: 'bank', amount: PAY, action: 'add' } };
const paid = (id: string, bought: string) => ({ id, type: 'paid', buyer: ANA, packages: [{ id: bought }] });

const open = async (...packages: string[]) => {
  const stage = await openStage();
  const hub = stage.hub();
  const shop = await connectShop(hub, 'orders', Object.fromEntries(packages.map((id) => [id, [GIVE]])));
  await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).status).toBe(200);
  return { stage, hub, shop };
};

describe('the keys of commands of shops', () => {
  it('differ where ids of orders and packages have slashes', async () => {
    const { stage, hub, shop } = await open('c', 'b/c');
    await shop.send(paid('a/b', 'c'));
    await shop.send(paid('a', 'b/c'));
    await becomes(hub, shop, 'a/b', ['delivered']);
    await becomes(hub, shop, 'a', ['delivered']);
    expect(stage.bank()).toBe(2 * PAY);
  });

  it.each([
    'shop/int_0123456789/o1/vip/1.1',
    'schedule/sch_0123456789/2030-01-01T00:00:00.000Z',
    'batch/bat_0123456789/discord:1',
    'undo/cmd_0123456789',
  ])('cannot be used by callers: %s', async (key) => {
    const { hub } = await open();
    expect(await pay(hub, { 'Idempotency-Key': key })).toMatchObject({
      status: 422,
      body: { code: 'invalid_request', executed: 'no' },
    });
  });

  it('are made by the shop alone: its commands are not sent again by callers', async () => {
    const { hub, shop } = await open('vip');
    await shop.send(paid('o1', 'vip'));
    await becomes(hub, shop, 'o1', ['delivered']);
    const [line] = await linesIn(hub, shop, 'o1');
    const answer = await hub.request(`/api/v2/commands/${line?.commandId}/again`, { json: {} });
    expect(answer).toMatchObject({ status: 409, body: { code: 'not_repeatable', executed: 'no' } });
  });
});
