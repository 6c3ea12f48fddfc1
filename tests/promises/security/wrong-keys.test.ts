import { describe, expect, it, vi } from 'vitest';
import { newSecret } from '../../../server/auth/credentials.ts';
import type { Reply } from '../../kit/caller.ts';
import { startTenants } from '../../kit/tenants.ts';

const LIMIT = 3;

/** Requests that come from addresses of their own, through one trusted proxy. */
const start = async (env: Record<string, string> = { TRUST_PROXY: '1' }) => {
  const tenants = await startTenants({ tuning: { wrongKeysPerMinute: LIMIT }, env });
  const lookups = vi.spyOn(tenants.hub.hub.store.apiKeys, 'byHash');
  const from = (address: string, key: string | null): Promise<Reply> =>
    tenants.call({ path: '/api/v2/project', key, headers: { 'X-Forwarded-For': address } });
  const exhaust = async (address: string): Promise<void> => {
    for (let turn = 0; turn < LIMIT; turn += 1) {
      expect((await from(address, turn % 2 === 0 ? newSecret('api_key') : 'malformed')).status).toBe(401);
    }
  };
  return { ...tenants, lookups, from, exhaust };
};

describe('wrong keys of one address', () => {
  it('are refused without a lookup once there were too many', async () => {
    const { lookups, from, exhaust } = await start();
    await exhaust('192.0.2.1');
    lookups.mockClear();
    for (const key of [newSecret('api_key'), 'malformed', 'cwb_x']) {
      const { status, headers, body } = await from('192.0.2.1', key);
      expect([status, body['code'], body['retryable']]).toEqual([429, 'rate_limited', true]);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    }
    expect(lookups).not.toHaveBeenCalled();
  });

  it('do not lock out a key that is in use, there or elsewhere', async () => {
    const { hub, rival, from, exhaust } = await start();
    expect((await from('192.0.2.1', hub.key)).status).toBe(200);
    await exhaust('192.0.2.1');
    expect((await from('192.0.2.1', hub.key)).status).toBe(200);
    expect((await from('192.0.2.1', rival.key)).status).toBe(429);
    expect((await from('192.0.2.2', rival.key)).status).toBe(200);
    expect((await from('192.0.2.2', 'malformed')).status).toBe(401);
    expect((await from('2001:db8::1', newSecret('api_key'))).status).toBe(401);
  });

  it('are not a request without a key, nor one that lacks a scope', async () => {
    const { hub, call, from } = await start();
    const reader = await hub.newKey(['players:read']);
    const headers = { 'X-Forwarded-For': '192.0.2.1' };
    for (let turn = 0; turn <= LIMIT; turn += 1) {
      expect((await from('192.0.2.1', null)).status).toBe(401);
      expect((await call({ path: '/api/v2/keys', key: reader, headers })).status).toBe(403);
    }
    expect((await from('192.0.2.1', hub.key)).status).toBe(200);
  });

  it('are counted for the address the proxy saw, not for one that the caller wrote', async () => {
    const { from } = await start();
    for (let turn = 0; turn < LIMIT; turn += 1) {
      expect((await from(`198.51.100.${turn}, 192.0.2.1`, 'malformed')).status).toBe(401);
    }
    expect((await from('198.51.100.9, 192.0.2.1', 'malformed')).status).toBe(429);
    expect((await from('192.0.2.1, 198.51.100.9', 'malformed')).status).toBe(401);
  });

  it('are counted for the socket without a trusted proxy, whatever X-Forwarded-For says', async () => {
    const { from } = await start({});
    for (let turn = 0; turn < LIMIT; turn += 1) expect((await from(`192.0.2.${turn}`, 'malformed')).status).toBe(401);
    expect((await from('192.0.2.77', 'malformed')).status).toBe(429);
  });

  it('do not count against a project', async () => {
    const { hub, from, exhaust } = await start();
    const used = async (): Promise<number> => {
      const { body } = await from('192.0.2.2', hub.key);
      return (body['rateLimit'] as { used: number }).used;
    };
    const before = await used();
    await exhaust('192.0.2.1');
    expect(await used()).toBe(before + 1);
  });
});
