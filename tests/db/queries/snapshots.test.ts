import { describe, expect, it } from 'vitest';
import type { PlayerRow } from '../../../db/queries/players/write.ts';
import { engines, playerOf, sessionOf, useStore } from '../../kit/databases.ts';

describe.each(engines)('players of a snapshot on $name', ({ open }) => {
  const db = useStore(open);
  type Players = Parameters<typeof db.store.players.upsert>[2];
  const upsert = (list: Players, at: number) => db.store.players.upsert('p', 'main', list, at);
  const find = async (identifier: string): Promise<PlayerRow | undefined> =>
    (await db.store.players.find({ projectId: 'p', identifier }))?.player;
  const timesOf = async (identifier: string): Promise<unknown[]> => {
    const { firstSeenAt, lastSeenAt, syncedAt, online } = (await find(identifier)) ?? {};
    return [firstSeenAt, lastSeenAt, syncedAt, online];
  };

  it('are written by a snapshot only where they changed', async () => {
    const again = (list: Players, at: number) => db.store.players.upsert('p', 'main', list, at, { isSnapshot: true });
    await upsert([playerOf('a'), playerOf('b'), playerOf('c', { online: false })], 1_000);
    await again([playerOf('a'), playerOf('b', { accounts: { bank: 7 } }), playerOf('c'), playerOf('d')], 2_000);
    expect(await timesOf('a')).toEqual([1_000, 1_000, 1_000, true]);
    expect(await timesOf('b')).toEqual([1_000, 2_000, 2_000, true]);
    expect(await find('b')).toMatchObject({ accounts: { bank: 7 } });
    expect(await timesOf('c')).toEqual([1_000, 2_000, 1_000, true]);
    expect(await timesOf('d')).toEqual([2_000, 2_000, 2_000, true]);
    await again([playerOf('a', { online: false }), playerOf('c', { name: 'Cy' })], 3_000);
    expect(await timesOf('a')).toEqual([1_000, 3_000, 1_000, false]);
    expect(await find('c')).toMatchObject({ name: 'Cy', syncedAt: 3_000 });
    expect(await timesOf('b')).toEqual([1_000, 2_000, 2_000, true]);
  });

  it.each([
    ['name', { name: 'New' }],
    ['identifiers', { identifiers: ['license:9'] }],
    ['accounts', { accounts: { bank: 1 } }],
    ['inventory', { inventory: [{ slot: 1, name: 'bread', label: 'Bread', count: 2, metadata: {} }] }],
    ['vehicles', { vehicles: [{ plate: 'A', model: 'bus', label: 'Bus', stored: true, garage: null, metadata: {} }] }],
    ['metadata', { metadata: { job: 'police' } }],
  ] as const)('are written by a snapshot if their %s changed', async (_field, changes) => {
    await upsert([playerOf('a')], 1_000);
    const changed = playerOf('a', changes as Partial<Players[number]>);
    await db.store.players.upsert('p', 'main', [changed], 2_000, { isSnapshot: true });
    expect(await find('a')).toMatchObject({ ...changes, syncedAt: 2_000 });
  });

  it('are written by a snapshot if a node of an older version has written them', async () => {
    const snapshot = (at: number) =>
      db.store.players.upsert('p', 'main', [playerOf('a', { accounts: { bank: 100 } })], at, { isSnapshot: true });
    await snapshot(1_000);
    const { handle, tables, commit } = db.database;
    // It does not know the hash, so it leaves it as it was.
    await commit(() => handle.update(tables.players).set({ accounts: { bank: 50 }, syncedAt: 2_000 }));
    await snapshot(3_000);
    expect(await find('a')).toMatchObject({ accounts: { bank: 100 }, syncedAt: 3_000 });
  });

  it('are confirmed by a whole snapshot while they are online', async () => {
    await upsert([playerOf('a'), playerOf('b', { online: false })], 1_000);
    await db.store.sessions.open(sessionOf('p', 'main'));
    await db.store.sessions.playersSynced({ projectId: 'p', serverId: 'main', epoch: 1 }, 5_000);
    expect([(await find('a'))?.syncedAt, (await find('b'))?.syncedAt]).toEqual([5_000, 1_000]);
    await upsert([playerOf('a')], 6_000);
    expect((await find('a'))?.syncedAt).toBe(6_000);
  });
});
