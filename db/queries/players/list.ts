import { and, asc, type Column, desc, eq, type SQL, sql } from 'drizzle-orm';
import { createStatements, type Database, type PlaceholderValues, type Reader } from '../../database.ts';
import { after, choose, literally, storedTotals } from '../../expressions.ts';
import { cursorList, decodeCursor, encodeCursor } from '../cursor.ts';
import {
  commas,
  type Filters,
  type PlayerFilters,
  type PlayerListRow,
  type PlayerPage,
  playerFilters,
  type Shape,
  type Sought,
  shapeKey,
  shapeOf,
  soughtBy,
  steamOf,
  windowOf,
} from './filters.ts';
import { playerScans, type ScanSort } from './scan.ts';
import { playerSearch, type Search } from './search.ts';

/** Up to this many hits of a search are sorted and counted. */
const MAX_TOTAL = 10_000;

type PageShape = Shape & { sort: 'name' | 'lastSeen' | 'default'; hasCursor: boolean; words: readonly Sought[] };

/** Hits of a search whose names come first: no index has this order. */
const RANKED = 'ranked';
const ORDERS = {
  ranked: {
    names: ['named', 'online', 'lastSeenAt', 'id'],
    direction: 'desc',
    shape: ['number', 'boolean', 'number', 'number'],
  },
  default: { names: ['online', 'lastSeenAt', 'id'], direction: 'desc', shape: ['boolean', 'number', 'number'] },
  lastSeen: { names: ['lastSeenAt', 'id'], direction: 'desc', shape: ['number', 'number'] },
  name: { names: ['searchText', 'id'], direction: 'asc', shape: ['string', 'number'] },
} as const;

/** The statements of a list. `limit` and `offset` are placeholders, and the key of a cursor by its names. */
const playerPages = (
  { tables }: Pick<Database, 'tables'>,
  search: Search,
  { columns, filtersOf, isNamed, wanted }: Filters,
) => {
  const { players } = tables;
  const { from, count } = storedTotals(tables);

  /** Walks the order of the list, which is that of an index, and tests each row. */
  const walk = (handle: Reader['handle'], { sort, hasCursor, words, ...shape }: PageShape) => {
    const { direction } = ORDERS[sort];
    // A filter by online state removes that column, because an index can seek the other columns.
    const { names } = ORDERS[sort === 'default' && shape.online !== undefined ? 'lastSeen' : sort];
    const keys: Column[] = names.map((name) => players[name]);
    const filters = wanted({ ...shape, words });
    if (hasCursor) filters.push(after(keys, direction, names));
    const turn = direction === 'asc' ? asc : desc;
    const order = commas(keys.map(turn));

    /** Both halves are in the order of one index, and the engines merge them. So no index by time alone is needed. */
    const merged = (): SQL => {
      const of = (online: boolean): SQL => {
        const rows = search.rows([], [...filters, literally(eq(players.online, online))]);
        return sql`select ${commas(keys.map((key) => sql`${key}`))} from ${rows}`;
      };
      const outputs = commas(keys.map((key) => turn(sql.identifier(key.name))));
      const halves = sql`${search.half(of(true), order)} union all ${search.half(of(false), order)}`;
      const both = sql`${halves} order by ${outputs} ${windowOf('limit', 'offset')}`;
      return sql`select ${sql.identifier(players.id.name)} from (${both}) as both_halves`;
    };
    // Ids first: they are in the index, so skipped rows are not read.
    const ids =
      sort === 'lastSeen' && shape.online === undefined
        ? merged()
        : sql`select ${players.id} from ${search.rows([], filters)} order by ${order} ${windowOf('limit', 'offset')}`;
    return handle.select(columns).from(players).where(sql`${players.id} in (${ids})`).orderBy(order);
  };

  /**
   * Finds all hits, up to one more than are sorted, and sorts them: by default, players with all words in their name come
   * first. Each row has the number of hits.
   */
  const hits = (handle: Reader['handle'], { sort, hasCursor, words, ...shape }: PageShape) => {
    const { names, direction } = ORDERS[sort];
    const keys: Column[] = names.map((name) => players[name]);
    const [named, rank] = [sql.identifier('named'), sql`${sql.placeholder('named')}`];
    const isFirst = sort === 'default' ? choose(isNamed(words), sql`1`, sql`0`) : sql`0`;
    const filters = wanted({ ...shape, words });
    const found = sql`select ${commas(keys.map((key) => sql`${key}`))}, ${isFirst} as ${named}
      from ${search.rows(words, filters)} limit ${sql.raw(String(MAX_TOTAL + 1))}`;
    const counted = sql`select *, count(*) over () as total from (${found}) as found`;
    const turn = direction === 'asc' ? asc : desc;
    const order = commas([sql`${named} desc`, ...keys.map(turn)]);
    const behind = after(keys, direction, names);
    const isBehind = sort === 'default' ? sql`(${named} < ${rank} or (${named} = ${rank} and ${behind}))` : behind;
    const page = sql`select ${players.id} as hit, ${named}, total from (${counted}) as ${players}
      ${hasCursor ? sql`where ${isBehind}` : sql``} order by ${order} ${windowOf('limit', 'offset')}`;
    return handle
      .select({ ...columns, named: sql<number>`${named}`, total: sql<number>`total`.mapWith(Number) })
      .from(players)
      .innerJoin(sql`(${page}) as page`, sql`${players.id} = hit`)
      .orderBy(order);
  };

  /** Server and identifier of all hits, up to one more than are counted. */
  const keys = (handle: Reader['handle'], { words, ...shape }: Shape & { words: readonly Sought[] }) => {
    const filters = wanted({ ...shape, words });
    const found = sql`select ${players.serverId} as server, ${players.identifier} as player
      from ${search.rows(words, filters)} limit ${sql.raw(String(MAX_TOTAL + 1))}`;
    return (
      handle
        .select({ serverId: sql<string>`server`, identifier: sql<string>`player` })
        .from(sql`(${found}) as found`)
        // An expression: for a column, SQLite would walk an index by server, and read all players of the project.
        .orderBy(sql`server || '', player`)
    );
  };

  /** The stored totals of the lists that pass the filters. */
  const total = (handle: Reader['handle'], shape: Shape) =>
    handle
      .select({ total: count })
      .from(from)
      .where(and(...filtersOf(shape)));

  return { walk, hits, keys, total };
};

/** Up to this offset, a page without a search is read in the main thread, which is faster than asking the worker. */
const MAX_NEAR_OFFSET = 1_000;

/** `named`: 1 if the name has all words. `total`: of all hits. */
type Hit = PlayerListRow & { named?: number; total?: number };
export type PlayerListRequest = PlayerFilters & {
  /** Default: in a search, players whose name matches first; then online players, then the most recently seen. */
  sort?: 'name' | 'lastSeen' | 'job' | 'balance';
  limit: number;
  offset?: number;
  /** `next` of the page before, with the same sort. */
  cursor?: string;
};

type Found = { rows: Hit[]; total: number; isRanked: boolean };

const EMPTY: PlayerPage = { rows: [], total: 0, totalIsLowerBound: false, next: null };

/** The default order has two halves, online and offline. The position of a cursor relative to the other half. */
const placeInHalf = (online: boolean): PlaceholderValues => {
  const at = online ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
  return { lastSeenAt: at, id: at };
};

/** A page to read: the shape of its statement, and its values. */
type Place = PageShape & { values: PlaceholderValues; limit: number; offset: number };

const keyOf = ({ sort, hasCursor, ...shape }: PageShape): string => `${sort} ${hasCursor} ${shapeKey(shape)}`;

/** A player of one server. */
export type PlayerKey = { serverId: string; identifier: string };

/**
 * Lists and searches players. A list without a search walks an index. A search has two ways: up to MAX_TOTAL hits are
 * sorted and counted; for more, the list is walked, and each row tested.
 */
export const playerLists = (database: Database) => {
  const { reader } = database;
  const search = playerSearch(database);
  const filters = playerFilters(database, search);
  const pages = playerPages(database, search, filters);
  const scans = playerScans(database, { filters, search });
  const near = createStatements<PlayerListRow[]>(database);
  const far = createStatements<PlayerListRow[]>(reader);
  const searches = createStatements<Hit[]>(reader);
  const all = createStatements<PlayerKey[]>(reader);
  // Totals are stored; adding them up takes no longer than asking the worker.
  const totals = createStatements<{ total: number }[]>(database);

  const totalOf = async ({ servers, online }: Shape, values: PlaceholderValues): Promise<number> => {
    const build = () => pages.total(totals.handle, { servers, online, facts: [] });
    const [row] = await totals.run(`players.total ${servers} ${online}`, build, values);
    return row?.total ?? 0;
  };

  /** `isList`: without a search. */
  const walked = (place: Place, isList: boolean): Promise<PlayerListRow[]> => {
    const { sort, servers = 0, online, values, limit, offset } = place;
    const isOrdered = servers <= 1 && (online === undefined || sort !== 'name');
    const statements = isList && isOrdered && offset <= MAX_NEAR_OFFSET ? near : far;
    const build = () => pages.walk(statements.handle, place);
    return statements.run(`players.walk ${keyOf(place)}`, build, { ...values, limit, offset });
  };

  const listed = async (place: Place): Promise<Found> => {
    const total = await totalOf(place, place.values);
    return { rows: total === 0 ? [] : await walked(place, true), total, isRanked: false };
  };

  const hitsOf = (place: Place): Promise<Hit[]> => {
    const { values, limit, offset } = place;
    const build = () => pages.hits(searches.handle, place);
    return searches.run(`players.hits ${keyOf(place)}`, build, { ...values, limit, offset });
  };

  /** `path`: how the pages before were found, where this changes the order. */
  const searched = async (place: Place, path: 'hits' | 'walk' | undefined): Promise<Found> => {
    const rows = path === 'walk' ? [] : await hitsOf(place);
    const isFirstPage = !place.hasCursor && place.offset === 0;
    const ofAll = { ...place, hasCursor: false, limit: 1, offset: 0 };
    const [any] = rows.length > 0 || isFirstPage ? rows : await hitsOf(ofAll);
    const total = any?.total ?? 0;
    if (path === 'hits' || (path === undefined && total <= MAX_TOTAL)) {
      return { rows, total, isRanked: place.sort === 'default' };
    }
    return { rows: await walked(place, false), total, isRanked: false };
  };

  const keysOf = async (request: PlayerFilters): Promise<PlayerKey[]> => {
    const sought = soughtBy(request);
    if (request.servers?.length === 0 || sought?.length === 0) return [];
    const words = sought ?? [];
    const shape = { ...shapeOf(request), words };
    const build = () => pages.keys(all.handle, shape);
    return all.run(`players.keys ${shapeKey(shape)}`, build, filters.valuesOf(request, words));
  };

  const scanned = async (request: Omit<PlayerListRequest, 'sort'> & { sort: ScanSort }): Promise<PlayerPage> => {
    const sought = soughtBy(request);
    if (request.servers?.length === 0 || sought?.length === 0) return EMPTY;
    const words = sought ?? [];
    return scans.page(request, words, (shape) => totalOf(shape, filters.valuesOf(request, words)));
  };

  const listBy = async (request: PlayerListRequest, sort: PageShape['sort']): Promise<PlayerPage> => {
    const { servers, online, limit, cursor } = request;
    const sought = soughtBy(request);
    const [isSearch, words] = [sought !== undefined, sought ?? []];
    const isOfHits = isSearch && sort === 'default' && cursor !== undefined && cursorList(cursor) === RANKED;
    const order = isOfHits ? ORDERS[RANKED] : ORDERS[sort];
    const key = cursor === undefined ? [] : decodeCursor(isOfHits ? RANKED : sort, cursor, order.shape);
    if (servers?.length === 0 || (isSearch && words.length === 0)) return EMPTY;
    const isOtherHalf = order === ORDERS.default && online !== undefined && key[0] === !online;
    const values = {
      ...filters.valuesOf(request, words),
      ...Object.fromEntries(key.map((part, position) => [order.names[position], part])),
      ...(isOtherHalf ? placeInHalf(online) : {}),
    };
    const shape = { ...shapeOf(request), sort, words, hasCursor: cursor !== undefined };
    const place = { ...shape, values, limit: limit + 1, offset: cursor === undefined ? (request.offset ?? 0) : 0 };
    const path = cursor === undefined || sort !== 'default' ? undefined : isOfHits ? 'hits' : 'walk';
    const found = isSearch ? await searched(place, path) : await listed(place);

    const rows = found.rows.slice(0, limit);
    const last = rows.at(-1);
    const behind = found.isRanked ? RANKED : sort;
    const hasMore = found.rows.length > limit && last !== undefined;
    const isBeyond = isSearch && found.total > MAX_TOTAL;
    return {
      rows: rows.map(({ named: _n, total: _t, ...row }) => row),
      total: isBeyond ? MAX_TOTAL : found.total,
      totalIsLowerBound: isBeyond,
      next: hasMore
        ? encodeCursor(
            behind,
            ORDERS[behind].names.map((name) => last[name] ?? 0),
          )
        : null,
    };
  };

  const list = (request: PlayerListRequest): Promise<PlayerPage> => {
    const { sort = 'default' } = request;
    const hasOrder = sort !== 'job' && sort !== 'balance' && shapeOf(request).facts.length === 0;
    return hasOrder ? listBy(request, sort) : scanned({ ...request, sort });
  };

  return {
    /** @throws InvalidCursor */
    list: async (request: PlayerListRequest): Promise<PlayerPage> => {
      const page = await list(request);
      const steam = page.total === 0 && request.search !== undefined ? steamOf(request.search) : undefined;
      return steam === undefined ? page : list({ ...request, search: steam });
    },
    /** All players that a list has, by server and identifier; undefined: there are more than 10,000. */
    keys: async (request: PlayerFilters): Promise<PlayerKey[] | undefined> => {
      const found = await keysOf(request);
      const steam = found.length === 0 && request.search !== undefined ? steamOf(request.search) : undefined;
      const keys = steam === undefined ? found : await keysOf({ ...request, search: steam });
      return keys.length > MAX_TOTAL ? undefined : keys;
    },
  };
};
