import { describe, expect, it } from 'vitest';
import type { CommandStatus } from '../../../db/schema/commands.ts';
import { Statistics } from '../../../server/panel/statistics.ts';
import { createEconomy, startGameServer } from '../../kit/game-server.ts';
import { startHub, type TestHub } from '../../kit/hub.ts';

const STEP_MS = 5 * 60_000;
type Point = { at: string; online: number; succeeded: number; refused: number; failed: number; unknown: number };

const pointsOf = async (hub: TestHub, query = ''): Promise<Point[]> =>
  (await hub.request(`/api/v2/statistics${query}`)).body['points'] as Point[];

/** A node without bridges; other nodes have these, with so many players. */
const onNode = (store: TestHub['store'], projectId: string, others: [string, number][]) => {
  let now = 1_795_000_000_000 - (1_795_000_000_000 % STEP_MS);
  const at = now;
  const viewOf = (online: number) => ({
    commands: new Set<string>(),
    accounts: [],
    journalClass: 'atomic' as const,
    classes: {},
    connectedAt: at,
    state: { reportedAt: at, players: { online } },
    customCommands: [],
  });
  const statistics = new Statistics(
    store,
    {
      find: () => undefined,
      all: () => [].values(),
      viewsElsewhere: async () => others.map(([serverId, online]) => [serverId, viewOf(online)]),
    },
    () => now,
  );
  return {
    statistics,
    at,
    settle: (status: CommandStatus) => statistics.count({ projectId, serverId: 'main', status }),
    pass: (ms: number) => {
      now += ms;
    },
  };
};

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
    const batch = { serverId: 'main', name: 'money', params: { type: 'bank', amount: 1, action: 'add' } };
    await hub.request('/api/v2/batches', {
      json: { ...batch, targets: ['char1:ana'] },
      headers: { 'Idempotency-Key': 'gift' },
    });
    await expect.poll(async () => (await pointsOf(hub)).at(-1)?.succeeded).toBe(2);
    const last = (await pointsOf(hub)).at(-1);
    expect(last).toMatchObject({ succeeded: 2, refused: 1, failed: 0, unknown: 0 });
    await hub.stop();
    const next = await startHub({ folder: hub.folder });
    expect((await pointsOf(next)).find(({ at }) => at === last?.at)).toMatchObject({ succeeded: 2, refused: 1 });
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
    // Two nodes counted outcomes; only one of them saw players.
    await hub.store.statistics.add([of('main', 2, 11)]);
    await hub.store.statistics.add([of('main', 2, 0)]);
    const points = await pointsOf(hub, '?hours=1');
    expect(points.map(({ online, succeeded }) => [online, succeeded])).toEqual([
      [16, 4],
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
    const { statistics, settle, pass, at } = onNode(store, project.id, []);
    settle('failed');
    settle('resolved_applied');
    await statistics.sweep();
    expect(await store.statistics.since(project.id, undefined, 0)).toEqual([]);
    pass(STEP_MS);
    await statistics.sweep();
    await statistics.sweep();
    settle('indeterminate');
    expect(await statistics.since(project.id, undefined, at)).toEqual([
      { at, online: 0, succeeded: 0, refused: 0, failed: 1, unknown: 0 },
      { at: at + STEP_MS, online: 0, succeeded: 0, refused: 0, failed: 0, unknown: 1 },
    ]);
  });

  it('show the players of other nodes too', async () => {
    const { store, project } = await startHub();
    const { statistics, at } = onNode(store, project.id, [
      ['main', 12],
      ['west', 30],
    ]);
    expect(await statistics.since(project.id, undefined, at)).toMatchObject([{ online: 42 }]);
    expect(await statistics.since(project.id, ['west'], at)).toMatchObject([{ online: 30 }]);
  });
});
