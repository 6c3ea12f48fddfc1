import { eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../port/database.ts';
import type { Term } from '../../port/search.ts';
import { createStatements } from '../../port/statements.ts';
import type { PlaceholderValues } from '../../port/values.ts';
import { type CursorKey, decodeCursor, encodeCursor } from '../cursor.ts';
import { literally } from '../expressions.ts';
import { orders, playerPages, type Sort } from './page.ts';
import { MAX_TOTAL, type Plan, playerPlan, type Shape } from './plan.ts';
import type { PlayerRow } from './row.ts';
import { steamOf, termOf } from './term.ts';

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
