import { beforeAll, describe, expect, it } from 'vitest';
import { postgresDatabase } from '../../../db/postgres/database.ts';
import { SESSION } from '../../../db/postgres/pool.ts';
import type { PlayerListRequest } from '../../../db/queries/players/list.ts';
import { createStore } from '../../../db/store.ts';
import { newServerDriver, serverUrl } from '../../kit/databases.ts';

/** A node of a plan, as EXPLAIN shows it. */
type Node = {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Function Name'?: string;
  'Index Cond'?: string;
  Filter?: string;
  Plans?: Node[];
};
type Filter = Pick<PlayerListRequest, 'servers' | 'online'>;

const PLAYERS = 30_000;
const FILTERS: Record<string, Filter> = {
  everybody: {},
  'one server': { servers: ['s1'] },
  'who is online': { online: true },
  'who is online on one server': { servers: ['s1'], online: true },
};
const SORTS = ['default', 'lastSeen', 'name'] as const;
const CASES = Object.keys(FILTERS).flatMap((filter) => SORTS.map((sort) => ({ filter, sort })));

/** Names count upwards; every one is common, every other one odd, one in 500 few, one is rare. */
const CROWD = `INSERT INTO players (project_id, server_id, identifier, name, search_text, online, first_seen_at, last_seen_at,
    synced_at, identifiers, accounts, inventory, vehicles, metadata, search_marks, search_plates,
    job_name, group_name, game_id)
  SELECT 'p', 's' || n % 4, 'id' || n, 'n', concat('common ', n, CASE WHEN n / 4 % 2 = 1 THEN ' odd' END,
    CASE WHEN n % 500 = 0 THEN ' q!' END, CASE WHEN n = 7 THEN ' rare' END, E'\\nid', n), n / 8 % 2 = 1, n, n, n,
    ('["license:' || n || '"]')::json, '{}', '[]', '[]', '{}',
    concat('id', n, E'\\nlicense:', n, CASE WHEN n = 7 THEN E'\\nx@z' END), CASE WHEN n = 9 THEN 'plate 9' ELSE '' END,
    CASE WHEN n % 500 = 0 THEN 'police' ELSE 'taxi' END, 'user', CASE WHEN n / 8 % 2 = 1 THEN n END FROM generate_series(0, ${PLAYERS - 1}) AS n`;

describe.skipIf(serverUrl === undefined)('the plan of PostgreSQL', () => {
  let said: { statement: string; values: unknown[] }[] = [];
  const open = async () => {
    const options = Object.entries(SESSION).map(([name, value]) => `-c ${name}=${value}`);
    const driver = await newServerDriver((statement, values) => said.push({ statement, values }), {
      options: options.join(' '),
    });
    const database = await postgresDatabase({ driver, target: 'The test database' });
    await database.migrate();
    await driver.query(CROWD);
    await driver.query('VACUUM ANALYZE');
    return { driver, database, players: createStore(database).players };
  };
  let opened: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    opened = await open();
    return opened.database.close;
  }, 120_000);

  const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
  /** The plans of all statements of a request, by their nodes. */
  const plansOf = async (work: () => Promise<unknown>): Promise<Node[][]> => {
    said = [];
    await work();
    const plans: Node[][] = [];
    for (const { statement, values } of said) {
      const [row] = await opened.driver.query(`EXPLAIN (FORMAT JSON) ${statement}`, values);
      const [explained] = (row?.['QUERY PLAN'] ?? []) as { Plan: Node }[];
      if (explained !== undefined) plans.push(nodesOf(explained.Plan));
    }
    return plans;
  };
  const list = ({ sort, ...page }: Filter & { sort?: string; search?: string; plates?: boolean; cursor?: string }) =>
    opened.players.list({
      projectId: 'p',
      limit: 20,
      ...page,
      ...(sort === undefined || sort === 'default' ? {} : { sort: sort as 'name' | 'lastSeen' }),
    });
  const scansOf = (nodes: Node[]): Node[] =>
    nodes.filter((node) => node['Node Type'].includes('Scan') && node['Index Name'] !== 'players_pkey');
  const indexesOf = (nodes: Node[]): string[] => scansOf(nodes).flatMap((node) => node['Index Name'] ?? []);

  it.each(CASES)('walks an index through $filter by $sort, from the start and by a cursor', async (asked) => {
    const page = { ...FILTERS[asked.filter], sort: asked.sort };
    const { next } = await list(page);
    for (const cursor of [undefined, next ?? '']) {
      const plans = await plansOf(() => list({ ...page, ...(cursor === undefined ? {} : { cursor }) }));
      const walked = plans.at(-1) ?? [];
      const index = `players_${page.servers ? 'server_' : ''}${asked.sort === 'name' ? 'name' : 'online'}`;
      const isMerged = asked.sort === 'lastSeen' && page.online === undefined;
      expect(indexesOf(walked)).toEqual(isMerged ? [index, index] : [index]);
      if (cursor !== undefined) {
        const key = asked.sort === 'name' ? 'search_text' : 'last_seen_at';
        for (const scan of scansOf(walked)) if (scan['Index Name']) expect(scan['Index Cond']).toContain(key);
      }
    }
  });

  it.each([
    ['a name that one player has', { search: 'rare' }],
    ['a word without hits', { search: 'nobody' }],
    ['some words, of which one is rare', { search: 'o rare common' }],
    ['a linked identifier', { search: 'license:29998' }],
    ['a number plate', { search: 'plate', plates: true }],
  ])('finds what few have in the index: %s', async (_, asked) => {
    for (const filter of Object.values(FILTERS)) {
      const plans = await plansOf(() => list({ ...filter, ...asked }));
      expect(plans[0]?.flatMap((node) => node['Index Name'] ?? [])).toContain('player_texts_trigrams');
    }
  });

  it.each(['o', 'om', 'q!', 'zz'])('reads the texts of the project for a short word: %s', async (search) => {
    const plans = await plansOf(() => list({ search }));
    expect(plans[0]?.flatMap((node) => node['Index Name'] ?? [])).toContain('player_texts_pkey');
  });

  it('walks the order of the list if more are found than are sorted', async () => {
    const plans = await plansOf(() => list({ search: 'common' }));
    expect(indexesOf(plans.at(-1) ?? [])).toEqual(['players_online']);
  });

  it.each([{ search: '#9' }, { job: 'police' }, { group: 'user' }])('looks for %o at those online', async (wanted) => {
    const request = { projectId: 'p', online: true, ...wanted };
    const plans = await plansOf(async () => {
      await opened.players.list({ ...request, limit: 20 });
      await opened.players.keys(request);
    });
    expect(plans).toHaveLength(2);
    for (const plan of plans) {
      expect(indexesOf(plan)).toEqual([expect.stringMatching(/^players_(server_)?online$/)]);
      expect(plan.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
    }
  });

  it('never reads all players', async () => {
    for (const filter of Object.values(FILTERS)) {
      for (const search of [undefined, 'rare', 'q!', 'odd', 'o', 'common', 'zz', 'nobody']) {
        const plans = await plansOf(() => list({ ...filter, ...(search === undefined ? {} : { search }) }));
        for (const node of plans.flat()) {
          if (node['Node Type'] === 'Seq Scan') expect(node['Relation Name']).not.toBe('players');
        }
      }
    }
    for (const identifier of ['id7', 'license:7', 'nobody']) {
      const plans = await plansOf(() => opened.players.find({ projectId: 'p', identifier }));
      expect(plans.flat().filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
    }
  });
});
