import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { PlayerFindRequest } from '../../../db/queries/players/find.ts';
import type { PlayerRow } from '../../../db/queries/players/write.ts';
import { engines, playerOf, useStore } from '../../kit/databases.ts';

const NO_FACTS = { jobName: null, jobLabel: null, jobGrade: null, groupName: null, playedMinutes: null, gameId: null };
const MAX = Number.MAX_SAFE_INTEGER;
/** Metadata that a JSON column must give back as it is. */
const AWKWARD = JSON.parse(
  `{"__proto__": {"a": 1}, "constructor": null, "": ["🚓", "\\"", "\\\\", "'", "\\n"], "n": [-${MAX}, 0.1]}`,
) as Record<string, unknown>;

describe.each(engines)('players on $name', ({ open }) => {
  const db = useStore(open);
  type Players = Parameters<typeof db.store.players.upsert>[2];
  const upsert = (list: Players, at = 1_000, serverId = 'main', projectId = 'p') =>
    db.store.players.upsert(projectId, serverId, list, at);
  const find = async (identifier: string, request: Partial<PlayerFindRequest> = {}): Promise<PlayerRow | undefined> =>
    (await db.store.players.find({ projectId: 'p', identifier, ...request }))?.player;
  const timesOf = async (identifier: string): Promise<unknown[]> => {
    const { firstSeenAt, lastSeenAt, syncedAt, online } = (await find(identifier)) ?? {};
    return [firstSeenAt, lastSeenAt, syncedAt, online];
  };
  const onlineIn = async (serverId: string, projectId = 'p') =>
    (await db.store.players.online(projectId, serverId, { limit: 100 })).map(({ identifier }) => identifier).sort();

  describe('that are reported', () => {
    it('come back as they were written', async () => {
      const player = playerOf('char1:a', {
        name: 'Ана "Σοφία" 🚓\n\t\\',
        identifiers: ['license:1', 'discord:2'],
        accounts: { bank: MAX, cash: -MAX, debt: -1, zero: 0 },
        inventory: [{ slot: 3, name: 'bread', label: 'Bröd', count: MAX, metadata: AWKWARD }],
        vehicles: [
          { plate: 'A 1', model: 'adder', label: 'Adder', stored: true, garage: null, metadata: {} },
          { plate: 'B 2', model: 'bus', label: '🚌', stored: false, garage: 'legion', metadata: {} },
        ],
        metadata: AWKWARD,
      });
      await upsert([player]);
      const row = await find('char1:a');
      const written = {
        ...player,
        id: row?.id,
        projectId: 'p',
        serverId: 'main',
        searchText: 'ана "σοφια" 🚓 \\\nchar1:a',
        firstSeenAt: 1_000,
        lastSeenAt: 1_000,
        syncedAt: 1_000,
        goneAt: null,
        ...NO_FACTS,
      };
      // vitest does not compare members called __proto__, this does.
      expect(isDeepStrictEqual(row, written)).toBe(true);
      expect(row?.accounts).toStrictEqual(player.accounts);
    });

    it('keep characters that no engine can store as the replacement character', async () => {
      await upsert([playerOf('a', { name: 'x\0y\ud83d', metadata: { 'k\0': 'v\udc00' } })]);
      expect(await find('a')).toMatchObject({ name: 'x\uFFFDy\uFFFD', metadata: { 'k\uFFFD': 'v\uFFFD' } });
    });

    it('replace their fields and keep their row', async () => {
      const old = {
        name: 'Old',
        accounts: { bank: 1, cash: 2 },
        metadata: { job: 'police' },
        identifiers: ['license:1'],
      };
      await upsert([playerOf('a', old)], 1_000);
      const before = await find('a');
      await upsert([playerOf('a', { name: 'New', accounts: { bank: -7 } })], 2_000);
      expect(await find('a')).toStrictEqual({
        ...before,
        ...NO_FACTS,
        ...playerOf('a', { name: 'New', accounts: { bank: -7 }, identifiers: ['license:1'] }),
        searchText: 'new\na',
        lastSeenAt: 2_000,
        syncedAt: 2_000,
      });
    });

    it('were first seen once; last seen changes while they are or were online', async () => {
      await upsert([playerOf('a', { online: false })], 1_000);
      expect(await timesOf('a')).toEqual([1_000, 1_000, 1_000, false]);
      await upsert([playerOf('a', { online: false })], 2_000);
      expect(await timesOf('a')).toEqual([1_000, 1_000, 2_000, false]);
      await upsert([playerOf('a')], 3_000);
      expect(await timesOf('a')).toEqual([1_000, 3_000, 3_000, true]);
      await upsert([playerOf('a')], 4_000);
      expect(await timesOf('a')).toEqual([1_000, 4_000, 4_000, true]);
      await upsert([playerOf('a', { online: false })], 5_000);
      expect(await timesOf('a')).toEqual([1_000, 5_000, 5_000, false]);
      await upsert([playerOf('a', { online: false })], 6_000);
      expect(await timesOf('a')).toEqual([1_000, 5_000, 6_000, false]);
    });

    it('count once in one report: the later one', async () => {
      const twice = [playerOf('a', { name: 'first' }), playerOf('b'), playerOf('a', { name: 'second' })];
      await upsert(twice);
      expect(await find('a')).toMatchObject({ name: 'second' });
      expect(await db.store.players.list({ projectId: 'p', limit: 10 })).toMatchObject({ total: 2 });
    });

    it('may be none', async () => {
      await upsert([]);
      expect(await db.store.players.list({ projectId: 'p', limit: 10 })).toMatchObject({ rows: [], total: 0 });
    });

    it('are other players on another server and in another project', async () => {
      await upsert([playerOf('a', { name: 'one' })]);
      await upsert([playerOf('a', { name: 'two' })], 1_000, 'other');
      await upsert([playerOf('a', { name: 'three' })], 1_000, 'main', 'q');
      expect(await find('a', { serverId: 'main' })).toMatchObject({ name: 'one' });
      expect(await find('a', { serverId: 'other' })).toMatchObject({ name: 'two' });
      expect(await find('a', { projectId: 'q' })).toMatchObject({ name: 'three' });
    });

    it('are one row however many reports come at the same time', async () => {
      const reports = Array.from({ length: 10 }, (_, n) => upsert([playerOf('a', { accounts: { n } }), playerOf('b')]));
      await Promise.all(reports);
      expect(await db.store.players.list({ projectId: 'p', limit: 10 })).toMatchObject({ total: 2 });
    });
  });

  describe('that leave', () => {
    it('go offline if they were online, others keep when they were last seen', async () => {
      await upsert([playerOf('a'), playerOf('b', { online: false }), playerOf('c')]);
      await upsert([playerOf('a')], 1_000, 'other');
      await db.store.players.setOnline('p', 'main', ['a', 'b', 'nobody', 'a'], { online: false, at: 2_000 });
      expect(await timesOf('b')).toEqual([1_000, 1_000, 1_000, false]);
      expect(await timesOf('c')).toEqual([1_000, 1_000, 1_000, true]);
      expect(await find('a', { serverId: 'main' })).toMatchObject({
        online: false,
        lastSeenAt: 2_000,
        syncedAt: 1_000,
      });
      expect(await find('a', { serverId: 'other' })).toMatchObject({ online: true, lastSeenAt: 1_000 });
    });

    it('are deleted with their linked identifiers, on their server only', async () => {
      await upsert([playerOf('a', { identifiers: ['license:1'] }), playerOf('b')]);
      await upsert([playerOf('a')], 1_000, 'other');
      await db.store.players.remove('p', 'main', ['a', 'nobody']);
      expect(await find('a')).toMatchObject({ serverId: 'other' });
      expect(await find('license:1')).toBeUndefined();
      expect(await find('b')).toBeDefined();
    });

    it('may be none', async () => {
      await upsert([playerOf('a')]);
      await db.store.players.setOnline('p', 'main', [], { online: false, at: 2_000 });
      await db.store.players.remove('p', 'main', []);
      expect(await timesOf('a')).toEqual([1_000, 1_000, 1_000, true]);
    });

    it('all go offline with their server, in batches', async () => {
      await upsert(['a', 'b', 'c'].map((identifier) => playerOf(identifier)));
      await upsert([playerOf('d', { online: false })]);
      await upsert([playerOf('e')], 1_000, 'other');
      const allOffline = () => db.store.players.allOffline('p', 'main', { limit: 2, at: 2_000 });
      expect([await allOffline(), await allOffline(), await allOffline()]).toEqual([2, 1, 0]);
      expect(await timesOf('a')).toEqual([1_000, 2_000, 1_000, false]);
      expect(await timesOf('d')).toEqual([1_000, 1_000, 1_000, false]);
      expect(await onlineIn('other')).toEqual(['e']);
    });

    it('all go offline everywhere, and stay last seen when they were', async () => {
      await upsert([playerOf('a'), playerOf('b')]);
      await upsert([playerOf('c')], 1_000, 'main', 'q');
      const allServersOffline = () => db.store.players.allServersOffline({ limit: 2 });
      expect([await allServersOffline(), await allServersOffline(), await allServersOffline()]).toEqual([2, 1, 0]);
      expect(await timesOf('a')).toEqual([1_000, 1_000, 1_000, false]);
      expect(await onlineIn('main', 'q')).toEqual([]);
    });
  });

  it('that are online are listed page by page, first seen first, also while some go offline', async () => {
    for (const [n, identifier] of ['b', 'a', 'd', 'c'].entries()) await upsert([playerOf(identifier)], 1_000 - n);
    await upsert(
      ['e', 'f'].map((identifier) => playerOf(identifier)),
      1_000,
    );
    await upsert([playerOf('offline', { online: false })], 500);
    await upsert([playerOf('elsewhere')], 500, 'other');
    const page = (after?: { lastSeenAt: number; id: number }) =>
      db.store.players.online('p', 'main', { limit: 2, after });
    const pages: string[][] = [];
    for (let rows = await page(); rows.length > 0; rows = await page(rows.at(-1))) {
      pages.push(rows.map(({ identifier }) => identifier));
      await db.store.players.setOnline('p', 'main', [rows[0]?.identifier ?? ''], { online: false, at: 5_000 });
    }
    expect(pages).toEqual([
      ['c', 'd'],
      ['a', 'b'],
      ['e', 'f'],
    ]);
  });

  it('are compared with the fields of a change', async () => {
    await upsert([playerOf('a', { accounts: { bank: -MAX } }), playerOf('b', { online: false }), playerOf('c')]);
    await upsert([playerOf('a')], 1_000, 'other');
    const states = await db.store.players.states('p', 'main', ['a', 'b', 'nobody']);
    expect(states.toSorted((one, two) => (one.identifier < two.identifier ? -1 : 1))).toStrictEqual([
      { identifier: 'a', online: true, accounts: { bank: -MAX } },
      { identifier: 'b', online: false, accounts: {} },
    ]);
    expect(await db.store.players.states('p', 'main', [])).toEqual([]);
  });

  describe('are found', () => {
    const found = (identifier: string, request: Partial<PlayerFindRequest> = {}) =>
      db.store.players.find({ projectId: 'p', identifier, ...request });
    const serversOf = async (identifier: string, request: Partial<PlayerFindRequest> = {}): Promise<unknown> => {
      const answer = await found(identifier, request);
      return answer && [answer.player.serverId, answer.alsoOn.toSorted()];
    };

    it('by their own identifier, exactly, inside their project', async () => {
      await upsert([playerOf('a:B')]);
      expect(await found('a:B')).toMatchObject({ player: { identifier: 'a:B' }, alsoOn: [] });
      for (const other of ['a:b', 'a', 'a:B ', 'a:B\0', '%', '']) expect(await found(other)).toBeUndefined();
      expect(await found('a:B', { projectId: 'q' })).toBeUndefined();
    });

    it('where they are online, else where they were last', async () => {
      await upsert([playerOf('a', { online: false })], 3_000, 's3');
      await upsert([playerOf('a', { online: false })], 2_000, 's2');
      expect(await serversOf('a')).toEqual(['s3', ['s2']]);
      await upsert([playerOf('a')], 1_000, 's1');
      expect(await serversOf('a')).toEqual(['s1', ['s2', 's3']]);
      expect(await serversOf('a', { serverId: 's2' })).toEqual(['s2', ['s1', 's3']]);
      expect(await serversOf('a', { serverId: 's4' })).toBeUndefined();
      expect(await serversOf('a', { servers: ['s3', 's2'] })).toEqual(['s3', ['s2']]);
      expect(await serversOf('a', { servers: ['s2'], serverId: 's1' })).toBeUndefined();
      expect(await serversOf('a', { servers: [] })).toBeUndefined();
    });

    it('by a linked identifier if it is no player’s own identifier', async () => {
      await upsert([playerOf('a', { identifiers: ['license:1', 'license:1', 'steam:2'] }), playerOf('steam:2')]);
      expect(await found('license:1')).toMatchObject({ player: { identifier: 'a' }, alsoOn: [] });
      expect(await found('steam:2')).toMatchObject({ player: { identifier: 'steam:2' } });
      expect(await found('license:1', { projectId: 'q' })).toBeUndefined();
    });

    it('by the linked identifiers they have now', async () => {
      await upsert([playerOf('a', { identifiers: ['discord:1', 'fivem:2'] })]);
      await upsert([playerOf('a', { identifiers: ['fivem:2', 'discord:3'] })]);
      const identifiers = ['discord:1', 'fivem:2', 'discord:3'];
      const names = await Promise.all(identifiers.map(async (value) => (await find(value))?.identifier));
      expect(names).toEqual([undefined, 'a', 'a']);
    });

    it('most recently seen first where several share a linked identifier', async () => {
      await upsert([playerOf('char1:a', { identifiers: ['license:1'], online: false })], 2_000);
      await upsert([playerOf('char2:a', { identifiers: ['license:1'], online: false })], 3_000);
      expect(await found('license:1')).toMatchObject({ player: { identifier: 'char2:a' }, alsoOn: [] });
    });

    it('with other players who share the linked identifier, and as a target on one server', async () => {
      const shared = { identifiers: ['license:1'], online: false };
      await upsert([playerOf('char1:a', shared)], 2_000);
      await upsert([playerOf('char2:a', shared)], 3_000);
      await upsert([playerOf('char1:a', shared), playerOf('license:1')], 1_000, 'west');
      const known = async (request: Partial<PlayerFindRequest> = {}) =>
        (await found('license:1', request))?.alsoKnown.map(({ identifier, serverId }) => `${identifier}@${serverId}`);
      expect(await known()).toEqual([]);
      expect(await known({ servers: ['main'] })).toEqual(['char1:a@main']);
      const meant = async (serverId: string, identifier: string) => {
        const answer = await db.store.players.meant('p', serverId, identifier);
        return answer === 'own' ? answer : answer.map((player) => player.identifier);
      };
      expect(await meant('main', 'license:1')).toEqual(['char2:a', 'char1:a']);
      expect(await meant('west', 'license:1')).toBe('own');
      expect([await meant('west', 'license:2'), await meant('main', 'char1:a')]).toEqual([[], 'own']);
    });
  });
});
