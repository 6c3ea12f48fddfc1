import { get } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { playerFrame, reportPlayers, welcomeRaw } from '../../kit/raw-bridge.ts';

/** An answer as it came over the wire: fetch would unpack it. */
const rawly = (url: string, headers: Record<string, string>) =>
  new Promise<{ headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    get(url, { headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(parts) }));
    }).on('error', reject);
  });

const open = async (players: number) => {
  const hub = await startHub();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  await reportPlayers(hub, bridge, ...Array.from({ length: players }, (_, n) => playerFrame(`char1:n${n}`)));
  const ask = (path: string, headers: Record<string, string> = {}) =>
    rawly(`${hub.address}/api/v2${path}`, { 'X-API-Key': hub.key, ...headers });
  return { hub, ask };
};

it('a large list is compressed for a caller that accepts it, and is the same as without', async () => {
  const { ask } = await open(60);
  const plain = await ask('/players?limit=60');
  expect(plain.headers).toMatchObject({ vary: 'Accept-Encoding' });
  expect(plain.headers).not.toHaveProperty('content-encoding');
  const packed = await ask('/players?limit=60', { 'Accept-Encoding': 'gzip, deflate, br' });
  expect(packed.headers).toMatchObject({
    'content-encoding': 'gzip',
    vary: 'Accept-Encoding',
    'content-length': String(packed.body.length),
    'content-type': plain.headers['content-type'],
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.any(String),
  });
  expect(gunzipSync(packed.body).toString()).toBe(plain.body.toString());
  expect(packed.body.length * 4).toBeLessThan(plain.body.length);
  const refused = await ask('/players?limit=60', { 'Accept-Encoding': 'gzip;q=0, identity' });
  expect(refused.body.toString()).toBe(plain.body.toString());
});

it('a small list, one player, an error and the stream of events are not', async () => {
  const { hub, ask } = await open(2);
  const gzip = { 'Accept-Encoding': 'gzip' };
  for (const path of ['/players', '/players/char1:n0', '/players?limit=0', '/project']) {
    expect((await ask(path, gzip)).headers, path).not.toHaveProperty('content-encoding');
  }
  const end = new AbortController();
  const headers = { 'X-API-Key': hub.key, ...gzip };
  const stream = await fetch(`${hub.address}/api/v2/events`, { headers, signal: end.signal });
  expect([stream.status, stream.headers.get('content-encoding')]).toEqual([200, null]);
  end.abort();
});
