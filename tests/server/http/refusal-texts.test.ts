import { expect, it } from 'vitest';
import { shareHub, startHub } from '../../kit/hub.ts';
import { welcomeRaw } from '../../kit/raw-bridge.ts';

const newTenant = shareHub();
const BATCH = {
  serverId: 'main',
  name: 'money',
  params: { type: 'bank', amount: 1, action: 'add' },
  targets: ['char1:ana'],
};

it('an unknown game server is named by the id that was asked for, unless it cannot be one', async () => {
  const hub = await newTenant();
  const kick = { target: 'char1:ana' };
  const asked = [
    hub.request('/api/v2/bridge/mian/kick', { json: kick }),
    hub.request('/api/v2/servers/mian'),
    hub.request('/api/v2/bridge/mian/actions/revive', { json: {} }),
    hub.request('/api/v2/batches', { json: { ...BATCH, serverId: 'mian' }, headers: { 'Idempotency-Key': 'b' } }),
  ];
  for (const { status, body } of await Promise.all(asked)) {
    expect([status, body['code']]).toEqual([404, 'server_not_found']);
    expect(body['detail']).toBe(
      'Your project has no game server "mian". List the servers of your project: GET /api/v2/servers.',
    );
  }
  const odd = await hub.request(`/api/v2/bridge/${encodeURIComponent('<b>Main')}/kick`, { json: kick });
  expect(odd.status).toBe(404);
  expect(odd.body['detail']).toBe(
    'No game server has such an id: it has up to 63 of a-z 0-9 _ -. List the servers of your project: GET /api/v2/servers.',
  );
});

it('a request over the limit is told which limit it is, and when to try again', async () => {
  const hub = await startHub({ rateLimit: 1 });
  await hub.request('/api/v2/servers');
  const { status, body, headers } = await hub.request('/api/v2/servers');
  expect(status).toBe(429);
  const seconds = headers.get('Retry-After');
  expect(body['detail']).toBe(
    `The keys of the project may send 1 requests in any 60 seconds. Try again in ${seconds} s.`,
  );
});

it('the key of a batch with another body speaks of the batch', async () => {
  const hub = await newTenant();
  await welcomeRaw(hub.bridgeUrl, hub.token, { commands: ['money@1'] });
  const send = (amount: number) =>
    hub.request('/api/v2/batches', {
      json: { ...BATCH, params: { ...BATCH.params, amount } },
      headers: { 'Idempotency-Key': 'gift' },
    });
  expect((await send(1)).status).toBe(202);
  const { body } = await send(2);
  expect(body['code']).toBe('idempotency_mismatch');
  expect(body['detail']).toContain('the first batch may have paid players. Another batch needs another key.');
});

it('a fault of the key is at /Idempotency-Key, whether it is missing or wrong', async () => {
  const hub = await newTenant();
  const missing = await hub.request('/api/v2/batches', { json: BATCH });
  const wrong = await hub.request('/api/v2/batches', { json: BATCH, headers: { 'Idempotency-Key': 'x'.repeat(256) } });
  for (const { status, body } of [missing, wrong])
    expect([status, body['errors']]).toMatchObject([422, [{ pointer: '/Idempotency-Key' }]]);
});
