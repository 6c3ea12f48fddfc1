import { asc, type Column, desc, type SQL, sql } from 'drizzle-orm';
import { listed } from '../expressions.ts';

/** A cursor that does not belong to this list. */
export class InvalidCursor extends Error {
  override name = 'InvalidCursor';
}

export type CursorKey = (string | number | boolean)[];

/** Where a page of a list ended: the list's name and the sort key of the last row, opaque to callers. */
export const encodeCursor = (list: string, key: CursorKey): string =>
  Buffer.from(JSON.stringify([list, ...key])).toString('base64url');

/** A page of a list; `next` is the cursor of the following one. */
export type Page<T> = { rows: T[]; next: string | null };
export type PageRequest = { limit: number; cursor?: string | undefined };

const read = (cursor: string): unknown => {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
};

/** The list that a cursor says it is of; undefined: the cursor cannot be read. */
export const cursorList = (cursor: string): unknown => {
  const value = read(cursor);
  return Array.isArray(value) ? value[0] : undefined;
};

/** Reads a cursor of the same list; `shape` has the types of its key. @throws InvalidCursor */
export const decodeCursor = (
  list: string,
  cursor: string,
  shape: readonly ('string' | 'number' | 'boolean')[],
): CursorKey => {
  const value = read(cursor);
  if (!Array.isArray(value) || value.length !== shape.length + 1 || value[0] !== list)
    throw new InvalidCursor('The cursor is not one of this list.');
  const isKey = (part: unknown, position: number): part is string | number | boolean =>
    typeof part === shape[position] && (typeof part !== 'number' || Number.isSafeInteger(part));
  const key = value.slice(1).filter(isKey);
  if (key.length !== shape.length) throw new InvalidCursor('The cursor is not one of this list.');
  return key;
};

/**
 * A page of a list in the order of these columns, of which the last one is unique. `read` gets the condition of the rows
 * behind the cursor, the order, and one row more than the page has. @throws InvalidCursor
 */
export const readPage = async <T extends object>(
  { list, by, direction = 'asc' }: { list: string; by: Record<string, Column>; direction?: 'asc' | 'desc' },
  { limit, cursor }: PageRequest,
  read: (page: { behind: SQL | undefined; order: SQL[]; rows: number }) => Promise<T[]>,
): Promise<Page<T>> => {
  const columns = Object.values(by);
  const shape = columns.map(({ dataType }) => (dataType === 'number' ? 'number' : 'string'));
  const key = cursor === undefined ? undefined : decodeCursor(list, cursor, shape);
  const values = key?.map((part, n) => sql`${sql.param(part, columns[n])}`);
  const sign = sql.raw(direction === 'asc' ? '>' : '<');
  const behind = values && sql`(${listed(columns)}) ${sign} (${sql.join(values, sql`, `)})`;
  const order = columns.map(direction === 'asc' ? asc : desc);
  const found = await read({ behind, order, rows: limit + 1 });
  const rows = found.slice(0, limit);
  const last = rows.at(-1) as Record<string, CursorKey[number]> | undefined;
  const hasMore = found.length > limit && last !== undefined;
  return {
    rows,
    next: hasMore
      ? encodeCursor(
          list,
          Object.keys(by).map((name) => last[name] ?? 0),
        )
      : null,
  };
};
