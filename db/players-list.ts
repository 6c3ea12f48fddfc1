import { and, asc, type Column, count, desc, eq, getTableColumns, inArray, type SQL, sql } from 'drizzle-orm';
import { type CursorKey, decodeCursor, encodeCursor } from './cursor.ts';
import type { Database, PlaceholderValues, Prepared } from './database.ts';
import { after, literally } from './expressions.ts';
import type { PlayerRow } from './players.ts';
import type { SearchPath } from './search.ts';

/** A total of a search is exact up to this many. */
const MAX_TOTAL = 10_000;
/** Up to this many hits are collected and sorted; more are dense enough to walk the order and look at each row. */
const MAX_COLLECTED = 5_000;
const MAX_STATEMENTS = 256;

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

/** What makes two requests use the same statements. */
type Shape = { servers: number | undefined; online: boolean | undefined };
type PageShape = Shape & { sort: Sort; hasCursor: boolean; search: 'none' | 'walk' | SearchPath };
type Sort = 'name' | 'lastSeen' | 'default';

const EMPTY: PlayerPage = { rows: [], total: 0, totalIsLowerBound: false, next: null };

/** Lists and searches players. Every order is the order of an index. */
export const playerList = ({ handle, tables: { players }, prepare, read, search }: Database) => {
  const { inventory: _i, vehicles: _v, metadata: _m, ...columns } = getTableColumns(players);
  const orders = {
    default: {
      names: ['online', 'lastSeenAt', 'id'],
      direction: 'desc',
      shape: ['boolean', 'number', 'number'],
    },
    lastSeen: { names: ['lastSeenAt', 'id'], direction: 'desc', shape: ['number', 'number'] },
    name: { names: ['searchText', 'id'], direction: 'asc', shape: ['string', 'number'] },
  } as const;

  const filtersOf = ({ servers, online }: Shape): SQL[] => {
    const filters = [eq(players.projectId, sql.placeholder('projectId'))];
    const ids = Array.from({ length: servers ?? 0 }, (_, position) => sql.placeholder(`server${position}`));
    const [only] = ids;
    if (only !== undefined)
      filters.push(ids.length === 1 ? eq(players.serverId, only) : inArray(players.serverId, ids));
    if (online !== undefined) filters.push(literally(eq(players.online, online)));
    return filters;
  };

  const hitsOf = (shape: Shape, path: SearchPath): SQL =>
    sql`select ${players.id} from ${search.source(path)} where ${and(search.condition(path), ...filtersOf(shape))}`;

  const buildCount = (shape: Shape, path: SearchPath | undefined) => {
    if (path === undefined)
      return handle
        .select({ rows: count() })
        .from(players)
        .where(and(...filtersOf(shape)));
    return handle.select({ rows: count() }).from(sql`(${hitsOf(shape, path)} limit ${MAX_TOTAL + 1}) as hits`);
  };

  const buildPage = ({ sort, hasCursor, search: by, ...shape }: PageShape) => {
    const { names, direction } = orders[sort];
    const keys: Column[] = names.map((name) => players[name]);
    const filters = by === 'index' || by === 'scan' ? [sql`${players.id} in (${hitsOf(shape, by)})`] : filtersOf(shape);
    if (by === 'walk') filters.push(search.condition('scan'));
    if (hasCursor) filters.push(after(keys, direction, names));
    return handle
      .select(columns)
      .from(players)
      .where(and(...filters))
      .orderBy(...keys.map((key) => (direction === 'asc' ? asc(key) : desc(key))))
      .limit(sql.placeholder('limit'))
      .offset(sql.placeholder('offset'));
  };

  const counts = new Map<string, Prepared<{ rows: number }[]>>();
  const pages = new Map<string, Prepared<PlayerListRow[]>>();
  const remembered = <T>(known: Map<string, Prepared<T>>, key: string, make: () => Prepared<T>): Prepared<T> => {
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= MAX_STATEMENTS) known.clear();
    const made = make();
    known.set(key, made);
    return made;
  };

  const countRows = async (shape: Shape, path: SearchPath | undefined, values: PlaceholderValues): Promise<number> => {
    const key = `players.count ${shape.servers} ${shape.online} ${path}`;
    const statement = remembered(counts, key, () => prepare(key, () => buildCount(shape, path)));
    const [row] = await read(() => statement(values));
    return row?.rows ?? 0;
  };

  const readPage = (shape: PageShape, values: PlaceholderValues): Promise<PlayerListRow[]> => {
    const key = `players.page ${shape.servers} ${shape.online} ${shape.sort} ${shape.hasCursor} ${shape.search}`;
    const statement = remembered(pages, key, () => prepare(key, () => buildPage(shape)));
    return read(() => statement(values));
  };

  /** @throws InvalidCursor */
  return async (request: PlayerListRequest): Promise<PlayerPage> => {
    const { projectId, servers, online, limit, cursor } = request;
    const sort = request.sort ?? 'default';
    const { names, shape: keyShape } = orders[sort];
    const key: CursorKey = cursor === undefined ? [] : decodeCursor(sort, cursor, keyShape);
    const term = request.search === undefined ? undefined : search.values(request.search);
    if (servers?.length === 0 || (request.search !== undefined && term === undefined)) return EMPTY;
    const values: PlaceholderValues = {
      projectId,
      ...Object.fromEntries(servers?.map((id, position) => [`server${position}`, id]) ?? []),
      ...Object.fromEntries(key.map((part, position) => [names[position], part])),
      ...term,
      limit: limit + 1,
      offset: cursor === undefined ? (request.offset ?? 0) : 0,
    };
    const shape = { servers: servers?.length, online };
    const path = term === undefined ? undefined : await search.path(term);
    const total = await countRows(shape, path, values);
    const by = path === undefined ? 'none' : total > MAX_COLLECTED ? 'walk' : path;
    const found =
      total === 0 ? [] : await readPage({ ...shape, sort, hasCursor: cursor !== undefined, search: by }, values);
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
