import { describe, expect, it } from 'vitest';
import { SCOPES } from '../../../server/auth/credentials.ts';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { createKey } from '../../kit/make-tenant.ts';

const SESSION = '/api/v2/panel/session';
const ORIGIN = 'http://hub.example.org';

const start = () => startHub({ env: { PUBLIC_URL: ORIGIN } });

/** A person who is signed in to the panel with this key. */
const signIn = async (hub: TestHub, key = hub.key) => {
  const answer = await hub.request(SESSION, { method: 'POST', key });
  const headers = { Cookie: (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '', Origin: ORIGIN };
  return (path: string, options: Parameters<TestHub['request']>[1] = {}) =>
    hub.request(path, { key: null, ...options, headers });
};

type Ask = (path: string, options?: Parameters<TestHub['request']>[1]) => ReturnType<TestHub['request']>;

const replace = async (ask: Ask, id: string, json?: object): Promise<string> => {
  const { status, body } = await ask(`/api/v2/keys/${id}/rotate`, { method: 'POST', ...(json && { json }) });
  expect(status).toBe(200);
  return String(body['key']);
};

const statusOf = async (hub: TestHub, key: string): Promise<number> =>
  (await hub.request('/api/v2/keys', { key })).status;

describe('a key that replaces itself', () => {
  it.each([
    ['signs in', (hub: TestHub, key: string) => hub.request(SESSION, { method: 'POST', key })],
    ['sends a request', (hub: TestHub, key: string) => hub.request('/api/v2/project', { key })],
  ])('works until its new secret %s, and its sessions with it', async (_name, use) => {
    const hub = await start();
    const ask = await signIn(hub);
    const fresh = await replace(ask, hub.keyId);
    expect((await ask('/api/v2/keys')).status).toBe(200);
    expect(await statusOf(hub, hub.key)).toBe(200);
    expect((await use(hub, fresh)).status).toBeLessThan(300);
    expect(await statusOf(hub, hub.key)).toBe(401);
    expect((await ask(SESSION)).body.code).toBe('signed_out');
    expect(await statusOf(hub, fresh)).toBe(200);
  });

  it('is not lost when the new secret is: it replaces itself again, and that secret counts', async () => {
    const hub = await start();
    const ask = await signIn(hub);
    const lost = await replace(ask, hub.keyId);
    const fresh = await replace(ask, hub.keyId);
    expect(await statusOf(hub, lost)).toBe(401);
    expect((await ask(SESSION)).status).toBe(200);
    expect(await statusOf(hub, hub.key)).toBe(200);
    expect(await statusOf(hub, fresh)).toBe(200);
    expect(await statusOf(hub, hub.key)).toBe(401);
  });

  it('keeps its old secret over a restart of the hub', async () => {
    const hub = await start();
    const fresh = await replace(await signIn(hub), hub.keyId);
    await hub.crash();
    const next = await startHub({ folder: hub.folder });
    expect(await statusOf(next, hub.key)).toBe(200);
    expect(await statusOf(next, fresh)).toBe(200);
    expect(await statusOf(next, hub.key)).toBe(401);
  });

  it('ends at once or after a time where graceSeconds says so', async () => {
    const hub = await start();
    const { key, row } = await createKey(hub.store, hub.project.id, { name: 'second' });
    const ask: Ask = (path, options) => hub.request(path, { key, ...options });
    const lost = await replace(ask, row.id);
    const fresh = await replace(ask, row.id, { graceSeconds: 3_600 });
    expect([await statusOf(hub, lost), await statusOf(hub, fresh), await statusOf(hub, key)]).toEqual([401, 200, 200]);
    const last = await replace(ask, row.id, { graceSeconds: 0 });
    expect([await statusOf(hub, fresh), await statusOf(hub, key), await statusOf(hub, last)]).toEqual([401, 401, 200]);
  });
});

describe('a key that another one replaces', () => {
  it('ends at once, also one that was waiting for its new secret', async () => {
    const hub = await start();
    const { key, row } = await createKey(hub.store, hub.project.id, { name: 'second' });
    const ask = await signIn(hub, key);
    const waiting = await replace(ask, row.id);
    const fresh = await replace(hub.request, row.id);
    expect([await statusOf(hub, key), await statusOf(hub, waiting)]).toEqual([401, 401]);
    expect((await ask(SESSION)).body.code).toBe('signed_out');
    expect(await statusOf(hub, fresh)).toBe(200);
  });
});

describe('the last key that can manage keys', () => {
  it('is not ended before its new secret was used', async () => {
    const hub = await start();
    await hub.newKey(SCOPES.filter((scope) => scope !== 'keys:write'));
    const path = `/api/v2/keys/${hub.keyId}/rotate`;
    for (const graceSeconds of [0, 1, 604_800]) {
      const refused = await hub.request(path, { json: { graceSeconds } });
      expect(refused).toMatchObject({ status: 409, body: { code: 'last_admin_key', executed: 'no' } });
    }
    expect(await statusOf(hub, hub.key)).toBe(200);
    const fresh = await replace(hub.request, hub.keyId);
    expect(await statusOf(hub, hub.key)).toBe(200);
    expect([await statusOf(hub, fresh), await statusOf(hub, hub.key)]).toEqual([200, 401]);
  });
});
