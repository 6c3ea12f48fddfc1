import { describe, expect, it } from 'vitest';
import { shareHub, startHub, type TestHub } from '../../kit/hub.ts';
import { connectShop, SECRET } from '../../kit/shop.ts';

const newTenant = shareHub();

const GIVE = { name: 'money', params: { type: 'bank', amount: 10, action: 'add' } };

const create = (hub: TestHub, changes: object = {}, key = hub.key) =>
  hub.request('/api/v2/integrations', {
    key,
    json: { kind: 'tebex', name: 'Shop', secret: SECRET, serverId: 'main', packages: { 7: [GIVE] }, ...changes },
  });

describe('integrations', () => {
  it('are made, listed, read, changed and deleted; the secret is never shown', async () => {
    const hub = await startHub({ env: { PUBLIC_URL: 'https://hub.example.com' } });
    const made = await create(hub);
    expect(made.status).toBe(201);
    const path = `/api/v2/integrations/${made.body.id}`;
    expect(made.body).toMatchObject({
      kind: 'tebex',
      url: `https://hub.example.com${path}/tebex`,
      packages: { 7: [GIVE] },
      maker: { keyId: hub.keyId },
      maxAmount: null,
      unmatched: 0,
    });
    const changed = await hub.request(path, { method: 'PATCH', json: { name: 'Another', maxDaily: 5 } });
    expect(changed.body).toMatchObject({ name: 'Another', maxDaily: 5, packages: { 7: [GIVE] } });
    const { body, text } = await hub.request('/api/v2/integrations');
    expect(body['data']).toEqual([changed.body]);
    expect(await hub.request(path)).toMatchObject({ status: 200, body: changed.body });
    expect(made.text + changed.text + text).not.toContain(SECRET);
    expect((await hub.request(path, { method: 'DELETE' })).status).toBe(204);
    expect((await hub.request('/api/v2/integrations')).body['data']).toEqual([]);
  });

  it('need the scopes of their commands, at the making and at each change', async () => {
    const hub = await newTenant();
    const weak = await hub.newKey(['integrations:write']);
    expect((await create(hub, {}, weak)).body).toMatchObject({ code: 'insufficient_scope' });
    expect((await create(hub, { packages: { 1: [{ name: 'custom:x', params: {} }] } }, weak)).body['detail']).toContain(
      'commands:custom',
    );
    const { id, path } = await connectShop(hub, 'tebex', { 7: [GIVE] });
    for (const json of [{ name: 'x' }, { secret: SECRET }, { packages: {} }, { maxAmount: null }]) {
      const answer = await hub.request(path, { key: weak, method: 'PATCH', json });
      expect(answer.body, JSON.stringify(json)).toMatchObject({ code: 'insufficient_scope' });
    }
    expect((await hub.request(path, { key: weak, method: 'DELETE' })).status).toBe(403);
    expect((await hub.request(path, { key: weak })).body.id).toBe(id);
    const strong = await hub.newKey(['integrations:write', 'commands:money']);
    const changed = await hub.request(path, { key: strong, method: 'PATCH', json: { packages: { 8: [GIVE] } } });
    expect(changed.body).toMatchObject({ packages: { 8: [GIVE] }, maker: { name: 'other key' } });
  });

  it('are tried with a change that is not stored, by the rules of a change', async () => {
    const hub = await newTenant();
    const shop = await connectShop(hub, 'orders', { vip: [GIVE] });
    const attempt = (change: object, key = hub.key) =>
      hub.request(`${shop.path}/test`, { key, json: { buyer: null, packages: [{ id: 'a/b' }], change } });
    expect((await attempt({})).body['data']).toMatchObject([{ name: null, problem: 'unmapped_package' }]);
    expect((await attempt({ packages: { 'a/b': [GIVE, GIVE] } })).body['data']).toMatchObject([
      { name: 'money', problem: 'no_buyer' },
      { name: 'money', problem: 'no_buyer' },
    ]);
    expect((await hub.request(shop.path)).body['packages']).toEqual({ vip: [GIVE] });
    const wrong = { ...GIVE, params: { ...GIVE.params, amount: 0 } };
    expect((await attempt({ packages: { 'a/b': [wrong] } })).body).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/packages/a~1b/0/params/amount' }],
    });
    expect((await attempt({ serverId: 'nowhere' })).body).toMatchObject({ errors: [{ pointer: '/serverId' }] });
    const weak = await hub.newKey(['integrations:write']);
    expect((await attempt({ packages: { 'a/b': [GIVE] } }, weak)).body).toMatchObject({ code: 'insufficient_scope' });
  });

  it('are of servers that the key may use', async () => {
    const hub = await newTenant();
    await hub.newServer('other');
    const limited = await hub.newKey(['integrations:write', 'commands:money'], ['other']);
    expect((await create(hub, {}, limited)).body.code).toBe('server_not_allowed');
    expect((await create(hub, { serverId: 'other' }, limited)).status).toBe(201);
    const { path } = await connectShop(hub, 'tebex', {});
    expect((await hub.request(path, { key: limited })).body.code).toBe('integration_not_found');
    const { body } = await hub.request('/api/v2/integrations', { key: limited });
    expect(body['data']).toMatchObject([{ serverId: 'other' }]);
    const moved = { method: 'PATCH', key: limited, json: { serverId: 'main' } };
    const [own] = body['data'] as { id: string }[];
    expect((await hub.request(`/api/v2/integrations/${own?.id}`, moved)).body.code).toBe('server_not_allowed');
  });

  it.each([
    [{ serverId: 'ghost' }, '/serverId'],
    [{ secret: 'short' }, '/secret'],
    [{ kind: 'paypal' }, '/kind'],
    [{ name: '' }, '/name'],
    [{ identifierKind: 'IP:' }, '/identifierKind'],
    [{ packages: { 7: [{ name: 'kick', params: {} }] } }, '/packages/7/0/name'],
    [{ packages: { 7: [{ name: 'custom:', params: {} }] } }, '/packages/7/0/name'],
    [{ packages: { 7: [GIVE, { ...GIVE, params: { ...GIVE.params, amount: 0 } }] } }, '/packages/7/1/params/amount'],
    [{ packages: { 7: [{ ...GIVE, params: { ...GIVE.params, target: 'x' } }] } }, '/packages/7/0/params/target'],
    [{ packages: { 7: [{ ...GIVE, params: { ...GIVE.params, ghost: 1 } }] } }, '/packages/7/0/params/ghost'],
    [{ packages: { 7: [{ ...GIVE, params: { ...GIVE.params, expiresInSeconds: 5 } }] } }, '/expiresInSeconds'],
    [{ packages: { 'a b': [] } }, '/packages'],
    [{ packages: { 7: Array.from({ length: 21 }, () => GIVE) } }, '/packages/7'],
    [{ maxDaily: 0 }, '/maxDaily'],
    [{ ghost: 1 }, '/ghost'],
  ])('refuse %j', async (changes, pointer) => {
    const hub = await newTenant();
    const { status, body } = await create(hub, changes);
    expect(status).toBe(422);
    expect(body['errors']).toMatchObject([{ pointer: expect.stringContaining(pointer) }]);
  });

  it('are fifty in a project at most', async () => {
    const hub = await newTenant();
    for (let n = 0; n < 50; n += 1) expect((await create(hub, { packages: {} })).status).toBe(201);
    expect((await create(hub)).body.code).toBe('quota_exceeded');
  });

  it('outlive the key of their maker, and are gone with their project', async () => {
    const hub = await newTenant();
    const shop = await connectShop(hub, 'orders', { vip: [GIVE] });
    await shop.send({ id: 'o1', type: 'paid', buyer: 'ghost', packages: [{ id: 'vip' }] });
    await hub.store.apiKeys.update(hub.project.id, hub.keyId, { revokedAt: 1 }, Date.now());
    const answer = await shop.send({ id: 'o2', type: 'paid', buyer: 'ghost', packages: [{ id: 'vip' }] });
    expect(answer.status).toBe(200);
    await hub.store.projects.remove(hub.project.id).catch(() => undefined);
    expect(await hub.store.integrations.byId(shop.id)).toBeUndefined();
  });
});
