import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifyWebhook, WebhookRefused } from '../../../clients/typescript/index.ts';

/** Of the package `standardwebhooks` 1.1.1: what its `sign` gives for these values. */
const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  at: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const OTHER = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const sign = (secret: string, id: string, at: number | string, body: string | Uint8Array): string => {
  const hmac = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'));
  return `v1,${hmac.update(`${id}.${at}.`).update(body).digest('base64')}`;
};

/** A webhook of now, as the hub signs it. */
const webhook = ({
  body = '{"id":"evt_1","type":"command.settled"}' as string | Uint8Array,
  secret = OTHER,
  id = 'evt_1',
} = {}) => {
  const at = Math.floor(Date.now() / 1000);
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': sign(secret, id, at, body),
  };
  return { headers, body };
};
const changed = (given: ReturnType<typeof webhook>, headers: Record<string, string | undefined>) => ({
  ...given,
  headers: { ...given.headers, ...headers },
});

describe('verifyWebhook', () => {
  it('accepts what the Standard Webhooks package signs', async () => {
    const { secret, id, at, body, signature } = VECTOR;
    expect(sign(secret, id, at, body)).toBe(signature);
    const headers = { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signature };
    expect(await verifyWebhook({ headers, body }, secret, { now: at * 1000 })).toEqual({ test: 2432232314 });
  });

  it('takes a Request, headers in any case, and bytes', async () => {
    const { headers, body } = webhook();
    const request = new Request('https://site.example/hook', { method: 'POST', headers, body });
    const event = { id: 'evt_1', type: 'command.settled' };
    expect(await verifyWebhook(request, OTHER)).toEqual(event);
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    expect(await verifyWebhook({ headers: upper, body: new TextEncoder().encode(String(body)) }, OTHER)).toEqual(event);
  });

  it('signs the bytes: names with emoji and other scripts', async () => {
    const body = JSON.stringify({ data: { name: '💸'.repeat(32), reason: '@everyone `x` ção Ж' } });
    expect(await verifyWebhook(webhook({ body }), OTHER)).toEqual(JSON.parse(body));
  });

  it('accepts one of two secrets, and one of two signatures, while a secret is replaced', async () => {
    const given = webhook();
    expect(await verifyWebhook(given, [VECTOR.secret, OTHER])).toMatchObject({ id: 'evt_1' });
    const wrong = sign(VECTOR.secret, 'evt_1', 1, '');
    const both = changed(given, { 'webhook-signature': `v1a,AAAA ${wrong} ${given.headers['webhook-signature']}` });
    expect(await verifyWebhook(both, OTHER)).toMatchObject({ id: 'evt_1' });
  });

  const seconds = (from: number) => String(Math.floor(Date.now() / 1000) + from);
  it.each([
    ['another body', { ...webhook(), body: '{"id":"evt_2"}' }],
    ['another id', changed(webhook(), { 'webhook-id': 'evt_2' })],
    ['another secret', webhook({ secret: VECTOR.secret })],
    ['no signature', changed(webhook(), { 'webhook-signature': undefined })],
    ['an empty signature', changed(webhook(), { 'webhook-signature': '' })],
    [
      'a signature of another version',
      changed(webhook(), { 'webhook-signature': webhook().headers['webhook-signature'].replace('v1', 'v2') }),
    ],
    ['a signature that is no base64', changed(webhook(), { 'webhook-signature': 'v1,*** v1, v1' })],
    [
      'a cut signature',
      changed(webhook(), { 'webhook-signature': webhook().headers['webhook-signature'].slice(0, -8) }),
    ],
    ['no id', changed(webhook(), { 'webhook-id': undefined })],
    ['no time', changed(webhook(), { 'webhook-timestamp': undefined })],
    ['a time that is none', changed(webhook(), { 'webhook-timestamp': '1e9' })],
    ['a time with something behind it', changed(webhook(), { 'webhook-timestamp': `${seconds(0)} x` })],
    ['bytes that are no UTF-8', webhook({ body: Uint8Array.of(0x22, 0xff, 0x22) })],
    ['a body that is no JSON', webhook({ body: 'paid' })],
  ])('refuses %s', async (_, given) => {
    await expect(verifyWebhook(given, OTHER)).rejects.toBeInstanceOf(WebhookRefused);
  });

  it.each([-301, 301])('refuses one that is %i seconds away, although its signature is right', async (away) => {
    const at = seconds(away);
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': at,
      'webhook-signature': sign(OTHER, 'evt_1', at, '{}'),
    };
    await expect(verifyWebhook({ headers, body: '{}' }, OTHER)).rejects.toThrow('five minutes');
    const now = (Number(at) - Math.sign(away)) * 1000;
    expect(await verifyWebhook({ headers, body: '{}' }, OTHER, { now })).toEqual({});
  });

  it.each(['', 'whsec_', 'whsec_c2hvcnQ=', 'whsec_***', OTHER.slice(6)])(
    'throws a TypeError for the secret %j',
    async (secret) => {
      await expect(verifyWebhook(webhook(), secret)).rejects.toBeInstanceOf(TypeError);
    },
  );
});
