import { type SQL, sql } from 'drizzle-orm';
import { createStatements, type Database, type Reader } from '../../database.ts';
import { choose } from '../../expressions.ts';
import { type CursorKey, decodeCursor, encodeCursor } from '../cursor.ts';
import {
  commas,
  type Filters,
  type PlayerFilters,
  type PlayerListRow,
  type PlayerPage,
  type Shape,
  type Sought,
  shapeKey,
  shapeOf,
  windowOf,
} from './filters.ts';
import type { Search } from './search.ts';

export type ScanSort = 'default' | 'lastSeen' | 'name' | 'job' | 'balance';
/** `total`: of the list, if it has filters. */
type ScanRow = PlayerListRow & { named: number; total: number };
type ScanShape = Shape & { sort: ScanSort; words: readonly Sought[] };

/** Sorts after each name: players without a job come last. */
const NO_JOB = '\u{10FFFF}';

/** The sort key of a row, as a cursor has it. */
const KEYS: Record<ScanSort, (row: ScanRow, account: string) => CursorKey> = {
  default: ({ named, online, lastSeenAt, id }) => [named, online ? 1 : 0, lastSeenAt, id],
  lastSeen: ({ lastSeenAt, id }) => [lastSeenAt, id],
  name: ({ searchText, id }) => [searchText, id],
  job: ({ jobName, searchText, id }) => [jobName ?? NO_JOB, searchText, id],
  balance: ({ accounts, id }, account) => [accounts[account] ?? 0, id],
};
const SHAPES: Record<ScanSort, readonly ('string' | 'number')[]> = {
  default: ['number', 'number', 'number', 'number'],
  lastSeen: ['number', 'number'],
  name: ['string', 'number'],
  job: ['string', 'string', 'number'],
  balance: ['number', 'number'],
};
const ASCENDING: ReadonlySet<ScanSort> = new Set(['name', 'job']);

const isUnfiltered = ({ facts, words }: ScanShape): boolean => facts.length === 0 && words.length === 0;

/**
 * Whether a request looks at each player whom its other filters leave, because no index has its order. `search` by a number
 * in the game does not: it looks at those online.
 */
export const isScan = (request: PlayerFilters & { sort?: string }): boolean =>
  request.sort === 'job' || request.sort === 'balance' || shapeOf(request).facts.some((fact) => fact !== 'gameId');

/** Finds all players of a list, then sorts them. Statements run in the reader's thread. */
export const playerScans = (database: Database, { filters, search }: { filters: Filters; search: Search }) => {
  const { reader, tables } = database;
  const { players } = tables;
  const pages = createStatements<ScanRow[]>(reader);
  const counts = createStatements<{ total: number }[]>(reader);
  const named = sql.identifier('named');

  const keysOf = (sort: ScanSort): SQL[] => {
    const { lastSeenAt, searchText, jobName, online, id } = players;
    const keys: Record<ScanSort, SQL[]> = {
      default: [sql`${choose(sql`${online}`, sql`1`, sql`0`)}`, sql`${lastSeenAt}`],
      lastSeen: [sql`${lastSeenAt}`],
      name: [sql`${searchText}`],
      job: [sql`coalesce(${jobName}, ${NO_JOB})`, sql`${searchText}`],
      balance: [filters.balance],
    };
    return [...keys[sort], sql`${id}`];
  };

  const page = (handle: Reader['handle'], { hasCursor, ...shape }: ScanShape & { hasCursor: boolean }) => {
    const { sort, words } = shape;
    const isRanked = sort === 'default';
    const isFirst = isRanked && words.length > 0 ? choose(filters.isNamed(words), sql`1`, sql`0`) : sql`0`;
    const keys = keysOf(sort).map((key, n) => ({ key, name: sql.identifier(`key${n}`) }));
    const names = [...(isRanked ? [named] : []), ...keys.map(({ name }) => name)];
    const turn = sql.raw(ASCENDING.has(sort) ? 'asc' : 'desc');
    const order = commas(names.map((name) => sql`${name} ${turn}`));
    const place = commas(names.map((_, n) => sql`${sql.placeholder(`after${n}`)}`));
    const isBehind = sql`where (${commas(names.map((name) => sql`${name}`))}) ${sql.raw(ASCENDING.has(sort) ? '>' : '<')} (${place})`;
    const found = sql`select ${players.id} as hit, ${isFirst} as ${named}, ${commas(keys.map(({ key, name }) => sql`${key} as ${name}`))}
      from ${search.rows(words, filters.wanted(shape))}`;
    // Counted in the same look, because each one reads all players; without the hint, SQLite would look twice.
    const [total, hint] = isUnfiltered(shape)
      ? [sql`0`, sql``]
      : [sql`(select count(*) from found)`, sql`materialized`];
    const some = sql`with found as ${hint} (${found}) select *, ${total} as total from found ${hasCursor ? isBehind : sql``} order by ${order} ${windowOf('limit', 'offset')}`;
    return handle
      .select({ ...filters.columns, named: sql<number>`${named}`, total: sql<number>`total`.mapWith(Number) })
      .from(players)
      .innerJoin(sql`(${some}) as page`, sql`${players.id} = hit`)
      .orderBy(order);
  };

  const count = (handle: Reader['handle'], shape: ScanShape) =>
    handle
      .select({ total: sql`count(*)`.mapWith(Number) })
      .from(sql`(select 1 as one from ${search.rows(shape.words, filters.wanted(shape))}) as found`);

  return {
    /** A page. `listTotal` counts a list without filters that no total has. @throws InvalidCursor */
    page: async (
      request: PlayerFilters & { sort: ScanSort; limit: number; offset?: number; cursor?: string },
      words: readonly Sought[],
      listTotal: (shape: Shape) => Promise<number>,
    ): Promise<PlayerPage> => {
      const { sort, limit, offset = 0, cursor, account = '' } = request;
      // The balances of another account have another order.
      const list = sort === 'balance' ? `scan balance ${account}` : `scan ${sort}`;
      const key = cursor === undefined ? [] : decodeCursor(list, cursor, SHAPES[sort]);
      const shape = { ...shapeOf(request), sort, words };
      const hasCursor = cursor !== undefined;
      const values = filters.valuesOf(request, words);
      const name = `${sort} ${shapeKey(shape)}`;
      const found = await pages.run(
        `players.scan ${hasCursor} ${name}`,
        () => page(pages.handle, { ...shape, hasCursor }),
        {
          ...values,
          ...Object.fromEntries(key.map((part, n) => [`after${n}`, part])),
          limit: limit + 1,
          offset: hasCursor ? 0 : offset,
        },
      );
      const counted = async (): Promise<number> => {
        if (isUnfiltered(shape)) return listTotal(shape);
        if (found[0] !== undefined || (!hasCursor && offset === 0)) return found[0]?.total ?? 0;
        // Behind the last player, no row says how many there are.
        const [row] = await counts.run(`players.count ${name}`, () => count(counts.handle, shape), values);
        return row?.total ?? 0;
      };
      const total = await counted();
      const rows = found.slice(0, limit);
      const last = rows.at(-1);
      const hasMore = found.length > limit && last !== undefined;
      return {
        rows: rows.map(({ named: _n, total: _t, ...row }) => row),
        total,
        totalIsLowerBound: false,
        next: hasMore ? encodeCursor(list, KEYS[sort](last, account)) : null,
      };
    },
  };
};
