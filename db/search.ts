import { and, type SQL, sql } from 'drizzle-orm';
import type { Prepared, Reader } from './database.ts';
import type { Tables } from './schema.ts';
import { fold } from './text.ts';

/** More hits than this are not listed by their ids. */
export const MAX_HITS = 10_000;
const TRIGRAM = 3;
/** A term this long is tried by a part of its trigrams first: that is enough to find the few who can be meant. */
const LONG_TERM = 9;
const MAX_TRIED = 200;
/** No text is greater. */
const GREATEST = '\u{10ffff}'.repeat(TRIGRAM);

/**
 * How the rows of a search are come by. `hits`: look at each hit. `order`: walk the order of the list and see who is a
 * hit. `text`: walk the order and read the text of every player.
 */
export type SearchPath = 'hits' | 'order' | 'text';
/** `count`: up to one more than MAX_HITS. `ids`: in the form that the engine takes. */
export type Hits = { count: number; ids: string };

/**
 * How an engine finds a substring of `players.search_text`, who has a linked identifier, and how many players there
 * are. The engines differ here and nowhere else.
 */
export type Search = {
  /** For the placeholder `term`. Undefined: nothing can match. */
  term(search: string): string | undefined;
  /** For the placeholder `ids`. */
  hits(term: string, projectId: string): Promise<Hits>;
  /** Whether hits are those of the project, or of all of them. */
  isOfProject: boolean;
  /** What follows `from`, with `players` in it: those of a search, or all; of them those that pass the filters. */
  rows(path: SearchPath | undefined, filters: readonly SQL[]): SQL;
  /** One of two selections that are merged in this order: up to the placeholders `offset` and `limit`. */
  half(selection: SQL, order: SQL): SQL;
  /** Who carries the identifier `value` as a linked one, and what the placeholder `linked` is then. */
  linked: { rows(filters: readonly SQL[], value: SQL): SQL; term(value: string): string };
  /** What is counted and where, without a search; `from` has the columns of `players` that filters need. */
  totals: { from: SQL; count: SQL<number> };
};

const placeholder = (name: string): SQL => sql`${sql.placeholder(name)}`;
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Trigrams of a term that follow one another without a gap or an overlap. */
const partsOf = (characters: readonly string[]): string =>
  Array.from({ length: Math.floor(characters.length / TRIGRAM) }, (_, n) =>
    quoted(characters.slice(n * TRIGRAM, n * TRIGRAM + TRIGRAM).join('')),
  ).join(' AND ');

/** SQLite: an FTS5 index of trigrams, one of linked identifiers, and totals, all written by triggers. */
export const sqliteSearch = ({ tables: { players }, reader }: { tables: Tables; reader: Reader }): Search => {
  const listed = (name: string, found: SQL): Prepared<Hits[]> =>
    reader.prepare(name, () =>
      reader.handle
        .select({ count: sql<number>`count(*)`, ids: sql<string>`json_group_array(hit)` })
        .from(sql`(${found} limit ${sql.raw(String(MAX_HITS + 1))})`),
    );
  const long = listed(
    'players.hits',
    sql`select rowid as hit from player_search where player_search match ${placeholder('term')}`,
  );
  // A shorter term is the beginning of a trigram wherever it stands, for two line feeds end each text of the index.
  const short = listed(
    'players.shortHits',
    sql`select distinct doc as hit from player_trigrams where term >= ${placeholder('term')} and term <= ${placeholder('last')}`,
  );
  // Its candidates are few, so that each can be looked at; `tried` tells whether they are all of them.
  const tried = reader.prepare('players.triedHits', () => {
    const candidates = sql`select rowid as candidate from player_search
      where player_search match ${placeholder('parts')} limit ${sql.raw(String(MAX_TRIED + 1))}`;
    const isHit = sql`instr(${players.searchText}, ${placeholder('term')}) > 0`;
    return reader.handle
      .select({
        tried: sql<number>`count(*)`,
        count: sql<number>`count(*) filter (where ${isHit})`,
        ids: sql<string>`json_group_array(candidate) filter (where ${isHit})`,
      })
      .from(sql`(${candidates}) cross join ${players} on ${players.id} = candidate`);
  });
  const one = ([hits]: Hits[]): Hits => hits ?? { count: 0, ids: '[]' };
  const hitsOf = async (term: string): Promise<Hits> => {
    const characters = [...term];
    if (characters.length < TRIGRAM) {
      return one(await reader.read(() => short({ term, last: `${term}${GREATEST}` })));
    }
    if (characters.length >= LONG_TERM) {
      const [few] = await reader.read(() => tried({ term, parts: partsOf(characters) }));
      if (few !== undefined && few.tried <= MAX_TRIED) return few;
    }
    return one(await reader.read(() => long({ term: quoted(term) })));
  };
  const ids = sql`(select value as hit from json_each(${placeholder('ids')}))`;

  return {
    term: (search) => {
      const folded = fold(search);
      return folded.includes('\n') ? undefined : folded;
    },
    hits: hitsOf,
    isOfProject: false,
    rows: (path, filters) => {
      // A cross join is not reordered: the hits come first.
      if (path === 'hits') return sql`${ids} cross join ${players} on ${players.id} = hit where ${and(...filters)}`;
      const isText = sql`instr(${players.searchText}, ${placeholder('term')}) > 0`;
      // With the sign SQLite cannot look the rows up by their ids.
      const isHit = path === 'order' ? sql`+${players.id} in ${ids}` : path === 'text' ? isText : undefined;
      return sql`${players} where ${and(...filters, isHit)}`;
    },
    // It merges them as it goes.
    half: (selection) => selection,
    linked: {
      term: quoted,
      // The index folds case and takes a value apart where it has other characters than identifiers have.
      rows: (filters, value) => sql`player_links cross join ${players} on ${players.id} = player_links.rowid
        where player_links match ${placeholder('linked')} and ${and(...filters)}
        and exists (select 1 from json_each(${players.identifiers}) where value = ${value})`,
    },
    totals: { from: sql`player_totals as ${players}`, count: sql`coalesce(sum(total), 0)` },
  };
};
