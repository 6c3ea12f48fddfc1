import Sqlite from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PlayerListRequest } from '../../../db/queries/players/list.ts';
import { sqliteDatabase } from '../../../db/sqlite/database.ts';
import { createStore } from '../../../db/store.ts';

type Step = { parent: number; detail: string };
type Filter = Pick<PlayerListRequest, 'servers' | 'online'>;
type Page = Filter & Pick<PlayerListRequest, 'sort' | 'search' | 'cursor'>;

const PLAYERS = 10_200;
const FILTERS: Record<string, Filter> = {
  everybody: {},
  'one server': { servers: ['s1'] },
  'some servers': { servers: ['s1', 's2'] },
  'who is online': { online: true },
  'who is online on one server': { servers: ['s1'], online: true },
};
const SORTS = ['default', 'lastSeen', 'name'] as const;
const CASES = Object.keys(FILTERS).flatMap((filter) => SORTS.map((sort) => ({ filter, sort })));

/** Names count upwards; every other one of each server is odd, one is rare. */
const CROWD = `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${PLAYERS - 1})
  INSERT INTO players (project_id, server_id, identifier, name, search_text, online, first_seen_at, last_seen_at,
    synced_at, identifiers, accounts, inventory, vehicles, metadata, search_marks, search_plates)
  SELECT 'p', 's' || (n % 4), 'id' || n, 'n', 'common ' || n || iif(n / 4 % 2, ' odd', '') || iif(n = 7, ' rare', '') || char(10) || 'id' || n,
    n / 8 % 2, n, n, n, '["license:' || n || '"]', '{}', '[]', '[]', '{}',
    'id' || n || char(10) || 'license:' || n, '' FROM numbers`;

describe('the plan of SQLite', () => {
  const said: string[] = [];
  const client = new Sqlite(':memory:', { verbose: (statement) => said.push(String(statement)) });
  const database = sqliteDatabase({ client, file: ':memory:' });
  const { players } = createStore(database);

  beforeAll(async () => {
    await database.migrate();
    client.exec(CROWD);
    return database.close;
  });

  /** The statements of a request, with their plans. */
  const plansOf = async (work: () => Promise<unknown>): Promise<{ statement: string; steps: Step[] }[]> => {
    said.length = 0;
    await work();
    const statements = said.filter((statement) => statement.startsWith('select'));
    return statements.map((statement) => ({
      statement,
      steps: client.prepare<[], Step>(`EXPLAIN QUERY PLAN ${statement}`).all(),
    }));
  };
  const list = ({ sort, ...page }: Omit<Page, 'sort'> & { sort: (typeof SORTS)[number] }) =>
    players.list({ projectId: 'p', limit: 20, ...page, ...(sort === 'default' ? {} : { sort }) });
  /** How a page is found, apart from reading and sorting the few rows of it. */
  const pageOf = async (page: Parameters<typeof list>[0]): Promise<string[]> => {
    const steps = (await plansOf(() => list(page))).at(-1)?.steps ?? [];
    const [read, found, sorted, ...more] = steps.filter(({ parent }) => parent === 0).map(({ detail }) => detail);
    expect([read, sorted, more]).toEqual([
      'SEARCH players USING INTEGER PRIMARY KEY (rowid=?)',
      'USE TEMP B-TREE FOR ORDER BY',
      [],
    ]);
    expect(found).toMatch(/^LIST SUBQUERY \d+$/);
    return steps.filter(({ parent }) => parent !== 0).map(({ detail }) => detail);
  };
  const indexOf = ({ servers }: Filter, sort: (typeof SORTS)[number]): string =>
    `players_${servers?.length === 1 ? 'server_' : ''}${sort === 'name' ? 'name' : 'online'}`;

  /** The walk of a list's order, from the start and by a cursor. */
  const assertWalks = async (asked: Parameters<typeof list>[0], isCovered: boolean): Promise<void> => {
    const first = await pageOf(asked);
    const { next } = await list(asked);
    const deep = await pageOf({ ...asked, cursor: next ?? '' });
    for (const steps of [first, deep]) {
      expect(steps.filter((step) => step.includes('TEMP B-TREE'))).toEqual([]);
      for (const step of steps.filter((each) => each.startsWith('SCAN'))) expect(step).toContain('both_halves');
      const walks = steps.filter((step) => step.startsWith('SEARCH'));
      expect(walks).toHaveLength(asked.sort === 'lastSeen' && asked.online === undefined ? 2 : 1);
      for (const walk of walks) expect(walk).toContain(`INDEX ${indexOf(asked, asked.sort)} (project_id=?`);
      if (isCovered) for (const walk of walks) expect(walk).toContain('COVERING INDEX');
    }
    for (const walk of deep.filter((step) => step.startsWith('SEARCH'))) {
      expect(walk).toContain(asked.sort === 'name' ? 'search_text>?' : 'last_seen_at');
    }
  };

  it.each(CASES)('walks an index through $filter by $sort', async ({ filter, sort }) => {
    const asked = { ...FILTERS[filter], sort };
    // The filter's columns are in the index too.
    await assertWalks(asked, asked.servers?.length !== 2 && (asked.online === undefined || sort !== 'name'));
  });

  it.each(SORTS)('walks the order by %s if a search finds more than are sorted', async (sort) => {
    await assertWalks({ search: 'common', sort }, false);
  });

  it.each(SORTS)('looks at the rows alone that the index names, by %s', async (sort) => {
    for (const filter of [{}, { servers: ['s3', 's0'] }]) {
      const [hits] = await plansOf(() => list({ ...filter, search: 'o rare', sort }));
      const reads = hits?.steps.map(({ detail }) => detail).filter((detail) => /player/.test(detail));
      expect(reads).toEqual([
        'CO-ROUTINE players',
        expect.stringContaining('SCAN player_search VIRTUAL TABLE INDEX'),
        'SEARCH players USING INTEGER PRIMARY KEY (rowid=?)',
        // Players whom the index does not have yet.
        'SEARCH players USING INTEGER PRIMARY KEY (rowid>?)',
        'SCAN player_indexed',
        'SEARCH players USING INTEGER PRIMARY KEY (rowid=?)',
        // The hits, to sort them.
        'SCAN players',
        'SEARCH players USING INTEGER PRIMARY KEY (rowid=?)',
      ]);
    }
  });

  it('looks for a number in the game at those online', async () => {
    const request = { projectId: 'p', search: '#7' };
    const plans = await plansOf(async () => {
      await players.list({ ...request, limit: 20, offset: 99 });
      await players.keys(request);
    });
    expect(plans).toHaveLength(3);
    for (const { steps } of plans) {
      const details = steps.map(({ detail }) => detail);
      expect(details.some((step) => /players_(server_)?online \(project_id=\? AND online=\?\)$/.test(step))).toBe(true);
      expect(details.filter((step) => step.startsWith('SCAN players'))).toEqual([]);
    }
  });

  it.each<[string, Partial<PlayerListRequest>, RegExp]>([
    ['a job', { job: 'police' }, /^SEARCH players USING INDEX players_\w+ \(project_id=\?\)$/],
    ['a balance', { account: 'bank', minBalance: 5 }, /^SEARCH players USING INDEX players_\w+ \(project_id=\?\)$/],
    [
      'a group of those online',
      { group: 'admin', online: true },
      /^SEARCH .* players_\w*online \(project_id=\? AND online=\?\)$/,
    ],
    ['the order by job', { sort: 'job' }, /^SEARCH players USING INDEX players_\w+ \(project_id=\?\)$/],
    [
      'the order by a balance',
      { sort: 'balance', account: 'bank', servers: ['s1'] },
      /^SEARCH .* \(project_id=\? AND server_id=\?\)$/,
    ],
    ['words and a job', { search: 'rare', job: 'police' }, /^SCAN player_search VIRTUAL TABLE INDEX/],
  ])('looks for %s at the players of the other filters only', async (_, request, way) => {
    const plans = await plansOf(() => players.list({ projectId: 'p', limit: 20, ...request }));
    for (const { steps } of plans.filter(({ statement }) => !statement.includes('player_totals'))) {
      const details = steps.map(({ detail }) => detail);
      expect(
        details.some((step) => way.test(step)),
        details.join('\n'),
      ).toBe(true);
      expect(details.filter((step) => step.startsWith('SCAN players'))).toEqual([]);
    }
  });

  it('never reads all players, whatever is listed, counted or found', async () => {
    const scanned = new Set<string>();
    const look = async (work: () => Promise<unknown>): Promise<void> => {
      for (const { statement, steps } of await plansOf(work)) {
        // Totals and hits have the columns of players, and their name.
        const of = statement.includes('as "players"') ? 'totals or hits' : 'a list';
        for (const { detail } of steps) if (detail.startsWith('SCAN')) scanned.add(`${of}: ${detail.split(' ')[1]}`);
      }
    };
    for (const filter of Object.values(FILTERS)) {
      for (const search of [undefined, 'rare', 'odd', 'common', 'no', 'common 7 odd rare']) {
        await look(() => list({ ...filter, sort: 'default', ...(search === undefined ? {} : { search }) }));
      }
    }
    for (const identifier of ['id7', 'license:7', 'nobody']) {
      await look(() => players.find({ projectId: 'p', identifier }));
    }
    await look(() => players.online('p', 's1', { limit: 20 }));
    await look(() => players.states('p', 's1', ['id1', 'id2']));
    // Subqueries are lists that were found by one of these.
    const known = ['player_search', 'player_links', 'player_indexed', 'json_each', 'found', 'page'];
    const others = [...scanned].filter(
      (name) => !known.some((each) => name.endsWith(`: ${each}`)) && !name.includes('(subquery-'),
    );
    expect(others).toEqual(['totals or hits: players']);
  });
});
