import { describe, expect, it } from 'vitest';
import { shareHub, startHub, type TestHub } from '../../kit/hub.ts';
import { hubDatabase } from '../../kit/hub-database.ts';
import { playerFrame, type RawBridge, welcomeRaw } from '../../kit/raw-bridge.ts';

const newTenant = shareHub();

type Listed = { identifier: string; online: boolean; lastSeenAt: string; accounts: Record<string, number> };

const list = async (hub: TestHub, query = ''): Promise<{ data: Listed[]; total: number }> => {
  const { body } = await hub.request(`/api/v2/players?limit=200${query}`);
  return { data: body['data'] as Listed[], total: (body['pagination'] as { total: number }).total };
};
const onlineOf = async (hub: TestHub): Promise<string[]> =>
  (await list(hub, '&online=true')).data.map(({ identifier }) => identifier).sort();

const snapshot = (bridge: RawBridge, revision: number, players: object[], part = 0, last = true): void =>
  bridge.send({ type: 'players.snapshot', revision, part, last, players });

const connect = async (hub: TestHub, changes: Record<string, unknown> = {}) =>
  welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'one', ...changes });

describe('players of a bridge', () => {
  it('appear after a snapshot in parts, and the absent go offline', async () => {
    const hub = await newTenant();
    const bridge = await connect(hub);
    snapshot(bridge, 1, [playerFrame('a'), playerFrame('b')], 0, false);
    snapshot(bridge, 1, [playerFrame('c'), playerFrame('d', { online: false })], 1, true);
    await expect.poll(() => onlineOf(hub)).toEqual(['a', 'b', 'c']);
    snapshot(bridge, 2, [playerFrame('c')]);
    await expect.poll(() => onlineOf(hub)).toEqual(['c']);
    expect((await list(hub)).total).toBe(4);
  });

  it('have the time of the snapshot that confirmed them, also if nothing changed', async () => {
    const hub = await newTenant();
    const bridge = await connect(hub);
    const syncedAt = async () => String((await hub.request('/api/v2/players/a')).body['syncedAt']);
    snapshot(bridge, 1, [playerFrame('a')]);
    await expect.poll(() => onlineOf(hub)).toEqual(['a']);
    const first = await syncedAt();
    await expect.poll(() => new Date().toISOString() > first).toBe(true);
    snapshot(bridge, 2, [playerFrame('a'), playerFrame('b')]);
    await expect.poll(() => onlineOf(hub)).toEqual(['a', 'b']);
    await expect.poll(async () => (await syncedAt()) > first).toBe(true);
  });

  it('are online after their snapshot, though an earlier session of another node ended meanwhile', async () => {
    const hub = await newTenant();
    const bridge = await connect(hub);
    snapshot(bridge, 1, [playerFrame('a'), playerFrame('b', { online: false })]);
    await expect.poll(() => onlineOf(hub)).toEqual(['a']);
    snapshot(bridge, 2, [playerFrame('a'), playerFrame('b', { online: false })], 0, false);
    bridge.send({ type: 'ping-of-a-newer-version' });
    await bridge.frame('error');
    for (const [identifier, online] of [
      ['a', false],
      ['b', true],
    ] as const) {
      await hub.store.players.setOnline(hub.project.id, 'main', [identifier], { online, at: Date.now() });
    }
    snapshot(bridge, 2, [playerFrame('c')], 1, true);
    await expect.poll(() => onlineOf(hub)).toEqual(['a', 'c']);
  });

  it('change by revision: join, balance, leave, removal', async () => {
    const hub = await newTenant();
    const bridge = await connect(hub);
    snapshot(bridge, 1, [playerFrame('a')]);
    bridge.send({
      type: 'players.changed',
      revision: 2,
      players: [playerFrame('b', { accounts: { bank: 7 } })],
    });
    bridge.send({ type: 'players.changed', revision: 3, players: [], offline: ['a'] });
    bridge.send({ type: 'players.changed', revision: 4, players: [], removed: ['nobody'] });
    await expect.poll(() => onlineOf(hub)).toEqual(['b']);
    const left = await hub.request('/api/v2/players/a');
    expect(left.body).toMatchObject({ identifier: 'a', online: false, accounts: { bank: 100 } });
    expect(Date.parse(String(left.body['lastSeenAt']))).toBeGreaterThan(Date.now() - 60_000);
    bridge.send({ type: 'players.changed', revision: 5, players: [], removed: ['a'] });
    await expect.poll(async () => (await hub.request('/api/v2/players/a')).status).toBe(404);
  });

  it('are asked for again when a revision is missing', async () => {
    const hub = await newTenant();
    const bridge = await connect(hub);
    snapshot(bridge, 1, [playerFrame('a')]);
    bridge.send({ type: 'players.changed', revision: 3, players: [playerFrame('late')] });
    await bridge.frame('players.resync');
    snapshot(bridge, 7, [playerFrame('a'), playerFrame('late')]);
    bridge.send({ type: 'players.changed', revision: 8, players: [playerFrame('next')] });
    await expect.poll(() => onlineOf(hub)).toEqual(['a', 'late', 'next']);
  });

  it('are asked for again when a part of a snapshot is missing', async () => {
    const hub = await newTenant();
    const bridge = await connect(hub);
    snapshot(bridge, 1, [playerFrame('a')], 0, false);
    snapshot(bridge, 1, [playerFrame('c')], 2, true);
    await bridge.frame('players.resync');
  });

  it('go offline when the bridge goes, and stay readable', async () => {
    const hub = await newTenant();
    const bridge = await connect(hub);
    snapshot(bridge, 1, [playerFrame('a'), playerFrame('b')]);
    await expect.poll(() => onlineOf(hub)).toEqual(['a', 'b']);
    bridge.kill();
    await expect.poll(() => onlineOf(hub)).toEqual([]);
    expect((await hub.request('/api/v2/players/a')).body).toMatchObject({ online: false });
  });

  it('go offline when another process of the game server takes over', async () => {
    const hub = await newTenant();
    const bridge = await connect(hub);
    snapshot(bridge, 1, [playerFrame('a')]);
    await expect.poll(() => onlineOf(hub)).toEqual(['a']);
    const next = await connect(hub, { instance: 'two' });
    next.send({ type: 'status' });
    await expect.poll(() => onlineOf(hub)).toEqual([]);
    expect((await bridge.closed()).code).toBe(4509);
  });

  it('are offline after a restart of the hub, until their bridge reports them', async () => {
    const first = await startHub();
    const bridge = await connect(first);
    snapshot(bridge, 1, [playerFrame('a')]);
    await expect.poll(() => onlineOf(first)).toEqual(['a']);
    // As after kill -9: the rows still say online when the next process opens the file.
    await first.stop();
    await reopenOnline(first.folder);
    const second = await startHub({ folder: first.folder });
    expect(await onlineOf(second)).toEqual([]);
    expect((await list(second)).total).toBe(1);
  });

  it('4,000 of 2 KB each leave the loop free between any few of them', async () => {
    const hub = await newTenant();
    const bridge = await connect(hub);
    const inventory = Array.from({ length: 14 }, (_, slot) => ({
      slot,
      name: 'bread',
      label: 'A loaf of fresh bread from the market',
      count: 3,
      metadata: { quality: 100, owner: 'somebody' },
    }));
    const people = Array.from({ length: 4_000 }, (_, n) => playerFrame(`char1:${n}`, { inventory }));
    expect(JSON.stringify(people[0]).length).toBeGreaterThan(1_900);
    for (let part = 0; part < 40; part += 1) {
      snapshot(bridge, 1, people.slice(part * 100, part * 100 + 100), part, part === 39);
    }
    let turns = 0;
    let isWatching = true;
    const watch = (): void => {
      turns += 1;
      if (isWatching) setImmediate(watch);
    };
    await expect.poll(async () => (await list(hub)).total).toBeGreaterThan(0);
    const from = (await list(hub)).total;
    watch();
    await expect.poll(async () => (await list(hub)).total, { timeout: 50_000 }).toBe(4_000);
    isWatching = false;
    // At most 32 rows are written in one turn.
    expect(turns).toBeGreaterThanOrEqual((4_000 - from) / 32);
  });
});

const reopenOnline = async (folder: string): Promise<void> => {
  const { openDatabase } = await import('../../../db/open.ts');
  const { createStore } = await import('../../../db/store.ts');
  const database = await openDatabase({ url: await hubDatabase(folder) });
  const store = createStore(database);
  const project = await store.projects.bySlug('test');
  if (project === undefined) throw new Error('no project');
  const player = { name: 'a', inventory: [], vehicles: [], metadata: {}, accounts: {}, identifiers: [] };
  await store.players.upsert(project.id, 'main', [{ ...player, identifier: 'a', online: true }], Date.now());
  await database.close();
};
