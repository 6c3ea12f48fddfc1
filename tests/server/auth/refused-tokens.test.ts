import { describe, expect, it } from 'vitest';
import { createCredentials, newSecret, secretPrefix } from '../../../server/auth/credentials.ts';
import { startHub } from '../../kit/hub.ts';
import { openRaw } from '../../kit/raw-bridge.ts';

/** As it looks after a part of it was copied. */
const cut = (token: string): string => token.slice(0, 20);

describe('a wrong bridge token', () => {
  it('shows at the server whose token begins so, and at no other, until the right one comes', async () => {
    const hub = await startHub();
    const other = await hub.newProject('other');
    await hub.newServer('west');
    const theirs = await hub.newServer('east');
    const refusedAt = async (serverId: string) =>
      (await hub.request(`/api/v2/servers/${serverId}`)).body['tokenRefusedAt'];
    const since = Date.now();
    expect((await openRaw(hub.bridgeUrl, cut(hub.token)).refused()).status).toBe(401);
    expect(Date.parse(String(await refusedAt('main')))).toBeGreaterThanOrEqual(since - 1);
    expect([await refusedAt('west'), await refusedAt('east')]).toEqual([null, null]);
    expect((await openRaw(hub.bridgeUrl, cut(theirs)).refused()).status).toBe(401);
    expect([await refusedAt('west'), await refusedAt('east')]).toEqual([null, expect.any(String)]);
    expect((await hub.request('/api/v2/servers/main', { key: other.key })).status).toBe(404);
    await openRaw(hub.bridgeUrl, hub.token).opened();
    expect(await refusedAt('main')).toBeNull();
  });

  it('is forgotten after ten minutes, and a flood of others leaves a thousand', async () => {
    const time = { now: 1_000_000 };
    const byTokenHash = () => Promise.resolve(undefined);
    const { authenticateBridge, tokenRefusedAt } = createCredentials({
      store: { servers: { byTokenHash } } as unknown as Parameters<typeof createCredentials>[0]['store'],
      tuning: { wrongKeysPerMinute: 1_000_000 },
      now: () => time.now,
    });
    const refuse = async (): Promise<string> => {
      const token = cut(newSecret('bridge_token'));
      await expect(authenticateBridge(token, '192.0.2.1')).rejects.toThrow();
      return secretPrefix(token);
    };
    const prefix = await refuse();
    expect(tokenRefusedAt(prefix)).toBe(1_000_000);
    time.now += 10 * 60_000 - 1;
    expect(tokenRefusedAt(prefix)).toBe(1_000_000);
    time.now += 1;
    expect(tokenRefusedAt(prefix)).toBeUndefined();
    const first = await refuse();
    const later = [];
    for (let each = 0; each < 1_000; each += 1) later.push(await refuse());
    expect(tokenRefusedAt(first)).toBeUndefined();
    expect(later.filter((each) => tokenRefusedAt(each) !== undefined)).toHaveLength(1_000);
  });
});
