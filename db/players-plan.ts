import { type SQL, sql } from 'drizzle-orm';
import type { Database, PlaceholderValues } from './database.ts';
import { type Hits, MAX_HITS, type SearchPath } from './search.ts';
import { createStatements } from './statements.ts';

/** A total of a search is exact up to this many. */
export const MAX_TOTAL = MAX_HITS;
/** To look at a hit costs as much as so many steps in an index. */
const STEPS_PER_HIT = 32;

/** What makes two requests use the same statements. */
export type Shape = { servers: number | undefined; online: boolean | undefined };
/** How a list is come by: the total of it (of a search up to one more than MAX_TOTAL), and the way to its rows. */
export type Plan = { total: number; path: SearchPath | undefined; ids: string };

type Request = {
  projectId: string;
  shape: Shape;
  values: PlaceholderValues;
  term: string | undefined;
  rows: number;
};

/** Counts what a list has, and so chooses the cheapest way to its rows. */
export const playerPlan = ({ search, reader, ...near }: Database, filtersOf: (shape: Shape) => SQL[]) => {
  const { from, count } = search.totals;
  const searchedIn = search.isOfProject ? { servers: undefined, online: undefined } : undefined;
  const far = createStatements<{ rows: number }[]>(reader);
  // Totals are kept: to add them up takes no longer than to ask another thread.
  const quick = createStatements<{ rows: number }[]>(near);

  const totalOf = async (shape: Shape | undefined, values: PlaceholderValues): Promise<number> => {
    const key = `players.total ${shape?.servers} ${shape?.online} ${shape === undefined}`;
    const filters = shape === undefined ? [] : filtersOf(shape);
    const build = () => {
      const query = quick.handle.select({ rows: count }).from(from);
      return filters.length === 0 ? query : query.where(sql.join(filters, sql` and `));
    };
    const [row] = await quick.run(key, build, values);
    return Number(row?.rows ?? 0);
  };

  const matching = async (shape: Shape, path: SearchPath, values: PlaceholderValues): Promise<number> => {
    const build = () => {
      const matched = sql`select 1 from ${search.rows(path, filtersOf(shape))} limit ${sql.raw(String(MAX_TOTAL + 1))}`;
      return far.handle.select({ rows: sql<number>`count(*)` }).from(sql`(${matched}) as matching`);
    };
    const [row] = await far.run(`players.matching ${shape.servers} ${shape.online} ${path}`, build, values);
    return Number(row?.rows ?? 0);
  };

  /** Where the hits are known, one can walk to them or visit them. */
  const planOf = async ({ shape, values, rows }: Request, { count: hits, ids }: Hits): Promise<Plan> => {
    const [filtered, searched] = await Promise.all([totalOf(shape, values), totalOf(searchedIn, values)]);
    const isListed = hits <= MAX_HITS;
    const cheapest = (steps: number): SearchPath =>
      !isListed ? 'text' : hits * STEPS_PER_HIT < steps ? 'hits' : 'order';
    const total =
      filtered === searched ? hits : await matching(shape, cheapest(filtered), isListed ? { ...values, ids } : values);
    const density = total / Math.max(1, filtered);
    return { total, path: cheapest(Math.min(filtered, rows / density)), ids };
  };

  return async (request: Request): Promise<Plan> => {
    const { projectId, shape, values, term } = request;
    if (term === undefined) return { total: await totalOf(shape, values), path: undefined, ids: '' };
    return planOf(request, await search.hits(term, projectId));
  };
};
