import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { CommandRow, CommandStatus } from './commands.ts';
import { commandColumns } from './list.ts';
import type { Database, PlaceholderValues } from '../../port/database.ts';
import { bound, literally } from '../expressions.ts';

export type Durability = { durable: boolean };
export const DURABLE: Durability = { durable: true };

/** What statements that change a command are made of. */
export const commandChanges = (database: Database) => {
  const { handle, tables, prepare, commit } = database;
  const { commands } = tables;
  const columns = commandColumns(database);

  type Changes = Record<string, SQL | string | boolean>;
  const update = (set: Changes, guards: readonly SQL[]) =>
    handle
      .update(commands)
      .set(set)
      .where(and(...guards));

  return {
    columns,
    id: eq(commands.id, sql.placeholder('id')),
    projectId: eq(commands.projectId, sql.placeholder('projectId')),
    is: (status: CommandStatus): SQL => literally(eq(commands.status, status)),
    value: <K extends keyof CommandRow>(column: K): SQL => bound(commands[column], column),
    update,
    /** A prepared one; it gives the row as it is after it, or undefined: it was not in that state any more. */
    change: (name: string, set: Changes, ...guards: SQL[]) => {
      const statement = prepare(name, () => update(set, guards).returning(columns));
      return async (values: PlaceholderValues, durability?: Durability): Promise<CommandRow | undefined> => {
        const [row] = await commit(() => statement(values), durability);
        return row;
      };
    },
  };
};
