import { expect, it } from 'vitest';
import { type Answer, startHub, type TestHub } from '../../kit/hub.ts';

const YEAR = { at: '2099-01-01T00:00:00.000Z' };

/** Sends so many requests at once, and counts the answers of each status. One whose turn did not come in time is repeated. */
const atOnce = async (count: number, send: (n: number) => Promise<Answer>): Promise<Record<number, number>> => {
  const insist = async (n: number): Promise<Answer> => {
    const answer = await send(n);
    return answer.body['code'] === 'store_unavailable' ? insist(n) : answer;
  };
  const answers = await Promise.all(Array.from({ length: count }, (_, n) => insist(n)));
  const statuses: Record<number, number> = {};
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
  return statuses;
};

const setQuota = async (hub: TestHub, quota: { maxServers?: number; maxKeys?: number }): Promise<void> => {
  await hub.store.projects.update(hub.project.id, quota, Date.now());
  await expect.poll(async () => (await hub.request('/api/v2/project')).body).toMatchObject(quota);
};

it('of 400 schedules at once, 200 are stored', async () => {
  const hub = await startHub();
  const task = { name: 'announce', params: { message: 'The race begins' } };
  const send = (n: number) =>
    hub.request('/api/v2/schedules', { json: { serverId: 'main', label: `race ${n}`, task, when: YEAR } });
  expect(await atOnce(400, send)).toEqual({ 201: 200, 409: 200 });
});

it('of 20 servers at once, as many are stored as the project may have', async () => {
  const hub = await startHub();
  await setQuota(hub, { maxServers: 5 });
  const send = (n: number) => hub.request('/api/v2/servers', { json: { serverId: `s${n}` } });
  expect(await atOnce(20, send)).toEqual({ 201: 4, 409: 16 });
});

it('of 20 keys at once, as many are stored as the project may have', async () => {
  const hub = await startHub();
  await setQuota(hub, { maxKeys: 5 });
  const send = (n: number) => hub.request('/api/v2/keys', { json: { name: `key ${n}`, scopes: ['players:read'] } });
  expect(await atOnce(20, send)).toEqual({ 201: 4, 409: 16 });
});

it('of 80 integrations at once, 50 are stored', async () => {
  const hub = await startHub();
  const send = (n: number) =>
    hub.request('/api/v2/integrations', {
      json: { kind: 'orders', name: `shop ${n}`, serverId: 'main', secret: 'a-long-secret-of-the-shop', packages: {} },
    });
  expect(await atOnce(80, send)).toEqual({ 201: 50, 409: 30 });
});
