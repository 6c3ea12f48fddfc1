import { describe, expect, it } from 'vitest';
import { createEvents } from '../../server/events.ts';
import { createLocalRouter } from '../../server/router.ts';
import { createStatistics } from '../../server/statistics.ts';
import { createEconomy, startGameServer } from '../support/game-server.ts';
import { startHub, type TestHub } from '../support/hub.ts';

const STEP_MS = 5 * 60_000;
type Point = { at: string; online: number; succeeded: number; refused: number; failed: number; unknown: number };

const pointsOf = async (hub: TestHub, query = ''): Promise<Point[]> =>
  (await hub.request(`/api/v2/statistics${query}`)).body['points'] as Point[];

describe('statistics', () => {
  it('count commands by how they ended, in steps that outlive the hub', async () => {
    const hub = await startHub();
    const economy = createEconomy({ 'char1:ana': 100 });
    startGameServer({ url: () => hub.bridgeUrl, token: hub.token, folder: hub.folder, economy });
    await expect.poll(async () => (await hub.request('/api/v2/players/char1:ana')).status).toBe(200);
    const remove = (amount: number) =>
      hub.request('/api/v2/bridge/main/money', {
        json: { target: 'char1:ana', type: 'bank', amount, action: 'remove' },
      });
    expect((await remove(1)).status).toBe(200);
    expect((await remove(1_000)).status).toBe(409);
    const last = (await pointsOf(hub)).at(-1);
    expect(last).toMatchObject({ succeeded: 1, refused: 1, failed: 0, unknown: 0 });
    await hub.stop();
    const next = await startHub({ folder: hub.folder });
    expect((await pointsOf(next)).find(({ at }) => at === last?.at)).toMatchObject({ succeeded: 1, refused: 1 });
    expect(await pointsOf(next, '?serverId=other')).toMatchObject([{ succeeded: 0 }]);
  });

  it('have a point for each step since, summed over the servers, and no more', async () => {
    const hub = await startHub();
    const now = Date.now() - (Date.now() % STEP_MS);
    const of = (serverId: string, steps: number, online: number) => ({
      projectId: hub.project.id,
      serverId,
      at: now - steps * STEP_MS,
      online,
      succeeded: 1,
      refused: 0,
      failed: 0,
      unknown: 0,
    });
    await hub.store.statistics.add([of('main', 2, 10), of('west', 2, 5), of('main', 20, 1)]);
    await hub.store.statistics.add([of('main', 2, 11)]);
    const points = await pointsOf(hub, '?hours=1');
    expect(points.map(({ online, succeeded }) => [online, succeeded])).toEqual([
      [16, 3],
      [0, 0],
    ]);
    expect(await hub.store.statistics.prune(now - STEP_MS, 2)).toBe(2);
    expect(await hub.store.statistics.prune(now - STEP_MS, 2)).toBe(1);
  });

  it('show a key its own servers only', async () => {
    const hub = await startHub();
    const at = Date.now() - (Date.now() % STEP_MS) - STEP_MS;
    const counts = { succeeded: 0, refused: 0, failed: 0, unknown: 0 };
    await hub.store.statistics.add([{ projectId: hub.project.id, serverId: 'main', at, online: 7, ...counts }]);
    const key = await hub.newKey(['servers:read'], ['west']);
    expect((await hub.request('/api/v2/statistics', { key })).body['points']).toMatchObject([{ online: 0 }]);
    expect((await hub.request('/api/v2/statistics?serverId=main', { key })).status).toBe(403);
  });

  it('write a step when it is over, once', async () => {
    const { store, project } = await startHub();
    const events = createEvents();
    let at = 1_795_000_000_000 - (1_795_000_000_000 % STEP_MS);
    const statistics = createStatistics({ store, router: createLocalRouter(), events, now: () => at });
    const settle = (status: string) =>
      events.publish(project.id, { type: 'command.settled', serverId: 'main', data: { status } });
    settle('failed');
    settle('resolved_applied');
    await statistics.sweep();
    expect(await store.statistics.since(project.id, undefined, 0)).toEqual([]);
    at += STEP_MS;
    await statistics.sweep();
    await statistics.sweep();
    settle('indeterminate');
    expect(await statistics.since(project.id, undefined, at - STEP_MS)).toEqual([
      { at: at - STEP_MS, online: 0, succeeded: 0, refused: 0, failed: 1, unknown: 0 },
      { at, online: 0, succeeded: 0, refused: 0, failed: 0, unknown: 1 },
    ]);
  });
});
