import { and, type SQL, sql } from 'drizzle-orm';
import type { Prepared, Reader } from './database.ts';
import type { Tables } from './schema.ts';
import { type Hits, MAX_HITS, type Search } from './search.ts';
import { fold } from './text.ts';

/** Texts are looked at without an index where there are no more than this many. */
const MAX_LOOKED_AT = 10_000;
/** Texts of a project, spread over all of them, that tell how frequent a term is. */
const SAMPLES = 64;
/** To look at a text takes as long as so many steps in an index of parts. */
const STEPS_PER_TEXT = 4;
/** Three of these in a row are found by their trigram, whatever language the database is set to. */
const HAS_TRIGRAM = /[a-z0-9]{3}/;

type Sample = { texts: number; everywhere: number; tried: number; hits: number };

const placeholder = (name: string): SQL => sql`${sql.placeholder(name)}`;
const ofProject = sql`project_id = ${placeholder('projectId')}`;
const isText = (text: SQL): SQL => sql`strpos(${text}, ${placeholder('term')}) > 0`;

/** A term as the index of parts knows it: a character, or all pairs of characters that follow one another. */
const partsOf = (term: string): string[] => {
  const characters = [...term];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, n) => `${characters[n]}${character}`);
};

/** Which way needs fewer steps: to look at the texts one after the other until there are enough hits, or the index. */
const isWalkShorter = ({ texts, everywhere, tried, hits }: Sample): boolean => {
  const density = Math.max(hits, 0.5) / Math.max(1, tried);
  return Math.min(texts, MAX_HITS / density) <= MAX_LOOKED_AT + (everywhere * density) / STEPS_PER_TEXT;
};

/** The hits of a term in a project, up to one more than MAX_HITS. */
const postgresHits = (reader: Reader) => {
  const texts = sql`player_texts where ${ofProject}`;
  const listed = (name: string, condition: SQL): Prepared<Hits[]> =>
    reader.prepare(
      name,
      () =>
        reader.handle
          .select({ count: sql<number>`count(*)::int`, ids: sql<string>`coalesce(array_agg(id), '{}')::text` })
          .from(sql`(select id from ${texts} and ${condition} limit ${sql.raw(String(MAX_HITS + 1))}) as hits`),
      'anew',
    );
  const isLike = sql`search_text like ${placeholder('pattern')}`;
  const hasParts = sql`text_parts(search_text) @> ${placeholder('parts')}::text[]`;
  const walked = listed('players.walkedHits', isText(sql`search_text`));
  const byParts = listed('players.hitsByParts', hasParts);
  const byTrigrams = listed('players.hitsByTrigrams', isLike);
  const byBoth = listed('players.hitsByBoth', sql`${isLike} and ${hasParts}`);
  // Not the first ones: those came together, and have names of one language.
  const sampled = reader.prepare('players.sampled', () => {
    const count = sql.raw(String(SAMPLES));
    const ends = sql`(select min(id) as first, max(id) - min(id) as span from ${texts}) as ends`;
    const next = sql`(select search_text from ${texts} and id >= first + span * n / ${count} order by id limit 1) as sample`;
    const known = sql`(select sum(total) from player_totals where ${ofProject})`;
    return reader.handle
      .select({
        texts: sql<number>`coalesce(${known}, 0)::int`,
        everywhere: sql<number>`(select reltuples from pg_class where oid = 'player_texts'::regclass)::float8`,
        tried: sql<number>`count(*)::int`,
        hits: sql<number>`count(*) filter (where ${isText(sql`search_text`)})::int`,
      })
      .from(sql`${ends}, generate_series(0, ${count} - 1) as n, lateral ${next}`);
  });

  return async (term: string, projectId: string): Promise<Hits> => {
    const parts = partsOf(term);
    const pattern = `%${term.replaceAll(/[\\%_]/g, '\\$&')}%`;
    const [sample] = await reader.read(() => sampled({ projectId, term }));
    const indexed = HAS_TRIGRAM.test(term) ? byTrigrams : parts.length > 1 ? byBoth : byParts;
    const chosen = sample === undefined || term === '' || isWalkShorter(sample) ? walked : indexed;
    const [hits] = await reader.read(() => chosen({ projectId, term, parts, pattern }));
    return hits ?? { count: 0, ids: '{}' };
  };
};

/** PostgreSQL: texts in a table of their own, with an index of trigrams and one of shorter parts, and totals. */
export const postgresSearch = ({ tables: { players }, reader }: { tables: Tables; reader: Reader }): Search => {
  const ids = sql`${placeholder('ids')}::bigint[]`;
  return {
    term: (search) => {
      const folded = fold(search);
      return folded.includes('\n') ? undefined : folded;
    },
    hits: postgresHits(reader),
    isOfProject: true,
    rows: (path, filters) => {
      if (path === 'hits') {
        return sql`unnest(${ids}) as hit join ${players} on ${players.id} = hit where ${and(...filters)}`;
      }
      // As a sum, so that the rows are not looked up by their ids.
      const isHit = path === 'order' ? sql`${players.id} + 0 = any(${ids})` : undefined;
      return sql`${players} where ${and(...filters, path === 'text' ? isText(sql`${players.searchText}`) : isHit)}`;
    },
    // It would sort all of them unless it is told how few are wanted.
    half: (selection, order) =>
      sql`select * from (${selection} order by ${order} limit ${placeholder('limit')} + 0 + ${placeholder('offset')}) as half`,
    linked: {
      term: (value) => value,
      rows: (filters, value) => sql`${players} where ${and(...filters, sql`${players.identifiers}::jsonb ? ${value}`)}`,
    },
    totals: { from: sql`player_totals as ${players}`, count: sql`coalesce(sum(total), 0)` },
  };
};
