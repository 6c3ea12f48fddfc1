import { eq, inArray, type SQL, sql } from 'drizzle-orm';
import { type CursorKey, decodeCursor, encodeCursor } from './cursor.ts';
import type { Database, PlaceholderValues } from './database.ts';
import { literally } from './expressions.ts';
import type { PlayerRow } from './players.ts';
import { orders, type PageShape, playerPages, type Sort } from './players-page.ts';
import { MAX_TOTAL, playerPlan, type Shape } from './players-plan.ts';
import { createStatements } from './statements.ts';

/** Up to this offset a page without a search is read on the loop: to ask another thread takes longer. */
const MAX_NEAR_OFFSET = 1_000;
/** So many are sorted for a page rather than walked past. */
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
  /** A part of the name or the identifier, in any case. */
  search?: string;
  /** Default: those online first, then the most recently seen. */
  sort?: 'name' | 'lastSeen';
  limit: number;
  offset?: number;
  /** `next` of the page before, with the same sort. */
  cursor?: string;
};

const EMPTY: PlayerPage = { rows: [], total: 0, totalIsLowerBound: false, next: null };

/** The default order has two halves. Where a cursor of the other one stands: before everybody of this one, or behind. */
const placeInHalf = (online: boolean): PlaceholderValues => {
  const at = online ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
  return { lastSeenAt: at, id: at };
};

/** Lists and searches players. Every order is the order of an index. */
export const playerList = (database: Database) => {
  const { tables, search, reader } = database;
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

  const plan = playerPlan(database, filtersOf);
  const buildPage = playerPages(database, filtersOf);

  const readPage = (shape: PageShape, values: PlaceholderValues, isNear: boolean): Promise<PlayerListRow[]> => {
    const key = `players.page ${shape.servers} ${shape.online} ${shape.sort} ${shape.hasCursor} ${shape.path} ${shape.few}`;
    const statements = isNear ? near : far;
    return statements.run(key, () => buildPage(statements.handle, shape), values);
  };

  /** For a page behind an offset in an order that has two halves: how few the smaller one has, where it is worth it. */
  const fewOf = async (
    shape: Shape,
    values: PlaceholderValues & { projectId: string },
    total: number,
    offset: number,
  ) => {
    const ofOnline = { shape: { ...shape, online: true }, term: undefined, rows: 0 };
    const { total: online } = await plan({ projectId: values.projectId, values, ...ofOnline });
    const rows = Math.min(online, total - online);
    return rows <= Math.min(offset, MAX_FEW) ? { rows, online: online === rows } : undefined;
  };

  /** @throws InvalidCursor */
  return async (request: PlayerListRequest): Promise<PlayerPage> => {
    const { projectId, servers, online, limit, cursor } = request;
    const sort: Sort = request.sort ?? 'default';
    const { names, shape: keyShape } = orders[sort];
    const key: CursorKey = cursor === undefined ? [] : decodeCursor(sort, cursor, keyShape);
    const term = request.search === undefined ? undefined : search.term(request.search);
    if (servers?.length === 0 || (request.search !== undefined && term === undefined)) return EMPTY;
    const offset = cursor === undefined ? (request.offset ?? 0) : 0;
    const values = {
      projectId,
      ...Object.fromEntries(servers?.map((id, position) => [`server${position}`, id]) ?? []),
      ...Object.fromEntries(key.map((part, position) => [names[position], part])),
      ...(sort === 'default' && online !== undefined && key[0] === !online ? placeInHalf(online) : {}),
      term,
      limit: limit + 1,
      offset,
    };
    const shape = { servers: servers?.length, online };
    const { total, path, ids } = await plan({ projectId, shape, values, term, rows: limit + 1 + offset });
    const isHalved = sort === 'lastSeen' && online === undefined && path === undefined && offset > 0;
    const few = isHalved ? await fewOf(shape, values, total, offset) : undefined;
    const depth = few && { few: few.rows, skipped: offset - few.rows, reach: limit + 1 + few.rows };
    const page = { ...shape, sort, hasCursor: cursor !== undefined, path, few: few?.online };
    const isOrdered = (servers?.length ?? 0) <= 1 && (online === undefined || sort !== 'name');
    const isNear = path === undefined && isOrdered && offset <= MAX_NEAR_OFFSET;
    const found = total === 0 ? [] : await readPage(page, { ...values, ...depth, ids }, isNear);
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    const isBeyond = term !== undefined && total > MAX_TOTAL;
    return {
      rows,
      total: isBeyond ? MAX_TOTAL : total,
      totalIsLowerBound: isBeyond,
      next:
        found.length > limit && last !== undefined
          ? encodeCursor(
              sort,
              names.map((name) => last[name]),
            )
          : null,
    };
  };
};
