import { isNull, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../port/database.ts';
import { type Hits, MAX_HITS, type Selection, type Term } from '../../port/search.ts';
import { createStatements } from '../../port/statements.ts';
import type { PlaceholderValues } from '../../port/values.ts';
import { joined } from './term.ts';

/** A total of a search is exact up to this many. */
export const MAX_TOTAL = MAX_HITS;
/** Cost of reading a hit, in index steps. */
const STEPS_PER_HIT = 32;

/** Requests of the same shape use the same statements. */
export type Shape = { servers: number | undefined; online: boolean | undefined };
/** How a list is found: its total (of a search exact up to MAX_TOTAL), and the way to its rows. */
export type Plan = { total: number; selection: Selection | undefined; ids: string };
/** The same of a search. */
type SearchPlan = Plan & { selection: Selection };

type Request = {
  projectId: string;
  shape: Shape;
  values: PlaceholderValues;
  rows: number;
};

/** Counts the rows of a list and chooses the cheapest way to read a page of them. */
export const playerPlan = ({ search, reader, ...near }: Database, filtersOf: (shape: Shape) => SQL[]) => {
  // Totals do not count those who are gone.
  const filtersOfRows = (shape: Shape): SQL[] => [...filtersOf(shape), isNull(near.tables.players.goneAt)];
  const { from, count } = search.totals;
  const searchedIn = search.isOfProject ? { servers: undefined, online: undefined } : undefined;
  const far = createStatements<{ rows: number }[]>(reader);
  // Totals are stored; adding them up takes no longer than asking the worker.
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

  /** The number of rows that a selection finds, up to `most`. */
  const matching = async (
    shape: Shape,
    selection: Selection,
    values: PlaceholderValues,
    most = MAX_TOTAL + 1,
  ): Promise<number> => {
    const build = () => {
      const matched = sql`select 1 from ${search.rows(selection, filtersOfRows(shape))} limit ${sql.raw(String(most))}`;
      return far.handle.select({ rows: sql<number>`count(*)` }).from(sql`(${matched}) as matching`);
    };
    const { path, rank, fields } = selection;
    const key = `players.matching ${shape.servers} ${shape.online} ${path} ${rank} ${fields} ${most}`;
    const [row] = await far.run(key, build, values);
    return Number(row?.rows ?? 0);
  };

  /** Compares the two plans for a known number of hits: read each hit, or walk the order. */
  const planOf = async (
    { shape, values, rows }: Request,
    of: Pick<Selection, 'rank' | 'fields'>,
    { count: hits, ids }: Hits,
  ): Promise<SearchPlan> => {
    const [filtered, searched] = await Promise.all([totalOf(shape, values), totalOf(searchedIn, values)]);
    const isListed = hits <= MAX_HITS;
    const cheapest = (steps: number): Selection => ({
      ...of,
      path: !isListed ? 'text' : hits * STEPS_PER_HIT < steps ? 'hits' : 'order',
    });
    const total =
      filtered === searched ? hits : await matching(shape, cheapest(filtered), isListed ? { ...values, ids } : values);
    const density = total / Math.max(1, filtered);
    return { total, selection: cheapest(Math.min(filtered, rows / density)), ids };
  };

  return {
    /** Of a list without a search. */
    plain: async ({ shape, values }: Pick<Request, 'shape' | 'values'>): Promise<Plan> => ({
      total: await totalOf(shape, values),
      selection: undefined,
      ids: '',
    }),
    /** Of a search without ranking: one list of all matching players. */
    all: async (request: Request, term: Term): Promise<SearchPlan> => {
      const { names, others } = await search.hits(term, request.projectId);
      const hits = others === undefined ? names : joined(names, others);
      return planOf(request, { rank: 'all', fields: term.fields }, hits);
    },
    /** Of a search that shows players whose name matches before others. */
    ranked: async (request: Request, term: Term): Promise<Record<'names' | 'others', SearchPlan>> => {
      const { fields } = term;
      const hits = await search.hits(term, request.projectId);
      const names = await planOf(request, { rank: 'names', fields: [] }, hits.names);
      if (hits.others !== undefined)
        return { names, others: await planOf(request, { rank: 'others', fields }, hits.others) };
      const selection = { path: 'text', rank: 'others', fields } as const;
      const { shape, values } = request;
      const total = names.total > MAX_TOTAL ? Number.POSITIVE_INFINITY : await matching(shape, selection, values);
      return { names, others: { total, selection, ids: '' } };
    },
    /** The exact number of players that a selection finds, without an upper bound. */
    count: (shape: Shape, selection: Selection, values: PlaceholderValues): Promise<number> =>
      matching(shape, selection, values, Number.MAX_SAFE_INTEGER),
  };
};
