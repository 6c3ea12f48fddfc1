import { and, eq, gt, inArray, notExists, or, type SQL, sql } from 'drizzle-orm';
import type { Database, PlaceholderValues } from '../../port/database.ts';
import type { CommandStatus } from '../../schema/command-status.ts';
import { bound, literally } from '../expressions.ts';
import { commandColumns } from './list.ts';
import type { CommandRow } from './row.ts';

export type Durability = { durable: boolean };
export const DURABLE: Durability = { durable: true };
/** Rows that one statement changes, where there may be thousands: other work runs between two of them. */
export const STEP = 200;

/** The commands of a server that were made before a time (epoch milliseconds). */
export type OfServer = { projectId: string; serverId: string; createdBefore: number };

/** Parts of statements that change a command. */
export const commandChanges = (database: Database) => {
  const { handle, tables, prepare, commit } = database;
  const { commands } = tables;
  const columns = commandColumns(database);

  const is = (status: CommandStatus): SQL => literally(eq(commands.status, status));

  /**
   * Unsent commands of a server, at most `STEP`. Each status has an index of its own. The time of creation is hidden from
   * SQLite: by that index, it would walk through all commands that the project ever had.
   */
  const someUnsent = ({ projectId, serverId, createdBefore }: OfServer, which: SQL): SQL => {
    const some = (status: CommandStatus) =>
      handle
        .select({ seq: commands.seq })
        .from(commands)
        .where(
          and(
            eq(commands.projectId, projectId),
            eq(commands.serverId, serverId),
            is(status),
            which,
            gt(commands.expiresAt, 0),
            sql`+${commands.createdAt} < ${createdBefore}`,
          ),
        )
        .limit(STEP / 2);
    return sql`(${inArray(commands.seq, some('waiting'))} or ${inArray(commands.seq, some('accepted'))})`;
  };

  type Changes = Record<string, SQL | string | boolean>;
  const update = (set: Changes, guards: readonly (SQL | undefined)[]) =>
    handle
      .update(commands)
      .set(set)
      .where(and(...guards));

  return {
    columns,
    id: eq(commands.id, sql.placeholder('id')),
    projectId: eq(commands.projectId, sql.placeholder('projectId')),
    is,
    /** Its bridge has not got it in this round. */
    isUnsent: or(is('accepted'), is('waiting')),
    someUnsent,
    value: <K extends keyof CommandRow>(column: K): SQL => bound(commands[column], column),
    update,
    /** A prepared statement that returns the changed row; undefined: the row was in another state. */
    change: (name: string, set: Changes, ...guards: (SQL | undefined)[]) => {
      const statement = prepare(name, () => update(set, guards).returning(columns));
      return async (values: PlaceholderValues, durability?: Durability): Promise<CommandRow | undefined> => {
        const [row] = await commit(() => statement(values), durability);
        return row;
      };
    },
  };
};

/**
 * True if the command's server has no later session than `epoch` (a placeholder): a paused node must not send a command
 * that another node has taken over.
 */
export const isNotFenced = ({ handle, tables: { commands, sessions } }: Database): SQL => {
  const { projectId, serverId, epoch } = sessions;
  const ofServer = [eq(projectId, commands.projectId), eq(serverId, commands.serverId)];
  const later = handle
    .select({ epoch })
    .from(sessions)
    .where(and(...ofServer, gt(epoch, sql.placeholder('epoch'))));
  return notExists(later);
};
