import { describe, expect, it } from 'vitest';
import { InvalidCursor } from '../../../db/queries/cursor.ts';
import type { PlayerPage } from '../../../db/queries/players/filters.ts';
import type { PlayerListRequest } from '../../../db/queries/players/list.ts';
import { engines, playerOf, useStore } from '../../kit/databases.ts';

const MAX = Number.MAX_SAFE_INTEGER;
const vehicleOf = (plate: string) => ({
  plate,
  model: 'adder',
  label: 'Adder',
  stored: true,
  garage: null,
  metadata: {},
});
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe.each(engines)('the list of players on $name', ({ open }) => {
  const db = useStore(open);
  const list = (request: Partial<PlayerListRequest> = {}): Promise<PlayerPage> =>
    db.store.players.list({ projectId: 'p', limit: 100, ...request });
  const listed = async (request: Partial<PlayerListRequest> = {}): Promise<string[]> =>
    (await list(request)).rows.map(({ identifier }) => identifier);
  const upsert = (at: number, list: ReturnType<typeof playerOf>[], serverId = 'main', projectId = 'p') =>
    db.store.players.upsert(projectId, serverId, list, at);
  /** Players whose last-seen times follow the order of their names, the first one the latest. */
  const upsertInOrder = async (identifiers: readonly string[]): Promise<void> => {
    for (const [n, identifier] of identifiers.entries()) await upsert(1_000 - n, [playerOf(identifier)]);
  };
  /** Follows `next` to the end; `between` happens after each page. */
  const walk = async (
    request: Partial<PlayerListRequest>,
    between: (page: number) => Promise<void> = async () => undefined,
  ): Promise<string[][]> => {
    const pages: string[][] = [];
    let next: string | null | undefined;
    while (next !== null && pages.length < 20) {
      const page = await list({ ...request, ...(next === undefined ? {} : { cursor: next }) });
      pages.push(page.rows.map(({ identifier }) => identifier));
      next = page.next;
      await between(pages.length);
    }
    return pages;
  };

  it('shows the fields of a list and leaves out large fields', async () => {
    const player = playerOf('a', {
      name: 'Ana',
      identifiers: ['license:1'],
      accounts: { bank: -MAX, cash: MAX },
      inventory: [{ slot: 1, name: 'bread', label: 'Bread', count: 1, metadata: {} }],
      metadata: { job: 'police' },
    });
    await upsert(MAX, [player]);
    const { inventory: _i, vehicles: _v, metadata: _m, ...shown } = player;
    const seen = { firstSeenAt: MAX, lastSeenAt: MAX, syncedAt: MAX, goneAt: null };
    const facts = {
      jobName: 'police',
      jobLabel: null,
      jobGrade: null,
      groupName: null,
      playedMinutes: null,
      gameId: null,
    };
    expect(await list()).toStrictEqual({
      rows: [
        { ...shown, ...seen, ...facts, id: expect.any(Number), projectId: 'p', serverId: 'main', searchText: 'ana\na' },
      ],
      total: 1,
      totalIsLowerBound: false,
      next: null,
    });
  });

  it('is empty if there are no players', async () => {
    await upsert(1, [playerOf('a')], 'main', 'q');
    const empty = { rows: [], total: 0, totalIsLowerBound: false, next: null };
    for (const sort of [undefined, 'name', 'lastSeen'] as const) {
      expect(await list(sort === undefined ? {} : { sort })).toStrictEqual(empty);
    }
  });

  describe('is in the order of', () => {
    it('online players first, then the last seen, then the newest', async () => {
      await upsert(9_000, [playerOf('offline early', { online: false })]);
      await upsert(9_500, [playerOf('offline late', { online: false })]);
      await upsert(1_000, [playerOf('online early')]);
      await upsert(2_000, [playerOf('online late')]);
      await upsert(2_000, [playerOf('online late, newer')]);
      await upsert(9_500, [playerOf('offline late, newer', { online: false })]);
      expect(await listed()).toEqual([
        'online late, newer',
        'online late',
        'online early',
        'offline late, newer',
        'offline late',
        'offline early',
      ]);
    });

    it('last seen first, online or not', async () => {
      await upsert(2, [playerOf('b')]);
      await upsert(3, [playerOf('c', { online: false })]);
      await upsert(1, [playerOf('a')]);
      await upsert(3, [playerOf('d')]);
      expect(await listed({ sort: 'lastSeen' })).toEqual(['d', 'c', 'b', 'a']);
    });

    it('names without case and accents, then identifiers, then the oldest row', async () => {
      const names = {
        1: 'zoë',
        2: 'Zoe',
        3: 'ALEX',
        4: 'alex',
        5: '_',
        6: 'Émile',
        7: 'emil',
        8: 'Яна',
        9: '🚓',
        10: '',
      };
      const players = Object.entries(names).map(([n, name]) => playerOf(`id${n.padStart(2, '0')}`, { name }));
      await upsert(1, players.toReversed());
      await upsert(1, [playerOf('id03', { name: 'ALEX' })], 'other');
      const shown = (await list({ sort: 'name' })).rows.map(({ name, serverId }) => [name, serverId].join('@'));
      const order = ['', '_', 'ALEX', 'alex', 'emil', 'Émile', 'zoë', 'Zoe', 'Яна', '🚓'].map((name) => `${name}@main`);
      expect(shown).toEqual(order.toSpliced(3, 0, 'ALEX@other'));
    });
  });

  describe('is limited to', () => {
    const everybody = async (): Promise<void> => {
      await upsert(1, [playerOf('a'), playerOf('b', { online: false })], 's1');
      await upsert(1, [playerOf('c'), playerOf('d', { online: false })], 's2');
      await upsert(1, [playerOf('e')], 's3');
      await upsert(1, [playerOf('f')], 's1', 'q');
    };

    it('servers and online state, for its total too', async () => {
      await everybody();
      const cases: [Partial<PlayerListRequest>, string[]][] = [
        [{}, ['a', 'b', 'c', 'd', 'e']],
        [{ servers: ['s1'] }, ['a', 'b']],
        [{ servers: ['s3', 's1'] }, ['a', 'b', 'e']],
        [{ servers: ['s1', 's1', 'nothing'] }, ['a', 'b']],
        [{ servers: ['S1', "s1' OR 1=1", 's1\0'] }, []],
        [{ servers: [] }, []],
        [{ online: true }, ['a', 'c', 'e']],
        [{ online: false }, ['b', 'd']],
        [{ servers: ['s1', 's2'], online: true }, ['a', 'c']],
        [{ servers: ['s3'], online: false }, []],
        [{ projectId: 'q' }, ['f']],
      ];
      for (const [request, expected] of cases) {
        for (const sort of ['name', 'lastSeen'] as const) {
          const { rows, total, totalIsLowerBound } = await list({ ...request, sort });
          expect([...rows.map(({ identifier }) => identifier)].sort(), JSON.stringify(request)).toEqual(expected);
          expect([total, totalIsLowerBound]).toEqual([expected.length, false]);
        }
        expect((await listed(request)).sort()).toEqual(expected);
        expect((await listed({ ...request, search: '' })).sort()).toEqual(expected);
      }
    });

    it('many random requests, one after the other', async () => {
      await everybody();
      for (let count = 1; count <= 30; count += 1) {
        const servers = Array.from({ length: count }, (_, n) => `s${n + 1}`);
        const hits = ['a', 'b', 'c', 'd', 'e'].slice(0, count * 2);
        for (const online of [undefined, true, false]) {
          const expected = hits.filter((id) => online === undefined || online === 'ace'.includes(id));
          for (const sort of ['name', 'lastSeen', undefined] as const) {
            const asked = {
              servers,
              ...(online === undefined ? {} : { online }),
              ...(sort === undefined ? {} : { sort }),
            };
            expect((await listed(asked)).sort()).toEqual(expected);
          }
        }
      }
    });
  });

  describe('comes in pages', () => {
    const letters = ['a', 'b', 'c', 'd', 'e'] as const;

    it('by offset, with the total of all of them', async () => {
      await upsertInOrder(letters);
      const pages = await Promise.all([0, 2, 4, 6, MAX].map((offset) => list({ limit: 2, offset })));
      expect(pages.map(({ rows }) => rows.map(({ identifier }) => identifier))).toEqual([
        ['a', 'b'],
        ['c', 'd'],
        ['e'],
        [],
        [],
      ]);
      expect(pages.map(({ total }) => total)).toEqual([5, 5, 5, 5, 5]);
      expect(pages.map(({ next }) => next !== null)).toEqual([true, true, false, false, false]);
    });

    it.each([0, 1, 5, 15, 25, 30])('by last seen from any offset, with %i of 30 online', async (online) => {
      for (let n = 0; n < 30; n += 1) {
        // Scattered over the order, and some at the same time.
        const player = playerOf(`id${n}`, { online: (n * 7) % 30 < online });
        await upsert(1_000 + ((n * 11) % 30) - (n % 3), [player], n % 4 === 0 ? 'other' : 'main');
      }
      for (const only of [{}, { servers: ['main'] }]) {
        const request = { ...only, sort: 'lastSeen', limit: 50 } as const;
        const whole = await listed(request);
        expect(whole).toHaveLength('servers' in only ? 22 : 30);
        for (let offset = 1; offset <= whole.length + 1; offset += 1) {
          const page = await list({ ...request, limit: 3, offset });
          expect(page.rows.map(({ identifier }) => identifier)).toEqual(whole.slice(offset, offset + 3));
          expect([page.total, page.next === null]).toEqual([whole.length, offset + 3 >= whole.length]);
        }
      }
    });

    it('by cursor, from wherever an offset began, to the last one', async () => {
      await upsertInOrder(letters);
      expect(await walk({ limit: 2 })).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
      expect(await walk({ limit: 5 })).toEqual([[...letters]]);
      const { next } = await list({ limit: 2, offset: 1 });
      expect(await listed({ limit: 2, offset: 99, cursor: next ?? '' })).toEqual(['d', 'e']);
    });

    it('whose cursors stay valid while players join, change, leave and are deleted', async () => {
      await upsertInOrder(letters);
      const pages = await walk({ limit: 2 }, async (page) => {
        if (page !== 1) return;
        await upsert(2_000, [playerOf('newer'), playerOf('a')]);
        await db.store.players.setOnline('p', 'main', ['d'], { online: false, at: 1 });
        await db.store.players.remove('p', 'main', ['b']);
        await upsert(1, [playerOf('older')]);
      });
      expect(pages).toEqual([
        ['a', 'b'],
        ['c', 'e'],
        ['older', 'd'],
      ]);
    });

    it('in every order and under every filter, each player once', async () => {
      for (let n = 0; n < 24; n += 1) {
        const player = playerOf(`id${n}`, { name: `name ${n % 3}`, online: n % 2 === 0 });
        await upsert(1_000 + (n % 4), [player], `s${n % 3}`);
      }
      const filters = [
        {},
        { online: true },
        { servers: ['s1'] },
        { servers: ['s0', 's2'], online: false },
        { search: 'id1' },
      ];
      for (const filter of [...filters, { search: 'd' }]) {
        for (const sort of [{}, { sort: 'name' }, { sort: 'lastSeen' }] as const) {
          const whole = await listed({ ...filter, ...sort });
          const pages = await walk({ ...filter, ...sort, limit: 4 });
          expect(pages.flat(), JSON.stringify({ ...filter, ...sort })).toEqual(whole);
          expect(new Set(whole).size).toBe(whole.length);
        }
      }
    });

    it('of online or offline players alone, after a cursor of all players', async () => {
      await upsert(9, [playerOf('online early')]);
      await upsert(10, [playerOf('online late')]);
      await upsert(11, [playerOf('offline early', { online: false })]);
      await upsert(12, [playerOf('offline late', { online: false })]);
      const cursor = async (limit: number): Promise<string> => (await list({ limit })).next ?? '';
      const rest = async (limit: number, online: boolean) => listed({ online, cursor: await cursor(limit) });
      expect(await rest(1, true)).toEqual(['online early']);
      expect(await rest(1, false)).toEqual(['offline late', 'offline early']);
      expect(await rest(3, true)).toEqual([]);
      expect(await rest(3, false)).toEqual(['offline early']);
    });

    it('after the longest names there are', async () => {
      const longest = [
        '語'.repeat(128),
        '🚓'.repeat(64),
        '\u0001'.repeat(128),
        '\u{1d160}'.repeat(64),
        '"\\'.repeat(64),
      ];
      const players = longest.map((name, n) => playerOf(`${n}`.repeat(128), { name }));
      await upsert(1, players);
      const pages = await walk({ sort: 'name', limit: 1 });
      expect(pages.flat()).toEqual(await listed({ sort: 'name' }));
      expect(pages).toHaveLength(longest.length);
    });
  });

  describe('refuses a cursor', () => {
    it('of another list or order', async () => {
      await upsertInOrder(['a', 'b']);
      const cursorOf = async (sort?: 'name' | 'lastSeen') =>
        (await list({ limit: 1, ...(sort === undefined ? {} : { sort }) })).next ?? '';
      await expect(list({ sort: 'name', cursor: await cursorOf() })).rejects.toThrow(InvalidCursor);
      await expect(list({ sort: 'lastSeen', cursor: await cursorOf('name') })).rejects.toThrow(InvalidCursor);
      await expect(list({ cursor: await cursorOf('lastSeen') })).rejects.toThrow(InvalidCursor);
      await expect(list({ cursor: encode(['commands', 1]) })).rejects.toThrow(InvalidCursor);
      await expect(list({ sort: 'lastSeen', cursor: encode(['default', 1, 1]) })).rejects.toThrow(InvalidCursor);
    });

    it('that the hub never issued', async () => {
      const shapes = [null, [], {}, 'default', ['default'], ['default', true, 1], ['default', true, 1, 1, 1]];
      const keys = [
        ['true', 1, 1],
        [1, 1, 1],
        [true, '1', 1],
        [true, 1, 1.5],
        [true, MAX + 1, 1],
        [true, null, 1],
      ];
      const cursors = [...shapes, ...keys.map((key) => ['default', ...key])].map(encode);
      for (const cursor of ['', '!', '[]', 'A'.repeat(10_000), ...cursors]) {
        await expect(list({ cursor }), cursor).rejects.toThrow(InvalidCursor);
      }
      await expect(list({ sort: 'name', cursor: encode(['name', 1, 'a']) })).rejects.toThrow(InvalidCursor);
    });

    it('with a changed key, which shows no player of another project', async () => {
      await upsertInOrder(['a', 'b']);
      await upsert(500, [playerOf('foreign')], 'main', 'q');
      expect(await listed({ cursor: encode(['default', true, MAX, MAX]) })).toEqual(['a', 'b']);
      expect(await listed({ cursor: encode(['default', false, -MAX, -MAX]) })).toEqual([]);
      expect(await listed({ sort: 'name', cursor: encode(['name', "' OR 1=1 --\0\ud800", 0]) })).toEqual(['a', 'b']);
    });
  });

  describe('by identifiers', () => {
    it('has exactly the players whom its pages have', async () => {
      await upsert(1, [playerOf('ana', { name: 'Ana Souza' }), playerOf('bob', { online: false })]);
      await upsert(1, [playerOf('ana', { name: 'Ana', vehicles: [vehicleOf('QX 12')] }), playerOf('gone')], 'east');
      await upsert(1, [playerOf('ana')], 'main', 'q');
      await db.store.players.setGone('p', 'east', ['gone'], 2);
      const wanted: [Omit<PlayerListRequest, 'limit' | 'projectId'>, string[]][] = [
        [{}, ['east ana', 'main ana', 'main bob']],
        [{ online: true }, ['east ana', 'main ana']],
        [{ servers: ['main'] }, ['main ana', 'main bob']],
        [{ servers: ['main', 'east'], online: false }, ['main bob']],
        [{ servers: [] }, []],
        [{ search: 'ana' }, ['east ana', 'main ana']],
        [{ search: 'souza ana', servers: ['main'] }, ['main ana']],
        [{ search: 'qx' }, []],
        [{ search: 'qx', plates: true }, ['east ana']],
        [{ search: ' ' }, []],
      ];
      for (const [request, expected] of wanted) {
        const keys = (await db.store.players.keys({ projectId: 'p', ...request })) ?? [];
        expect(keys.map(({ serverId, identifier }) => `${serverId} ${identifier}`)).toEqual(expected);
        const { rows, total } = await list(request);
        expect([rows.length, total], JSON.stringify(request)).toEqual([expected.length, expected.length]);
      }
    });

    it('ends at 10,000', async () => {
      const many = Array.from({ length: 10_000 }, (_, n) => playerOf(`p${n}`));
      for (let from = 0; from < many.length; from += 500) await upsert(1, many.slice(from, from + 500));
      expect(await db.store.players.keys({ projectId: 'p' })).toHaveLength(10_000);
      await upsert(1, [playerOf('one more')]);
      expect(await db.store.players.keys({ projectId: 'p' })).toBeUndefined();
      expect(await db.store.players.keys({ projectId: 'p', search: 'one more' })).toHaveLength(1);
    });
  });
});
