import type { Database as Client, Statement as Compiled } from 'better-sqlite3';
import { and, type SQL, sql } from 'drizzle-orm';
import type { Database, Search, Word } from '../database.ts';
import type { Tables } from '../schema/tables.ts';

const TRIGRAM = 3;
/** From this length on, trigrams that do not overlap leave few candidates. */
const LONG_WORD = 9;

const placeholder = (name: string): SQL => sql`${sql.placeholder(name)}`;
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const isIndexed = ({ length }: Word): boolean => length >= TRIGRAM;

/** Trigrams that every text with the word contains: all of a short word; of a long word, enough to cover it. */
const trigramsOf = ({ text, length }: Word): string[] => {
  const characters = [...text];
  const last = length - TRIGRAM;
  const step = length >= LONG_WORD ? TRIGRAM : 1;
  const starts = Array.from({ length: Math.ceil(last / step) }, (_, n) => n * step);
  return [...starts, last].map((start) => quoted(characters.slice(start, start + TRIGRAM).join('')));
};

/**
 * SQLite: one FTS5 index of the trigrams of all searched text, one of linked identifiers, and totals, written by triggers;
 * new players may be late. Words of one or two characters have no index.
 */
export const sqliteSearch = ({ players }: Tables): Search => {
  // The index does not have the newest players yet: a few hundred in the middle of a snapshot, otherwise none.
  const late = sql`select ${players.id} from ${players} where ${players.id} > (select last_id from player_indexed)`;
  // A cross join is not reordered: the candidates come first.
  const among = (candidates: SQL): SQL =>
    sql`(${candidates} union all ${late}) cross join ${players} on ${players.id} = candidate`;

  return {
    position: sql.raw('instr'),
    rows: (words, filters) => {
      const found = sql`select rowid as candidate from player_search where player_search match ${placeholder('trigrams')}`;
      return sql`${words.some(isIndexed) ? among(found) : players} where ${and(...filters)}`;
    },
    values: (words) => ({ trigrams: words.filter(isIndexed).flatMap(trigramsOf).join(' AND ') }),
    // SQLite merges the branches while it reads.
    half: (selection) => selection,
    linked: {
      term: quoted,
      // The index folds case and takes a value apart where it has other characters than identifiers have.
      rows: (filters, value) => {
        const found = sql`select rowid as candidate from player_links where player_links match ${placeholder('linked')}`;
        const isLinked = sql`exists (select 1 from json_each(${players.identifiers}) where value = ${value})`;
        return sql`${among(found)} where ${and(...filters, isLinked)}`;
      },
      anyOf: (values) => ({ anyTerms: values.map(quoted).join(' OR '), anyValues: JSON.stringify(values) }),
      anyRows: (filters) => {
        const found = sql`select rowid as candidate from player_links where player_links match ${placeholder('anyTerms')}`;
        const wanted = sql`value in (select value from json_each(${placeholder('anyValues')}))`;
        const isLinked = sql`exists (select 1 from json_each(${players.identifiers}) where ${wanted})`;
        return sql`${among(found)} where ${and(...filters, isLinked)}`;
      },
    },
  };
};

/** New players that may wait for the search index while more of them are written; a search looks at each of these. */
const INDEXED_AT_ONCE = 512;
/** The last write of a series indexes the waiting players too. */
const MOST_AT_ONCE = 2 * INDEXED_AT_ONCE;

// A trigger indexes the rows of this range.
const FORWARD = `UPDATE player_indexed
  SET last_id = (SELECT max(id) FROM (SELECT id FROM players WHERE id > last_id ORDER BY id LIMIT ${MOST_AT_ONCE}))
  WHERE EXISTS (SELECT 1 FROM players WHERE id > last_id)`;

/**
 * Adds the next players to the search index, many at once: each statement adds a segment, which has to be merged
 * later. Returns whether there were any players.
 */
export const sqliteIndexer = (client: Client): NonNullable<Database['late']> => {
  let forward: Compiled | undefined;
  const some = () => ({
    sync: () => {
      forward ??= client.prepare(FORWARD);
      return forward.run().changes > 0;
    },
  });
  return { some, atOnce: INDEXED_AT_ONCE };
};
