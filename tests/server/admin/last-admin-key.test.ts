import { describe, expect, it } from 'vitest';
import { SCOPES } from '../../../server/auth/credentials.ts';
import { startHub } from '../../kit/hub.ts';
import { createKey } from '../../kit/make-tenant.ts';

const start = async () => {
  const hub = await startHub();
  const path = `/api/v2/keys/${hub.keyId}`;
  return {
    hub,
    revoke: () => hub.request(path, { method: 'DELETE' }),
    change: (json: object) => hub.request(path, { method: 'PATCH', json }),
  };
};

describe('the last key with keys:write for all servers', () => {
  it('is neither revoked nor limited, and goes on working', async () => {
    const { hub, revoke, change } = await start();
    await hub.newKey(['keys:write'], ['main']);
    await hub.newKey(['players:read']);
    const past = Date.now() - 1;
    await createKey(hub.store, hub.project.id, { name: 'ended', scopes: ['keys:write'], expiresAt: past });
    for (const answer of [
      await revoke(),
      await change({ scopes: ['players:read'] }),
      await change({ servers: ['main'] }),
      await change({ expiresAt: new Date(Date.now() + 1e9).toISOString() }),
    ]) {
      expect(answer).toMatchObject({ status: 409, body: { code: 'last_admin_key', executed: 'no' } });
    }
    expect((await change({ name: 'the owner' })).status).toBe(200);
    expect((await hub.request('/api/v2/keys')).status).toBe(200);
  });

  it('is revoked as soon as there is another admin key', async () => {
    const { hub, revoke } = await start();
    await hub.newKey(['keys:write']);
    expect((await revoke()).status).toBe(204);
    expect((await hub.request('/api/v2/keys')).status).toBe(401);
  });

  it('is not revoked because of a key that expires within a day, unless it expires itself before', async () => {
    const { hub, revoke, change } = await start();
    const expiring = async (seconds: number): Promise<string> => {
      const json = { name: 'short', scopes: ['keys:write'], expiresAt: new Date(Date.now() + seconds * 1000) };
      const { body, status, text } = await hub.request('/api/v2/keys', { json });
      expect(status, text).toBe(201);
      return String(body['id']);
    };
    await expiring(2);
    const id = await expiring(23 * 60 * 60);
    for (const answer of [await revoke(), await change({ servers: ['main'] })]) {
      expect(answer).toMatchObject({ status: 409, body: { code: 'last_admin_key' } });
    }
    expect((await hub.request(`/api/v2/keys/${id}`, { method: 'DELETE' })).status).toBe(204);
    await expiring(25 * 60 * 60);
    expect((await revoke()).status).toBe(204);
  });

  it('is not revoked at the same time as the one before it', async () => {
    const { hub } = await start();
    const keys = [hub.key, await hub.newKey(SCOPES)];
    const { body } = await hub.request('/api/v2/keys');
    const ids = (body['data'] as { id: string }[]).map(({ id }) => id);
    const ends = ids.flatMap((id) => keys.map((key) => hub.request(`/api/v2/keys/${id}`, { method: 'DELETE', key })));
    expect((await Promise.all(ends)).filter(({ status }) => status === 204)).not.toEqual([]);
    const left = await Promise.all(keys.map(async (key) => (await hub.request('/api/v2/keys', { key })).status));
    expect(left.toSorted()).toEqual([200, 401]);
  });
});
