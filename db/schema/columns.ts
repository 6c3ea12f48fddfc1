import * as pg from 'drizzle-orm/pg-core';
import * as sqlite from 'drizzle-orm/sqlite-core';
import { storable, storableJson } from './text.ts';

const encodeText = (value: string): string => (typeof value === 'string' ? storable(value) : value);
// Placeholders hand null to the encoder, which must stay NULL and not become the JSON null.
const encodeJson = (value: unknown): string | null => (value === null ? null : storableJson(value));

const sqliteText = sqlite.customType<{ data: string; driverData: string }>({
  dataType: () => 'text',
  toDriver: encodeText,
});
const sqliteJson = sqlite.customType<{ data: unknown; driverData: string | null }>({
  dataType: () => 'text',
  toDriver: encodeJson,
  fromDriver: (value): unknown => (value === null ? null : JSON.parse(value)),
});

/** The column kit: everything a table is made of. Instants are epoch milliseconds; whole numbers reach 2^53−1. */
export const sqliteColumns = {
  table: sqlite.sqliteTable,
  /** Compared and sorted byte by byte. */
  text: <T extends string = string>(name: string) => sqliteText(name).$type<T>(),
  int: (name: string) => sqlite.integer(name),
  instant: (name: string) => sqlite.integer(name),
  flag: (name: string) => sqlite.integer(name, { mode: 'boolean' }),
  json: <T>(name: string) => sqliteJson(name).$type<T>(),
  /** A primary key that counts upwards and is never used twice. */
  serial: (name: string) => sqlite.integer(name).primaryKey({ autoIncrement: true }),
  index: sqlite.index,
  uniqueIndex: sqlite.uniqueIndex,
  primaryKey: sqlite.primaryKey,
};
export type Columns = typeof sqliteColumns;

const pgText = pg.customType<{ data: string }>({ dataType: () => 'text COLLATE "C"', toDriver: encodeText });
// Not jsonb, which puts the members of an object into an order of its own: an answer that is repeated is the same text.
const pgJson = pg.customType<{ data: unknown; driverData: string | null }>({
  dataType: () => 'json',
  toDriver: encodeJson,
});
const pgInt = (name: string) => pg.bigint(name, { mode: 'number' });

const kit = {
  table: pg.pgTable,
  text: (name: string) => pgText(name),
  int: pgInt,
  instant: pgInt,
  flag: (name: string) => pg.boolean(name),
  json: (name: string) => pgJson(name),
  serial: (name: string) => pg.bigserial(name, { mode: 'number' }).primaryKey(),
  index: pg.index,
  uniqueIndex: pg.uniqueIndex,
  primaryKey: pg.primaryKey,
} satisfies Record<keyof Columns, unknown>;

// The one schema cast: both kits have the same names, take the same arguments and give rows of the same types, so the
// tables read and build alike; drizzle only brands them by dialect. The contract tests run every query on both.
export const postgresColumns = kit as unknown as Columns;
