import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../server/platform/config.ts';
import { shareHub, startHub } from '../../kit/hub.ts';
import { answerAll, type Frame, playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { openTcp } from '../../kit/raw-tcp.ts';

const newTenant = shareHub();

const open = async () => {
  const hub = await newTenant();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  const told: Frame[] = [];
  answerAll(bridge, (command) => {
    told.push(command);
    const { type, amount, action } = command.params;
    if (command.name === 'kick') return { status: 'done', data: { kicked: true } };
    const after = action === 'add' ? 1000 + Number(amount) : 1000 - Number(amount);
    return { status: 'done', data: { account: type, before: 1000, after } };
  });
  const post = (name: string, json: unknown, headers: Record<string, string> = {}) =>
    hub.request(`/api/v2/bridge/main/${name}`, { json, headers });
  return {
    hub,
    bridge,
    told: () => told.map(({ params }) => params as Record<string, unknown>),
    kick: (more: object = {}) => post('kick', { target: 'char1:ana', ...more }),
    pay: (more: object = {}, headers = {}) =>
      post('money', { target: 'char1:ana', type: 'bank', amount: 5, action: 'add', ...more }, headers),
  };
};

describe('lists', () => {
  it.each([
    ['?limit=1000', 200],
    ['?limit=201', 200],
    ['?limit=', 50],
    ['?limit=7&offset=&search=', 7],
  ])('of players with %s have the limit %i', async (query, limit) => {
    const hub = await newTenant();
    const { status, body } = await hub.request(`/api/v2/players${query}`);
    expect([status, (body['pagination'] as { limit: number }).limit]).toEqual([200, limit]);
  });

  it.each(['?limit=0', '?limit=-1', '?limit=ten', '?limit=1.5', '?offset=x'])('of %s are refused', async (query) => {
    const hub = await newTenant();
    expect((await hub.request(`/api/v2/players${query}`)).status).toBe(422);
  });

  it('ignore the parameters that caches add, and name them', async () => {
    const hub = await newTenant();
    for (const path of ['/api/v2/players', '/api/v2/health']) {
      const { headers } = await hub.request(`${path}?_=1700000000&utm%20source=x`);
      expect(headers.get('ignored-parameters')).toBe('_, utm%20source');
    }
    expect((await hub.request('/api/v2/servers?_=1')).status).toBe(422);
  });
});

describe('a reason', () => {
  it('that is empty or null is none', async () => {
    const { kick, pay, told } = await open();
    for (const reason of ['', null, undefined]) {
      expect((await kick({ reason })).status).toBe(200);
      expect((await pay({ reason })).status).toBe(200);
    }
    expect(
      told()
        .filter(({ amount }) => amount === undefined)
        .map(({ reason }) => reason),
    ).toEqual(Array(3).fill('Kicked by staff'));
    for (const params of told().filter(({ amount }) => amount !== undefined))
      expect(params).not.toHaveProperty('reason');
  });

  it('has at most 512 characters, and the bridge is told at most 512 units of them', async () => {
    const { pay, told } = await open();
    expect((await pay({ reason: 'x'.repeat(513) })).status).toBe(422);
    const reason = `x${'😀'.repeat(511)}`;
    const { status, body } = await pay({ reason });
    expect([status, (body['params'] as { reason: string }).reason]).toEqual([200, reason]);
    expect(told()[0]?.['reason']).toBe(`x${'😀'.repeat(255)}`);
  });
});

describe('deduct', () => {
  it('is answered as it was sent, is remove for the bridge, and is one wish with remove under one key', async () => {
    const { pay, told } = await open();
    const key = { 'Idempotency-Key': 'fee' };
    const sent = await pay({ action: 'deduct' }, key);
    expect(sent).toMatchObject({ status: 200, body: { params: { action: 'deduct' }, result: { after: 995 } } });
    expect(told()).toMatchObject([{ action: 'remove' }]);
    const again = await pay({ action: 'remove' }, key);
    expect([again.status, again.headers.get('idempotency-replayed'), again.body['id']]).toEqual([
      200,
      'true',
      sent.body['id'],
    ]);
    expect(told()).toHaveLength(1);
  });
});

describe('a key', () => {
  it('keeps the time of its first request, whatever a repeated one says', async () => {
    const { pay, told } = await open();
    const key = { 'Idempotency-Key': 'gift' };
    const first = await pay({ expiresInSeconds: 60 }, key);
    const again = await pay({ expiresInSeconds: 5 }, key);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(again.body['expiresAt']).toBe(first.body['expiresAt']);
    expect(told()).toHaveLength(1);
  });
});

describe('amounts', () => {
  it.each([0, -5])('of %i have a text of their own', async (amount) => {
    const { pay } = await open();
    expect((await pay({ amount })).body['errors']).toEqual([
      { pointer: '/amount', detail: 'must be at least 1; action says the direction' },
    ]);
  });
});

describe('accounts', () => {
  it('are the accounts that the bridge names; a bank is not required', async () => {
    const hub = await newTenant();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { accounts: ['money', 'gold'] });
    answerAll(bridge, () => ({ status: 'done', data: { account: 'gold', before: 0, after: 5 } }));
    expect((await hub.request('/api/v2/servers/main')).body['bridge']).toMatchObject({ accounts: ['money', 'gold'] });
    const pay = (type: string) =>
      hub.request('/api/v2/bridge/main/money', { json: { target: 'char1:ana', type, amount: 5, action: 'add' } });
    expect((await pay('gold')).status).toBe(200);
    expect((await pay('bank')).body['errors']).toEqual([
      { pointer: '/type', detail: 'this server has the accounts money, gold' },
    ]);
  });
});

describe('bodies', () => {
  const send = async (lines: readonly string[], body: string | Buffer, path: string) => {
    const { hub, pay } = await open();
    const { body: command } = await pay({}, { Prefer: 'respond-async' });
    const tcp = openTcp(hub.port);
    const head = [`POST ${path.replace('{id}', String(command['id']))} HTTP/1.1`, 'Host: hub', `X-API-Key: ${hub.key}`];
    tcp.send(Buffer.concat([Buffer.from([...head, ...lines, '', ''].join('\r\n')), Buffer.from(body)]));
    await tcp.reads('\r\n\r\n');
    await expect.poll(() => tcp.text()).toContain('}');
    return Number(tcp.text().slice(9, 12));
  };

  it.each([
    [['Content-Length: 0', 'Content-Type: application/x-www-form-urlencoded'], ''],
    [['Content-Length: 0', 'Content-Type: application/octet-stream'], ''],
    [['Content-Length: 0', 'Content-Type: application/json'], ''],
    [['Content-Type: application/json'], ''],
    [['Transfer-Encoding: chunked', 'Content-Type: application/octet-stream'], '0\r\n\r\n'],
  ])('without bytes are none: %j', async (lines, body) => {
    // The command may be withdrawn or not; either way, the body must not cause an error.
    expect([200, 202, 409]).toContain(await send(lines, body, '/api/v2/commands/{id}/void'));
  });

  it.each(['/api/v2/bridge/main/kick', '/api/v2/servers'])('of %s that are not UTF-8 are 400', async (path) => {
    const body = Buffer.from('{"target":"char1:ana","reason":"\xff"}', 'latin1');
    const lines = ['Content-Type: application/json', `Content-Length: ${body.length}`];
    expect(await send(lines, body, path)).toBe(400);
  });

  it('that are chunked and no JSON are 415', async () => {
    const lines = ['Transfer-Encoding: chunked', 'Content-Type: text/plain'];
    expect(await send(lines, '2\r\n{}\r\n0\r\n\r\n', '/api/v2/bridge/main/kick')).toBe(415);
    expect(await send(lines, '2\r\n{}\r\n0\r\n\r\n', '/api/v2/servers')).toBe(415);
  });
});

describe('addresses', () => {
  it('may end with a slash', async () => {
    const { hub, bridge } = await open();
    bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [playerFrame('char1:ana')] });
    const kick = () => hub.request('/api/v2/bridge/main/kick/', { json: { target: 'char1:ana' } });
    expect((await kick()).status).toBe(200);
    for (const path of ['/api/v2/players/', '/api/v2/health/', '/api/v2/servers/main/']) {
      expect((await hub.request(path)).status, path).toBe(200);
    }
  });
});

describe('headers', () => {
  it('name the idempotency key once', async () => {
    const { hub, told } = await open();
    const tcp = openTcp(hub.port);
    const body = JSON.stringify({ target: 'char1:ana', type: 'bank', amount: 5, action: 'add' });
    const lines = [`X-API-Key: ${hub.key}`, 'Content-Type: application/json', `Content-Length: ${body.length}`];
    const keys = ['Idempotency-Key: a', 'Idempotency-Key: b'];
    tcp.send(['POST /api/v2/bridge/main/money HTTP/1.1', 'Host: hub', ...lines, ...keys, '', body].join('\r\n'));
    await tcp.reads('must be sent once');
    expect(tcp.text()).toContain('HTTP/1.1 422');
    expect(told()).toEqual([]);
  });

  it.each([
    ['respond-async; x=y', 202],
    ['respond-async, wait=10', 200],
    ['wait=10; x=y, respond-async', 200],
    ['RESPOND-ASYNC', 202],
  ])('Prefer: %s is answered as RFC 7240 says', async (prefer, status) => {
    const { pay } = await open();
    expect((await pay({}, { Prefer: prefer })).status).toBe(status);
  });
});

describe('PUBLIC_URL', () => {
  it.each(['https://user:hunter2@hub.example.com', 'https://hunter2@hub.example.com/'])(
    'with a user name or a password stops the start, and the message does not repeat it: %s',
    (url) => {
      const read = () => readConfig({ PUBLIC_URL: url });
      expect(read).toThrow(/^PUBLIC_URL: must have no user name and no password in it$/);
    },
  );

  it.each(['https://example.com/causeway', 'https://example.com/?a=b', 'https://example.com/#x'])(
    'with a path is refused at the start: %s',
    (url) => {
      expect(() => readConfig({ DATABASE_URL: 'file:hub.db', PUBLIC_URL: url })).toThrow(
        /PUBLIC_URL: .*without a path/,
      );
    },
  );
});

describe('an unknown server, player or command', () => {
  it('is refused where players of it are asked for, and where a key would be limited to it', async () => {
    const hub = await newTenant();
    for (const path of ['/api/v2/players?serverId=nowhere', '/api/v2/players/char1:ana?serverId=nowhere']) {
      const { status, body } = await hub.request(path);
      expect([status, body.code]).toEqual([404, 'server_not_found']);
    }
    const key = { name: 'bot', scopes: ['players:read'], servers: ['main', 'nowhere'], expiresAt: null };
    const refused = await hub.request('/api/v2/keys', { json: key });
    expect(refused.body['errors']).toEqual([{ pointer: '/servers/1', detail: 'there is no such server' }]);
    const late = { ...key, servers: null, expiresAt: '2020-01-01T00:00:00Z' };
    expect((await hub.request('/api/v2/keys', { json: late })).body['errors']).toEqual([
      { pointer: '/expiresAt', detail: 'must lie in the future' },
    ]);
  });
});

describe('a caller that hangs up inside its body', () => {
  it.each(['/api/v2/bridge/main/kick', '/api/v2/servers'])(
    'of %s is no error of the hub, and is counted as 499',
    async (path) => {
      const lines: string[] = [];
      const hub = await startHub({ logTo: lines });
      expect((await hub.request('/api/v2/project')).status).toBe(200);
      const tcp = openTcp(hub.port);
      const head = [`POST ${path} HTTP/1.1`, 'Host: hub', `X-API-Key: ${hub.key}`, 'Content-Type: application/json'];
      tcp.send([...head, 'Content-Length: 100', '', '{"target":'].join('\r\n'));
      // Sent later on another connection: the hub has begun with the first by then.
      for (let n = 0; n < 3; n += 1) expect((await hub.request('/api/v2/project')).status).toBe(200);
      tcp.reset();
      await expect.poll(() => lines.filter((line) => line.includes('"status":499'))).toHaveLength(1);
      expect(lines.filter((line) => JSON.parse(line).level >= 40 || line.includes('"status":500'))).toEqual([]);
      const metrics = await (await fetch(`${hub.address}/metrics`)).text();
      expect(metrics).toMatch(/causeway_http_request\w*_count\{[^}]*status="499"\} 1/);
    },
  );
});

describe('the project', () => {
  it('is counted for the servers of the key, and indeterminate are only commands that an operator must resolve', async () => {
    const hub = await newTenant();
    const west = await hub.newServer('west');
    const players = { main: ['char1:ana'], west: ['char1:bo', 'char1:cy'] };
    for (const [server, token] of [
      ['main', hub.token],
      ['west', west],
    ] as const) {
      const bridge = await welcomeRaw(hub.bridgeUrl, token);
      const error = { code: 'internal_error', message: 'Nobody knows.' };
      answerAll(bridge, () => ({ status: 'indeterminate', error }));
      const records = players[server].map((identifier) => playerFrame(identifier));
      bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: records });
      const target = players[server][0];
      await hub.request(`/api/v2/bridge/${server}/kick`, { json: { target } });
      const order = { target, type: 'bank', amount: 5, action: 'add' };
      await hub.request(`/api/v2/bridge/${server}/money`, { json: order });
    }
    const json = { name: 'bot', scopes: ['players:read'], servers: ['west'], expiresAt: null };
    const { body: made } = await hub.request('/api/v2/keys', { json });
    const read = async (key: string) => (await hub.request('/api/v2/project', { key })).body;
    await expect
      .poll(() => read(hub.key))
      .toMatchObject({
        totals: { servers: 2, players: 3, playersOnline: 3 },
        commands: { indeterminate: 2 },
      });
    expect(await read(String(made['key']))).toMatchObject({
      totals: { servers: 1, players: 2, playersOnline: 2 },
      commands: { indeterminate: 1 },
    });
  });
});
