import { and, type SQL, sql } from 'drizzle-orm';
import { integer, sqliteTable } from 'drizzle-orm/sqlite-core';
import type { Database, PlaceholderValues } from '../../database.ts';
import type { Tables } from '../../schema/tables.ts';

/** A word of a search, folded. Its value is the placeholder `word0`, `word1` and so on. */
export type Word = { text: string; length: number };

/** The search of an engine: the only part of the queries that differs by engine. */
export type Search = {
  /** The function that tells where one text stands in another one, from 1 on; 0: nowhere. */
  position: SQL;
  /** The `from` clause with `players` in it: those who pass the filters. An index may leave out players without the words. */
  rows(words: readonly Word[], filters: readonly SQL[]): SQL;
  /** The values of the index's own placeholders. */
  values(words: readonly Word[]): PlaceholderValues;
  /** One of two selections that are merged in this order: up to the placeholders `offset` and `limit`. */
  half(selection: SQL, order: SQL): SQL;
  /** Players with the linked identifier `value`, and the value of the placeholder `linked`. */
  linked: {
    rows(filters: readonly SQL[], value: SQL): SQL;
    term(value: string): string;
    /** Players with any of some linked identifiers, and the values of its placeholders. */
    anyRows(filters: readonly SQL[]): SQL;
    anyOf(values: readonly string[]): PlaceholderValues;
  };
};

const placeholder = (name: string): SQL => sql`${sql.placeholder(name)}`;

const TRIGRAM = 3;
/** From this length on, trigrams that do not overlap leave few candidates. */
const LONG_WORD = 9;

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
const sqliteSearch = ({ players }: Tables): Search => {
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

/**
 * PostgreSQL: all searched text of a player in a table of its own, with an index of trigrams, and totals. The server plans
 * each search by its words: it uses the index, or reads the texts of the project.
 */
const postgresSearch = ({ players }: Tables): Search => ({
  position: sql.raw('strpos'),
  rows: (words, filters) => {
    if (words.length === 0) return sql`${players} where ${and(...filters)}`;
    const isFound = words.map((_, n) => sql`texts.text like ${placeholder(`pattern${n}`)}`);
    const isOfProject = sql`texts.project_id = ${placeholder('projectId')}`;
    return sql`player_texts as texts join ${players} on ${players.id} = texts.id
      where ${and(isOfProject, ...isFound, ...filters)}`;
  },
  values: (words) =>
    Object.fromEntries(words.map(({ text }, n) => [`pattern${n}`, `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`])),
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
});

export const playerSearch = ({ engine, tables }: Pick<Database, 'engine' | 'tables'>): Search =>
  engine === 'sqlite' ? sqliteSearch(tables) : postgresSearch(tables);

/** New players that may wait for the search index while more of them are written; a search looks at each of these. */
export const LATE_AT_ONCE = 512;
/** The last write of a series indexes the waiting players too. */
const MOST_AT_ONCE = 2 * LATE_AT_ONCE;

/** Up to which player the search index of SQLite goes: a trigger indexes those that the id moves over. */
const indexed = sqliteTable('player_indexed', { lastId: integer('last_id').notNull() });

/**
 * Adds the next players to the search index of SQLite, many at once: each statement adds a segment, which has to be merged
 * later. It returns whether there were any. Undefined in PostgreSQL, where no player is late.
 */
export const lateIndex = ({ engine, handle, prepareChange }: Database) => {
  if (engine !== 'sqlite') return undefined;
  const next = sql`(select id from players where id > last_id order by id limit ${sql.raw(String(MOST_AT_ONCE))})`;
  return prepareChange('players.index', () =>
    handle
      .update(indexed)
      .set({ lastId: sql`(select max(id) from ${next})` })
      .where(sql`exists (select 1 from players where id > last_id)`),
  );
};
