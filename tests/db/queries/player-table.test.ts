import { describe, expect, it } from 'vitest';
import { InvalidCursor } from '../../../db/queries/cursor.ts';
import type { PlayerListRequest } from '../../../db/queries/players/list.ts';
import { engines, playerOf, useStore } from '../../kit/databases.ts';

type Request = Partial<PlayerListRequest>;
type Reported = ReturnType<typeof playerOf>;

describe.each(engines)('the table of players on $name', ({ open }) => {
  const db = useStore(open);
  const upsert = (list: Reported[], { serverId = 'main', isSnapshot = false, at = 1_000, projectId = 'p' } = {}) =>
    db.store.players.upsert(projectId, serverId, list, at, { isSnapshot });
  const list = (request: Request = {}) => db.store.players.list({ projectId: 'p', limit: 100, ...request });
  const listed = async (request: Request = {}): Promise<string[]> =>
    (await list(request)).rows.map(({ identifier }) => identifier);
  const keysOf = async (request: Request = {}): Promise<string[] | undefined> =>
    (await db.store.players.keys({ projectId: 'p', ...request }))?.map(({ identifier }) => identifier);
  /** All pages of two rows by the cursor, and the total that each one tells. */
  const walk = async (request: Request): Promise<{ found: string[]; totals: Set<number> }> => {
    const [found, totals] = [[] as string[], new Set<number>()];
    let next: string | null | undefined;
    while (next !== null && found.length < 50) {
      const page = await list({ ...request, limit: 2, ...(next === undefined ? {} : { cursor: next }) });
      found.push(...page.rows.map(({ identifier }) => identifier));
      totals.add(page.total);
      next = page.next;
    }
    return { found, totals };
  };
  const withJob = (identifier: string, job: string | undefined, changes: Partial<Reported> = {}): Reported =>
    playerOf(identifier, { ...changes, metadata: { ...(job === undefined ? {} : { job }), ...changes.metadata } });
  const withBank = (identifier: string, bank: number | undefined, changes: Partial<Reported> = {}): Reported =>
    playerOf(identifier, { ...changes, accounts: bank === undefined ? { cash: 7 } : { bank, cash: 7 } });

  describe('has of the metadata', () => {
    it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
      [
        'all fields',
        { job: 'police', jobLabel: 'LSPD', jobGrade: 3, group: 'admin', playedMinutes: 61.9 },
        { jobName: 'police', jobLabel: 'LSPD', jobGrade: 3, groupName: 'admin', playedMinutes: 61 },
      ],
      [
        'nothing of another type',
        { job: { name: 'police' }, jobLabel: 'LSPD', jobGrade: 3, group: 5, playedMinutes: '61' },
        { jobName: null, jobLabel: null, jobGrade: null, groupName: null, playedMinutes: null },
      ],
      [
        'no numbers that no column can hold',
        { job: 'x', jobGrade: 1e300, playedMinutes: -1 },
        { jobName: 'x', jobGrade: null, playedMinutes: null },
      ],
      [
        'the first 128 units of a long name, and no half of a character',
        { job: `${'j'.repeat(127)}🚓`, group: 'g'.repeat(5_000) },
        { jobName: 'j'.repeat(127), groupName: 'g'.repeat(128) },
      ],
    ])('%s', async (_, metadata, columns) => {
      await upsert([playerOf('a', { metadata })]);
      expect((await list()).rows).toMatchObject([columns]);
      await upsert([playerOf('a')]);
      expect((await list()).rows).toMatchObject([{ jobName: null, groupName: null, playedMinutes: null }]);
    });

    it('what a record of an earlier version had, after its next snapshot', async () => {
      const player = withJob('a', 'police');
      await upsert([player]);
      const { tables, handle, commit } = db.database;
      await commit(() => handle.update(tables.players).set({ jobName: null, contentHash: '1000 earlier' }));
      expect(await listed({ job: 'police' })).toEqual([]);
      await upsert([player], { isSnapshot: true });
      expect(await listed({ job: 'police' })).toEqual(['a']);
    });
  });

  describe('finds the number in the game', () => {
    it('of online players alone, on each server, and no part of a number', async () => {
      await upsert([playerOf('a', { gameId: 143 }), playerOf('b', { gameId: 14 }), playerOf('name#143')]);
      await upsert([playerOf('off', { gameId: 143, online: false })]);
      await upsert([playerOf('c', { gameId: 143 })], { serverId: 'other' });
      await upsert([playerOf('d', { gameId: 143 })], { projectId: 'neighbour' });
      expect((await listed({ search: '#143' })).sort()).toEqual(['a', 'c']);
      expect(await keysOf({ search: ' #143 ' })).toEqual(['a', 'c']);
      expect(await listed({ search: '#143', servers: ['other'] })).toEqual(['c']);
      expect(await listed({ search: '#143', online: false })).toEqual([]);
      expect(await list({ search: '#0143', limit: 1 })).toMatchObject({ total: 2, totalIsLowerBound: false });
      for (const other of ['#1', '#999999999999999', '#1x']) expect(await listed({ search: other })).toEqual([]);
      for (const text of ['143', 'name#143', '#']) expect(await listed({ search: text })).toEqual(['name#143']);
    });

    const away: [string, () => Promise<unknown>][] = [
      ['they are reported as offline', () => upsert([playerOf('a', { online: false })])],
      ['a snapshot has them as offline', () => upsert([playerOf('a', { online: false })], { isSnapshot: true })],
      ['they leave', () => db.store.players.setOnline('p', 'main', ['a'], { online: false, at: 2_000 })],
      ['their server leaves', () => db.store.players.allOffline('p', 'main', { limit: 9, at: 2_000 })],
      ['the hub starts', () => db.store.players.allServersOffline({ limit: 9 })],
      ['they are gone', () => db.store.players.setGone('p', 'main', ['a'], 2_000)],
    ];
    it.each(away)('no more after %s, also when they are back without one', async (_, leave) => {
      await upsert([playerOf('a', { gameId: 143 })]);
      expect(await listed({ search: '#143' })).toEqual(['a']);
      await leave();
      expect((await db.store.players.find({ projectId: 'p', identifier: 'a' }))?.player.gameId).toBe(null);
      await upsert([playerOf('a')], { isSnapshot: true });
      expect(await listed({ online: true })).toEqual(['a']);
      expect(await listed({ search: '#143' })).toEqual([]);
    });

    it('that a snapshot changes, though nothing else has changed', async () => {
      const people = (first: number) => ['a', 'b', 'c'].map((id, n) => playerOf(id, { gameId: first + n }));
      await upsert(people(1), { isSnapshot: true });
      await upsert(people(2), { isSnapshot: true });
      expect(await Promise.all(['#1', '#2', '#3', '#4'].map((search) => listed({ search })))).toEqual([
        [],
        ['a'],
        ['b'],
        ['c'],
      ]);
      await db.store.players.allServersOffline({ limit: 9 });
      await upsert(people(5), { isSnapshot: true });
      expect(await listed({ search: '#7' })).toEqual(['c']);
    });

    it('that was reported before an earlier session marked the player offline', async () => {
      await upsert([playerOf('a', { gameId: 1 }), playerOf('b')]);
      await db.store.players.setOnline('p', 'main', ['a', 'b'], { online: false, at: 2_000 });
      const gameIds = new Map([['a', 1]]);
      await db.store.players.setOnline('p', 'main', ['a', 'b'], { online: true, at: 2_000, gameIds });
      expect(await listed({ search: '#1' })).toEqual(['a']);
    });
  });

  describe('filters', () => {
    it('by job and by group, exactly, with other filters and a search', async () => {
      await upsert([
        withJob('a', 'police', { metadata: { group: 'admin' } }),
        withJob('b', 'police', { online: false, metadata: { group: 'user' } }),
        withJob('c', 'Police'),
        withJob('d', undefined, { metadata: { group: 'admin' } }),
      ]);
      await upsert([withJob('e', 'police')], { serverId: 'other' });
      await upsert([withJob('x', 'police')], { projectId: 'neighbour' });
      expect((await listed({ job: 'police' })).sort()).toEqual(['a', 'b', 'e']);
      expect((await listed({ group: 'admin' })).sort()).toEqual(['a', 'd']);
      expect(await listed({ job: 'police', group: 'admin' })).toEqual(['a']);
      expect(await listed({ job: 'police', online: false })).toEqual(['b']);
      expect(await listed({ job: 'police', servers: ['other'] })).toEqual(['e']);
      expect(await listed({ job: 'police', servers: [] })).toEqual([]);
      expect(await listed({ job: 'police', search: 'B' })).toEqual(['b']);
      expect(await keysOf({ job: 'police', search: 'B' })).toEqual(['b']);
      expect(await keysOf({ job: 'police' })).toEqual(['a', 'b', 'e']);
      expect(await list({ job: 'police', limit: 1 })).toMatchObject({ total: 3, totalIsLowerBound: false });
      expect(await list({ job: 'police', offset: 99 })).toMatchObject({ total: 3, rows: [] });
      await db.store.players.setGone('p', 'main', ['a'], 2_000);
      expect(await keysOf({ job: 'police' })).toEqual(['b', 'e']);
    });

    it('by the balance of one account, whose ends belong to it', async () => {
      const max = Number.MAX_SAFE_INTEGER;
      await upsert([withBank('debt', -5), withBank('poor', 0), withBank('rich', max), withBank('none', undefined)]);
      await upsert([playerOf('odd', { accounts: { 'a.b-c': 5, 1: 6 } })]);
      const within = async (minBalance?: number, maxBalance?: number, account = 'bank') => {
        const bounds = {
          ...(minBalance === undefined ? {} : { minBalance }),
          ...(maxBalance === undefined ? {} : { maxBalance }),
        };
        const found = (await listed({ account, ...bounds })).sort();
        expect(await keysOf({ account, ...bounds })).toEqual(found);
        return found;
      };
      expect(await within()).toEqual(['debt', 'poor', 'rich']);
      expect(await within(0)).toEqual(['poor', 'rich']);
      expect(await within(undefined, -1)).toEqual(['debt']);
      expect(await within(-5, 0)).toEqual(['debt', 'poor']);
      expect(await within(max, max)).toEqual(['rich']);
      expect(await within(5, 5, 'a.b-c')).toEqual(['odd']);
      expect(await within(6, 6, '1')).toEqual(['odd']);
      expect(await within(undefined, undefined, 'no')).toEqual([]);
    });
  });

  describe('sorts', () => {
    it('by job, then by name; players without one come last', async () => {
      await upsert([
        withJob('1', undefined, { name: 'Ana' }),
        withJob('2', 'police', { name: 'Zoe' }),
        withJob('3', 'police', { name: 'Bob' }),
        withJob('4', 'ambulance', { name: 'Rui', online: false }),
        withJob('5', '🚓'),
      ]);
      const { found, totals } = await walk({ sort: 'job' });
      expect(found).toEqual(['4', '3', '2', '5', '1']);
      expect([...totals]).toEqual([5]);
      expect(await listed({ sort: 'job', limit: 2, offset: 3 })).toEqual(['5', '1']);
      expect((await walk({ sort: 'job', search: 'b' })).found).toEqual(['3']);
      expect((await walk({ sort: 'job', online: true })).totals).toEqual(new Set([4]));
    });

    it('by the balance of an account, the largest first; equal ones have one order', async () => {
      const banks = [5, -3, 5, 900, 5, 0, 17];
      await upsert(banks.map((bank, n) => withBank(`p${n}`, bank)));
      await upsert([withBank('none', undefined)]);
      const { found, totals } = await walk({ sort: 'balance', account: 'bank' });
      expect(found).toEqual(['p3', 'p6', 'p4', 'p2', 'p0', 'p5', 'p1']);
      expect([...totals]).toEqual([7]);
      expect((await walk({ sort: 'balance', account: 'bank', minBalance: 1, maxBalance: 17 })).found).toEqual([
        'p6',
        'p4',
        'p2',
        'p0',
      ]);
    });

    it.each(['default', 'lastSeen', 'name'] as const)('a filtered list by %s as the whole list', async (sort) => {
      for (let n = 0; n < 9; n += 1) {
        const changes = { name: `N${(n * 5) % 9}`, online: n % 3 === 0 };
        await upsert([withJob(`p${n}`, 'police', changes)], { at: 1_000 + n });
      }
      const order = sort === 'default' ? {} : { sort };
      const whole = await listed(order);
      expect((await walk({ ...order, job: 'police' })).found).toEqual(whole);
      expect(await listed({ ...order, job: 'police', limit: 3, offset: 4 })).toEqual(whole.slice(4, 7));
      expect((await walk({ ...order, job: 'police', search: 'n' })).found).toEqual(whole);
    });

    it('a filtered search with names before identifiers', async () => {
      await upsert([withJob('bob1', 'x', { name: 'Zoe' }), withJob('z', 'x', { name: 'Bob', online: false })]);
      expect((await walk({ job: 'x', search: 'bob' })).found).toEqual(['z', 'bob1']);
    });

    it('no page by the cursor of another list', async () => {
      await upsert([withBank('a', 1), withBank('b', 2), withBank('c', 3)]);
      const { next } = await list({ sort: 'balance', account: 'bank', limit: 1 });
      const cursor = next ?? '';
      expect(await listed({ sort: 'balance', account: 'bank', cursor })).toEqual(['b', 'a']);
      for (const other of [
        { sort: 'balance', account: 'cash' },
        { sort: 'job' },
        { sort: 'name' },
        { job: 'x' },
      ] as const) {
        await expect(list({ ...other, cursor })).rejects.toThrow(InvalidCursor);
      }
    });
  });
});
