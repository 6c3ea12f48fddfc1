import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRateLimit } from '../../../server/auth/limits.ts';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { answerAll, welcomeRaw } from '../../kit/raw-bridge.ts';

const PAYMENT = { target: 'char1:ana', type: 'bank', amount: 1, action: 'add' };

describe('the project limit', () => {
  it('refuses exactly the 101st request of a minute and says when to come back', async () => {
    const hub = await startHub({ rateLimit: 100 });
    const statuses: number[] = [];
    for (let request = 0; request < 100; request += 1) {
      const answer = await hub.request('/api/v2/health');
      statuses.push(answer.status);
      expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(99 - request));
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
    const refused = await hub.request('/api/v2/health');
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 'rate_limited', executed: 'no', retryable: true },
    });
    expect(refused.headers.get('ratelimit-policy')).toBe('"project";q=100;w=60');
    expect(refused.headers.get('ratelimit')).toMatch(/^"project";r=0;t=[3-6][0-9]$/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(30);
    expect(refused.headers.get('x-ratelimit-limit')).toBe('100');
    expect(Number(refused.headers.get('x-ratelimit-reset'))).toBeGreaterThan(Date.now() / 1000);
  });

  it('counts every endpoint and every key of the project together, and no other project', async () => {
    const hub = await startHub({ rateLimit: 3 });
    const second = await hub.newKey(['players:read']);
    const other = await hub.newProject('other', 3);
    await hub.request('/api/v2/players');
    await hub.request('/api/v2/players', { key: second });
    await hub.request('/api/v2/bridge/main/kick', { json: { wrong: true } });
    expect((await hub.request('/api/v2/project')).status).toBe(429);
    expect((await hub.request('/api/v2/players', { key: second })).status).toBe(429);
    expect((await hub.request('/api/v2/project', { key: other.key })).status).toBe(200);
  });

  it('forgets nothing when the limit is lowered and raised again', async () => {
    const hub = await startHub({ rateLimit: 10 });
    const setLimit = (rateLimit: number) => hub.store.projects.update(hub.project.id, { rateLimit }, Date.now());
    const ask = async (): Promise<number> => (await hub.request('/api/v2/project')).status;
    for (let request = 0; request < 10; request += 1) expect(await ask()).toBe(200);
    await setLimit(1);
    await expect.poll(async () => (await hub.request('/api/v2/project')).headers.get('x-ratelimit-limit')).toBe('1');
    await setLimit(12);
    await expect.poll(async () => (await hub.request('/api/v2/project')).headers.get('x-ratelimit-limit')).toBe('12');
    const admitted = [await ask(), await ask(), await ask()].filter((status) => status === 200);
    expect(admitted.length).toBeLessThanOrEqual(2);
  });

  it('counts the commands of the last minute again after a restart over SQLite', async () => {
    const first = await startHub({ rateLimit: 10 });
    const kick = (hub: TestHub) => hub.request('/api/v2/bridge/main/money', { json: PAYMENT });
    const bridge = await welcomeRaw(first.bridgeUrl, first.token);
    let paid = 0;
    answerAll(bridge, () => {
      paid += 1;
      return { status: 'done', data: { account: 'bank', before: paid - 1, after: paid }, sequence: paid };
    });
    for (let n = 0; n < 7; n += 1) expect((await kick(first)).status).toBe(200);
    await first.crash();
    const second = await startHub({ folder: first.folder });
    const { headers } = await second.request('/api/v2/project', { key: first.key });
    expect(headers.get('ratelimit')).toMatch(/^"project";r=2;t=[3-6]\d$/);
  });

  it('admits never more than the limit in any 60 seconds, and refuses only when it must', () => {
    const gaps = fc.array(fc.oneof(fc.integer({ min: 0, max: 300 }), fc.constant(59_999), fc.constant(60_000)), {
      minLength: 50,
      maxLength: 400,
    });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 20 }), (steps, limit) => {
        let clock = 1_000_000;
        const admitted: number[] = [];
        const rateLimit = createRateLimit({ now: () => clock });
        for (const step of steps) {
          clock += step;
          const inWindow = admitted.filter((at) => clock - at < 60_000).length;
          const { admitted: isAdmitted } = rateLimit.admit('project', limit);
          expect(isAdmitted).toBe(inWindow < limit);
          if (isAdmitted) admitted.push(clock);
        }
      }),
    );
  });

  it('keeps its counts when the limit of a project changes', () => {
    const rateLimit = createRateLimit({ now: () => 0 });
    for (let request = 0; request < 5; request += 1) rateLimit.admit('project', 5);
    expect(rateLimit.admit('project', 7)).toMatchObject({ admitted: true, remaining: 1 });
    expect(rateLimit.admit('project', 3)).toMatchObject({ admitted: false, remaining: 0 });
  });
});
