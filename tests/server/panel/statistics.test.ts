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
    settle: (status: CommandStatus, batchId: string | null = null) =>
      statistics.count({ projectId, serverId: 'main', status, batchId }),
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
    // A step may end in between.
    const sums = async (of: TestHub) => {
      const points = await pointsOf(of);
      const sum = (name: 'succeeded' | 'refused' | 'failed' | 'unknown') =>
        points.reduce((all, one) => all + one[name], 0);
      return { succeeded: sum('succeeded'), refused: sum('refused'), failed: sum('failed'), unknown: sum('unknown') };
    };
    const counted = { succeeded: 2, refused: 1, failed: 0, unknown: 0 };
    await expect.poll(() => sums(hub)).toEqual(counted);
    await hub.stop();
    const next = await startHub({ folder: hub.folder });
    expect(await sums(next)).toEqual(counted);
    expect(await pointsOf(next, '?serverId=other')).toMatchObject([{ succeeded: 0 }]);
  });

  it('have a point for each step since, summed over the servers, and no more', async () => {
    const hub = await startHub();
    const now = Math.floor(Date.now() / STEP_MS) * STEP_MS;
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
    const at = Math.floor(Date.now() / STEP_MS) * STEP_MS - STEP_MS;
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

type Ends = Pick<Point, 'succeeded' | 'refused' | 'failed' | 'unknown'>;
type Bucket = { at: string; online: number | null; ended: Ends | null; batches: Ends | null };
type Series = {
  serverId: string;
  online: (number | null)[];
  ended: (number | null)[];
  batches: (number | null)[];
};
type Ranged = { range: string; bucketSeconds: number; points: Bucket[]; servers?: Series[] };

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const NONE = { succeeded: 0, refused: 0, failed: 0, unknown: 0 };
const ranged = async (hub: TestHub, query: string, key?: string) =>
  (await hub.request(`/api/v2/statistics?${query}`, key === undefined ? {} : { key })).body as unknown as Ranged;
/** The beginning of the bucket that lies so many buckets before the one that runs. */
const before = (buckets: number, bucketMs: number): number => {
  const now = Date.now();
  return now - (now % bucketMs) - buckets * bucketMs;
};
/** The sum over all buckets. */
const sumOf = (values: readonly (number | null | undefined)[]): number =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
const pointAt = ({ points }: Pick<Ranged, 'points'>, at: number) => points.find((point) => Date.parse(point.at) === at);

describe('statistics over a range', () => {
  it('count commands where they end, and those of batches apart', async () => {
    const hub = await startHub();
    const economy = createEconomy({ 'char1:ana': 100, 'char1:bob': 100 });
    startGameServer({ url: () => hub.bridgeUrl, token: hub.token, folder: hub.folder, economy });
    await expect.poll(async () => (await hub.request('/api/v2/players/char1:ana')).status).toBe(200);
    const params = { type: 'bank', amount: 1, action: 'add' };
    const json = { target: 'char1:ana', ...params };
    expect((await hub.request('/api/v2/bridge/main/money', { json })).status).toBe(200);
    await hub.request('/api/v2/batches', {
      json: { serverId: 'main', name: 'money', params, targets: ['char1:ana', 'char1:bob'] },
      headers: { 'Idempotency-Key': 'gift' },
    });
    for (const range of ['24h', '7d', '30d']) {
      const counted = async () => {
        const { points } = await ranged(hub, `range=${range}`);
        return [
          sumOf(points.map(({ ended }) => ended?.succeeded)),
          sumOf(points.map(({ batches }) => batches?.succeeded)),
        ];
      };
      await expect.poll(counted).toEqual([1, 2]);
    }
    await hub.stop();
    const next = await startHub({ folder: hub.folder });
    const { servers } = await ranged(next, 'range=7d&each=server');
    expect(servers?.map(({ ended, batches }) => [sumOf(ended), sumOf(batches)])).toEqual([[1, 2]]);
  });

  it.each([
    ['24h', 900, 96],
    ['7d', 3_600, 168],
    ['30d', 21_600, 120],
  ])(
    'of %s have a bucket for each %i s: averages of its steps, and null where nothing is known',
    async (range, seconds, count) => {
      const hub = await startHub();
      const at = before(40, seconds * 1_000);
      const counts = { ...NONE, succeeded: 2, refused: 1, batchSucceeded: 1 };
      const of = (serverId: string, step: number, online: number) => ({
        projectId: hub.project.id,
        serverId,
        at: at + step * STEP_MS,
        online,
        ...counts,
      });
      await hub.store.statistics.add([of('main', 0, 10), of('main', 1, 20), of('west', 0, 4)]);
      // Only outcomes: no bridge was connected.
      await hub.store.statistics.add([{ ...of('west', 2, 0), seen: 0 }]);
      const answer = await ranged(hub, `range=${range}&each=server`);
      expect(answer).toMatchObject({ range, bucketSeconds: seconds, peak: 20 });
      expect(answer.points).toHaveLength(count);
      expect(
        answer.points.every(
          (point, nth) =>
            nth === 0 || Date.parse(point.at) - Date.parse(answer.points[nth - 1]?.at ?? '') === seconds * 1_000,
        ),
      ).toBe(true);
      const index = answer.points.findIndex((point) => Date.parse(point.at) === at);
      expect(answer.points[index]).toMatchObject({
        // 14 and 20 together, over the steps in which a bridge was connected.
        online: 17,
        ended: { ...NONE, succeeded: 4, refused: 4 },
        batches: { ...NONE, succeeded: 4 },
      });
      expect(answer.points[index + 1]).toMatchObject({ online: null, ended: null, batches: null });
      expect(
        answer.servers?.map(({ serverId, ...values }) => [
          serverId,
          values.online[index],
          values.ended[index],
          values.batches[index],
        ]),
      ).toEqual([
        ['main', 15, 4, 2],
        ['west', 4, 4, 2],
      ]);
      expect(
        answer.servers?.every(({ online, ended, batches }) =>
          [online, ended, batches].every((values) => values.length === count),
        ),
      ).toBe(true);
      expect(answer.servers?.[0]?.online[index + 1]).toBe(null);
      expect((await ranged(hub, `range=${range}`)).servers).toBeUndefined();
    },
  );

  it('show a key its own servers only, and one server if it is asked for', async () => {
    const hub = await startHub();
    const at = before(3, HOUR_MS);
    const of = (serverId: string) => ({ projectId: hub.project.id, serverId, at, online: 7, ...NONE });
    await hub.store.statistics.add([of('main'), of('west')]);
    const key = await hub.newKey(['servers:read'], ['west']);
    const own = await ranged(hub, 'range=7d&each=server', key);
    expect([own.servers?.map(({ serverId }) => serverId), pointAt(own, at)?.online]).toEqual([['west'], 7]);
    const main = await ranged(hub, 'range=7d&each=server&serverId=main');
    expect([main.servers?.map(({ serverId }) => serverId), pointAt(main, at)?.online]).toEqual([['main'], 7]);
    expect((await hub.request('/api/v2/statistics?range=7d&serverId=main', { key })).status).toBe(403);
  });

  it('of 60 servers for a month stay below 200 KB', async () => {
    const hub = await startHub();
    const oldest = before(119, 6 * HOUR_MS);
    const rows = Array.from({ length: 60 }, (_, nth) =>
      Array.from({ length: 120 }, (__, bucket) => ({
        projectId: hub.project.id,
        serverId: `server-${nth}`,
        at: oldest + bucket * 6 * HOUR_MS,
        online: 100 + nth,
        ...NONE,
        succeeded: 1_000,
        batchSucceeded: 500,
      })),
    ).flat();
    await hub.store.statistics.add(rows);
    const { text } = await hub.request('/api/v2/statistics?range=30d&each=server');
    expect((JSON.parse(text) as Ranged).servers).toHaveLength(60);
    expect(text.length).toBeLessThan(200_000);
  });

  it.each([
    ['each=server', '/each', 'needs range: send range=24h, 7d or 30d, too'],
    ['range=7d&hours=24', '/hours', 'must be absent with range: send one of them'],
    ['range=8d', '/range', 'must be one of 24h, 7d, 30d'],
    ['range=7d&each=player', '/each', 'must be "server"'],
  ])('refuse ?%s, and say what is possible', async (query, pointer, detail) => {
    const hub = await startHub();
    const { status, body } = await hub.request(`/api/v2/statistics?${query}`);
    expect([status, body['errors']]).toEqual([422, [{ pointer, detail }]]);
  });

  it('are kept for 32 days, and go in slices', async () => {
    const { store, project } = await startHub();
    const { statistics, at, pass, settle } = onNode(store, project.id, []);
    const rowsAt = (days: number, count: number) =>
      Array.from({ length: count }, (_, nth) => ({
        projectId: project.id,
        serverId: `s${nth}`,
        at: at - days * DAY_MS,
        online: 1,
        ...NONE,
      }));
    await store.statistics.add([...rowsAt(33, 1_200), ...rowsAt(31, 3)]);
    const hours = () =>
      store.statistics.bucketsOfEach({
        of: 'hours',
        projectId: project.id,
        servers: undefined,
        since: 0,
        bucketMs: HOUR_MS,
      });
    expect(await hours()).toHaveLength(1_203);
    settle('succeeded');
    pass(STEP_MS);
    await statistics.sweep();
    expect((await hours()).filter((hour) => hour.at < at - HOUR_MS)).toHaveLength(3);
    const steps = await store.statistics.since(project.id, undefined, 0);
    expect(steps.map((step) => step.at)).toEqual([at]);
  });

  it('have the step that runs, also of bridges at other nodes, and end with the clock', async () => {
    const { store, project } = await startHub();
    const { statistics, at, pass, settle } = onNode(store, project.id, [
      ['main', 12],
      ['west', 30],
    ]);
    settle('succeeded');
    settle('failed', 'bat_1');
    const last = async () => (await statistics.over(project.id, undefined, '24h')).at(-1);
    const [ended, batches] = [
      { ...NONE, succeeded: 1 },
      { ...NONE, failed: 1 },
    ];
    expect(await last()).toMatchObject({ online: 42, ended, batches });
    const peak = async () => {
      const buckets = await statistics.over(project.id, undefined, '7d');
      return statistics.peak(project.id, undefined, { range: '7d', buckets });
    };
    expect(await peak()).toBe(42);
    await store.statistics.add([{ projectId: project.id, serverId: 'main', at: at - HOUR_MS, online: 9, ...NONE }]);
    // The step that runs may end with fewer players.
    expect(await peak()).toBe(9);
    expect((await statistics.overOfEach(project.id, ['west'], '24h')).map(({ serverId }) => serverId)).toEqual([
      'west',
    ]);
    pass(STEP_MS);
    await statistics.sweep();
    // Of the same bucket or of the one before: nothing is counted twice, and nothing is lost.
    const all = (await statistics.over(project.id, undefined, '24h')).flatMap((bucket) => bucket.ended ?? []);
    expect(all.reduce((sum, bucket) => sum + bucket.succeeded, 0)).toBe(1);
    pass(DAY_MS);
    const later = await statistics.over(project.id, undefined, '24h');
    expect(later.at(-1)?.at).toBe(at + STEP_MS + DAY_MS - ((at + STEP_MS + DAY_MS) % (15 * 60_000)));
    expect(later.slice(0, -1).every((bucket) => bucket.ended === null)).toBe(true);
  });
});
