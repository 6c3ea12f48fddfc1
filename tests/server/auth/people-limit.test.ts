import { describe, expect, it } from 'vitest';
import { SCOPES } from '../../../server/auth/credentials.ts';
import { startHub, type TestHub } from '../../kit/hub.ts';

const SESSION = '/api/v2/panel/session';
const ORIGIN = 'http://hub.example.org';

const start = (rateLimit: number) => startHub({ rateLimit, env: { PUBLIC_URL: ORIGIN } });

const signIn = async (hub: TestHub, key = hub.key) => {
  const answer = await hub.request(SESSION, { method: 'POST', key });
  const headers = { Cookie: (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '', Origin: ORIGIN };
  return {
    answer,
    kick: () => hub.request('/api/v2/bridge/main/kick', { key: null, json: { target: 'char1:ana' }, headers }),
  };
};

const statuses = async (times: number, ask: () => ReturnType<TestHub['request']>): Promise<number[]> => {
  const found: number[] = [];
  for (let n = 0; n < times; n += 1) found.push((await ask()).status);
  return found;
};

describe('people in the panel', () => {
  it('sign in and kick while a bot has used up the minute of the project', async () => {
    const hub = await start(5);
    const bot = () => hub.request('/api/v2/players');
    expect(await statuses(7, bot)).toEqual([...Array(5).fill(200), 429, 429]);
    const { answer, kick } = await signIn(hub);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('ratelimit')).toMatch(/^"sign-ins";r=19;t=\d+$/);
    const kicked = await kick();
    expect([kicked.status, kicked.headers.get('ratelimit-policy')]).toEqual([503, '"people";q=20;w=60']);
    expect((await bot()).status).toBe(429);
  });

  it('share 20 changes, and leave the whole minute to the keys', async () => {
    const hub = await start(5);
    const [ana, bob] = [await signIn(hub), await signIn(hub, await hub.newKey(SCOPES))];
    expect(await statuses(10, ana.kick)).toEqual(Array(10).fill(503));
    expect(await statuses(12, bob.kick)).toEqual([...Array(10).fill(503), 429, 429]);
    const refused = await ana.kick();
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited', executed: 'no' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await statuses(6, () => hub.request('/api/v2/players'))).toEqual([...Array(5).fill(200), 429]);
  });

  it('kick on while a bot has used up the 20 sign-ins', async () => {
    const hub = await start(5);
    const { kick } = await signIn(hub);
    const enter = async () => (await signIn(hub)).answer;
    expect(await statuses(20, enter)).toEqual([...Array(19).fill(201), 429]);
    expect((await enter()).headers.get('ratelimit-policy')).toBe('"sign-ins";q=20;w=60');
    expect((await kick()).status).toBe(503);
  });

  it('are told by the project how much of both minutes is used', async () => {
    const hub = await start(5);
    const { kick } = await signIn(hub);
    await kick();
    const { body } = await hub.request('/api/v2/project');
    expect(body).toMatchObject({
      rateLimit: { limit: 5, used: 1, remaining: 4 },
      people: { limit: 20, used: 1, remaining: 19, resetSeconds: expect.any(Number) },
    });
  });
});

describe('a key with a limit of its own', () => {
  const limited = async (hub: TestHub, rateLimit: number) => {
    const json = { name: 'bot', scopes: ['players:read', 'keys:write'], rateLimit };
    const { status, body } = await hub.request('/api/v2/keys', { json });
    expect([status, body['rateLimit']]).toEqual([201, rateLimit]);
    return { id: String(body['id']), key: String(body['key']) };
  };

  it('is refused over it, and a refused request counts against no limit', async () => {
    const hub = await start(10);
    const { key } = await limited(hub, 3);
    const first = await hub.request('/api/v2/players', { key });
    expect(first.headers.get('ratelimit')).toMatch(/^"key";r=2;t=\d+$/);
    expect(await statuses(4, () => hub.request('/api/v2/players', { key }))).toEqual([200, 200, 429, 429]);
    const refused = await hub.request('/api/v2/players', { key });
    expect(refused.body).toMatchObject({ code: 'rate_limited', executed: 'no' });
    // One made the key, three were the key's.
    expect(await statuses(7, () => hub.request('/api/v2/players'))).toEqual([...Array(6).fill(200), 429]);
  });

  it('does not use up its own minute with what the project refuses', async () => {
    const hub = await start(3);
    const { key } = await limited(hub, 2);
    const ask = () => hub.request('/api/v2/players', { key });
    expect(await statuses(3, () => hub.request('/api/v2/players'))).toEqual([200, 200, 429]);
    expect((await hub.request('/api/v2/players', { key })).headers.get('ratelimit')).toMatch(/^"project";r=0;/);
    await hub.store.projects.update(hub.project.id, { rateLimit: 10 }, Date.now());
    await expect.poll(async () => (await ask()).status).toBe(200);
    expect(await statuses(2, ask)).toEqual([200, 429]);
  });

  it('is changed by PATCH, and gives no key more than it has itself', async () => {
    const hub = await start(50);
    const { id, key } = await limited(hub, 10);
    const give = (rateLimit: number | null) =>
      hub.request('/api/v2/keys', { key, json: { name: 'second', scopes: ['players:read'], rateLimit } });
    expect((await give(11)).body.code).toBe('insufficient_scope');
    expect((await give(null)).body.code).toBe('insufficient_scope');
    expect((await give(4)).body['rateLimit']).toBe(4);
    const change = (json: object, by = hub.key) =>
      hub.request(`/api/v2/keys/${id}`, { method: 'PATCH', key: by, json });
    expect((await change({ rateLimit: null }, key)).body.code).toBe('insufficient_scope');
    expect((await change({ rateLimit: 0 })).status).toBe(422);
    expect((await change({ rateLimit: null })).body['rateLimit']).toBeNull();
    await expect
      .poll(async () => (await hub.request('/api/v2/players', { key })).headers.get('ratelimit-policy'))
      .toBe('"project";q=50;w=60');
  });
});
