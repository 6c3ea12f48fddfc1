import { and, type SQL, sql } from 'drizzle-orm';
import type { Reader } from '../port/database.ts';
import { type Field, type Hits, MAX_HITS, type Search, type Selection } from '../port/search.ts';
import { createStatements } from '../port/statements.ts';
import type { Tables } from '../schema/tables.ts';

/** Up to this many texts are read without an index. */
const MAX_LOOKED_AT = 10_000;
/** Size of the sample that estimates how frequent a term is. */
const SAMPLES = 64;
/** Cost of reading a text, in steps of the index. */
const STEPS_PER_TEXT = 4;
/** Three of these in a row are found by their trigram, whatever language the database is set to. */
const HAS_TRIGRAM = /[a-z0-9]{3}/;

type Sample = { texts: number; everywhere: number; tried: number; names: number; others: number };

const placeholder = (name: string): SQL => sql`${sql.placeholder(name)}`;
const ofProject = sql`project_id = ${placeholder('projectId')}`;
const has = (text: SQL): SQL => sql`strpos(${text}, ${placeholder('term')}) > 0`;
const inOneOf = (conditions: readonly SQL[]): SQL => sql`(${sql.join([sql`false`, ...conditions], sql` or `)})`;
const column = (name: Field | 'name'): SQL => sql`${sql.identifier(name)}`;

/** A term as the index of parts knows it: a character, or all pairs of characters that follow one another. */
const partsOf = (term: string): string[] => {
  const characters = [...term];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, n) => `${characters[n]}${character}`);
};

/** Chooses the cheaper plan: read texts until there are enough hits, or use the index. */
const isWalkShorter = ({ texts, everywhere, tried }: Sample, hits: number): boolean => {
  const density = Math.max(hits, 0.5) / Math.max(1, tried);
  return Math.min(texts, MAX_HITS / density) <= MAX_LOOKED_AT + (everywhere * density) / STEPS_PER_TEXT;
};

/** How a text is searched: one after the other, or by an index. */
const conditionOf = (name: Field | 'name', way: 'walk' | 'trigrams' | 'parts'): SQL => {
  if (way === 'trigrams' && (name === 'name' || name === 'ids'))
    return sql`${column(name)} like ${placeholder('pattern')}`;
  const isText = has(column(name));
  return way === 'walk' ? isText : sql`(text_parts(${column(name)}) @> ${placeholder('parts')}::text[] and ${isText})`;
};

/** The hits of a term in a project, each list up to one more than MAX_HITS. */
const postgresHits = (reader: Reader): Search['hits'] => {
  const texts = sql`player_texts where ${ofProject}`;
  const lists = createStatements<Hits[]>(reader);
  const samples = createStatements<Sample[]>(reader, { isPlannedOnce: true });

  const listed = (condition: SQL) =>
    reader.handle
      .select({ count: sql<number>`count(*)::int`, ids: sql<string>`coalesce(array_agg(id), '{}')::text` })
      .from(sql`(select id from ${texts} and ${condition} limit ${sql.raw(String(MAX_HITS + 1))}) as hits`);
  // Spread over the table: the first rows came together and may have names of one language.
  const sampled = (fields: readonly Field[]) => {
    const count = sql.raw(String(SAMPLES));
    const ends = sql`(select min(id) as first, max(id) - min(id) as span from ${texts}) as ends`;
    const next = sql`(select name, marks, ids, plates from ${texts} and id >= first + span * n / ${count} order by id limit 1) as sample`;
    const total = sql`(select sum(total) from player_totals where ${ofProject})`;
    const isOther = inOneOf(fields.map((field) => has(column(field))));
    return reader.handle
      .select({
        texts: sql<number>`coalesce(${total}, 0)::int`,
        everywhere: sql<number>`(select reltuples from pg_class where oid = 'player_texts'::regclass)::float8`,
        tried: sql<number>`count(*)::int`,
        names: sql<number>`count(*) filter (where ${has(column('name'))})::int`,
        others: sql<number>`count(*) filter (where ${isOther})::int`,
      })
      .from(sql`${ends}, generate_series(0, ${count} - 1) as n, lateral ${next}`);
  };

  return async ({ text, fields }, projectId) => {
    const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
    const values = { projectId, term: text, parts: partsOf(text), pattern };
    const [sample] = await samples.run(`players.sampled ${fields}`, () => sampled(fields), values);
    const hasTrigram = HAS_TRIGRAM.test(text);
    const wayOf = (hits: number, isIndexed: boolean) => {
      if (!isIndexed || sample === undefined || text === '' || isWalkShorter(sample, hits)) return 'walk';
      return hasTrigram ? 'trigrams' : 'parts';
    };
    const find = async (key: string, condition: () => SQL): Promise<Hits> => {
      const [hits] = await lists.run(`players.listed ${key}`, () => listed(condition()), values);
      return hits ?? { count: 0, ids: '{}' };
    };

    const nameWay = wayOf(sample?.names ?? 0, true);
    const names = await find(`name ${nameWay}`, () => conditionOf('name', nameWay));
    if (names.count > MAX_HITS) return { names, others: undefined };
    if (fields.length === 0) return { names, others: { count: 0, ids: '{}' } };
    // Whole identifiers have no index of parts.
    const way = wayOf(sample?.others ?? 0, hasTrigram || !fields.includes('ids'));
    const isOther = (): SQL =>
      sql`${inOneOf(fields.map((field) => conditionOf(field, way)))} and not ${has(column('name'))}`;
    return { names, others: await find(`${fields} ${way}`, isOther) };
  };
};

/** PostgreSQL: texts in a table of their own, with an index of trigrams and one of shorter parts, and totals. */
export const postgresSearch = ({ tables: { players }, reader }: { tables: Tables; reader: Reader }): Search => {
  const ids = sql`${placeholder('ids')}::bigint[]`;
  const isName = has(sql`split_part(${players.searchText}, E'\\n', 1)`);
  const isIn: Record<Field, SQL> = {
    marks: has(sql`${players.searchMarks}`),
    ids: has(sql`lower(${players.identifier} || E'\\n' || ${players.identifiers}::text)`),
    plates: has(sql`${players.searchPlates}`),
  };
  const matches = ({ rank, fields }: Selection): SQL => {
    if (rank === 'names') return isName;
    const isOther = inOneOf(fields.map((field) => isIn[field]));
    return rank === 'all' ? sql`(${isName} or ${isOther})` : sql`(not ${isName} and ${isOther})`;
  };
  return {
    hits: postgresHits(reader),
    isOfProject: true,
    rows: (selection, filters) => {
      if (selection?.path === 'hits') {
        return sql`unnest(${ids}) as hit join ${players} on ${players.id} = hit where ${and(...filters)}`;
      }
      if (selection?.path === 'text') return sql`${players} where ${and(...filters, matches(selection))}`;
      // As a sum, so that the rows are not looked up by their ids.
      const isHit = selection === undefined ? undefined : sql`${players.id} + 0 = any(${ids})`;
      return sql`${players} where ${and(...filters, isHit)}`;
    },
    // It would sort all of them unless it is told how few are wanted.
    half: (selection, order) =>
      sql`select * from (${selection} order by ${order} limit ${placeholder('limit')} + 0 + ${placeholder('offset')}) as half`,
    linked: {
      term: (value) => value,
      rows: (filters, value) => sql`${players} where ${and(...filters, sql`${players.identifiers}::jsonb ? ${value}`)}`,
      anyOf: (values) => ({ anyOf: values }),
      anyRows: (filters) => {
        const hasOne = sql`${players.identifiers}::jsonb ?| ${placeholder('anyOf')}::text[]`;
        return sql`${players} where ${and(...filters, hasOne)}`;
      },
    },
    totals: { from: sql`player_totals as ${players}`, count: sql`coalesce(sum(total), 0)` },
  };
};
