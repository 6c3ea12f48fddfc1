import { describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { openRaw, welcomeRaw } from '../../kit/raw-bridge.ts';

const setQuota = (hub: TestHub, patch: { maxServers?: number; maxKeys?: number }) =>
  hub.store.projects.update(hub.project.id, patch, Date.now());

/** Waits until the hub has noticed a changed quota. */
const noticed = async (hub: TestHub, quota: object): Promise<void> => {
  await expect.poll(async () => (await hub.request('/api/v2/project')).body).toMatchObject(quota);
};

const createServer = (hub: TestHub, serverId: string) => hub.request('/api/v2/servers', { json: { serverId } });
const createKey = (hub: TestHub, name: string) =>
  hub.request('/api/v2/keys', { json: { name, scopes: ['players:read'] } });

/** Every row of a list, and how many pages it took. */
const readAll = async (hub: TestHub, path: string, limit: number) => {
  const rows: Record<string, unknown>[] = [];
  let pages = 0;
  for (let cursor: string | null = ''; cursor !== null; pages += 1) {
    const { body } = await hub.request(`${path}?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`);
    rows.push(...(body['data'] as Record<string, unknown>[]));
    cursor = (body['pagination'] as { next: string | null }).next;
  }
  return { rows, pages };
};

describe('a project', () => {
  it('has 100 servers and 1,000 keys at most unless its operator says otherwise', async () => {
    const hub = await startHub();
    expect((await hub.request('/api/v2/project')).body).toMatchObject({ maxServers: 100, maxKeys: 1_000 });
  });

  it('gets as many servers as its quota, also from callers at once, and keeps them below a lowered one', async () => {
    const hub = await startHub();
    await setQuota(hub, { maxServers: 5 });
    await noticed(hub, { maxServers: 5 });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => createServer(hub, `s${n}`)));
    const made = answers.filter(({ status }) => status === 201).length;
    expect(made).toBeLessThanOrEqual(4);
    for (let n = made; n < 4; n += 1) expect((await createServer(hub, `more${n}`)).status).toBe(201);
    const refused = await createServer(hub, 'one-more');
    expect(refused).toMatchObject({ status: 409, body: { code: 'quota_exceeded', executed: 'no', retryable: false } });
    expect(refused.body['detail']).toContain('causeway project set test --max-servers');
    await setQuota(hub, { maxServers: 2 });
    await noticed(hub, { maxServers: 2 });
    expect((await readAll(hub, '/api/v2/servers', 200)).rows).toHaveLength(5);
  });

  it('gets as many live keys as its quota; a revoked or expired one makes room', async () => {
    const hub = await startHub();
    await setQuota(hub, { maxKeys: 3 });
    await noticed(hub, { maxKeys: 3 });
    const first = await createKey(hub, 'first');
    expect((await createKey(hub, 'second')).status).toBe(201);
    expect(await createKey(hub, 'third')).toMatchObject({ status: 409, body: { code: 'quota_exceeded' } });
    await hub.request(`/api/v2/keys/${first.body['id']}`, { method: 'DELETE' });
    expect((await createKey(hub, 'third')).status).toBe(201);
    expect(await createKey(hub, 'fourth')).toMatchObject({ status: 409 });
  });

  it('reads its servers and keys in pages, each row once and in order', async () => {
    const hub = await startHub();
    for (let n = 0; n < 6; n += 1) {
      await createServer(hub, `s${n}`);
      await createKey(hub, `k${n}`);
    }
    const servers = await readAll(hub, '/api/v2/servers', 3);
    expect(servers.rows.map(({ serverId }) => serverId)).toEqual(['main', 's0', 's1', 's2', 's3', 's4', 's5']);
    expect(servers.pages).toBe(3);
    const keys = await readAll(hub, '/api/v2/keys', 2);
    expect(keys.rows.map(({ name }) => name)).toEqual(['test key', 'k0', 'k1', 'k2', 'k3', 'k4', 'k5']);
    expect(keys.pages).toBe(4);
    for (const path of ['servers', 'keys']) {
      expect(await hub.request(`/api/v2/${path}?cursor=nonsense`)).toMatchObject({ status: 422 });
      expect((await hub.request(`/api/v2/${path}?limit=201`)).body['pagination']).toMatchObject({ limit: 200 });
    }
  });

  it('opens twice as many connections as it may have servers, and leaves the others to its neighbours', async () => {
    const hub = await startHub();
    await setQuota(hub, { maxServers: 1 });
    const second = await hub.newServer('second');
    const third = await hub.newServer('third');
    await welcomeRaw(hub.bridgeUrl, hub.token);
    await welcomeRaw(hub.bridgeUrl, second);
    const refused = await openRaw(hub.bridgeUrl, third).refused();
    expect(refused).toMatchObject({ status: 503 });
    expect(JSON.parse(refused.body)).toMatchObject({ code: 'node_full' });
    const other = await hub.newProject('other');
    const made = await hub.request('/api/v2/servers', { json: { serverId: 'theirs' }, key: other.key });
    await welcomeRaw(hub.bridgeUrl, String(made.body['token']));
  });
});
