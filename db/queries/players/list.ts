import { asc, type Column, desc, eq, getTableColumns, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import { fold } from '../../../bridge-protocol/fold.ts';
import type { Database, Reader } from '../../port/database.ts';
import { type Field, type Hits, MAX_HITS, type Selection, type Term } from '../../port/search.ts';
import { createStatements } from '../../port/statements.ts';
import type { PlaceholderValues } from '../../port/values.ts';
import { storable } from '../../schema/text.ts';
import { type CursorKey, decodeCursor, encodeCursor } from '../cursor.ts';
import { after, atMost, literally } from '../expressions.ts';
import type { PlayerRow } from './row.ts';

/** Shorter terms are not searched inside hashes, because they would match most of them. */
const MIN_IN_HASH = 4;
/** The characters of identifiers, folded. */
const IDENTIFIER_TERM = /^[a-z0-9:_.@-]*$/;
/** A mention of a user, as Discord copies it. */
const MENTION = /^<@!?(\d+)>$/;
/** A SteamID64, as Steam shows it: identifiers of FiveM have it in hexadecimal digits. */
const STEAM_ID = /^7656119\d{10}$/;

/** The folded term of a search and the fields to search. Undefined: nothing can match. */
export const termOf = (search: string, { plates }: { plates: boolean }): Term | undefined => {
  const text = fold(storable(search)).replace(MENTION, 'discord:$1');
  if (text === '' && search !== '') return undefined;
  const ofIdentifiers = [...text].length < MIN_IN_HASH ? 'marks' : 'ids';
  return {
    text,
    fields: [...(IDENTIFIER_TERM.test(text) ? [ofIdentifiers] : []), ...(plates ? ['plates'] : [])] as Field[],
  };
};

/** The identifier of FiveM for a SteamID64 that nothing was found for; undefined: the search is something else. */
export const steamOf = (search: string): string | undefined =>
  STEAM_ID.test(fold(search)) ? `steam:${BigInt(fold(search)).toString(16)}` : undefined;

/** Both lists of hits, which have no hit in common, as one. */
export const joined = (a: Hits, b: Hits): Hits => {
  if (a.count === 0 || b.count === 0) return a.count === 0 ? b : a;
  return { count: a.count + b.count, ids: `${a.ids.slice(0, -1)},${b.ids.slice(1)}` };
};

export type Sort = 'name' | 'lastSeen' | 'default';
export type PageShape = Shape & {
  sort: Sort;
  hasCursor: boolean;
  selection: Selection | undefined;
  /** One half (online or offline) is smaller than the page's offset: the larger half is skipped without reading its rows. */
  few?: boolean | undefined;
};

export const orders = {
  default: { names: ['online', 'lastSeenAt', 'id'], direction: 'desc', shape: ['boolean', 'number', 'number'] },
  lastSeen: { names: ['lastSeenAt', 'id'], direction: 'desc', shape: ['number', 'number'] },
  name: { names: ['searchText', 'id'], direction: 'asc', shape: ['string', 'number'] },
} as const;

/** The sort key of a page. A filter by online state removes that column, because an index can seek the other columns. */
const namesOf = ({ sort, online }: Pick<PageShape, 'sort' | 'online'>) =>
  orders[sort === 'default' && online !== undefined ? 'lastSeen' : sort].names;

/**
 * The statement of a page of players: `limit` and `offset` are placeholders, and the key of a cursor by its names. Where
 * there are a few of one half: `few`, how many; `skipped`, so many less than `offset`; `reach`, so many more than `limit`.
 */
export const playerPages = (
  { tables: { players }, search }: Pick<Database, 'tables' | 'search'>,
  filtersOf: (shape: Shape) => SQL[],
) => {
  const all = getTableColumns(players);
  const {
    inventory: _i,
    vehicles: _v,
    metadata: _m,
    searchMarks: _s,
    searchPlates: _p,
    contentHash: _h,
    ...columns
  } = all;
  const windowOf = (limit: string, offset: string): SQL =>
    sql`limit ${atMost(sql.placeholder(limit))} offset ${sql.placeholder(offset)}`;
  const window = windowOf('limit', 'offset');
  const listed = (parts: readonly SQL[]): SQL => sql.join([...parts], sql`, `);

  return (handle: Reader['handle'], { sort, hasCursor, selection, few, ...shape }: PageShape) => {
    const { direction } = orders[sort];
    const names = namesOf({ sort, ...shape });
    const keys: Column[] = names.map((name) => players[name]);
    const filters = [...filtersOf(shape), isNull(players.goneAt)];
    if (hasCursor) filters.push(after(keys, direction, names));
    const turn = direction === 'asc' ? asc : desc;
    const order = listed(keys.map(turn));

    /** Both halves are in the order of one index, and the engines merge them. So no index by time alone is needed. */
    const merged = (): SQL => {
      const of = (online: boolean): SQL => {
        const rows = search.rows(selection, [...filters, literally(eq(players.online, online))]);
        return sql`select ${listed(keys.map((key) => sql`${key}`))} from ${rows}`;
      };
      const outputs = listed(keys.map((key) => turn(sql.identifier(key.name))));
      // Rows skipped in the larger half always precede the page.
      const larger = (online: boolean): SQL =>
        sql`select * from (${of(online)} order by ${order} ${windowOf('reach', 'skipped')}) as larger_half`;
      const both =
        few === undefined
          ? sql`${search.half(of(true), order)} union all ${search.half(of(false), order)} order by ${outputs} ${window}`
          : sql`${of(few)} union all ${larger(!few)} order by ${outputs} ${windowOf('limit', 'few')}`;
      return sql`select ${sql.identifier(players.id.name)} from (${both}) as both_halves`;
    };
    // Ids first: they are in the index, so skipped rows are not read.
    const ids =
      sort === 'lastSeen' && shape.online === undefined && selection?.path !== 'hits'
        ? merged()
        : sql`select ${players.id} from ${search.rows(selection, filters)} order by ${order} ${window}`;
    return handle.select(columns).from(players).where(sql`${players.id} in (${ids})`).orderBy(order);
  };
};

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

/** Up to this offset, a page without a search is read in the main thread, which is faster than asking the worker. */
const MAX_NEAR_OFFSET = 1_000;
/** Up to this many rows are sorted for a page; beyond, an index is walked. */
const MAX_FEW = 10_000;

export type PlayerListRow = Omit<PlayerRow, 'inventory' | 'vehicles' | 'metadata'>;
export type PlayerPage = {
  rows: PlayerListRow[];
  total: number;
  totalIsLowerBound: boolean;
  next: string | null;
};
export type PlayerListRequest = {
  projectId: string;
  /** Only of these servers. */
  servers?: readonly string[];
  online?: boolean;
  /** A part of the name or of an identifier, in any case. */
  search?: string;
  /** `search` looks at number plates, too. */
  plates?: boolean;
  /** Default: in a search, players whose name matches first; then online players, then the most recently seen. */
  sort?: 'name' | 'lastSeen';
  limit: number;
  offset?: number;
  /** `next` of the page before, with the same sort. */
  cursor?: string;
};

const EMPTY: PlayerPage = { rows: [], total: 0, totalIsLowerBound: false, next: null };

/** The default order has two halves, online and offline. The position of a cursor relative to the other half. */
const placeInHalf = (online: boolean): PlaceholderValues => {
  const at = online ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
  return { lastSeenAt: at, id: at };
};

/** Lists and searches players. Every order is the order of an index. */
export const playerList = (database: Database) => {
  const { tables, reader } = database;
  const { players } = tables;
  const near = createStatements<PlayerListRow[]>(database);
  const far = createStatements<PlayerListRow[]>(reader);

  const filtersOf = ({ servers, online }: Shape): SQL[] => {
    const filters = [eq(players.projectId, sql.placeholder('projectId'))];
    const ids = Array.from({ length: servers ?? 0 }, (_, position) => sql.placeholder(`server${position}`));
    const [only] = ids;
    if (only !== undefined)
      filters.push(ids.length === 1 ? eq(players.serverId, only) : inArray(players.serverId, ids));
    if (online !== undefined) filters.push(literally(eq(players.online, online)));
    return filters;
  };

  const plans = playerPlan(database, filtersOf);
  const buildPage = playerPages(database, filtersOf);

  /** The size of the smaller half, if a page with an offset can use it. */
  const fewOf = async (shape: Shape, values: PlaceholderValues, total: number, offset: number) => {
    const { total: online } = await plans.plain({ shape: { ...shape, online: true }, values });
    const rows = Math.min(online, total - online);
    return rows <= Math.min(offset, MAX_FEW) ? { rows, online: online === rows } : undefined;
  };

  type Place = {
    shape: Shape;
    sort: Sort;
    values: PlaceholderValues;
    hasCursor: boolean;
    limit: number;
    offset: number;
  };
  /** Up to `limit` rows of a plan. */
  const readPage = async (place: Place, { total, selection, ids }: Plan): Promise<PlayerListRow[]> => {
    const { shape, sort, hasCursor, limit, offset } = place;
    const values = { ...place.values, ids, limit, offset };
    if (total === 0) return [];
    const isHalved = sort === 'lastSeen' && shape.online === undefined && selection === undefined && offset > 0;
    const few = isHalved ? await fewOf(shape, values, total, offset) : undefined;
    const depth = few && { few: few.rows, skipped: offset - few.rows, reach: limit + few.rows };
    const page = { ...shape, sort, hasCursor, selection, few: few?.online };
    const isOrdered = (shape.servers ?? 0) <= 1 && (shape.online === undefined || sort !== 'name');
    const isNear = selection === undefined && isOrdered && offset <= MAX_NEAR_OFFSET;
    const statements = isNear ? near : far;
    const found = selection && `${selection.path} ${selection.rank} ${selection.fields}`;
    const key = `players.page ${shape.servers} ${shape.online} ${sort} ${hasCursor} ${found} ${page.few}`;
    return statements.run(key, () => buildPage(statements.handle, page), { ...values, ...depth });
  };

  type Found = { rows: PlayerListRow[]; total: number; names: number };
  /** First the players whose name matches, then the others, each in the default order. */
  const readRanked = async (place: Place, term: Term, projectId: string, from: boolean | undefined): Promise<Found> => {
    const { values, shape, limit, offset, hasCursor } = place;
    const { names, others } = await plans.ranked({ projectId, shape, values, rows: limit + offset }, term);
    const total = names.total + others.total;
    const first = from === false ? [] : await readPage(place, names);
    if (first.length === limit || others.total === 0) return { rows: first, total, names: first.length };
    const isExact = names.total <= MAX_TOTAL;
    const before = isExact ? names.total : await plans.count(shape, names.selection, values);
    const rest = {
      ...place,
      hasCursor: hasCursor && from === false,
      limit: limit - first.length,
      offset: Math.max(0, offset - before),
    };
    return { rows: [...first, ...(await readPage(rest, others))], total, names: first.length };
  };

  const list = async (request: PlayerListRequest): Promise<PlayerPage> => {
    const { projectId, servers, online, limit, cursor } = request;
    const sort: Sort = request.sort ?? 'default';
    const { names, shape: keyShape } = orders[sort];
    const isSearch = request.search !== undefined;
    const isRanked = isSearch && sort === 'default';
    // The cursor of a ranked list says first whether its row's name matched.
    const listName = isRanked ? 'ranked' : sort;
    const shapeOfKey = isRanked ? (['boolean', ...keyShape] as const) : keyShape;
    const decoded: CursorKey = cursor === undefined ? [] : decodeCursor(listName, cursor, shapeOfKey);
    const [rank, key] = isRanked ? [decoded[0], decoded.slice(1)] : [undefined, decoded];
    const term = isSearch ? termOf(request.search ?? '', { plates: request.plates ?? false }) : undefined;
    if (servers?.length === 0 || (isSearch && term === undefined)) return EMPTY;
    const values = {
      projectId,
      ...Object.fromEntries(servers?.map((id, position) => [`server${position}`, id]) ?? []),
      ...Object.fromEntries(key.map((part, position) => [names[position], part])),
      ...(sort === 'default' && online !== undefined && key[0] === !online ? placeInHalf(online) : {}),
      term: term?.text,
    };
    const shape = { servers: servers?.length, online };
    const offset = cursor === undefined ? (request.offset ?? 0) : 0;
    const place = { shape, sort, values, hasCursor: cursor !== undefined, limit: limit + 1, offset };
    const readPlanned = async (): Promise<Found> => {
      const asked = { projectId, shape, values, rows: limit + 1 + offset };
      const plan = await (term === undefined ? plans.plain(asked) : plans.all(asked, term));
      return { rows: await readPage(place, plan), total: plan.total, names: 0 };
    };
    const isName = typeof rank === 'boolean' ? rank : undefined;
    const found = isRanked && term ? await readRanked(place, term, projectId, isName) : await readPlanned();
    const rows = found.rows.slice(0, limit);
    const last = rows.at(-1);
    const isBeyond = term !== undefined && found.total > MAX_TOTAL;
    const lastKey = last === undefined ? [] : names.map((name) => last[name]);
    return {
      rows,
      total: isBeyond ? MAX_TOTAL : found.total,
      totalIsLowerBound: isBeyond,
      next:
        found.rows.length > limit && last !== undefined
          ? encodeCursor(listName, isRanked ? [rows.length <= found.names, ...lastKey] : lastKey)
          : null,
    };
  };

  /** @throws InvalidCursor */
  return async (request: PlayerListRequest): Promise<PlayerPage> => {
    const page = await list(request);
    const steam = page.total === 0 && request.search !== undefined ? steamOf(request.search) : undefined;
    return steam === undefined ? page : list({ ...request, search: steam });
  };
};
