import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from '../../../bridge-protocol/fold.ts';
import type { PlayerListRequest } from '../../../db/queries/players/list.ts';
import { lateIndex } from '../../../db/queries/players/search.ts';
import { searchFields, searchText, storable } from '../../../db/schema/text.ts';
import { engines, playerOf, useStore } from '../../kit/databases.ts';

type Case = { name: string; found: string[]; missed: string[] };

/** Parts of a name that find the player, and parts that do not. */
const CASES: Record<string, Case> = {
  'plain text in any case': {
    name: 'Ana Souza',
    found: ['a', 'A', 'na', 'ANA SOUZA', 'Souza Ana', 'sOuZ', 'ana  s'],
    missed: ['b', 'asouza', 'ana b'],
  },
  'per cent': {
    name: '100% legal',
    found: ['%', '0%', '00% l', '100% LEGAL'],
    missed: ['%%', '1%', '100%legal', '%l%'],
  },
  underscores: { name: 'mr_smith', found: ['_', 'r_', 'mr_s'], missed: ['__', 'm_', 'mr__smith', '_r_'] },
  backslashes: {
    name: 'C:\\temp\\',
    found: ['\\', ':\\', '\\temp\\', 'temp\\'],
    missed: ['\\\\', 'temp\\\\', '\\%', '\\_temp'],
  },
  'single quotes': {
    name: "O'Neil ''",
    found: ["o'", "o'n", "o''neil", 'oneil'],
    missed: ["'", "' OR 1=1 --"],
  },
  'double quotes': {
    name: 'The "Doc" ""',
    found: ['"', '"d', '"doc"', '""', 'c" ""'],
    missed: ['"""', '"the', 'doc""'],
  },
  'words of a query language': {
    name: 'a* NEAR(b, 2) AND -c ^d NOT e:f',
    found: ['*', 'a*', 'NEAR(', 'and', '-c', '^d', 'not e', 'e:f'],
    missed: ['b* ', 'nearb', 'a OR', '{e}', '(b*'],
  },
  emoji: {
    name: 'A 🚓🚔 👨‍👩‍👧',
    found: ['🚓', '🚓🚔', ' 🚓🚔 ', '👨‍👩', '👨‍👩‍👧', '🚓 🚔'],
    missed: ['🚔🚓', '🚒', '\ud83d', '\u200d'],
  },
  Cyrillic: { name: 'Ёлка Михаил', found: ['ё', 'ЁЛ', 'МИХ', 'лка м', 'елка', 'мйх'], missed: ['мх', 'misha'] },
  'Greek, with the sigma at the end of a word or not': {
    name: 'ΟΔΥΣΣΕΥΣ Νίκος',
    found: ['ς', 'Σ', 'σσ', 'ευς', 'ΕΥΣ ν', 'νίκος', 'ΝΊΚΟΣ', 'ίκοσ', 'νικος'],
    missed: ['νικος ες', 'ςςς'],
  },
  'Turkish, with and without dots': {
    name: 'İstanbul Işık',
    found: ['i', 'İST', 'ist', 'IST', 'ışı', 'IŞIK', 'işik', 'İŞİK', 'isik'],
    missed: ['istn'],
  },
  'a dot under an accent': {
    name: 'İ\u0301zmir',
    found: ['í', 'Í', 'i\u0301zmir', 'I\u0307\u0301z', 'izmir', 'iz'],
    missed: ['izm\u0301 ra'],
  },
  Chinese: { name: '王小明先生', found: ['王', '小明', '王小明', '小明先生'], missed: ['明小', '先生王', '王明'] },
  Arabic: { name: 'محمد العربي', found: ['م', 'حم', 'محمد', 'د ال'], missed: ['عربم', 'محمدد'] },
  German: {
    name: 'Straße MÜLLER',
    found: ['ß', 'ü', 'straße', 'strasse', 'müller', 'e mü', 'muller'],
    missed: ['mueller', 'strase'],
  },
  'text composed of letters and marks': {
    name: 'Zoe\u0308 A\u030Angstro\u0308m',
    found: ['ë', 'e\u0308', 'Zo\u00CB', '\u212Bng', 'a\u030Angstr\u00F6m', 'zoe', 'angstrom'],
    missed: ['zoea', 'ångstroem'],
  },
  'text in one piece': { name: 'Zo\u00EB', found: ['e\u0308', 'zoe\u0308', 'ZOE\u0308', 'zoe'], missed: ['zoé a'] },
  'accents of French and Portuguese': {
    name: 'João Anaïs Çelik Ñandú',
    found: ['joao', 'JOÃO', 'anais', 'Anaïs', 'celik', 'nandu', 'jóáo'],
    missed: ['joo', 'anas', 'selik'],
  },
  'line feeds and tabs in a name': {
    name: 'two\nlines\tand',
    found: ['two lines', 'o l', 's\tand', 'two\nlines'],
    missed: ['\n', '\t', 'twolines'],
  },
  'words in any order': {
    name: 'abc def ghi jkl',
    found: ['abc def ghi', 'c def ghi jk', 'ghi def abc', 'jk c', 'abc abc', 'own abc', ' l '],
    missed: ['abcdefghi', 'abc nobody', 'nobody jkl', 'ab x', 'abc ident def ghx'],
  },
  'nothing at all': { name: '', found: ['', 'own:i'], missed: ['x', '  '] },
};

/** As many as a server has in `.ci/postgres`, which takes 20 s on a quiet machine, and fewer in a file. */
const NEIGHBOURS = process.env['TEST_HUBS_ON'] === 'postgres' ? 66_000 : 20_000;

/** SQLite also with players that its search index has not yet. */
const stores = engines.flatMap((engine) => [
  { ...engine, isPart: false },
  ...(engine.name === 'SQLite' ? [{ ...engine, name: 'SQLite, with a late index', isPart: true }] : []),
]);

describe.each(stores)('the search for players on $name', ({ open, isPart }) => {
  const db = useStore(open);
  const upsert = (list: ReturnType<typeof playerOf>[], serverId = 'main', projectId = 'p') =>
    db.store.players.upsert(projectId, serverId, list, 1_000, { isPart });
  const list = (search: string, request: Partial<PlayerListRequest> = {}) =>
    db.store.players.list({ projectId: 'p', limit: 200, search, ...request });
  const found = async (search: string, request: Partial<PlayerListRequest> = {}): Promise<string[]> =>
    (await list(search, request)).rows.map(({ identifier }) => identifier).sort();

  it.each(Object.entries(CASES))('knows %s', async (_, { name, found: terms, missed }) => {
    await upsert([playerOf('own:ident', { name }), playerOf('@', { name: '@@@' })]);
    for (const term of terms) expect(await found(term), `"${term}" in "${name}"`).toContain('own:ident');
    for (const term of missed) expect(await found(term), `"${term}" not in "${name}"`).not.toContain('own:ident');
  });

  it('looks at the identifier as well, but not across both', async () => {
    await upsert([playerOf('char1:5F3A', { name: 'Ana' }), playerOf('char2:9', { name: 'Bob' })]);
    for (const term of ['5', '5f', '5f3a', 'R1:5F', 'char1:5f3a']) expect(await found(term)).toEqual(['char1:5F3A']);
    expect(await found('char')).toEqual(['char1:5F3A', 'char2:9']);
    expect(await found('char1 ana')).toEqual(['char1:5F3A']);
    for (const term of ['anachar1', 'bob char1', 'char1:5f3aa']) expect(await found(term)).toEqual([]);
  });

  it('looks at linked identifiers, with their type and without', async () => {
    const hash = '0a1b2c3d4e5f60718293a4b5c6d7e8f901234567';
    const linked = [`license:${hash}`, 'discord:123456789012345678', 'fivem:4711'];
    await upsert([playerOf('char1:x', { name: 'Ana', identifiers: linked }), playerOf('b', { name: 'Bob' })]);
    const terms = [
      ...linked,
      hash,
      hash.toUpperCase(),
      hash.slice(3, 30),
      '123456789012345678',
      'discord:1234',
      '4711',
    ];
    for (const term of terms) expect(await found(term), term).toEqual(['char1:x']);
    expect(await found('license:', { sort: 'name' })).toEqual(['char1:x']);
    expect(await found(`${hash}0`)).toEqual([]);
    await upsert([playerOf('char1:x', { name: 'Ana', identifiers: ['license:new'] })]);
    for (const term of terms) expect(await found(term), term).toEqual([]);
    expect(await found('license:new')).toEqual(['char1:x']);
  });

  it('looks inside a hash from four characters on', async () => {
    const hash = '5f3a9cabcdef0123';
    await upsert([
      playerOf(`char1:${hash}`, { name: 'Own', identifiers: ['discord:777777777777777777'] }),
      playerOf('x', { name: 'Linked', identifiers: [`license:${hash}`] }),
      playerOf('char1:5f3', { name: 'Short', identifiers: ['fivem:7'] }),
    ]);
    const both = [`char1:${hash}`, 'x'];
    for (const term of ['5f3a', '9cab', '0123', `:${hash}`, hash]) expect(await found(term), term).toEqual(both);
    for (const term of ['9ca', 'ab', '012']) expect(await found(term), term).toEqual([]);
    for (const term of ['5', '5f', '5f3', ':5f', '7']) expect(await found(term), term).toEqual(['char1:5f3']);
    expect(await found('har1')).toEqual(['char1:5f3', `char1:${hash}`]);
    expect(await found('ar1')).toEqual(['char1:5f3', `char1:${hash}`]);
  });

  it('looks at number plates if told so', async () => {
    const vehicle = (plate: string) => ({ plate, model: 'a', label: 'a', stored: true, garage: null, metadata: {} });
    await upsert([
      playerOf('a', { vehicles: [vehicle('XYZ 123'), vehicle('ÇA 9')] }),
      playerOf('b', { name: 'xyz 1' }),
    ]);
    const plates = true;
    for (const term of ['xyz 123', 'Z 12', '23', 'ca 9']) {
      expect(await found(term), term).toEqual([]);
      for (const sort of [undefined, 'name'] as const) {
        expect(await found(term, { plates, ...(sort && { sort }) }), term).toEqual(['a']);
      }
    }
    expect((await list('xyz', { plates })).rows.map(({ identifier }) => identifier)).toEqual(['b', 'a']);
    await upsert([playerOf('a', { vehicles: [vehicle('NEW')] })]);
    expect([await found('xyz 123', { plates }), await found('new', { plates })]).toEqual([[], ['a']]);
  });

  it('lists players of one report in the same order on every engine', async () => {
    const names = Array.from({ length: 60 }, (_, n) => `Same ${(n * 7) % 60}`);
    await upsert(names.map((name, n) => playerOf(`same${n}`, { name: n % 3 === 0 ? name : `x${n}` })));
    const order = (await list('same')).rows.map(({ identifier }) => Number(identifier.slice(4)));
    const newest = (isName: boolean) => [...names.keys()].filter((n) => (n % 3 === 0) === isName).reverse();
    expect(order).toEqual([...newest(true), ...newest(false)]);
  });

  it('does not look at accounts or metadata', async () => {
    await upsert([playerOf('a', { accounts: { xyz: 1 }, metadata: { xyz: 'xyz' } })]);
    expect(await found('xyz')).toEqual([]);
  });

  it('shows names before identifiers, page by page and by offset', async () => {
    const namedOffline = playerOf('b', { name: 'Lisa', online: false });
    const players = [
      ...Array.from({ length: 5 }, (_, n) => playerOf(`lis${n}`, { name: `x${n}`, online: n % 2 === 0 })),
      ...Array.from({ length: 4 }, (_, n) => playerOf(`n${n}`, { name: `Élise Lis ${n}`, online: n % 2 === 0 })),
      namedOffline,
      playerOf('c', { name: 'Nobody', identifiers: ['license:lis'] }),
    ];
    for (const [at, player] of players.entries()) await db.store.players.upsert('p', 'main', [player], at, { isPart });
    const expected = ['n2', 'n0', 'b', 'n3', 'n1', 'c', 'lis4', 'lis2', 'lis0', 'lis3', 'lis1'];
    const idsOf = ({ rows }: Awaited<ReturnType<typeof list>>) => rows.map(({ identifier }) => identifier);
    expect(idsOf(await list('lis'))).toEqual(expected);
    for (const limit of [1, 2, 3, 5, 7, 11]) {
      const walked: string[] = [];
      for (let cursor: string | undefined; walked.length < expected.length; ) {
        const page = await list('lis', { limit, ...(cursor === undefined ? {} : { cursor }) });
        expect(page.total).toBe(expected.length);
        walked.push(...idsOf(page));
        if (page.next === null) break;
        cursor = page.next;
      }
      expect(walked, `pages of ${limit}`).toEqual(expected);
      for (const offset of [0, 1, 4, 5, 6, 10, 11]) {
        const page = await list('lis', { limit, offset });
        expect(idsOf(page), `${limit} from ${offset}`).toEqual(expected.slice(offset, offset + limit));
        expect(page.next === null).toBe(offset + limit >= expected.length);
      }
    }
    expect(idsOf(await list('lis', { online: true }))).toEqual(['n2', 'n0', 'c', 'lis4', 'lis2', 'lis0']);
    expect(idsOf(await list('lis', { sort: 'lastSeen', limit: 3 }))).toEqual(['c', 'b', 'n3']);
  });

  it('finds nothing with a term longer than any name, and all players with an empty term', async () => {
    const name = 'long name '.repeat(12);
    await upsert([playerOf('a', { name }), playerOf('b')]);
    expect(await found(name)).toEqual(['a']);
    for (const term of [`${name} x`, name.replaceAll(' ', ''), 'x'.repeat(1_000)])
      expect(await found(term)).toEqual([]);
    expect(await found('')).toEqual(['a', 'b']);
  });

  it('takes text that no engine can keep', async () => {
    await upsert([playerOf('a', { name: 'x\0y\ud800z' })]);
    for (const term of ['\0', 'x\0y', '\ud800z', 'x\uFFFDy\uFFFDz']) expect(await found(term)).toEqual(['a']);
  });

  it.each(['d,', 'old', 'ld, o'])('finds the name of now and not the one before: %s', async (term) => {
    await upsert([playerOf('a', { name: 'Öld, old NAME' }), playerOf('b')]);
    expect(await found(term)).toEqual(['a']);
    await upsert([playerOf('a', { name: 'Fresh' }), playerOf('b', { name: 'old namé' })]);
    expect(await found('fresh')).toEqual(['a']);
    expect(await found('fr')).toEqual(['a']);
    expect(await found(term)).toEqual(term === 'old' ? ['b'] : []);
  });

  it('does not find a deleted player until they return', async () => {
    await upsert([playerOf('a', { name: 'Shared' }), playerOf('b', { name: 'Shared' })]);
    await db.store.players.remove('p', 'main', ['a']);
    expect([await found('shared'), await found('sh')]).toEqual([['b'], ['b']]);
    await upsert([playerOf('a', { name: 'Shared' })]);
    expect([await found('shared'), await found('sh')]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  it('finds players who went offline or changed in other fields than the name', async () => {
    await upsert([playerOf('a', { name: 'Shared' })]);
    await db.store.players.setOnline('p', 'main', ['a'], { online: false, at: 2_000 });
    await upsert([playerOf('a', { name: 'Shared', online: false, accounts: { bank: 1 } })]);
    expect(await found('shared', { online: false })).toEqual(['a']);
    expect(await found('shared', { online: true })).toEqual([]);
  });

  it('stays inside the project, the servers and the filter', async () => {
    await upsert([playerOf('a', { name: 'Shared' })], 's1');
    await upsert([playerOf('b', { name: 'Shared', online: false })], 's2');
    await upsert([playerOf('c', { name: 'Shared' })], 's1', 'q');
    for (const term of ['sh', 'shared']) {
      expect(await found(term)).toEqual(['a', 'b']);
      expect(await found(term, { servers: ['s2'] })).toEqual(['b']);
      expect(await found(term, { servers: ['s1', 's2'], online: true })).toEqual(['a']);
      expect(await list(term, { servers: [] })).toMatchObject({ rows: [], total: 0 });
      expect(await list(term, { projectId: 'q' })).toMatchObject({ total: 1 });
    }
  });

  it('equals a plain filter over folded names', async () => {
    const letters = ['a', 'A', 'b', ' ', '%', '_', '\\', '"', "'", '*', '(', '-', ':', '\n', '\0', '🚓', '\ud83d'];
    const scripts = ['e', 'é', '\u0301', 'ß', 'Σ', 'ς', 'I', 'İ', 'ı', '\u0307', '王', 'K', ' OR ', 'NEAR'];
    const text = (maxLength: number) =>
      fc.array(fc.constantFrom(...letters, ...scripts), { maxLength }).map((parts) => parts.join(''));
    const names = fc.array(text(7), { minLength: 1, maxLength: 12 });
    const property = fc.asyncProperty(names, fc.array(text(4), { minLength: 1, maxLength: 8 }), async (some, terms) => {
      await db.store.players.allOffline('p', 'main', { limit: 100, at: 1 });
      const players = some.map((name, n) => playerOf(`id-${n}`, { name }));
      await upsert(players);
      const parts = some.map((name) => name.slice(1, 4));
      for (const term of [...terms, ...parts]) {
        const wanted = fold(storable(term));
        const isHit = ({ name, identifier }: (typeof players)[number]): boolean =>
          (term === '' || wanted !== '') &&
          wanted.split(' ').every((word) =>
            searchText(name, identifier)
              .split('\n')
              .some((line) => line.includes(word)),
          );
        const expected = players.filter(isHit).map(({ identifier }) => identifier);
        const { rows, total } = await list(term, { online: true });
        expect(rows.map(({ identifier }) => identifier).sort(), JSON.stringify(term)).toEqual(expected.sort());
        expect(total).toBe(expected.length);
      }
    });
    await fc.assert(property, { numRuns: 40 });
  });

  /** Many players at once, one in four of them online. */
  const crowdOf = async (projectId: string, serverId: string, count: number, nameOf: (n: number) => string) => {
    const json = { identifiers: [], accounts: {}, inventory: [], vehicles: [], metadata: {} };
    for (let first = 0; first < count; first += 1_000) {
      const rows = Array.from({ length: Math.min(1_000, count - first) }, (_, added) => {
        const n = first + added;
        const [name, identifier] = [nameOf(n), `id${n}`];
        const seen = { online: n % 4 === 0, firstSeenAt: n, lastSeenAt: n, syncedAt: n };
        const searched = { searchText: searchText(name, identifier), ...searchFields({ identifier, ...json }) };
        return { projectId, serverId, identifier, name, ...seen, ...json, ...searched };
      });
      await db.database.commit(() => db.database.handle.insert(db.database.tables.players).values(rows));
      const index = lateIndex(db.database);
      if (index !== undefined && !isPart) await db.database.commit(() => index());
    }
  };
  const idsOf = ({ rows }: Awaited<ReturnType<typeof list>>) => rows.map(({ identifier }) => identifier);

  it('finds the few of a project and of a server among many of their neighbours', async () => {
    await crowdOf('q', 'main', NEIGHBOURS, (n) => `Shared ${n}`);
    await crowdOf('p', 'other', NEIGHBOURS / 2, (n) => `Shared ${n}`);
    await upsert(['a', 'b', 'c'].map((id) => playerOf(id, { name: `Shared ${id}` })));
    await upsert(
      ['d', 'e', 'f'].map((id) => playerOf(id, { name: `Shared ${id}` })),
      'main',
      'r',
    );
    for (const term of ['shared', 'sh', 'ed sha']) {
      const of = { [term]: [await list(term, { projectId: 'r' }), await list(term, { servers: ['main'] })] };
      expect(of[term]?.map(({ total, totalIsLowerBound }) => [total, totalIsLowerBound])).toEqual([
        [3, false],
        [3, false],
      ]);
      expect(of[term]?.map((page) => idsOf(page))).toEqual([
        ['f', 'e', 'd'],
        ['c', 'b', 'a'],
      ]);
    }
  }, 240_000);

  it('counts 10,000 hits and shows names first, and walks the order of the list for more', async () => {
    await crowdOf('p', 'main', 9_999, (n) => `Crowd ${n} of all`);
    await upsert([playerOf('crowd', { name: 'All' })]);
    const pageOf = async (search: string, request: Partial<PlayerListRequest> = {}) => {
      const page = await list(search, { limit: 2, ...request });
      return { ...page, ids: idsOf(page), count: [page.total, page.totalIsLowerBound] };
    };
    const isExact = [10_000, false];
    const isMore = [10_000, true];
    for (const term of ['crowd', 'all cro']) {
      const first = await pageOf(term);
      expect([first.ids, first.count], term).toEqual([['id9996', 'id9992'], isExact]);
      expect(await pageOf(term, { offset: 9_998 })).toMatchObject({ ids: ['id1', 'crowd'], next: null });
      expect(await pageOf(term, { offset: 10_000 })).toMatchObject({ ids: [], count: isExact });
      expect(await pageOf(term, { sort: 'lastSeen' })).toMatchObject({ ids: ['id9998', 'id9997'], count: isExact });
      expect(await pageOf(term, { online: true })).toMatchObject({ count: [2_501, false] });
    }
    const sorted = await pageOf('crowd', { limit: 9_999 });
    await upsert([playerOf('late', { name: 'Crowd late, all' })]);
    expect(await pageOf('crowd', { cursor: sorted.next ?? '' })).toMatchObject({ ids: ['crowd'], next: null });

    for (const term of ['crowd', 'cr', 'all cro']) {
      const first = await pageOf(term);
      expect([first.ids, first.count], term).toEqual([['id9996', 'id9992'], isMore]);
      expect(await pageOf(term, { cursor: first.next ?? '' })).toMatchObject({
        ids: ['id9988', 'id9984'],
        count: isMore,
      });
      expect(await pageOf(term, { sort: 'lastSeen', offset: 9_000 })).toMatchObject({ ids: ['id1000', 'id999'] });
      expect(await pageOf(term, { online: false, sort: 'name' })).toMatchObject({
        ids: ['id1', 'id10'],
        count: [7_499, false],
      });
    }
    const walked = await pageOf('crowd');
    await db.store.players.remove('p', 'main', ['late', 'crowd', 'id9988']);
    expect(await pageOf('crowd', { cursor: walked.next ?? '' })).toMatchObject({
      ids: ['id9984', 'id9980'],
      count: [9_998, false],
    });
    expect(await list('', { limit: 1 })).toMatchObject({ total: 9_998, totalIsLowerBound: false });
  });
});
