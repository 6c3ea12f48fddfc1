import { type Column, type Placeholder, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { keyColumns, type TableName, type Tables } from './schema/tables.ts';
import { storable } from './schema/text.ts';

/** The time by the database's clock, which all nodes share, in epoch milliseconds. */
export const clockOf = ({ engine }: Pick<Database, 'engine'>): SQL<number> =>
  engine === 'sqlite'
    ? sql`cast(unixepoch('subsec') * 1000 as integer)`
    : sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** A placeholder whose value goes through the column's encoder, as it would in an insert. */
export const bound = (column: Column, name: string): SQL => sql`${sql.param(sql.placeholder(name), column)}`;

/** The value an upsert brought for a column. */
export const incoming = (column: Column): SQL => sql`excluded.${sql.identifier(column.name)}`;

/** The row's value plus the value an upsert brought. */
export const plus = (column: Column): SQL => sql`${column} + excluded.${sql.identifier(column.name)}`;

/** The larger of the row's value and the value an upsert brought. */
export const larger = (column: Column): SQL => choose(sql`${column} > ${incoming(column)}`, column, incoming(column));

/** The row's value plus one. */
export const increment = (column: Column): SQL => sql`${column} + 1`;

/**
 * The first value of an `outbox` (a literal), if the project keeps events; else null. It is read in the statement itself:
 * what is inserted after a project began to keep events is never left out.
 */
export const outboxIn = ({ projects }: Tables, projectId: SQLWrapper | string, owed: number): SQL =>
  sql`(select ${sql.raw(`${owed}`)} from ${projects} where ${projects.id} = ${projectId} and ${projects.keepEvents})`;

/**
 * Rows from one JSON text, for `insert … select`: to build a statement with all their values costs more than the rest.
 * `columns`: of texts and numbers only, by the names in the rows. `before`: columns in front of these. All rows or, where
 * the condition does not hold, none.
 */
export const rowsFrom = (
  { engine }: Pick<Database, 'engine'>,
  columns: Record<string, Column>,
  rows: readonly object[],
  { before = sql``, where = sql`true` }: { before?: SQL; where?: SQL } = {},
): SQL => {
  const [names, json] = [Object.keys(columns), JSON.stringify(rows)];
  if (engine === 'sqlite') {
    const values = names.map((name) => `value ->> '$.${name}'`).join(', ');
    return sql`select ${before}${sql.raw(values)} from jsonb_each(${json}) where ${where}`;
  }
  const listed = names.map((name) => `told."${name}"`).join(', ');
  const typed = names.map((name) => `"${name}" ${columns[name]?.getSQLType() ?? 'text'}`).join(', ');
  return sql`select ${before}${sql.raw(listed)} from json_to_recordset(${json}::json) as told (${sql.raw(typed)}) where ${where}`;
};

/** `yes` where the condition holds, else `no`. */
export const choose = (condition: SQL, yes: SQL | Column, no: SQL | Column): SQL =>
  sql`case when ${condition} then ${yes} else ${no} end`;

/** The text of one member of a JSON object. */
export const member = (column: Column, key: 'keyId' | 'name' | 'action'): SQL =>
  sql`${column} ->> ${sql.raw(`'${key}'`)}`;

/**
 * Whether an actor has this key id, or this text in the name, in any case. SQLite ignores the case of ASCII letters only,
 * so a text with others is tried in lower and in upper case.
 */
export const isActor = ({ engine }: Pick<Database, 'engine'>, actor: Column, text: string): SQL => {
  const isSqlite = engine === 'sqlite';
  const operator = sql.raw(isSqlite ? 'like' : 'ilike');
  const part = storable(text).replaceAll(/[\\%_]/g, '\\$&');
  const isAscii = /^[\x20-\x7e]*$/.test(part);
  const cases = [part.toLowerCase(), ...(isAscii ? [] : [part.toUpperCase()])];
  const contains = (where: SQL | Column): SQL =>
    sql.join(
      cases.map((each) => sql`${where} ${operator} ${`%${each}%`} escape '\\'`),
      sql` or `,
    );
  const isExactly = sql`(${member(actor, 'keyId')} = ${storable(text)} or ${contains(member(actor, 'name'))})`;
  // A text that JSON does not escape is in the column as it is: most rows need not be parsed.
  const isPlain = isSqlite && JSON.stringify(text) === `"${text}"`;
  return isPlain ? sql`((${contains(actor)}) and ${isExactly})` : isExactly;
};

/** With its values written into the statement: a partial index is only considered when its condition is visible. */
export const literally = (condition: SQL): SQL => condition.inlineParams();

/**
 * A limit of a prepared statement. As a sum, because SQLite looks at a bare placeholder there when it plans: it would
 * plan the statement anew each time a value is bound.
 */
export const atMost = (rows: number | Placeholder): Placeholder =>
  // drizzle accepts every expression here, but its type allows only a number or a placeholder.
  sql`${rows} + 0` as unknown as Placeholder;

/** The stored numbers of players, and their sum. `from` has the columns of `players` that filters need. */
export const storedTotals = ({ players }: Tables) => ({
  from: sql`player_totals as ${players}`,
  count: sql`coalesce(sum(total), 0)`.mapWith(Number),
});

/** Columns with commas between them. */
export const listed = (columns: readonly Column[]): SQL =>
  sql.join(
    columns.map((column) => sql`${column}`),
    sql`, `,
  );

/** Whether a query returns this key of several columns. */
export const amongKeys = (columns: readonly Column[], keys: SQLWrapper): SQL => sql`(${listed(columns)}) in ${keys}`;

/** Compares several columns as one sort key, in one index seek. */
export const after = (columns: readonly Column[], direction: 'asc' | 'desc', names: readonly string[]): SQL => {
  const left = listed(columns);
  const right = sql.join(
    columns.map((column, position) => bound(column, names[position] ?? '')),
    sql`, `,
  );
  return direction === 'asc' ? sql`(${left}) > (${right})` : sql`(${left}) < (${right})`;
};

/** Deletes at most `limit` rows that match, in the order of a column if one is given; returns how many. */
export const removeSome = async (
  { handle, tables, commit }: Database,
  name: TableName,
  { matches, limit, order }: { matches: SQL | undefined; limit: number; order?: Column },
): Promise<number> => {
  const table = tables[name];
  const key = keyColumns(tables, name);
  const ordered = order === undefined ? sql`` : sql`order by ${order}`;
  const some = sql`(select ${listed(key)} from ${table} where ${matches} ${ordered} limit ${limit})`;
  const remove = () => handle.delete(table).where(amongKeys(key, some)).returning({ removed: sql`1` });
  return (await commit(remove)).length;
};
