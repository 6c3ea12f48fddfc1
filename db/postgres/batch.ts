import { and, getTableColumns, sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { PlaceholderValues } from '../database.ts';
import { settlement } from '../queries/commands/transitions.ts';
import type { Tables } from '../schema/tables.ts';
import { storableJson } from '../schema/text.ts';

/** Runs one statement. With a name it is prepared once on each connection. */
export type Query = (text: string, values?: unknown[], name?: string) => Promise<Record<string, unknown>[]>;

/** Batches of one statement in flight; the next batch fills until one of them is committed. */
const MAX_UNDER_WAY = 2;
const MAX_ROWS = 100;

type Waiting = { values: PlaceholderValues; resolve: (changed: boolean) => void; reject: (error: unknown) => void };

/** One batch. Of two changes with the same id, the second waits for the next batch, so that each gets its own result. */
const take = (queue: Waiting[]): Waiting[] => {
  const batch = new Map<unknown, Waiting>();
  const left: Waiting[] = [];
  for (const each of queue.splice(0)) {
    const { id } = each.values;
    if (batch.size >= MAX_ROWS || batch.has(id)) left.push(each);
    else batch.set(id, each);
  }
  queue.push(...left);
  return [...batch.values()];
};

/** Changes rows and returns the ids of the changed rows. */
type ChangeMany = (rows: readonly PlaceholderValues[]) => Promise<Set<unknown>>;
type ChangeOne = (values: PlaceholderValues) => Promise<boolean>;

/**
 * Changes many rows of one table in one statement: changes of one turn of the event loop, and changes that arrive while
 * earlier batches are committed. A single change does not use JSON. `isRefusal`: the server refused the statement, so it had
 * no effect.
 */
export const inBatches = (many: ChangeMany, one: ChangeOne, isRefusal: (error: unknown) => boolean): ChangeOne => {
  const queue: Waiting[] = [];
  let underWay = 0;
  let isScheduled = false;

  const send = async (batch: readonly Waiting[]): Promise<void> => {
    const [first] = batch;
    try {
      if (batch.length === 1 && first !== undefined) return first.resolve(await one(first.values));
      const changed = await many(batch.map(({ values }) => values));
      for (const { values, resolve } of batch) resolve(changed.has(values['id']));
    } catch (error) {
      // The batch had no effect: each change is repeated alone, so that only the faulty one fails.
      if (batch.length > 1 && isRefusal(error)) for (const each of batch) await send([each]);
      else for (const { reject } of batch) reject(error);
    }
  };
  const flush = (): void => {
    isScheduled = false;
    while (underWay < MAX_UNDER_WAY && queue.length > 0) {
      underWay += 1;
      // It never rejects.
      void send(take(queue)).then(() => {
        underWay -= 1;
        flush();
      });
    }
  };
  return (values) =>
    new Promise((resolve, reject) => {
      queue.push({ values, resolve, reject });
      if (isScheduled || underWay >= MAX_UNDER_WAY) return;
      isScheduled = true;
      setImmediate(flush);
    });
};

const ROWS = 'json_populate_recordset(NULL::commands, $1)';

/** The settlement of many commands in one statement. */
const settleMany = (tables: Tables): string => {
  const { commands } = tables;
  const nameOf = (column: keyof typeof commands.$inferSelect) => sql.identifier(commands[column].name);
  const { set, guards } = settlement(tables, (column) => sql`news.${nameOf(column)}`);
  const assigned = Object.entries(set).map(([column, value]) => sql`${nameOf(column as keyof typeof set)} = ${value}`);
  const statement = sql`UPDATE ${commands} SET ${sql.join(assigned, sql`, `)} FROM ${sql.raw(ROWS)} AS news
    WHERE ${and(...guards)} RETURNING ${commands.id}`;
  return new PgDialect().sqlToQuery(statement).sql;
};

/** Batch forms of the two statements of every command, by the names of their forms for a single command. */
export const postgresBatches = (query: Query, tables: Tables): ReadonlyMap<string, ChangeMany> => {
  const { seq: _, ...columns } = getTableColumns(tables.commands);
  const names = Object.entries(columns).map(([key, column]) => [key, column.name] as const);
  const listed = names.map(([, name]) => `"${name}"`).join(', ');
  const statements: Record<string, string> = {
    'commands.insert': `INSERT INTO commands (${listed}) SELECT ${listed} FROM ${ROWS} ON CONFLICT DO NOTHING RETURNING id`,
    'commands.settleKnown': settleMany(tables),
  };
  const rowOf = (values: PlaceholderValues) => Object.fromEntries(names.map(([key, name]) => [name, values[key]]));
  const changeMany = (name: string, text: string): ChangeMany => {
    const named = `${name} many`;
    return async (rows) => new Set((await query(text, [storableJson(rows.map(rowOf))], named)).map(({ id }) => id));
  };
  return new Map(Object.entries(statements).map(([name, text]) => [name, changeMany(name, text)]));
};
