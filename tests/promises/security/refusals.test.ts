import { describe, expect, it, vi } from 'vitest';
import { newSecret } from '../../../server/auth/credentials.ts';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { answerAll, openRaw, welcomeRaw } from '../../kit/raw-bridge.ts';
import { openTcp } from '../../kit/raw-tcp.ts';

const requestOf = (path: string, headers: readonly string[] = [], body = ''): string =>
  [`${body === '' ? 'GET' : 'POST'} ${path} HTTP/1.1`, 'Host: hub', ...headers, '', body].join('\r\n');

const keyed = ({ key }: TestHub, path: string): string => requestOf(path, [`X-API-Key: ${key}`]);

const requestLines = (lines: readonly string[]): string[] => lines.filter((line) => line.includes('"msg":"request"'));

const statusesIn = (text: string): string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status ?? '');

const metricOf = async (hub: TestHub, line: string): Promise<number> => {
  const text = await (await fetch(`${hub.address}/metrics`)).text();
  return Number(
    text
      .split('\n')
      .find((each) => each.startsWith(line))
      ?.split(' ')
      .at(-1) ?? 0,
  );
};

describe('requests of one connection', () => {
  it('are started one by one, in their order', async () => {
    const lines: string[] = [];
    const hub = await startHub({ logTo: lines });
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const tcp = openTcp(hub.port);
    const body = JSON.stringify({ target: 'char1:ana' });
    const headers = [`X-API-Key: ${hub.key}`, 'Content-Type: application/json', `Content-Length: ${body.length}`];
    tcp.send(requestOf('/api/v2/bridge/main/kick', headers, body) + keyed(hub, '/api/v2/project').repeat(2));
    const command = await bridge.command();
    // Another connection is served; requests behind the kick wait.
    expect((await hub.request('/api/v2/health')).status).toBe(200);
    expect(tcp.text()).toBe('');
    expect(requestLines(lines).filter((line) => line.includes('/api/v2/project'))).toEqual([]);
    bridge.send({ type: 'result', id: command.id, status: 'done', data: { kicked: true } });
    await tcp.reads('"slug":"test"');
    await expect.poll(() => statusesIn(tcp.text())).toEqual(['200', '200', '200']);
    expect(tcp.text().indexOf('"kicked":true')).toBeLessThan(tcp.text().indexOf('"slug":"test"'));
  });

  it('are not started behind an answer that closes it, because nothing could answer them', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    answerAll(bridge, () => ({ status: 'done', data: { account: 'bank', before: 0, after: 5 } }));
    const body = JSON.stringify({ target: 'char1:ana', type: 'bank', amount: 5, action: 'add' });
    const headers = [`X-API-Key: ${hub.key}`, 'Content-Type: application/json', `Content-Length: ${body.length}`];
    const payment = requestOf('/api/v2/bridge/main/money', headers, body);
    const firsts = {
      400: 'GET /livez HTTP/1.1\r\n\r\n',
      417: requestOf('/livez', ['Expect: nothing']),
    };
    for (const [status, first] of Object.entries(firsts)) {
      for (const pieces of [[first + payment], [first, payment]]) {
        const tcp = openTcp(hub.port);
        for (const piece of pieces) tcp.send(piece);
        await tcp.ended();
        expect(statusesIn(tcp.text())).toEqual([status]);
      }
    }
    expect((await hub.request('/api/v2/commands')).body['data']).toEqual([]);
    const tcp = openTcp(hub.port);
    tcp.send(payment + payment);
    await tcp.reads('"after":5');
    await expect.poll(() => statusesIn(tcp.text())).toEqual(['200', '200']);
  });

  it('close it when more than 64 wait', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const tcp = openTcp(hub.port);
    const body = JSON.stringify({ target: 'char1:ana' });
    const headers = [`X-API-Key: ${hub.key}`, 'Content-Type: application/json', `Content-Length: ${body.length}`];
    const kick = requestOf('/api/v2/bridge/main/kick', headers, body);
    tcp.send(kick + keyed(hub, '/api/v2/project').repeat(64));
    await bridge.command();
    expect(tcp.isOpen()).toBe(true);
    tcp.send(keyed(hub, '/api/v2/project'));
    await tcp.ended();
    expect((await hub.request('/api/v2/health')).status).toBe(200);
  });
});

describe('requests without a good key', () => {
  it('are refused without a log line, and counted', async () => {
    const lines: string[] = [];
    const hub = await startHub({ logTo: lines });
    const answer = await fetch(`${hub.address}/api/v2/players?search=x`);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await answer.json()).toMatchObject({ code: 'missing_api_key', instance: '/api/v2/players', executed: 'no' });
    expect(requestLines(lines)).toEqual([]);
    expect(await metricOf(hub, 'causeway_refused_requests_total{code="missing_api_key"}')).toBe(1);
  });

  it('are 429 after 600 from one address in a minute, and their connection is closed; a good key passes', async () => {
    const hub = await startHub({ tuning: { keylessPerMinute: 600 } });
    for (let batch = 0; batch < 12; batch += 1) {
      const tcp = openTcp(hub.port);
      tcp.send(requestOf('/api/v2/players').repeat(50));
      await expect.poll(() => statusesIn(tcp.text())).toHaveLength(50);
    }
    expect(await metricOf(hub, 'causeway_refused_requests_total{code="missing_api_key"}')).toBe(600);
    const refused = await fetch(`${hub.address}/api/v2/players`);
    expect([refused.status, refused.headers.get('connection')]).toEqual([429, 'close']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await hub.request('/api/v2/players')).status).toBe(200);
  });

  it('are 429 without a log line once an address has sent too many wrong ones', async () => {
    const lines: string[] = [];
    const hub = await startHub({ logTo: lines, tuning: { wrongKeysPerMinute: 3 } });
    const ask = () => hub.request('/api/v2/players', { key: newSecret('api_key') });
    for (let n = 0; n < 3; n += 1) expect((await ask()).status).toBe(401);
    const logged = requestLines(lines).length;
    for (let n = 0; n < 20; n += 1) expect((await ask()).status).toBe(429);
    expect(requestLines(lines)).toHaveLength(logged);
    // It has not been used yet: a look decides.
    expect((await hub.request('/api/v2/players', { key: hub.key })).status).toBe(429);
  });
});

describe('bridge tokens from an address that sends wrong ones', () => {
  it('open the socket when they did before, and a new one when fewer than 25 look-ups of the second have failed', async () => {
    const hub = await startHub({ tuning: { wrongKeysPerMinute: 30 } });
    const west = await hub.newServer('west');
    (await welcomeRaw(hub.bridgeUrl, hub.token)).kill();
    const lookups = vi.spyOn(hub.hub.store.servers, 'byTokenHash');
    const wrong = async (): Promise<number> =>
      (await openRaw(hub.bridgeUrl, newSecret('bridge_token')).refused()).status;
    const statuses: number[] = [];
    // The look-ups that fail count within one second.
    while (!statuses.includes(429)) statuses.push(...(await Promise.all(Array.from({ length: 30 }, wrong))));
    expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(25);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    lookups.mockClear();
    await welcomeRaw(hub.bridgeUrl, hub.token);
    expect(lookups).toHaveBeenCalledTimes(1);
    await expect
      .poll(async () => {
        const bridge = openRaw(hub.bridgeUrl, west);
        return Promise.race([bridge.opened().then(() => 'open'), bridge.refused().then(({ status }) => status)]);
      })
      .toBe('open');
  });

  it('cost no look-up when they are malformed', async () => {
    const hub = await startHub({ tuning: { wrongKeysPerMinute: 3 } });
    const lookups = vi.spyOn(hub.hub.store.servers, 'byTokenHash');
    const statuses: number[] = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await openRaw(hub.bridgeUrl, 'cwb_nonsense').refused()).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect(lookups).not.toHaveBeenCalled();
  });
});

describe('requests that offer another protocol than WebSocket', () => {
  const OFFER = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'];

  it('are served as if they had not offered it, and end their connection', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    answerAll(bridge, () => ({ status: 'done', data: { kicked: true } }));
    const tcp = openTcp(hub.port);
    tcp.send(requestOf('/api/v2/project', [...OFFER, `X-API-Key: ${hub.key}`]));
    await tcp.ended();
    expect(tcp.text()).toContain('"slug":"test"');
    expect(tcp.text()).toMatch(/^connection: close\r$/im);
    const body = JSON.stringify({ target: 'char1:ana' });
    const length = `Content-Length: ${body.length}`;
    const headers = [...OFFER, `X-API-Key: ${hub.key}`, 'Content-Type: application/json', length];
    // The body comes later than the head.
    const kick = requestOf('/api/v2/bridge/main/kick', headers, body);
    const other = openTcp(hub.port);
    other.send(kick.slice(0, -5));
    expect((await hub.request('/api/v2/health')).status).toBe(200);
    other.send(kick.slice(-5));
    await other.ended();
    expect(other.text()).toContain('"kicked":true');
    expect(statusesIn(other.text())).toEqual(['200']);
  });

  it('are no handshake when they have a body', async () => {
    const hub = await startHub();
    const key = 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==';
    const handshake = [`Authorization: Bearer ${hub.token}`, 'Connection: Upgrade', 'Upgrade: websocket', key];
    for (const body of ['Content-Length: 5', 'Transfer-Encoding: chunked']) {
      const tcp = openTcp(hub.port);
      tcp.send(`${requestOf('/bridge', [...handshake, 'Sec-WebSocket-Version: 13', body])}0\r\n\r\n`);
      await tcp.ended();
      expect(statusesIn(tcp.text()), body).toEqual(['404']);
    }
  });

  it('are no handshake behind a payment that is not answered yet', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const body = JSON.stringify({ target: 'char1:ana', type: 'bank', amount: 5, action: 'add' });
    const headers = [`X-API-Key: ${hub.key}`, 'Content-Type: application/json', `Content-Length: ${body.length}`];
    const tcp = openTcp(hub.port);
    const handshake = requestOf('/bridge', ['Connection: Upgrade', 'Upgrade: websocket']);
    tcp.send(requestOf('/api/v2/bridge/main/money', headers, body) + handshake);
    const command = await bridge.command();
    expect(tcp.text()).toBe('');
    bridge.send({ type: 'result', id: command.id, status: 'done', data: { account: 'bank', before: 0, after: 5 } });
    await tcp.ended();
    expect(statusesIn(tcp.text())).toEqual(['200', '404']);
  });

  it('are refused behind a payment when they ask for a tunnel, and the payment is answered', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const payment = (target: string): string => {
      const body = JSON.stringify({ target, type: 'bank', amount: 5, action: 'add' });
      const headers = [`X-API-Key: ${hub.key}`, 'Content-Type: application/json', `Content-Length: ${body.length}`];
      return requestOf('/api/v2/bridge/main/money', headers, body);
    };
    const send = (target: string) => {
      const tcp = openTcp(hub.port);
      tcp.send(payment(target) + requestOf('other:1').replace('GET', 'CONNECT') + payment('char1:eve').repeat(50));
      return tcp;
    };
    const gone = send('char1:bob');
    const first = await bridge.command(1);
    const tcp = send('char1:ana');
    const second = await bridge.command(2);
    // A caller that resets its connection meanwhile does not end the hub.
    gone.reset();
    tcp.send(payment('char1:eve'));
    await hub.request('/api/v2/health');
    for (const { id } of [first, second])
      bridge.send({ type: 'result', id, status: 'done', data: { account: 'bank', before: 0, after: 5 } });
    await tcp.ended();
    expect(statusesIn(tcp.text())).toEqual(['200', '400']);
    const { body: journal } = await hub.request('/api/v2/commands?status=succeeded');
    expect(journal['data']).toHaveLength(2);
  });

  it('are refused when nothing tells where their body ends', async () => {
    const hub = await startHub();
    const tcp = openTcp(hub.port);
    tcp.send(requestOf('/livez', [...OFFER, 'Transfer-Encoding: gzip']));
    await tcp.ended();
    expect(statusesIn(tcp.text())).toEqual(['400']);
  });

  it('are refused without a key like all others', async () => {
    const hub = await startHub();
    const tcp = openTcp(hub.port);
    tcp.send(requestOf('/api/v2/project', OFFER));
    await tcp.reads('missing_api_key');
  });
});

describe('checks of proxies', () => {
  it('are answered over HTTP/1.0 without a Host', async () => {
    const hub = await startHub();
    for (const path of ['/readyz', '/livez']) {
      const tcp = openTcp(hub.port);
      tcp.send(`GET ${path} HTTP/1.0\r\n\r\n`);
      await tcp.ended();
      expect(statusesIn(tcp.text()), path).toEqual(['200']);
    }
  });
});

describe('a secret inside X-Request-Id', () => {
  it('is neither echoed nor logged, at whatever place', async () => {
    const lines: string[] = [];
    const hub = await startHub({ logTo: lines });
    for (const id of [hub.key, `bot-1:${hub.key}`, `x.${hub.token}`.slice(0, 64)]) {
      const { headers } = await hub.request('/api/v2/project', { headers: { 'X-Request-Id': id } });
      expect(headers.get('x-request-id')).toMatch(/^req_/);
    }
    const { headers } = await hub.request('/api/v2/project', { headers: { 'X-Request-Id': 'discord:42' } });
    expect(headers.get('x-request-id')).toBe('discord:42');
    for (const secret of [hub.key, hub.token]) expect(lines.join('\n')).not.toContain(secret.slice(0, 20));
  });
});
