import type { SQL } from 'drizzle-orm';
import type { PlaceholderValues } from './values.ts';

/** A word of a search, folded. Its value is the placeholder `word0`, `word1` and so on. */
export type Word = { text: string; length: number };

/** How an engine finds players: the only part of the queries that differs by engine. */
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
