import { and, asc, type Column, desc, eq, getTableColumns, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import { fold } from '../../../bridge-protocol/fold.ts';
import { createStatements, type Database, type PlaceholderValues, type Reader } from '../../database.ts';
import { after, atMost, choose, literally, storedTotals } from '../../expressions.ts';
import { storable } from '../../schema/text.ts';
import { cursorList, decodeCursor, encodeCursor } from '../cursor.ts';
import { playerSearch, type Search, type Word } from './search.ts';
import type { PlayerRow } from './write.ts';

/** Words under this length are not searched inside hashes, because they would match most of them. */
const MIN_IN_HASH = 4;
/** The characters of identifiers, folded. */
const IDENTIFIER_WORD = /^[a-z0-9:_.@-]+$/;
/** A mention of a user, as Discord copies it. */
const MENTION = /^<@!?(\d+)>$/;
/** A SteamID64, as Steam shows it: identifiers of FiveM have it in hexadecimal digits. */
const STEAM_ID = /^7656119\d{10}$/;
/** Up to this many hits of a search are sorted and counted. */
const MAX_TOTAL = 10_000;

/** Where a word is searched beside the name: in identifiers without their hashes, in whole ones, in number plates. */
type Field = 'marks' | 'ids' | 'plates';
type Sought = Word & { fields: readonly Field[] };

/** The words of a search, the longest first. None: nothing can match. */
const wordsOf = (search: string, { plates }: { plates: boolean }): Sought[] => {
  const texts = new Set(fold(storable(search)).replace(MENTION, 'discord:$1').split(' '));
  texts.delete('');
  const words = [...texts].map((text): Sought => {
    const { length } = [...text];
    const ofIdentifiers: Field[] = IDENTIFIER_WORD.test(text) ? [length < MIN_IN_HASH ? 'marks' : 'ids'] : [];
    return { text, length, fields: plates ? [...ofIdentifiers, 'plates'] : ofIdentifiers };
  });
  return words.sort((a, b) => b.length - a.length);
};

/** The identifier of FiveM for a SteamID64 that nothing was found for; undefined: the search is something else. */
const steamOf = (search: string): string | undefined =>
  STEAM_ID.test(fold(search)) ? `steam:${BigInt(fold(search)).toString(16)}` : undefined;

/** Requests of the same shape use the same statements. */
type Shape = { servers: number | undefined; online: boolean | undefined };
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

const commas = (parts: readonly SQL[]): SQL => sql.join([...parts], sql`, `);
const windowOf = (limit: string, offset: string): SQL =>
  sql`limit ${atMost(sql.placeholder(limit))} offset ${sql.placeholder(offset)}`;

/** The statements of a list. `limit` and `offset` are placeholders, and the key of a cursor by its names. */
const playerPages = ({ tables }: Pick<Database, 'tables'>, search: Search) => {
  const { players } = tables;
  const { from, count } = storedTotals(tables);
  const {
    inventory: _i,
    vehicles: _v,
    metadata: _m,
    searchMarks: _s,
    searchPlates: _p,
    contentHash: _h,
    ...columns
  } = getTableColumns(players);

  /** Of rows and totals. */
  const filtersOf = ({ servers, online }: Shape): SQL[] => {
    const filters = [eq(players.projectId, sql.placeholder('projectId'))];
    const ids = Array.from({ length: servers ?? 0 }, (_, position) => sql.placeholder(`server${position}`));
    const [only] = ids;
    if (only !== undefined)
      filters.push(ids.length === 1 ? eq(players.serverId, only) : inArray(players.serverId, ids));
    if (online !== undefined) filters.push(literally(eq(players.online, online)));
    return filters;
  };

  const placeOf = (text: SQL | Column, part: SQL): SQL => sql`${search.position}(${text}, ${part})`;
  const lineFeed = sql`${'\n'}`;
  const nameEnd = placeOf(players.searchText, lineFeed);
  const searched: Record<Field, SQL | Column> = {
    marks: players.searchMarks,
    ids: sql`lower(${players.identifier} || ${lineFeed} || cast(${players.identifiers} as text))`,
    plates: players.searchPlates,
  };
  const wordAt = (position: number): SQL => sql`${sql.placeholder(`word${position}`)}`;
  const isInName = (position: number): SQL =>
    sql`${placeOf(players.searchText, wordAt(position))} between 1 and ${nameEnd}`;
  const isNamed = (words: readonly Sought[]): SQL => sql`${and(...words.map((_, n) => isInName(n)))}`;
  /** Each word is somewhere in the player's row. */
  const hasAll = (words: readonly Sought[]): SQL[] =>
    words.map(({ fields }, n) => {
      const elsewhere = fields.map((field) => sql`${placeOf(searched[field], wordAt(n))} > 0`);
      return sql`(${sql.join([isInName(n), ...elsewhere], sql` or `)})`;
    });

  /**
   * Walks the order of the list, which is that of an index, and tests each row. `few`: this half (online or offline) is
   * smaller than the page's offset, so the larger half is skipped without reading its rows.
   */
  const walk = (
    handle: Reader['handle'],
    { sort, hasCursor, few, words, ...shape }: PageShape & { few?: boolean | undefined },
  ) => {
    const { direction } = ORDERS[sort];
    // A filter by online state removes that column, because an index can seek the other columns.
    const { names } = ORDERS[sort === 'default' && shape.online !== undefined ? 'lastSeen' : sort];
    const keys: Column[] = names.map((name) => players[name]);
    const filters = [...filtersOf(shape), isNull(players.goneAt), ...hasAll(words)];
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
      // Rows skipped in the larger half always precede the page.
      const larger = (online: boolean): SQL =>
        sql`select * from (${of(online)} order by ${order} ${windowOf('reach', 'skipped')}) as larger_half`;
      const both =
        few === undefined
          ? sql`${search.half(of(true), order)} union all ${search.half(of(false), order)} order by ${outputs} ${windowOf('limit', 'offset')}`
          : sql`${of(few)} union all ${larger(!few)} order by ${outputs} ${windowOf('limit', 'few')}`;
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
    const filters = [...filtersOf(shape), isNull(players.goneAt), ...hasAll(words)];
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
    const filters = [...filtersOf(shape), isNull(players.goneAt), ...hasAll(words)];
    const found = sql`select ${players.serverId} as server, ${players.identifier} as player
      from ${search.rows(words, filters)} limit ${sql.raw(String(MAX_TOTAL + 1))}`;
    return handle
      .select({ serverId: sql<string>`server`, identifier: sql<string>`player` })
      .from(sql`(${found}) as found`)
      .orderBy(sql`server, player`);
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
/** Up to this many rows are sorted for a page; beyond, an index is walked. */
const MAX_FEW = 10_000;

export type PlayerListRow = Omit<PlayerRow, 'inventory' | 'vehicles' | 'metadata'>;
/** `named`: 1 if the name has all words. `total`: of all hits. */
type Hit = PlayerListRow & { named?: number; total?: number };
export type PlayerPage = {
  rows: PlayerListRow[];
  total: number;
  totalIsLowerBound: boolean;
  next: string | null;
};
/** Which players are wanted. */
export type PlayerFilters = {
  projectId: string;
  /** Only of these servers. */
  servers?: readonly string[];
  online?: boolean;
  /** Words: each one is a part of the name or of an identifier, in any case. */
  search?: string;
  /** `search` looks at number plates, too. */
  plates?: boolean;
};
export type PlayerListRequest = PlayerFilters & {
  /** Default: in a search, players whose name matches first; then online players, then the most recently seen. */
  sort?: 'name' | 'lastSeen';
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

const keyOf = ({ sort, hasCursor, servers, online, words }: PageShape): string =>
  [
    sort,
    hasCursor,
    servers,
    online,
    words.map(({ length, fields }) => `${Math.min(length, MIN_IN_HASH)}${fields}`),
  ].join(' ');

/** A player of one server. */
export type PlayerKey = { serverId: string; identifier: string };

/**
 * Lists and searches players. A list without a search walks an index. A search has two ways: up to MAX_TOTAL hits are
 * sorted and counted; for more, the list is walked, and each row tested.
 */
export const playerLists = (database: Database) => {
  const { reader } = database;
  const search = playerSearch(database);
  const pages = playerPages(database, search);
  const near = createStatements<PlayerListRow[]>(database);
  const far = createStatements<PlayerListRow[]>(reader);
  const searches = createStatements<Hit[]>(reader);
  const all = createStatements<PlayerKey[]>(reader);
  // Totals are stored; adding them up takes no longer than asking the worker.
  const totals = createStatements<{ total: number }[]>(database);

  const totalOf = async ({ servers, online }: Shape, values: PlaceholderValues): Promise<number> => {
    const build = () => pages.total(totals.handle, { servers, online });
    const [row] = await totals.run(`players.total ${servers} ${online}`, build, values);
    return row?.total ?? 0;
  };

  /** The size of the smaller half, if a page with an offset can use it. */
  const fewOf = async (place: Place, total: number) => {
    const online = await totalOf({ ...place, online: true }, place.values);
    const rows = Math.min(online, total - online);
    return rows <= Math.min(place.offset, MAX_FEW) ? { rows, online: online === rows } : undefined;
  };

  /** `total`: of a list without a search. */
  const walked = async (place: Place, total?: number): Promise<PlayerListRow[]> => {
    const { sort, servers = 0, online, values, limit, offset } = place;
    const isHalved = total !== undefined && sort === 'lastSeen' && online === undefined && offset > 0;
    const few = isHalved ? await fewOf(place, total) : undefined;
    const depth = few && { few: few.rows, skipped: offset - few.rows, reach: limit + few.rows };
    const isOrdered = servers <= 1 && (online === undefined || sort !== 'name');
    const statements = total !== undefined && isOrdered && offset <= MAX_NEAR_OFFSET ? near : far;
    const build = () => pages.walk(statements.handle, { ...place, few: few?.online });
    return statements.run(`players.walk ${keyOf(place)} ${few?.online}`, build, { ...values, limit, offset, ...depth });
  };

  const listed = async (place: Place): Promise<Found> => {
    const total = await totalOf(place, place.values);
    return { rows: total === 0 ? [] : await walked(place, total), total, isRanked: false };
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
    return { rows: await walked(place), total, isRanked: false };
  };

  /** The words of a request; undefined: it is no search. */
  const soughtBy = ({ search: text = '', plates = false }: PlayerFilters): Sought[] | undefined =>
    text === '' ? undefined : wordsOf(text, { plates });
  const valuesOf = ({ projectId, servers = [] }: PlayerFilters, words: readonly Sought[]): PlaceholderValues => ({
    projectId,
    ...Object.fromEntries(servers.map((id, position) => [`server${position}`, id])),
    ...Object.fromEntries(words.map(({ text }, position) => [`word${position}`, text])),
    ...search.values(words),
  });

  const keysOf = async (request: PlayerFilters): Promise<PlayerKey[]> => {
    const { servers, online } = request;
    const sought = soughtBy(request);
    if (servers?.length === 0 || sought?.length === 0) return [];
    const words = sought ?? [];
    const shape = { servers: servers?.length, online, words };
    const key = keyOf({ ...shape, sort: 'default', hasCursor: false });
    return all.run(`players.keys ${key}`, () => pages.keys(all.handle, shape), valuesOf(request, words));
  };

  const list = async (request: PlayerListRequest): Promise<PlayerPage> => {
    const { servers, online, limit, cursor } = request;
    const sort: PageShape['sort'] = request.sort ?? 'default';
    const sought = soughtBy(request);
    const [isSearch, words] = [sought !== undefined, sought ?? []];
    const isOfHits = isSearch && sort === 'default' && cursor !== undefined && cursorList(cursor) === RANKED;
    const order = isOfHits ? ORDERS[RANKED] : ORDERS[sort];
    const key = cursor === undefined ? [] : decodeCursor(isOfHits ? RANKED : sort, cursor, order.shape);
    if (servers?.length === 0 || (isSearch && words.length === 0)) return EMPTY;
    const isOtherHalf = order === ORDERS.default && online !== undefined && key[0] === !online;
    const values = {
      ...valuesOf(request, words),
      ...Object.fromEntries(key.map((part, position) => [order.names[position], part])),
      ...(isOtherHalf ? placeInHalf(online) : {}),
    };
    const shape = { sort, words, online, servers: servers?.length, hasCursor: cursor !== undefined };
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
