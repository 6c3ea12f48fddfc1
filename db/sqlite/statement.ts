import type { Database as Client } from 'better-sqlite3';
import { Column, is, Param, Placeholder, type Query, SQL } from 'drizzle-orm';
import type { PlaceholderValues, Prepared, Statement } from '../port/database.ts';
import { storable, storableValues } from '../schema/text.ts';

/** A prepared query of drizzle. Its fields are not public: a statement with another shape is left to drizzle. */
type Executable<T> = { execute(values?: PlaceholderValues): PromiseLike<T> };
type Built<T> = Executable<T> & {
  getQuery(): Query;
  readonly fields?: readonly { path: readonly string[]; field: unknown }[];
  readonly joinsNotNullableMap?: object;
  readonly customResultMapper?: unknown;
};
type Run<T> = (values: PlaceholderValues) => Statement<T>;
type Reader = (values: PlaceholderValues) => unknown;
type Decode = (value: unknown) => unknown;

const givenFor = (values: PlaceholderValues, name: string): unknown => {
  const value = values[name];
  if (value === undefined) throw new TypeError(`No value was given for "${name}".`);
  return value;
};

/** How one parameter gets its value. Text that is only compared passes no column's encoder. */
const readerOf = (param: unknown): Reader => {
  if (is(param, Placeholder)) {
    return (values) => {
      const value = givenFor(values, param.name);
      return typeof value === 'string' ? storable(value) : value;
    };
  }
  if (is(param, Param) && is(param.value, Placeholder)) {
    const { encoder, value } = param;
    const { name } = value;
    return (values) => encoder.mapToDriverValue(givenFor(values, name));
  }
  return () => param;
};

const decoderOf = (field: unknown): Decode | undefined => {
  if (is(field, Column)) return (value) => field.mapFromDriverValue(value);
  if (!is(field, SQL)) return undefined;
  const { decoder } = field as unknown as { decoder: { mapFromDriverValue: Decode } };
  return (value) => decoder.mapFromDriverValue(value);
};

/** How a row becomes an object; undefined: drizzle maps it. */
const columnsOf = ({ fields, joinsNotNullableMap, customResultMapper }: Built<unknown>) => {
  if (joinsNotNullableMap !== undefined || customResultMapper !== undefined) return undefined;
  const columns = fields?.flatMap(({ path: [name, ...deeper], field }) => {
    const decode = decoderOf(field);
    return name === undefined || deeper.length > 0 || decode === undefined ? [] : [{ name, decode }];
  });
  return columns?.length === fields?.length ? columns : undefined;
};

const compile = <T>(client: Client, prepared: Built<T>): Run<T> => {
  const columns = columnsOf(prepared);
  if (columns === undefined) return (values) => prepared.execute(storableValues(values));
  const { sql, params } = prepared.getQuery();
  const readers = params.map(readerOf);
  const statement = client.prepare<unknown[], unknown[]>(sql).raw();

  const toObject = (row: readonly unknown[]): Record<string, unknown> => {
    const object: Record<string, unknown> = {};
    for (let index = 0; index < columns.length; index += 1) {
      const column = columns[index];
      const value = row[index];
      if (column !== undefined) object[column.name] = value === null ? null : column.decode(value);
    }
    return object;
  };
  return (values) => ({ sync: () => statement.all(...readers.map((read) => read(values))).map(toObject) as T });
};

/**
 * A frequent statement, built at its first use. drizzle resolves parameters and columns at each run; here they are
 * resolved once.
 */
export const sqliteStatement = <T>(client: Client, prepare: () => Executable<T>): Prepared<T> => {
  let run: Run<T> | undefined;
  return (values = {}) => {
    run ??= compile(client, prepare() as Built<T>);
    return run(values);
  };
};

/** The same for a statement that changes rows and tells whether it changed any. */
export const sqliteChange = (client: Client, prepare: () => Executable<unknown>): Prepared<boolean> => {
  let run: Run<boolean> | undefined;
  const compileChange = (): Run<boolean> => {
    const { sql, params } = (prepare() as Built<unknown>).getQuery();
    const readers = params.map(readerOf);
    const statement = client.prepare(sql);
    return (values) => ({ sync: () => statement.run(...readers.map((read) => read(values))).changes > 0 });
  };
  return (values = {}) => {
    run ??= compileChange();
    return run(values);
  };
};
