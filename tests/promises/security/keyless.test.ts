import { expect, it } from 'vitest';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { answerAll, welcomeRaw } from '../../kit/raw-bridge.ts';
import { openTcp } from '../../kit/raw-tcp.ts';
import { connectShop } from '../../kit/shop.ts';

/** The limit of requests that are refused, in one minute; the product has 600. */
const LIMIT = 100;

const requestOf = (target: string, { headers = [] as string[], body = '' } = {}): string => {
  const length = body === '' ? [] : [`Content-Length: ${body.length}`];
  return [`${body === '' ? 'GET' : 'POST'} ${target} HTTP/1.1`, 'Host: hub', ...headers, ...length, '', body].join(
    '\r\n',
  );
};

const statusesIn = (text: string): string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status ?? '');

const requestLines = (lines: readonly string[]): string[] => lines.filter((line) => line.includes('"msg":"request"'));

const refusals = async (hub: TestHub, code: string): Promise<number> => {
  const text = await (await fetch(`${hub.address}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`causeway_refused_requests_total{code="${code}"}`));
  return Number(line?.split(' ').at(-1) ?? 0);
};

/** Sends a request until the address has no more refusals left. */
const exhaust = async (hub: TestHub, request: string, status: string): Promise<void> => {
  for (let sent = 0; sent < LIMIT; sent += 50) {
    const tcp = openTcp(hub.port);
    tcp.send(request.repeat(50));
    await expect.poll(() => statusesIn(tcp.text())).toEqual(Array.from({ length: 50 }, () => status));
    tcp.socket.destroy();
  }
};

it.each([
  '/%61pi/v2/players',
  '/api/%76%32/players',
  '/docs/../api/v2/players',
  '/%2e/api/v2/players',
  '/api\\v2\\players',
  'http://hub/api/v2/players',
  'http://other/%61pi/v2/players?search=x',
  '/api/v2',
  '/api/v2?x=1',
])('refuses %s without a key as /api/v2/players: no log line, and counted', async (target) => {
  const lines: string[] = [];
  const hub = await startHub({ logTo: lines, tuning: { keylessPerMinute: LIMIT }, panel: true });
  const tcp = openTcp(hub.port);
  tcp.send(requestOf(target));
  await tcp.reads('"code":"missing_api_key"');
  expect(statusesIn(tcp.text())).toEqual(['401']);
  expect(requestLines(lines)).toEqual([]);
  expect(await refusals(hub, 'missing_api_key')).toBe(1);
});

it('serves a command under every spelling of its path', async () => {
  const hub = await startHub({ tuning: { keylessPerMinute: LIMIT } });
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  answerAll(bridge, () => ({ status: 'done', data: { kicked: true } }));
  const body = JSON.stringify({ target: 'char1:ana' });
  const headers = [`X-API-Key: ${hub.key}`, 'Content-Type: application/json'];
  for (const target of ['/%61pi/v2/bridge/m%61in/kick', 'http://hub/api/v2/bridge/main/kick']) {
    const tcp = openTcp(hub.port);
    tcp.send(requestOf(target, { headers, body }));
    await tcp.reads('"kicked":true');
  }
});

it('stops answering and logging what does not exist after 600 in a minute, and serves everything else', async () => {
  const lines: string[] = [];
  const hub = await startHub({ logTo: lines, tuning: { keylessPerMinute: LIMIT } });
  await exhaust(hub, requestOf('/wp-login.php'), '404');
  const logged = requestLines(lines).length;
  const answer = await fetch(`${hub.address}/another`);
  expect([answer.status, answer.headers.get('connection')]).toEqual([429, 'close']);
  expect(await answer.json()).toMatchObject({ code: 'rate_limited', instance: '/another' });
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(requestLines(lines)).toHaveLength(logged);
  expect(await refusals(hub, 'rate_limited')).toBe(1);
  // API requests without a key are counted with them.
  expect((await fetch(`${hub.address}/api/v2/players`)).status).toBe(429);
  expect((await fetch(`${hub.address}/livez`)).status).toBe(200);
  expect((await hub.request('/api/v2/players')).status).toBe(200);
  expect((await hub.request('/api/v2/players/nobody')).status).toBe(404);
});

it('stops logging wrong signatures of an address, and never locks a good one out', async () => {
  const lines: string[] = [];
  const hub = await startHub({ logTo: lines, tuning: { keylessPerMinute: LIMIT } });
  const shop = await connectShop(hub, 'orders', { coins: [] });
  const headers = ['X-Causeway-Signature: t=1,v1=00'];
  await exhaust(hub, requestOf(`${shop.path}/orders`, { headers, body: '{}' }), '401');
  const logged = requestLines(lines).length;
  const wrong = (path: string): Promise<{ status: number }> =>
    fetch(`${hub.address}${path}`, { method: 'POST', body: '{}', headers: { 'X-Causeway-Signature': 't=1,v1=00' } });
  expect((await wrong(`${shop.path}/orders`)).status).toBe(429);
  expect((await wrong('/api/v2/integrations/int_01j9z3k7v8/orders')).status).toBe(429);
  expect(requestLines(lines)).toHaveLength(logged);
  // A good signature passes, also when the hub does not understand what it signs.
  for (let n = 0; n < 3; n += 1) expect((await shop.send({ nonsense: true })).status).toBe(422);
});
