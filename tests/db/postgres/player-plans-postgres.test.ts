import { beforeAll, describe, expect, it } from 'vitest';
import { postgresDatabase } from '../../../db/postgres/database.ts';
import { SESSION } from '../../../db/postgres/pool.ts';
import type { PlayerListRequest } from '../../../db/queries/players/list.ts';
import { createStore } from '../../../db/store.ts';
import { pgliteDriver } from '../../testkit/pglite.ts';

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
    synced_at, identifiers, accounts, inventory, vehicles, metadata, search_marks, search_plates)
  SELECT 'p', 's' || n % 4, 'id' || n, 'n', concat('common ', n, CASE WHEN n / 4 % 2 = 1 THEN ' odd' END,
    CASE WHEN n % 500 = 0 THEN ' q!' END, CASE WHEN n = 7 THEN ' rare' END, E'\\nid', n), n / 8 % 2 = 1, n, n, n,
    ('["license:' || n || '"]')::json, '{}', '[]', '[]', '{}',
    concat('id', n, E'\\nlicense:', n, CASE WHEN n = 7 THEN E'\\nx@z' END), CASE WHEN n = 9 THEN 'ab 9' ELSE '' END FROM generate_series(0, ${PLAYERS - 1}) AS n`;

describe('the plan of PostgreSQL', () => {
  let said: { statement: string; values: unknown[] }[] = [];
  const open = async () => {
    const driver = await pgliteDriver((statement, values) => said.push({ statement, values }));
    const database = await postgresDatabase({ driver, target: 'The test database' });
    await database.migrate();
    await driver.query(CROWD);
    for (const [name, value] of Object.entries(SESSION)) await driver.query(`SET ${name} = ${value}`);
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
    ['a short one', 'q!', 'player_texts_name_parts'],
    ['a single character', '!', 'player_texts_name_parts'],
    ['one of no letters', ' q!', 'player_texts_name_parts'],
    ['a long one', 'rare', 'player_texts_names'],
    ['a short one without hits', 'zz', 'player_texts_name_parts'],
    ['a long one without hits', 'nobody', 'player_texts_names'],
  ])('finds a term that few have in an index: %s', async (_, search, index) => {
    for (const filter of Object.values(FILTERS)) {
      const hits = (await plansOf(() => list({ ...filter, search }))).find((nodes) =>
        nodes.some((node) => node['Node Type'] === 'Bitmap Index Scan'),
      );
      expect(indexesOf(hits ?? [])).toContain(index);
    }
  });

  it.each([
    ['a linked identifier', 'license:29998', 'player_texts_ids'],
    ['a short part of an identifier', '@z', 'player_texts_mark_parts'],
    ['a number plate', 'ab 9', 'player_texts_plate_parts'],
  ])('finds what few have elsewhere in an index: %s', async (_, search, index) => {
    const asked = { search, plates: index === 'player_texts_plate_parts' };
    expect((await list(asked)).rows).toHaveLength(1);
    expect((await plansOf(() => list(asked))).flatMap(indexesOf)).toContain(index);
  });

  it.each(['o', 'om', 'common'])('looks at one text after the other for a term that many have: %s', async (search) => {
    const plans = await plansOf(() => list({ search }));
    const walks = plans.flat().filter(({ Filter: filter }) => filter?.includes('strpos'));
    expect(walks.length).toBeGreaterThan(0);
    for (const index of plans.flatMap(indexesOf)) expect(index).not.toMatch(/player_texts_[^p]/);
  });

  it('never cuts the texts of all players into parts, and never reads all players', async () => {
    for (const filter of Object.values(FILTERS)) {
      for (const search of [undefined, 'rare', 'q!', 'odd', 'o', 'common', 'zz', 'nobody']) {
        const plans = await plansOf(() => list({ ...filter, ...(search === undefined ? {} : { search }) }));
        for (const node of plans.flat()) {
          expect(node.Filter ?? '').not.toContain('text_parts');
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
