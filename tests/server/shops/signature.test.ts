import { describe, expect, it } from 'vitest';
import { shareHub, startHub } from '../../kit/hub.ts';
import { connectShop, orderSignature, payment, SECRET, tebexSignature } from '../../kit/shop.ts';

const newTenant = shareHub();

const UNMAPPED = {};
const paid = (id = 'tbx-1') => payment(id, [{ id: 7 }]);
const OLD = 'another-secret-of-the-shop';

describe('the webhook of a shop', () => {
  it('is answered when Tebex validates the address', async () => {
    const hub = await newTenant();
    const shop = await connectShop(hub, 'tebex', UNMAPPED);
    const id = '2c116b11-1110-91e0-b266-b792c8da5f11';
    const answer = await shop.send({ id, type: 'validation.webhook', date: '2021-08-24T12:21:47+00:00', subject: {} });
    expect(answer).toMatchObject({ status: 200, body: { id } });
    expect(Object.keys(answer.body)).toEqual(['id']);
    expect(await shop.deliveries()).toMatchObject([{ outcome: 'validated', type: 'validation.webhook' }]);
  });

  it('fits the signatures that were computed by openssl', () => {
    const body = '{"id":"1","type":"validation.webhook","subject":{}}';
    // printf %s "$body" | openssl dgst -sha256 -hex, then its hex through openssl dgst -sha256 -hmac "$SECRET".
    expect(tebexSignature(body)).toBe('e31df981d0e1651aacbb3e328a6161316f7f6a41ead3cdc0c38f69600fade4fd');
    // printf %s "1700000000.$body" | openssl dgst -sha256 -hmac "$SECRET".
    expect(orderSignature(body, SECRET, 1_700_000_000)).toBe(
      't=1700000000,v1=ac1d10d445b55b0595cf5b6cf195eead9f19a3c3fa9af6b05a13ed56312d88c3',
    );
  });

  it.each([
    ['is missing', () => ({})],
    ['is of another secret', (body: string) => ({ 'X-Signature': tebexSignature(body, OLD) })],
    ['is of the body instead of its hash', () => ({ 'X-Signature': 'ab'.repeat(32) })],
    ['is of another body', (body: string) => ({ 'X-Signature': tebexSignature(`${body} `) })],
    ['is cut', (body: string) => ({ 'X-Signature': tebexSignature(body).slice(0, 63) })],
    ['is not hexadecimal', () => ({ 'X-Signature': 'z'.repeat(64) })],
    ['has the header of the other kind', (body: string) => ({ 'X-Causeway-Signature': orderSignature(body) })],
  ])('is 401 and stores nothing when its signature %s', async (_why, headersOf) => {
    const hub = await newTenant();
    const shop = await connectShop(hub, 'tebex', UNMAPPED);
    const body = JSON.stringify(paid());
    const answer = await shop.post(body, headersOf(body));
    expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_signature', executed: 'no' } });
    expect(await shop.deliveries()).toEqual([]);
    expect(await hub.store.shopOrders.get({ integrationId: shop.id, transaction: 'tbx-1' })).toBeUndefined();
    const { body: seen } = await hub.request(shop.path);
    expect(seen['wrongSignatures']).toMatchObject({ count: 1, lastAt: expect.any(String) });
    // Correct ones are not locked out.
    expect((await shop.send(paid())).body).toEqual({ outcome: 'stored' });
  });

  it('is 401 when the body was cut on its way, and 413 over 256 KiB before anything is computed', async () => {
    const hub = await newTenant();
    const shop = await connectShop(hub, 'tebex', UNMAPPED);
    const body = JSON.stringify(paid());
    const headers = { 'X-Signature': tebexSignature(body) };
    expect((await shop.post(body.slice(0, -10), headers)).status).toBe(401);
    const large = JSON.stringify({ ...paid(), padding: 'x'.repeat(5 * 1024 * 1024) });
    const refused = await shop.post(large, { 'X-Signature': tebexSignature(large) });
    expect(refused).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    expect(refused.body['detail']).toContain('256 KiB');
    expect(await shop.deliveries()).toEqual([]);
  });

  it('counts once for ever, also when it is replayed a year later', async () => {
    const hub = await newTenant();
    const shop = await connectShop(hub, 'orders', UNMAPPED);
    const body = JSON.stringify({ id: 'order-1', type: 'paid', buyer: 'x', packages: [{ id: 'vip' }] });
    const aYearAgo = Math.floor(Date.now() / 1000) - 365 * 86_400;
    const headers = { 'X-Causeway-Signature': orderSignature(body, SECRET, aYearAgo) };
    expect((await shop.post(body, headers)).body).toEqual({ outcome: 'stored' });
    expect((await shop.post(body, headers)).body).toEqual({ outcome: 'duplicate' });
    const forged = headers['X-Causeway-Signature'].replace(`t=${aYearAgo}`, `t=${aYearAgo + 1}`);
    expect((await shop.post(body, { 'X-Causeway-Signature': forged })).status).toBe(401);
  });

  it('may be signed with the secret before for as long as the rotation says', async () => {
    const hub = await newTenant();
    const shop = await connectShop(hub, 'tebex', UNMAPPED);
    const rotate = (secret: string, graceSeconds: number) =>
      hub.request(shop.path, { method: 'PATCH', json: { secret, graceSeconds } });
    const rotated = await rotate(OLD, 60);
    expect(rotated.body['previousSecretEndsAt']).toEqual(expect.any(String));
    expect(rotated.text).not.toContain(OLD);
    expect((await shop.send(paid('a'), { secret: SECRET })).status).toBe(200);
    expect((await shop.send(paid('b'), { secret: OLD })).status).toBe(200);
    // A second rotation ends the first secret: two at most.
    await rotate('the-third-secret-of-it', 60);
    expect((await shop.send(paid('c'), { secret: SECRET })).status).toBe(401);
    expect((await shop.send(paid('c'), { secret: OLD })).status).toBe(200);
    await rotate('the-fourth-secret-of-it', 0);
    expect((await shop.send(paid('d'), { secret: 'the-third-secret-of-it' })).status).toBe(401);
  });

  it('is sealed with SECRET_KEY, and cannot be read with another one', async () => {
    const env = { SECRET_KEY: 'k'.repeat(32) };
    const hub = await startHub({ env });
    const shop = await connectShop(hub, 'tebex', UNMAPPED);
    expect((await shop.send(paid())).status).toBe(200);
    const row = await hub.store.integrations.byId(shop.id);
    expect(JSON.stringify(row)).not.toContain(SECRET);
    await hub.stop();
    const logTo: string[] = [];
    const next = await startHub({ env: { SECRET_KEY: 'l'.repeat(32) }, folder: hub.folder, logTo });
    expect((await shop.send(paid('b'), { at: next })).status).toBe(503);
    expect(logTo.join('')).toContain('another SECRET_KEY');
  });

  it('gets 404 for an unknown or deleted integration, and for the address of the other kind', async () => {
    const hub = await newTenant();
    const shop = await connectShop(hub, 'tebex', UNMAPPED);
    const body = JSON.stringify(paid());
    const headers = { 'X-Signature': tebexSignature(body) };
    const ask = (path: string) => hub.request(path, { key: null, method: 'POST', body, headers });
    expect((await ask(`${shop.path}/orders`)).body.code).toBe('integration_not_found');
    expect((await ask('/api/v2/integrations/int_00000000000000000000/tebex')).status).toBe(404);
    expect((await hub.request(shop.path, { method: 'DELETE' })).status).toBe(204);
    expect((await ask(`${shop.path}/tebex`)).body.code).toBe('integration_not_found');
    expect((await hub.request(shop.path)).status).toBe(404);
  });

  it.each([
    ['no JSON', 'hello', 400],
    ['another shape', '{"id":"x","type":"payment.completed","subject":{"products":[]}}', 422],
    [
      'more commands than an order may have',
      JSON.stringify(
        payment(
          't',
          Array.from({ length: 101 }, () => ({ id: 7 })),
        ),
      ),
      422,
    ],
  ])('that is signed but has %s is refused and noted', async (_what, body, status) => {
    const hub = await newTenant();
    const shop = await connectShop(hub, 'tebex', UNMAPPED);
    const answer = await shop.post(body, { 'X-Signature': tebexSignature(body) });
    expect(answer.status).toBe(status);
    expect(await shop.deliveries()).toMatchObject([{ outcome: 'invalid' }]);
  });

  it('of a kind that the hub does not know is answered 200 and noted', async () => {
    const hub = await newTenant();
    const shop = await connectShop(hub, 'tebex', UNMAPPED);
    expect((await shop.send(payment('t', [], { type: 'basket.abandoned' }))).body).toEqual({ outcome: 'ignored' });
    expect(await shop.deliveries()).toMatchObject([{ outcome: 'ignored', type: 'basket.abandoned' }]);
  });

  it('is noted a hundred times; older deliveries go', async () => {
    const hub = await newTenant();
    const shop = await connectShop(hub, 'tebex', UNMAPPED);
    for (let n = 0; n < 103; n += 1) await shop.send(payment(`t${n}`, [], { type: 'payment.dispute.opened' }));
    const deliveries = await shop.deliveries();
    expect(deliveries).toHaveLength(100);
    expect(deliveries[0]).toMatchObject({ outcome: 'marked', transaction: 't102' });
  });
});
