import { describe, expect, it, vi } from 'vitest';
import { hashSecret, newSecret, SCOPES } from '../../../server/auth/credentials.ts';
import { createEconomy, startGameServer } from '../../kit/game-server.ts';
import { shareHub, startHub, type TestHub } from '../../kit/hub.ts';
import { createKey } from '../../kit/make-tenant.ts';

const PATH = '/api/v2/panel/session';
const HOUR_MS = 60 * 60 * 1000;
/** Under which all nodes are reached. */
const ORIGIN = 'http://hub.example.org';

/** A new tenant of a hub; a hub of its own. */
const start = shareHub({ env: { PUBLIC_URL: ORIGIN } });
const startAlone = ({ env, ...options }: NonNullable<Parameters<typeof startHub>[0]> = {}) =>
  startHub({ ...options, env: { PUBLIC_URL: ORIGIN, ...env } });

const signIn = async (hub: TestHub, key = hub.key) => {
  const answer = await hub.request(PATH, { method: 'POST', key });
  const cookie = answer.headers.get('set-cookie') ?? '';
  const headers = { Cookie: cookie.split(';', 1)[0] ?? '', Origin: ORIGIN };
  return {
    answer,
    cookie,
    token: /=(cwp_\w+)/.exec(cookie)?.[1] ?? '',
    ask: (path: string, options: Parameters<TestHub['request']>[1] = {}) =>
      hub.request(path, { key: null, ...options, headers: { ...headers, ...options.headers } }),
  };
};

describe('signing in to the panel', () => {
  it('takes a key and gives a cookie that no script reads and no other site sends', async () => {
    const hub = await start();
    const { answer, cookie, token, ask } = await signIn(hub);
    expect([answer.status, answer.body['key']]).toEqual([201, { id: hub.keyId, name: `${hub.project.slug} key` }]);
    const [, ...attributes] = cookie.split('; ');
    expect(attributes.toSorted()).toEqual(['HttpOnly', `Max-Age=${30 * 24 * 3600}`, 'Path=/', 'SameSite=Strict']);
    expect(answer.text).not.toContain(token);
    expect((await ask('/api/v2/players')).status).toBe(200);
    expect((await ask(PATH)).body).toEqual(answer.body);
  });

  it('keeps the cookie to TLS where there is TLS', async () => {
    const published = await startAlone({ env: { PUBLIC_URL: 'https://hub.example.org' } });
    const { cookie, token } = await signIn(published);
    expect(cookie).toMatch(/^__Host-causeway_panel=cwp_\w+; Path=\/; .*; Secure$/);
    // A page of a sibling host can set a cookie without the prefix: it counts for nothing here.
    const ask = (header: string) => published.request(PATH, { key: null, headers: { Cookie: header } });
    expect((await ask(`__Host-causeway_panel=${token}`)).status).toBe(200);
    expect((await ask(`causeway_panel=${token}`)).status).toBe(401);
    const behind = await startAlone({ env: { TRUST_PROXY: '1' } });
    const proxied = await behind.request(PATH, { method: 'POST', headers: { 'X-Forwarded-Proto': 'https' } });
    expect(proxied.headers.get('set-cookie')).toMatch(/; Secure$/);
    const direct = await start();
    const spoofed = await direct.request(PATH, { method: 'POST', headers: { 'X-Forwarded-Proto': 'https' } });
    expect(spoofed.headers.get('set-cookie')).not.toContain('Secure');
  });

  it('takes no request with two cookies of the name', async () => {
    const hub = await start();
    const { token } = await signIn(hub);
    const ask = (header: string) => hub.request(PATH, { key: null, headers: { Cookie: header } });
    expect((await ask(`a=1; causeway_panel=${token}; b=2`)).status).toBe(200);
    for (const other of [token, 'cwp_other', '']) {
      expect((await ask(`causeway_panel=${token}; causeway_panel=${other}`)).status).toBe(401);
      expect((await ask(`causeway_panel=${other}; causeway_panel=${token}`)).status).toBe(401);
    }
  });

  it('stores neither the cookie nor the key', async () => {
    const hub = await start();
    const { token } = await signIn(hub);
    const found = await hub.store.panelSessions.byHash(hashSecret(token), Date.now());
    expect(found?.session).toMatchObject({ keyId: hub.keyId, keyHash: hashSecret(hub.key) });
    expect(JSON.stringify(found)).not.toMatch(/cwp_/);
  });

  it('refuses a wrong key, and sets nothing', async () => {
    const hub = await start();
    const { answer, cookie } = await signIn(hub, `${hub.key.slice(0, -1)}~`);
    expect([answer.status, cookie]).toEqual([401, '']);
  });
});

describe('a session of the panel', () => {
  it.each([
    [
      'signing out',
      async (_hub: TestHub, ask: Awaited<ReturnType<typeof signIn>>['ask']) => {
        expect((await ask(PATH, { method: 'DELETE' })).headers.get('set-cookie')).toMatch(
          /causeway_panel=; .*Max-Age=0/,
        );
      },
    ],
    [
      'revoking the key',
      async (hub: TestHub) => {
        const other = await createKey(hub.store, hub.project.id, { name: 'other' });
        const { status } = await hub.request(`/api/v2/keys/${hub.keyId}`, { method: 'DELETE', key: other.key });
        expect(status).toBe(204);
      },
    ],
    [
      'rotating the key away',
      async (hub: TestHub) => {
        const { key } = await createKey(hub.store, hub.project.id, { name: 'other' });
        expect((await hub.request(`/api/v2/keys/${hub.keyId}/rotate`, { method: 'POST', key })).status).toBe(200);
      },
    ],
    [
      'the end of the key',
      async (hub: TestHub) => {
        await hub.store.apiKeys.update(hub.project.id, hub.keyId, { expiresAt: Date.now() - 1 }, Date.now());
      },
    ],
    [
      'disabling the project',
      async (hub: TestHub) => {
        await hub.store.projects.update(hub.project.id, { disabled: true }, Date.now());
      },
    ],
  ])('ends at once by %s', async (_name, end) => {
    const hub = await start();
    const { ask } = await signIn(hub);
    expect((await ask('/api/v2/players')).status).toBe(200);
    await end(hub, ask);
    const { status, body } = await ask('/api/v2/players');
    expect([status, body.code]).toEqual([401, 'signed_out']);
  });

  it('outlives a rotation for its grace', async () => {
    const hub = await start();
    await hub.newKey(SCOPES);
    const { ask } = await signIn(hub);
    const path = `/api/v2/keys/${hub.keyId}/rotate`;
    expect((await hub.request(path, { json: { graceSeconds: 60 } })).status).toBe(200);
    expect((await ask('/api/v2/players')).status).toBe(200);
    const past = { previousExpiresAt: Date.now() - 1 };
    await hub.store.apiKeys.update(hub.project.id, hub.keyId, past, Date.now());
    expect((await ask('/api/v2/players')).status).toBe(401);
  });

  it('ends after 12 idle hours, and use puts that off', async () => {
    const hub = await start();
    const { ask, token } = await signIn(hub);
    const hash = hashSecret(token);
    const lastUse = async () => (await hub.store.panelSessions.byHash(hash, Date.now()))?.session.lastUsedAt ?? 0;
    await hub.store.panelSessions.touch(hash, Date.now() - 11.9 * HOUR_MS);
    expect((await ask(PATH)).status).toBe(200);
    await expect.poll(async () => Date.now() - (await lastUse())).toBeLessThan(HOUR_MS);
    await hub.store.panelSessions.touch(hash, Date.now() - 12.1 * HOUR_MS);
    expect((await ask(PATH)).body.code).toBe('signed_out');
  });

  it('outlives a restart of the hub', async () => {
    const hub = await startAlone();
    const { ask } = await signIn(hub);
    await hub.crash();
    const next = await startAlone({ folder: hub.folder });
    const cookie = { Cookie: `causeway_panel=${(await signIn(next)).token}` };
    expect((await next.request(PATH, { key: null, headers: cookie })).status).toBe(200);
    await expect(ask(PATH)).rejects.toThrow();
  });

  it('changes things only from a page of the hub itself', async () => {
    const hub = await start();
    const economy = createEconomy({ 'char1:ana': 100 });
    startGameServer({ url: () => hub.bridgeUrl, token: hub.token, folder: hub.folder, economy });
    await expect.poll(async () => (await hub.request('/api/v2/players/char1:ana')).status).toBe(200);
    const { ask } = await signIn(hub);
    const json = { target: 'char1:ana', type: 'bank', amount: 1, action: 'add' };
    const pay = (headers: Record<string, string>) => ask('/api/v2/bridge/main/money', { json, headers });
    for (const Origin of ['https://evil.example', 'null', '', `${ORIGIN}0`, `http://x@${ORIGIN.slice(7)}`]) {
      const { status, body } = await pay({ Origin });
      expect([Origin, status, body.code]).toEqual([Origin, 403, 'origin_not_allowed']);
      expect((await ask('/api/v2/servers', { json: { serverId: 'x' }, headers: { Origin } })).status).toBe(403);
    }
    expect(economy.applied).toEqual([]);
    const { status, body } = await pay({});
    expect([status, body['actor']]).toEqual([200, { keyId: hub.keyId, name: `${hub.project.slug} key` }]);
    expect(economy.applied).toHaveLength(1);
  });

  it('has exactly the permissions of its key', async () => {
    const hub = await start();
    await hub.newServer('west');
    const { ask, answer } = await signIn(hub, await hub.newKey(['servers:read'], ['west']));
    expect(answer.body).toMatchObject({ scopes: ['servers:read'], servers: ['west'] });
    expect((await ask('/api/v2/players')).body.code).toBe('insufficient_scope');
    const kick = { json: { target: 'char1:ana' } };
    expect((await ask('/api/v2/bridge/main/kick', kick)).body.code).toBe('insufficient_scope');
    expect((await ask('/api/v2/servers/main')).body.code).toBe('server_not_allowed');
    expect((await ask('/api/v2/servers/west')).status).toBe(200);
  });

  it('has a minute of its own', async () => {
    const hub = await startAlone({ rateLimit: 5 });
    const { ask } = await signIn(hub);
    for (let n = 0; n < 20; n += 1) expect((await ask(PATH)).status).toBe(200);
    const { headers } = await ask(PATH);
    expect(headers.get('ratelimit-policy')).toBe('"panel";q=600;w=60');
    const bot = await hub.request('/api/v2/players');
    expect(bot.headers.get('ratelimit')).toMatch(/^"project";r=4;/);
  });

  it('changes things in the minute of people only, however many keys are signed in', async () => {
    const hub = await start();
    const people = [await signIn(hub), await signIn(hub, await hub.newKey(SCOPES))];
    const statuses: number[] = [];
    for (let n = 0; n < 22; n += 1) {
      const answer = await people[n % 2]?.ask('/api/v2/bridge/main/kick', { json: { target: 'char1:ana' } });
      statuses.push(answer?.status ?? 0);
    }
    expect(statuses).toEqual([...Array(20).fill(503), ...Array(2).fill(429)]);
    expect((await people[0]?.ask(PATH))?.status).toBe(200);
    expect((await people[1]?.ask(PATH, { method: 'DELETE' }))?.status).toBe(204);
  });

  it('shares 600 reads a minute with every other session of its project', async () => {
    const hub = await start();
    const { ask: first } = await signIn(hub);
    const { ask: second } = await signIn(hub, await hub.newKey(['servers:read']));
    const answers: Awaited<ReturnType<typeof first>>[] = [];
    for (let n = 0; n < 65; n += 1) {
      const some = Array.from({ length: 10 }, (_, k) => (k % 2 === 0 ? first : second)(PATH));
      answers.push(...(await Promise.all(some)));
    }
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(600);
    expect(answers.find(({ status }) => status === 429)?.body.code).toBe('rate_limited');
  });

  it('loses its event stream when the key is revoked', async () => {
    const hub = await start();
    const { token } = await signIn(hub);
    const stream = await fetch(`${hub.address}/api/v2/events`, { headers: { Cookie: `causeway_panel=${token}` } });
    expect(stream.status).toBe(200);
    await hub.store.apiKeys.update(hub.project.id, hub.keyId, { revokedAt: Date.now() }, Date.now());
    await expect(stream.text()).rejects.toThrow();
  });

  it('ends by a sign-out, also with a key in the request, and by a new sign-in', async () => {
    const hub = await start();
    const { ask } = await signIn(hub);
    expect((await ask(PATH, { method: 'DELETE', key: hub.key })).status).toBe(204);
    expect((await ask(PATH)).body.code).toBe('signed_out');
    const { ask: askAgain } = await signIn(hub);
    expect((await askAgain(PATH, { method: 'POST', key: hub.key })).status).toBe(201);
    expect((await askAgain(PATH)).body.code).toBe('signed_out');
  });

  it('is one of 32 of its key: one more sign-in ends the least recently used one', async () => {
    const hub = await start();
    const all = [];
    for (let n = 0; n < 32; n += 1) {
      const token = newSecret('panel_session');
      const at = Date.now() - (n === 5 ? 2 : 1) * HOUR_MS;
      const of = { projectId: hub.project.id, keyId: hub.keyId, keyHash: hashSecret(hub.key) };
      await hub.store.panelSessions.create({ hash: hashSecret(token), ...of, createdAt: at, lastUsedAt: at });
      const headers = { Cookie: `causeway_panel=${token}` };
      all.push((path: string) => hub.request(path, { key: null, headers }));
    }
    const { ask: stranger } = await signIn(hub, await hub.newKey(['players:read']));
    all.push((await signIn(hub)).ask, stranger);
    const statuses = await Promise.all(all.map(async (ask) => (await ask(PATH)).status));
    expect(statuses).toEqual(all.map((_, n) => (n === 5 ? 401 : 200)));
  });

  it('counts as use of its key', async () => {
    const hub = await startAlone();
    const { ask } = await signIn(hub);
    await hub.store.apiKeys.touch([{ id: hub.keyId, at: 1 }]);
    expect((await ask(PATH)).status).toBe(200);
    await hub.stop();
    const next = await startAlone({ folder: hub.folder });
    expect((await next.store.apiKeys.find(hub.project.id, hub.keyId))?.lastUsedAt ?? 0).toBeGreaterThan(1);
  });

  it('is deleted once it cannot be used any more', async () => {
    const hub = await startAlone();
    const { token } = await signIn(hub);
    expect(await hub.store.panelSessions.prune(Date.now() - 1000, 10)).toBe(0);
    expect(await hub.store.panelSessions.prune(Date.now() + 1000, 10)).toBe(1);
    expect(await hub.store.panelSessions.byHash(hashSecret(token), Date.now())).toBeUndefined();
  });
});

describe('a cookie that never was', () => {
  it.each(['cwp_', 'x', `cwp_${'0'.repeat(38)}`, 'cwp_0OhT9Zq1aW3eR5tY7uI9oP2sD4fG6hJ8kL0zXc'])(
    'opens nothing: %s',
    async (token) => {
      const hub = await start();
      const { status, body } = await hub.request('/api/v2/players', {
        key: null,
        headers: { Cookie: `other=1; causeway_panel=${token}` },
      });
      expect([status, body.code]).toEqual([401, 'signed_out']);
    },
  );

  it('is a guess: an address with many guesses is refused unread, but not its signed-in users', async () => {
    const hub = await startAlone({ tuning: { wrongKeysPerMinute: 3 } });
    const { ask } = await signIn(hub);
    expect((await ask(PATH)).status).toBe(200);
    const lookups = vi.spyOn(hub.hub.store.panelSessions, 'byHash');
    const guess = () =>
      hub.request(PATH, { key: null, headers: { Cookie: `causeway_panel=${newSecret('panel_session')}` } });
    for (let n = 0; n < 3; n += 1) expect((await guess()).body.code).toBe('signed_out');
    const looked = lookups.mock.calls.length;
    expect([(await guess()).body.code, lookups.mock.calls.length]).toEqual(['rate_limited', looked]);
    expect((await hub.request(PATH, { method: 'POST', key: newSecret('api_key') })).status).toBe(429);
    expect((await ask(PATH)).status).toBe(200);
  });

  it('counts when another site sends a good one along; one that has ended does not', async () => {
    const hub = await startAlone({ tuning: { wrongKeysPerMinute: 3 } });
    const ended = await signIn(hub);
    expect((await ended.ask(PATH)).status).toBe(200);
    expect((await ended.ask(PATH, { method: 'DELETE' })).status).toBe(204);
    for (let n = 0; n < 5; n += 1) expect((await ended.ask(PATH)).body.code).toBe('signed_out');
    const { ask } = await signIn(hub);
    const headers = { Origin: 'https://evil.example' };
    for (let n = 0; n < 3; n += 1) expect((await ask(PATH, { method: 'DELETE', headers })).status).toBe(403);
    expect((await hub.request(PATH, { method: 'POST', key: newSecret('api_key') })).status).toBe(429);
    expect((await ask(PATH)).status).toBe(200);
  });

  it('does not spoil a request with a key', async () => {
    const hub = await start();
    const headers = { Cookie: 'causeway_panel=cwp_wrong', Origin: 'https://elsewhere.example' };
    expect((await hub.request('/api/v2/players', { headers })).status).toBe(200);
  });
});
