import { describe, expect, it } from 'vitest';
import { SCOPES, type Scope } from '../../../server/auth/credentials.ts';
import type { Call, Reply } from '../../kit/caller.ts';
import { createKey } from '../../kit/make-tenant.ts';
import { shareTenants } from '../../kit/tenants.ts';

const newTenants = shareTenants();

/** A key for keys that may also read players, on the servers given; and a call with it. */
const start = async (servers: string[] | null = null) => {
  const tenants = await newTenants();
  const { hub, call } = tenants;
  await hub.newServer('other');
  const make = (scopes: readonly Scope[], on: string[] | null = null) =>
    createKey(hub.store, hub.project.id, { name: 'a key', scopes, servers: on });
  const weak = await make(['keys:write', 'players:read'], servers);
  const keys = (more: Omit<Call, 'path'> & { path?: string }): Promise<Reply> =>
    call({ ...more, key: weak.key, path: `/api/v2/keys${more.path ?? ''}` });
  return { ...tenants, make, weak, keys };
};

const outcome = ({ status, body }: Reply): unknown[] => [status, body['code']];
const TOO_MANY_SCOPES = [403, 'insufficient_scope'];
const OTHER_SERVERS = [403, 'server_not_allowed'];

describe('a key that manages keys', () => {
  it.each(SCOPES.filter((scope) => scope !== 'keys:write' && scope !== 'players:read'))(
    'cannot make or change a key to %s, which it has not got',
    async (scope) => {
      const { make, weak, keys } = await start();
      const json = { name: 'stronger', scopes: ['players:read', scope] };
      expect(outcome(await keys({ method: 'POST', json }))).toEqual(TOO_MANY_SCOPES);
      const other = await make(['players:read']);
      for (const { row } of [weak, other]) {
        const change = { method: 'PATCH', path: `/${row.id}`, json: { scopes: [scope] } };
        expect(outcome(await keys(change))).toEqual(TOO_MANY_SCOPES);
      }
      const list = await keys({});
      expect(list.text).not.toContain('stronger');
    },
  );

  it('creates keys with its own permissions at most', async () => {
    const { keys, call } = await start();
    const { status, body } = await keys({ method: 'POST', json: { name: 'same', scopes: ['players:read'] } });
    expect(status).toBe(201);
    const key = String(body['key']);
    expect((await call({ path: '/api/v2/players', key })).status).toBe(200);
    expect((await call({ path: '/api/v2/keys', key })).status).toBe(403);
  });

  it('cannot revoke, rotate or rename a stronger key', async () => {
    const { hub, make, keys, call } = await start();
    const strong = await make(SCOPES);
    const path = `/${strong.row.id}`;
    const attacks = [
      { method: 'DELETE', path },
      { method: 'POST', path: `${path}/rotate` },
      { method: 'POST', path: `${path}/rotate`, json: { graceSeconds: 60 } },
      { method: 'PATCH', path, json: { name: 'taken over' } },
      { method: 'PATCH', path, json: { scopes: ['players:read'] } },
      { method: 'PATCH', path, json: { servers: ['other'] } },
      { method: 'PATCH', path, json: {} },
    ];
    for (const attack of attacks) expect(outcome(await keys(attack)), JSON.stringify(attack)).toEqual(TOO_MANY_SCOPES);
    expect(await hub.store.apiKeys.find(hub.project.id, strong.row.id)).toEqual(strong.row);
    expect((await call({ path: '/api/v2/keys', key: strong.key })).status).toBe(200);
  });

  it('that is limited to a server gives only that server away', async () => {
    const { make, weak, keys } = await start(['main']);
    const scopes = ['players:read'];
    const wide = [undefined, null, ['other'], ['main', 'other'], ['nowhere'], ['main', 'main', 'other']];
    for (const servers of wide) {
      const json = { name: 'wider', scopes, ...(servers !== undefined && { servers }) };
      expect(outcome(await keys({ method: 'POST', json })), JSON.stringify(json)).toEqual(OTHER_SERVERS);
    }
    expect((await keys({ method: 'POST', json: { name: 'same', scopes, servers: ['main'] } })).status).toBe(201);
    const narrow = await make(['players:read'], ['main']);
    for (const { row } of [weak, narrow]) {
      for (const servers of wide.slice(1)) {
        const change = { method: 'PATCH', path: `/${row.id}`, json: { servers } };
        expect(outcome(await keys(change)), JSON.stringify(servers)).toEqual(OTHER_SERVERS);
      }
    }
  });

  it('that is limited to a server cannot touch a key of wider reach', async () => {
    const { make, keys } = await start(['main']);
    for (const on of [null, ['other'], ['main', 'other']]) {
      const { row } = await make(['players:read'], on);
      const path = `/${row.id}`;
      const attacks = [
        { method: 'DELETE', path },
        { method: 'POST', path: `${path}/rotate` },
        { method: 'PATCH', path, json: { servers: ['main'] } },
      ];
      for (const attack of attacks) expect(outcome(await keys(attack))).toEqual(OTHER_SERVERS);
    }
  });

  it('that expires makes and touches nothing that outlives it', async () => {
    const { hub, make, call } = await start();
    const expiresAt = Date.now() + 3_600_000;
    const { key } = await createKey(hub.store, hub.project.id, { name: 'short', scopes: ['keys:write'], expiresAt });
    const post = (ends: number | undefined) => {
      const json = { name: 'a', scopes: ['keys:write'], ...(ends && { expiresAt: new Date(ends).toISOString() }) };
      return call({ key, method: 'POST', path: '/api/v2/keys', json });
    };
    expect(outcome(await post(undefined))).toEqual(TOO_MANY_SCOPES);
    expect(outcome(await post(expiresAt + 60_000))).toEqual(TOO_MANY_SCOPES);
    expect((await post(expiresAt - 60_000)).status).toBe(201);
    const { row } = await make(['keys:write']);
    const rotated = await call({ key, method: 'POST', path: `/api/v2/keys/${row.id}/rotate` });
    expect(outcome(rotated)).toEqual(TOO_MANY_SCOPES);
  });

  it('with bounds of its own for batches manages only keys with smaller ones', async () => {
    const { hub, make, call } = await start();
    const scopes: Scope[] = ['keys:write'];
    const bounds = { maxBatchTargets: 10, maxBatchTotal: 500 };
    const { key, row } = await createKey(hub.store, hub.project.id, { name: 'bounded', scopes, ...bounds });
    const path = '/api/v2/keys';
    const post = (json: object) => call({ key, method: 'POST', path, json: { name: 'a', scopes, ...json } });
    const patch = (id: string, json: object) => call({ key, method: 'PATCH', path: `${path}/${id}`, json });
    expect(await post({})).toMatchObject({ status: 201, body: bounds });
    const narrow = await post({ maxBatchTargets: 9, maxBatchTotal: 500 });
    expect(narrow).toMatchObject({ status: 201, body: { maxBatchTargets: 9 } });
    const wide = [{ maxBatchTargets: 11 }, { maxBatchTargets: null }, { maxBatchTotal: 501 }, { maxBatchTotal: null }];
    for (const more of wide) {
      for (const answer of [await post(more), await patch(String(narrow.body['id']), more), await patch(row.id, more)])
        expect(outcome(answer), JSON.stringify(more)).toEqual(TOO_MANY_SCOPES);
    }
    const unbounded = await make(scopes);
    expect(outcome(await patch(unbounded.row.id, { name: 'b' }))).toEqual(TOO_MANY_SCOPES);
    expect(await patch(row.id, { maxBatchTotal: 499 })).toMatchObject({ body: { maxBatchTotal: 499 } });
  });

  it('of one server sees the keys of that server alone', async () => {
    const { hub, make, weak, keys } = await start(['main']);
    const same = await make(['commands:money'], ['main']);
    await make(['players:read'], ['main', 'other']);
    await make(['players:read'], ['other']);
    await make(['players:read']);
    const { status, body, text } = await keys({});
    const ids = (body['data'] as { id: string }[]).map(({ id }) => id);
    expect([status, ids]).toEqual([200, [weak.row.id, same.row.id].toSorted()]);
    for (const hidden of ['other', hub.keyId, 'test key']) expect(text).not.toContain(hidden);
  });

  it('cannot bring a revoked key back to life', async () => {
    const { make, keys, call } = await start();
    const gone = await make(['players:read']);
    const path = `/${gone.row.id}`;
    expect((await keys({ method: 'DELETE', path })).status).toBe(204);
    const tries = [
      { method: 'POST', path: `${path}/rotate` },
      { method: 'PATCH', path, json: { name: 'back' } },
      { method: 'DELETE', path },
    ];
    for (const attempt of tries) expect(outcome(await keys(attempt))).toEqual([404, 'key_not_found']);
    expect(outcome(await call({ path: '/api/v2/players', key: gone.key }))).toEqual([401, 'invalid_api_key']);
  });

  it('gets changed permissions at once', async () => {
    const { hub, weak, keys, call } = await start();
    expect((await keys({})).status).toBe(200);
    const change = { method: 'PATCH', path: `/api/v2/keys/${weak.row.id}` };
    await call({ ...change, json: { scopes: ['players:read'] } });
    expect(outcome(await keys({}))).toEqual(TOO_MANY_SCOPES);
    await call({ ...change, json: { servers: ['other'] } });
    expect(outcome(await call({ path: '/api/v2/players?serverId=main', key: weak.key }))).toEqual(OTHER_SERVERS);
    const rotated = await call({ method: 'POST', path: `${change.path}/rotate` });
    expect(outcome(await call({ path: '/api/v2/players', key: weak.key }))).toEqual([401, 'invalid_api_key']);
    expect((await call({ path: '/api/v2/players', key: String(rotated.body['key']) })).status).toBe(200);
    expect(hub.keyId).not.toBe(weak.row.id);
  });

  it('rotates with a grace in which both secrets open, and then only one', async () => {
    const { make, keys, call } = await start();
    const { row, key } = await make(['players:read']);
    const { body } = await keys({ method: 'POST', path: `/${row.id}/rotate`, json: { graceSeconds: 1 } });
    const read = async (secret: unknown) => (await call({ path: '/api/v2/players', key: String(secret) })).status;
    expect([await read(key), await read(body['key'])]).toEqual([200, 200]);
    await expect.poll(() => read(key)).toBe(401);
    expect(await read(body['key'])).toBe(200);
  });
});
