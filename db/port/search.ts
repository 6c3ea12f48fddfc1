import type { SQL } from 'drizzle-orm';

/** More hits than this are not listed by their ids. */
export const MAX_HITS = 10_000;
/**
 * Text that is searched beside names. `marks`: identifiers without their hashes; `ids`: whole identifiers; `plates`:
 * number plates.
 */
export type Field = 'marks' | 'ids' | 'plates';
/** A folded term, and the fields that can contain it. */
export type Term = { text: string; fields: readonly Field[] };
/** `names`: players whose name matches. `others`: players with a match elsewhere only. `all`: both. */
export type Rank = 'names' | 'others' | 'all';
/**
 * How the rows of a search are found. `hits`: look at each hit. `order`: walk the order of the list and look each player
 * up among the hits. `text`: walk the order and read the text of every player.
 */
export type SearchPath = 'hits' | 'order' | 'text';
export type Selection = { path: SearchPath; rank: Rank; fields: readonly Field[] };
/** `count`: up to one more than MAX_HITS. `ids`: in the form that the engine takes. */
export type Hits = { count: number; ids: string };
/** `others` are not looked for when the names alone are too many to be listed. */
export type RankedHits = { names: Hits; others: Hits | undefined };

/**
 * How an engine finds a term in what is searched of players, who has a linked identifier, and how many players there
 * are. The engines differ here and nowhere else.
 */
export type Search = {
  hits(term: Term, projectId: string): Promise<RankedHits>;
  /** Whether hits are those of the project, or of all of them. */
  isOfProject: boolean;
  /** The `from` clause with `players` in it: the players of a search (placeholders `term` and `ids`), or all. */
  rows(selection: Selection | undefined, filters: readonly SQL[]): SQL;
  /** One of two selections that are merged in this order: up to the placeholders `offset` and `limit`. */
  half(selection: SQL, order: SQL): SQL;
  /** Players with the linked identifier `value`, and the value of the placeholder `linked`. */
  linked: { rows(filters: readonly SQL[], value: SQL): SQL; term(value: string): string };
  /** The count of a list without a search; `from` has the columns of `players` that filters need. */
  totals: { from: SQL; count: SQL<number> };
};
