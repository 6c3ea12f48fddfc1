import { expect, it } from 'vitest';
import { createWebhookGate } from '../../../server/shops/webhook.ts';
import { createGate } from '../../kit/gate.ts';
import { startHub } from '../../kit/hub.ts';
import { connectShop } from '../../kit/shop.ts';

const order = (id: string) => ({ id, type: 'paid', buyer: 'char1:ana', packages: [{ id: 'vip' }] });
const AT_ONCE = 50;

it('webhooks that the hub could not store do not use up the minute of a shop; stored ones do', async () => {
  const hub = await startHub();
  const shop = await connectShop(hub, 'orders', { vip: [] });
  const other = await connectShop(hub, 'orders', { vip: [] });
  const sendMany = async (count: number) => {
    const codes: unknown[] = [];
    for (let from = 0; from < count; from += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, n) => shop.send(order(`o${from + n}`)));
      codes.push(...(await Promise.all(some)).map(({ body }) => body.code ?? body['outcome']));
    }
    return codes;
  };
  hub.breakDatabase('writes');
  expect(new Set(await sendMany(700))).toEqual(new Set(['store_unavailable']));
  hub.breakDatabase('none');
  expect(new Set(await sendMany(600))).toEqual(new Set(['stored']));
  const refused = await shop.send(order('o600'));
  expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited', executed: 'no' } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await other.send(order('o1'))).body).toEqual({ outcome: 'stored' });
}, 240_000);

it('a shop may have a hundred webhooks in work at once, and another shop as many', async () => {
  const pass = createWebhookGate();
  const ended = createGate();
  const inWork = ['int_a', 'int_b'].flatMap((id) => Array.from({ length: 100 }, () => pass(id, () => ended.opened)));
  for (const id of ['int_a', 'int_b']) {
    await expect(pass(id, () => ended.opened)).rejects.toMatchObject({
      code: 'rate_limited',
      extras: { retryAfterS: 1 },
    });
  }
  ended.open();
  await Promise.all(inWork);
  await expect(pass('int_a', () => ended.opened)).resolves.toBeUndefined();
});
