import { createHash } from 'node:crypto';
import { type Column, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { DatabaseError } from './errors.ts';
import { amongKeys, incoming, listed } from './expressions.ts';
import { KEYS, keyColumns, TABLE_NAMES, type TableName, type Tables } from './schema/tables.ts';

/** Rows that are compared and written in one step. Three steps are in memory at a time, and a catalogue has up to 2 MiB. */
const CHUNK = 500;
const CATALOGUES_CHUNK = 4;
const chunkOf = (name: TableName): number => (name === 'catalogues' ? CATALOGUES_CHUNK : CHUNK);

/** Leases are not copied, because their nodes use the source database; a hub with projects has no setup links. */
const NAMES = TABLE_NAMES.filter((name) => name !== 'nodes' && name !== 'setupLinks');
/** Tables in the order of deletion: referenced tables last. */
const REFERRING = ['apiKeys', 'servers', 'projects'] as const;

type Row = Record<string, unknown>;
type Range = { after: readonly unknown[] | undefined; until: readonly unknown[] | undefined };
/** `written`: rows that were missing or different in the target. `sha256`: of all rows, in the order of their keys. */
export type CopiedTable = { table: string; rows: number; written: number; sha256: string };

const lineOf = (row: Row): string => `${JSON.stringify(row)}\n`;

/** PostgreSQL's array type for a column's values. */
const listTypeOf = (column: Column): SQL =>
  sql.raw(
    `${column
      .getSQLType()
      .replace(/^text.*/, 'text')
      .replace('bigserial', 'bigint')}[]`,
  );

/** One table of one database, read and written in slices of its key. */
const tableOf = ({ handle, tables, read, commit }: Database, name: TableName) => {
  // Every table is read and written alike; this one stands for its type.
  const table = tables[name] as Tables['players'];
  const columns: Record<string, Column> = getTableColumns(table);
  const key = keyColumns(tables, name);
  const tuple = (values: readonly unknown[]): SQL =>
    sql`(${sql.join(
      values.map((value, position) => sql`${sql.param(value, key[position])}`),
      sql`, `,
    )})`;
  const within = ({ after, until }: Range): SQL => {
    const above = after === undefined ? sql`true` : sql`(${listed(key)}) > ${tuple(after)}`;
    return until === undefined ? above : sql`${above} and (${listed(key)}) <= ${tuple(until)}`;
  };
  const keyOf = (row: Row): unknown[] => KEYS[name].map((column) => row[column]);
  const amongThese = (rows: readonly Row[]): SQL =>
    amongKeys(
      key,
      sql`(${sql.join(
        rows.map((row) => tuple(keyOf(row))),
        sql`, `,
      )})`,
    );

  return {
    chunk: chunkOf(name),
    keyOf,
    /** In the order of the key; at most one more than a chunk. */
    read: (range: Range, limit: number): Promise<Row[]> =>
      read(() =>
        handle
          .select()
          .from(table)
          .where(within(range))
          .orderBy(sql`${listed(key)}`)
          .limit(limit),
      ),
    /** The keys of these that exist. */
    present: (rows: readonly Row[]): Promise<Row[]> => read(() => handle.select().from(table).where(amongThese(rows))),
    remove: (rows: readonly Row[]): Promise<unknown> => commit(() => handle.delete(table).where(amongThese(rows))),
    removeOthers: (range: Range, rows: readonly Row[]): Promise<unknown> => {
      const others = rows.length === 0 ? sql`true` : sql`not ${amongThese(rows)}`;
      return commit(() => handle.delete(table).where(sql`${within(range)} and ${others}`));
    },
    /** One array parameter per column, because one parameter per value is much slower. PostgreSQL only. */
    write: (rows: readonly Row[]): Promise<unknown> => {
      const set = Object.fromEntries(Object.entries(columns).map(([column, each]) => [column, incoming(each)]));
      const lists = Object.entries(columns).map(([column, each]) => {
        const values = rows.map((row) => each.mapToDriverValue(row[column]));
        return sql`${sql.param(values)}::${listTypeOf(each)}`;
      });
      const insert = handle.insert(table).select(sql`select * from unnest(${sql.join(lists, sql`, `)})`);
      return commit(() => insert.onConflictDoUpdate({ target: key as [], set }), { durable: true });
    },
  };
};

/** Deletes target rows missing in the source; referencing tables first. */
const prune = async (from: Database, to: Database, name: TableName): Promise<void> => {
  const [source, target] = [tableOf(from, name), tableOf(to, name)];
  let after: readonly unknown[] | undefined;
  for (;;) {
    const rows = await target.read({ after, until: undefined }, target.chunk);
    const last = rows.at(-1);
    if (last === undefined) return;
    const kept = new Set((await source.present(rows)).map((row) => JSON.stringify(source.keyOf(row))));
    const gone = rows.filter((row) => !kept.has(JSON.stringify(target.keyOf(row))));
    if (gone.length > 0) await target.remove(gone);
    after = target.keyOf(last);
  }
};

/** Walks a table of both databases side by side; reads the next slice of the source while the target works. */
async function* slicesOf(source: ReturnType<typeof tableOf>, target: ReturnType<typeof tableOf>) {
  let after: readonly unknown[] | undefined;
  const { chunk } = source;
  let reading = source.read({ after, until: undefined }, chunk);
  for (;;) {
    const rows = await reading;
    const last = rows.at(-1);
    const range: Range = { after, until: rows.length < chunk || last === undefined ? undefined : source.keyOf(last) };
    const finding = target.read(range, chunk + 1);
    after = range.until;
    if (after !== undefined) {
      reading = source.read({ after, until: undefined }, chunk);
      // Awaited in the next iteration, if there is one.
      reading.catch(() => undefined);
    }
    yield { range, rows, there: await finding };
    if (after === undefined) return;
  }
}

/** Makes a table equal to the source's, and returns how many rows were missing or different. Equal rows stay. */
const bringOver = async (from: Database, to: Database, name: TableName): Promise<{ rows: number; written: number }> => {
  const [source, target] = [tableOf(from, name), tableOf(to, name)];
  const sum = { rows: 0, written: 0 };
  const change = async (range: Range, rows: readonly Row[], there: number): Promise<void> => {
    if (there > 0) await target.removeOthers(range, rows);
    if (rows.length > 0) await target.write(rows);
  };
  let changing = Promise.resolve();
  for await (const { range, rows, there } of slicesOf(source, target)) {
    const known = new Set(there.map(lineOf));
    const missing = known.size === 0 ? rows : rows.filter((row) => !known.has(lineOf(row)));
    if (missing.length > 0 || there.length !== rows.length) {
      await changing;
      changing = change(range, rows, there.length);
      // It is awaited before the next one, and at the end.
      changing.catch(() => undefined);
    }
    sum.rows += rows.length;
    sum.written += missing.length;
  }
  await changing;
  return sum;
};

/** @throws DatabaseError changed, if a table differs from the source */
const checksumOf = async (from: Database, to: Database, name: TableName): Promise<string> => {
  const hash = createHash('sha256');
  for await (const { rows, there } of slicesOf(tableOf(from, name), tableOf(to, name))) {
    const text = rows.map(lineOf).join('');
    if (text !== there.map(lineOf).join('')) {
      const message = `The ${name} have changed while they were copied; stop the hub and copy again with --resume.`;
      throw new DatabaseError('changed', message);
    }
    hash.update(text);
  }
  return hash.digest('hex');
};

/**
 * Makes one database equal to another, table by table, then reads both again and compares them. Equal rows stay, so an
 * interrupted copy continues, and a second copy takes over later changes.
 * @throws DatabaseError changed, if a hub writes to the source
 */
export const copyDatabase = async (
  from: Database,
  to: Database,
  onTable: (done: { table: string; rows: number; written: number }) => void = () => undefined,
): Promise<CopiedTable[]> => {
  for (const name of REFERRING) await prune(from, to, name);
  const done: { table: TableName; rows: number; written: number }[] = [];
  for (const table of NAMES) {
    const brought = { table, ...(await bringOver(from, to, table)) };
    done.push(brought);
    onTable(brought);
  }
  const copied: CopiedTable[] = [];
  for (const each of done) copied.push({ ...each, sha256: await checksumOf(from, to, each.table) });
  return copied;
};
