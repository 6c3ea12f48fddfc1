import { count, type SQL, sql } from 'drizzle-orm';
import type { Database, Handle } from './database.ts';
import type { Tables } from './schema.ts';
import { fold } from './text.ts';

/** Up to this many hits in the index, joining them to their rows is cheaper than reading the names of a project. */
const MAX_INDEX_HITS = 20_000;
const TRIGRAM = 3;

/** `index`: ask the search index. `scan`: read the search text of every player the rest of the query allows. */
export type SearchPath = 'index' | 'scan';

/**
 * How an engine finds a substring of `players.search_text`. The SQL has the placeholders `term` and `match`, which
 * `values` fills for a search. The engines differ here and nowhere else.
 */
export type Search = {
  /** Undefined: nothing can match. */
  values(search: string): { term: string; match: string } | undefined;
  path(values: { term: string; match: string }): Promise<SearchPath>;
  /** What to select from, such that `players` is among it. */
  source(path: SearchPath): SQL;
  /** The condition on `source`. */
  condition(path: SearchPath): SQL;
};

type Deps = { handle: Handle; tables: Tables; read: Database['read'] };

const term = sql.placeholder('term');
const match = sql.placeholder('match');

/** SQLite: an FTS5 index of trigrams, which knows nothing of terms shorter than three characters. */
export const sqliteSearch = ({ handle, tables: { players }, read }: Deps): Search => {
  const table = sql.identifier('player_search');
  const hits = handle
    .select({ hits: count() })
    .from(sql`(select 1 from ${table} where ${table} match ${match} limit ${MAX_INDEX_HITS + 1})`);

  return {
    values: (search) => {
      const folded = fold(search);
      return folded.includes('\n') ? undefined : { term: folded, match: `"${folded.replaceAll('"', '""')}"` };
    },
    path: async (values) => {
      if ([...values.term].length < TRIGRAM) return 'scan';
      const [row] = await read(() => hits.prepare().execute(values));
      return row !== undefined && row.hits <= MAX_INDEX_HITS ? 'index' : 'scan';
    },
    // A cross join is not reordered: the index comes first.
    source: (path) =>
      path === 'scan' ? sql`${players}` : sql`${table} cross join ${players} on ${players.id} = ${table}.rowid`,
    condition: (path) =>
      path === 'scan' ? sql`instr(${players.searchText}, ${term}) > 0` : sql`${table} match ${match}`,
  };
};

/** PostgreSQL: a pg_trgm index behind LIKE; its planner chooses. */
export const postgresSearch = ({ tables: { players } }: Pick<Deps, 'tables'>): Search => ({
  values: (search) => {
    const folded = fold(search);
    if (folded.includes('\n')) return undefined;
    return { term: `%${folded.replaceAll(/[\\%_]/g, '\\$&')}%`, match: '' };
  },
  path: () => Promise.resolve('scan'),
  source: () => sql`${players}`,
  condition: () => sql`${players.searchText} like ${term}`,
});
