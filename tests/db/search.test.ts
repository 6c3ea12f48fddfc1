import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlayerListRequest } from '../../db/players-list.ts';
import { fold, searchText } from '../../db/text.ts';
import { engines, playerOf, useStore } from '../support/databases.ts';

type Case = { name: string; found: string[]; missed: string[] };

/** What is found by a part of a name, and what is not. */
const CASES: Record<string, Case> = {
  'plain text in any case': {
    name: 'Ana Souza',
    found: ['a', 'A', 'na', 'ANA SOUZA', 'sOuZ', ' '],
    missed: ['b', 'asouza', 'ana  s'],
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
    found: ["'", "o'", "o'n", "''", "l ''"],
    missed: ["'''", "o''neil", "' OR 1=1 --"],
  },
  'double quotes': {
    name: 'The "Doc" ""',
    found: ['"', '"d', '"doc"', '""', 'c" ""'],
    missed: ['"""', '"the', 'doc""'],
  },
  'words of a query language': {
    name: 'a* NEAR(b, 2) AND -c ^d NOT e:f',
    found: ['*', 'a*', 'NEAR(', 'and', '-c', '^d', 'not e', 'e:f'],
    missed: ['b* ', 'near b', 'a OR', '{e}', '(b*'],
  },
  emoji: {
    name: 'A 🚓🚔 👨‍👩‍👧',
    found: ['🚓', '🚓🚔', ' 🚓🚔 ', '👨‍👩', '\u200d', '👨‍👩‍👧'],
    missed: ['🚔🚓', '🚒', '\ud83d', '🚓 🚔'],
  },
  Cyrillic: { name: 'Ёлка Михаил', found: ['ё', 'ЁЛ', 'МИХ', 'лка м'], missed: ['елка', 'мх', 'misha'] },
  'Greek, with the sigma at the end of a word or not': {
    name: 'ΟΔΥΣΣΕΥΣ Νίκος',
    found: ['ς', 'Σ', 'σσ', 'ευς', 'ΕΥΣ ν', 'νίκος', 'ΝΊΚΟΣ', 'ίκοσ'],
    missed: ['νικος', 'ςςς'],
  },
  'Turkish, with and without dots': {
    name: 'İstanbul Işık',
    found: ['i', 'İST', 'ist', 'IST', 'ışı', 'IŞIK', 'işik', 'İŞİK'],
    missed: ['isik', 'istn'],
  },
  'a dot under an accent': {
    name: 'İ\u0301zmir',
    found: ['í', 'Í', 'i\u0301zmir', 'I\u0307\u0301z'],
    missed: ['izmir', 'iz'],
  },
  Chinese: { name: '王小明先生', found: ['王', '小明', '王小明', '小明先生'], missed: ['明小', '先生王', '王明'] },
  Arabic: { name: 'محمد العربي', found: ['م', 'حم', 'محمد', 'د ال'], missed: ['عرب م', 'محمدد'] },
  German: {
    name: 'Straße MÜLLER',
    found: ['ß', 'ü', 'straße', 'müller', 'e mü'],
    missed: ['strasse', 'ss', 'mueller', 'muller'],
  },
  'text composed of letters and marks': {
    name: 'Zoe\u0308 A\u030Angstro\u0308m',
    found: ['ë', 'e\u0308', 'Zo\u00CB', '\u212Bng', 'a\u030Angstr\u00F6m'],
    missed: ['zoe', '\u0308', 'angstrom'],
  },
  'text in one piece': { name: 'Zo\u00EB', found: ['e\u0308', 'zoe\u0308', 'ZOE\u0308'], missed: ['zoe'] },
  'line feeds and tabs in a name': {
    name: 'two\nlines\tand',
    found: ['two lines', 'o l', '\t', 's\tand'],
    missed: ['two\nlines', '\n', 'twolines'],
  },
  'parts that stand together': {
    name: 'abc def ghi jkl',
    found: ['abc def ghi', 'c def ghi jk', 'def ghi jkl'],
    missed: ['abcdefghi', 'ghi def abc', 'def abc ghi', 'abc def ghi jkl '],
  },
  'nothing at all': { name: '', found: ['', 'own:i'], missed: ['x', '  '] },
};

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
    for (const term of ['anachar1', 'ana char1', 'ana\nchar1', 'char1:5f3aa']) expect(await found(term)).toEqual([]);
  });

  it('does not look at linked identifiers, accounts or metadata', async () => {
    await upsert([playerOf('a', { identifiers: ['license:xyz'], accounts: { xyz: 1 }, metadata: { xyz: 'xyz' } })]);
    expect(await found('xyz')).toEqual([]);
  });

  it('finds nothing with a term longer than any name, and everybody with an empty one', async () => {
    const name = 'long name '.repeat(12);
    await upsert([playerOf('a', { name }), playerOf('b')]);
    expect(await found(name)).toEqual(['a']);
    for (const term of [`${name} `, name.repeat(5), 'x'.repeat(1_000)]) expect(await found(term)).toEqual([]);
    expect(await found('')).toEqual(['a', 'b']);
  });

  it('takes text that no engine can keep', async () => {
    await upsert([playerOf('a', { name: 'x\0y\ud800z' })]);
    for (const term of ['\0', 'x\0y', '\ud800z', 'x\uFFFDy\uFFFDz']) expect(await found(term)).toEqual(['a']);
  });

  it.each(['ö', 'old', 'old name'])('finds the name of now and not the one before: %s', async (term) => {
    await upsert([playerOf('a', { name: 'Öld, old NAME' }), playerOf('b')]);
    expect(await found(term)).toEqual(['a']);
    await upsert([playerOf('a', { name: 'Fresh' }), playerOf('b', { name: 'old namé' })]);
    expect(await found('fresh')).toEqual(['a']);
    expect(await found('fr')).toEqual(['a']);
    expect(await found(term)).toEqual(term === 'old' ? ['b'] : []);
  });

  it('does not find who was deleted, until it comes again', async () => {
    await upsert([playerOf('a', { name: 'Shared' }), playerOf('b', { name: 'Shared' })]);
    await db.store.players.remove('p', 'main', ['a']);
    expect([await found('shared'), await found('sh')]).toEqual([['b'], ['b']]);
    await upsert([playerOf('a', { name: 'Shared' })]);
    expect([await found('shared'), await found('sh')]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  it('finds who went offline or changed in anything but the name', async () => {
    await upsert([playerOf('a', { name: 'Shared' })]);
    await db.store.players.setOffline('p', 'main', ['a'], 2_000);
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
        const isHit = ({ name, identifier }: (typeof players)[number]): boolean =>
          searchText(name, identifier)
            .split('\n')
            .some((line) => line.includes(fold(term)));
        const expected = players.filter(isHit).map(({ identifier }) => identifier);
        const { rows, total } = await list(term, { online: true });
        expect(rows.map(({ identifier }) => identifier).sort(), JSON.stringify(term)).toEqual(expected.sort());
        expect(total).toBe(expected.length);
      }
    });
    await fc.assert(property, { numRuns: 40 });
  });

  it('counts exactly up to 10,000 and says so beyond, in every order', async () => {
    const { players } = db.database.tables;
    const json = { identifiers: [], accounts: {}, inventory: [], vehicles: [], metadata: {} };
    const crowd: (typeof players.$inferInsert)[] = [];
    const growTo = async (size: number): Promise<void> => {
      while (crowd.length < size) {
        const rows = Array.from({ length: Math.min(1_000, size - crowd.length) }, (_, added) => {
          const n = crowd.length + added;
          const [name, identifier] = [`Crowd ${n % 7}${n % 4 === 0 ? '' : ' member'}`, `id${n}`];
          const seen = { online: n % 2 === 0, firstSeenAt: n, lastSeenAt: n, syncedAt: n };
          const key = { projectId: 'p', serverId: `s${n % 4}`, identifier, name };
          return { ...key, ...seen, ...json, searchText: searchText(name, identifier) };
        });
        await db.database.commit(() => db.database.handle.insert(players).values(rows));
        crowd.push(...rows);
      }
    };
    const orders = {
      default: (a, b) => Number(b.online) - Number(a.online) || b.lastSeenAt - a.lastSeenAt,
      lastSeen: (a, b) => b.lastSeenAt - a.lastSeenAt,
      name: (a, b) => (a.searchText < b.searchText ? -1 : 1),
    } satisfies Record<string, (a: (typeof crowd)[number], b: (typeof crowd)[number]) => number>;
    const assertPage = async (search: string, request: Partial<PlayerListRequest> = {}): Promise<void> => {
      const { servers, online, sort, offset = 0 } = request;
      const hits = crowd
        .filter((row) => row.searchText.includes(search))
        .filter((row) => (servers?.includes(row.serverId) ?? true) && row.online === (online ?? row.online))
        .sort(orders[sort ?? 'default']);
      const { rows, next, ...count } = await list(search, { ...request, limit: 2 });
      const ids = hits.slice(offset, offset + 2).map(({ identifier }) => identifier);
      expect(
        rows.map(({ identifier }) => identifier),
        JSON.stringify([search, request]),
      ).toEqual(ids);
      expect(count).toEqual({ total: Math.min(hits.length, 10_000), totalIsLowerBound: hits.length > 10_000 });
      expect(next !== null).toBe(hits.length > offset + 2);
    };
    for (const size of [10_000, 10_001]) {
      await growTo(size);
      for (const term of ['crowd', 'cr', '']) {
        await assertPage(term);
        await assertPage(term, { sort: 'lastSeen', offset: 9_999 });
        await assertPage(term, { sort: 'name', offset: size - 1 });
        await assertPage(term, { servers: ['s0', 's1'], online: true });
      }
      await assertPage('member');
      await assertPage('member', { online: true, sort: 'name', offset: 7 });
      await assertPage('crowd 3 member');
      await assertPage('crowd 3 member', { servers: ['s1'], sort: 'name', offset: 3 });
      await assertPage('crowd 3', { sort: 'name', servers: ['s0'] });
      await assertPage(`id${size - 1}`);
    }
    expect(await db.store.players.list({ projectId: 'p', limit: 1 })).toMatchObject({
      total: 10_001,
      totalIsLowerBound: false,
    });
  }, 60_000);
});
