import { asc, type Column, desc, eq, getTableColumns, isNull, type SQL, sql } from 'drizzle-orm';
import type { Database, Reader } from '../../port/database.ts';
import type { Selection } from '../../port/search.ts';
import { after, atMost, literally } from '../expressions.ts';
import type { Shape } from './plan.ts';

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
