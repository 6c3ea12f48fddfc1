import type { SQL } from 'drizzle-orm';
import type { PlaceholderValues } from './values.ts';

/** Above this number, hits are not listed by id. */
export const MAX_HITS = 10_000;
/**
 * Searched fields beside names. `marks`: identifiers without their hashes; `ids`: whole identifiers; `plates`: number
 * plates.
 */
export type Field = 'marks' | 'ids' | 'plates';
/** A folded term, and the fields that can contain it. */
export type Term = { text: string; fields: readonly Field[] };
/** `names`: players whose name matches. `others`: players with a match elsewhere only. `all`: both. */
export type Rank = 'names' | 'others' | 'all';
/**
 * The plan of a search. `hits`: read each hit. `order`: walk the list's order and look up each player among the hits.
 * `text`: walk the order and read the text of each player.
 */
export type SearchPath = 'hits' | 'order' | 'text';
export type Selection = { path: SearchPath; rank: Rank; fields: readonly Field[] };
/** `count`: up to one more than MAX_HITS. `ids`: in the form that the engine takes. */
export type Hits = { count: number; ids: string };
/** `others` are not searched if the names alone are over MAX_HITS. */
export type RankedHits = { names: Hits; others: Hits | undefined };

/**
 * How an engine searches players, finds linked identifiers and counts players. The only part of the queries that
 * differs by engine.
 */
export type Search = {
  hits(term: Term, projectId: string): Promise<RankedHits>;
  /** Whether the hits are from this project only, or from all projects. */
  isOfProject: boolean;
  /** The `from` clause with `players` in it: the players of a search (placeholders `term` and `ids`), or all. */
  rows(selection: Selection | undefined, filters: readonly SQL[]): SQL;
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
  /** The count of a list without a search; `from` has the columns of `players` that filters need. */
  totals: { from: SQL; count: SQL<number> };
};
