import { createHash } from 'node:crypto';
import { type Column, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { DatabaseError } from './database-error.ts';
import { amongKeys, incoming, listed } from './expressions.ts';
import type { Tables } from './schema.ts';

/** Rows that are compared, and written, at once. */
const CHUNK = 500;

/** Leases are not copied: who holds one works with the other database. */
type TableName = Exclude<keyof Tables, 'nodes'>;

/** What finds a row again, in the order in which rows may be written: whom others refer to comes first. */
const KEYS: Record<TableName, readonly string[]> = {
  projects: ['id'],
  apiKeys: ['id'],
  servers: ['projectId', 'id'],
  sessions: ['projectId', 'serverId'],
  strayResults: ['projectId', 'serverId', 'commandId'],
  commands: ['seq'],
  players: ['id'],
  statistics: ['projectId', 'at', 'serverId'],
  panelSessions: ['hash'],
};
const NAMES = Object.keys(KEYS) as TableName[];
/** Whom others refer to, last. */
const REFERRING = ['apiKeys', 'servers', 'projects'] as const;

type Row = Record<string, unknown>;
type Range = { after: readonly unknown[] | undefined; until: readonly unknown[] | undefined };
/** `written`: how many rows the target had not, or had otherwise. `sha256`: of all rows, in the order of their keys. */
export type CopiedTable = { table: string; rows: number; written: number; sha256: string };

/** Keys in one order, however the engine keeps them. */
const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, canonical(member)]));
};
const lineOf = (row: Row): string => `${JSON.stringify(canonical(row))}\n`;

/** One table of one database, read and written in slices of its key. */
const tableOf = ({ handle, tables, read, commit }: Database, name: TableName) => {
  // Every table is read and written alike; this one stands for its type.
  const table = tables[name] as Tables['players'];
  const columns: Record<string, Column> = getTableColumns(table);
  const key = KEYS[name].flatMap((column) => columns[column] ?? []);
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
    /** Which of these are there. */
    present: (rows: readonly Row[]): Promise<Row[]> => read(() => handle.select().from(table).where(amongThese(rows))),
    remove: (rows: readonly Row[]): Promise<unknown> => commit(() => handle.delete(table).where(amongThese(rows))),
    removeOthers: (range: Range, rows: readonly Row[]): Promise<unknown> => {
      const others = rows.length === 0 ? sql`true` : sql`not ${amongThese(rows)}`;
      return commit(() => handle.delete(table).where(sql`${within(range)} and ${others}`));
    },
    write: (rows: readonly Row[]): Promise<unknown> => {
      const set = Object.fromEntries(Object.entries(columns).map(([column, each]) => [column, incoming(each)]));
      const insert = handle.insert(table).values(rows as (typeof table.$inferInsert)[]);
      return commit(() => insert.onConflictDoUpdate({ target: key as [], set }), { durable: true });
    },
  };
};

/** Takes those away that the source has not, so that nobody refers to who goes. */
const prune = async (from: Database, to: Database, name: TableName): Promise<void> => {
  const [source, target] = [tableOf(from, name), tableOf(to, name)];
  let after: readonly unknown[] | undefined;
  for (;;) {
    const rows = await target.read({ after, until: undefined }, CHUNK);
    const last = rows.at(-1);
    if (last === undefined) return;
    const kept = new Set((await source.present(rows)).map((row) => JSON.stringify(source.keyOf(row))));
    const gone = rows.filter((row) => !kept.has(JSON.stringify(target.keyOf(row))));
    if (gone.length > 0) await target.remove(gone);
    after = target.keyOf(last);
  }
};

/** Walks both tables side by side; what differs is handed over, and the whole is summed up. */
const compare = async (
  from: Database,
  to: Database,
  name: TableName,
  differs: (target: ReturnType<typeof tableOf>, range: Range, rows: readonly Row[], there: number) => Promise<unknown>,
): Promise<CopiedTable> => {
  const [source, target] = [tableOf(from, name), tableOf(to, name)];
  const hash = createHash('sha256');
  const sum = { rows: 0, written: 0 };
  let after: readonly unknown[] | undefined;
  for (;;) {
    const rows = await source.read({ after, until: undefined }, CHUNK);
    const last = rows.at(-1);
    const range: Range = { after, until: rows.length < CHUNK || last === undefined ? undefined : source.keyOf(last) };
    const lines = rows.map(lineOf);
    const there = new Set((await target.read(range, CHUNK + 1)).map(lineOf));
    const missing = rows.filter((_, position) => !there.has(lines[position] ?? ''));
    if (missing.length > 0 || there.size !== rows.length) await differs(target, range, rows, there.size);
    hash.update(lines.join(''));
    sum.rows += rows.length;
    sum.written += missing.length;
    if (range.until === undefined) return { table: name, ...sum, sha256: hash.digest('hex') };
    after = range.until;
  }
};

/**
 * Makes one database what another one is, table by table, and reads both once more to see that they are the same. What
 * the target has already is left: so it goes on where it was interrupted, or copies what has changed since.
 * @throws DatabaseError changed, while somebody works with the source
 */
export const copyDatabase = async (
  from: Database,
  to: Database,
  onTable: (done: CopiedTable) => void = () => undefined,
): Promise<CopiedTable[]> => {
  for (const name of REFERRING) await prune(from, to, name);
  const written = new Map<string, number>();
  for (const name of NAMES) {
    const done = await compare(from, to, name, async (target, range, rows, there) => {
      if (there > 0) await target.removeOthers(range, rows);
      if (rows.length > 0) await target.write(rows);
    });
    written.set(name, done.written);
    onTable(done);
  }
  const verified: CopiedTable[] = [];
  for (const name of NAMES) {
    const done = await compare(from, to, name, () => {
      const message = `The ${name} have changed while they were copied; stop the hub and copy again with --resume.`;
      throw new DatabaseError('changed', message);
    });
    verified.push({ ...done, written: written.get(name) ?? 0 });
  }
  return verified;
};
