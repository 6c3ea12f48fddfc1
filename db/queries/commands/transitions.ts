import { setTimeout as pause } from 'node:timers/promises';
import { and, eq, gt, inArray, isNull, notExists, or, type SQL, sql } from 'drizzle-orm';
import { type Database, first, type PlaceholderValues } from '../../database.ts';
import { DatabaseError } from '../../errors.ts';
import { bound, increment, literally } from '../../expressions.ts';
import { type CommandStatus, OWED } from '../../schema/commands.ts';
import type { Tables } from '../../schema/tables.ts';
import { bytesOf, type CommandRow, commandColumns, commandReads } from './read.ts';

type Settlement = Pick<CommandRow, 'projectId' | 'serverId' | 'id' | 'status' | 'result' | 'error'> & {
  settledAt: number;
};

/** `outbox` with one more state that is owed to the project's events; null stays null. */
const owing = ({ commands: { outbox } }: Tables, state: keyof typeof OWED): SQL =>
  sql`${outbox} | ${sql.raw(`${OWED[state]}`)}`;

/** An outcome with the bit that it sets in `outbox`. */
const withOwed = <T extends Settlement>(outcome: T) => ({
  ...outcome,
  outbox: outcome.status === 'indeterminate' ? OWED.indeterminate : OWED.ended,
});

/** dispatched → outcome: the new values and the condition on the row. `value` returns the placeholder of a value. */
export const settlement = ({ commands }: Tables, value: (column: keyof Settlement | 'outbox') => SQL) => ({
  set: {
    status: value('status'),
    result: value('result'),
    error: value('error'),
    settledAt: value('settledAt'),
    outbox: sql`${commands.outbox} | ${value('outbox')}`,
    // A bridge does not settle twice what it has reported as indeterminate.
    journalId: sql`null`,
  },
  guards: [
    eq(commands.id, value('id')),
    eq(commands.projectId, value('projectId')),
    eq(commands.serverId, value('serverId')),
    literally(eq(commands.status, 'dispatched')),
  ],
});

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
    /** One more state is owed to the project's events. */
    owes: {
      waiting: { outbox: owing(tables, 'waiting') },
      ended: { outbox: owing(tables, 'ended') },
      indeterminate: { outbox: owing(tables, 'indeterminate') },
    },
    value: <K extends keyof CommandRow>(column: K): SQL => bound(commands[column], column),
    update,
    /** A prepared statement that returns the changed row; undefined: the row was in another state. */
    change: (name: string, set: Changes, ...guards: (SQL | undefined)[]) => {
      const statement = prepare(name, () => update(set, guards).returning(columns));
      return (values: PlaceholderValues, durability?: Durability): Promise<CommandRow | undefined> =>
        first(commit(() => statement(values), durability));
    },
  };
};

/**
 * True if the command's server has no later session than `epoch` (a placeholder): a paused node must not send a command
 * that another node has taken over.
 */
const isNotFenced = ({ handle, tables: { commands, sessions } }: Database): SQL => {
  const { projectId, serverId, epoch } = sessions;
  const ofServer = [eq(projectId, commands.projectId), eq(serverId, commands.serverId)];
  const later = handle
    .select({ epoch })
    .from(sessions)
    .where(and(...ofServer, gt(epoch, sql.placeholder('epoch'))));
  return notExists(later);
};

/** Pause before a retry: long enough for a restart of PostgreSQL. */
const PAUSES_MS = [50, 200, 500, 1_000, 1_500];

/**
 * Repeats an idempotent write whose result is unknown, because the connection broke with `error`.
 * @throws DatabaseError unavailable, `isUnknown` if it still is
 */
export const untilKnown = async <T>(error: unknown, work: () => Promise<T>): Promise<T> => {
  if (!(error instanceof DatabaseError) || !error.isUnknown) throw error;
  for (const pauseMs of PAUSES_MS) {
    await pause(pauseMs);
    try {
      return await work();
    } catch {
      // A failed retry does not tell whether the first attempt was committed: the result stays unknown.
    }
  }
  throw error;
};

/** The row of a command. `isNew`: this insert made it; otherwise the id or the idempotency key was taken. */
export type Inserted = { row: CommandRow; isNew: boolean };

/** The transitions of a command, each one compare-and-set statement. */
export const commandTransitions = (database: Database) => {
  const { handle, tables, prepareChange, commit } = database;
  const { commands } = tables;
  const { get, byIdempotencyKey } = commandReads(database);
  const { columns, id, projectId, is, value, update, change } = commandChanges(database);
  const names = [...Object.keys(columns), 'bytes'];
  const placeholders = Object.fromEntries(names.map((name) => [name, sql.placeholder(name)]));

  const insertRow = prepareChange('commands.insert', () =>
    handle
      .insert(commands)
      .values(placeholders as Record<keyof CommandRow, ReturnType<typeof sql.placeholder>>)
      .onConflictDoNothing(),
  );
  const insert = (row: CommandRow) => insertRow({ ...row, bytes: row.deliver === null ? null : bytesOf(row.params) });
  const existingFor = async (row: CommandRow): Promise<CommandRow> => {
    const key = row.idempotencyKey ?? undefined;
    const sameKey = key === undefined ? undefined : await byIdempotencyKey(row.projectId, key);
    const existing = sameKey ?? (await get(row.projectId, row.id));
    if (existing === undefined) throw new Error(`The command ${row.id} is of another project.`);
    return existing;
  };

  /** Finds the row that an earlier attempt may have written. */
  const insertAgain = async (error: unknown, row: CommandRow, durability: Durability): Promise<Inserted> => {
    const write = async () => ((await commit(() => insert(row), durability)) ? undefined : existingFor(row));
    const existing = await untilKnown(error, write);
    const isOwn = existing?.requestId === row.requestId && existing.createdAt === row.createdAt;
    return existing === undefined || isOwn ? { row, isNew: true } : { row: existing, isNew: false };
  };

  const dispatch = change(
    'commands.dispatch',
    {
      status: 'dispatched',
      epoch: value('epoch'),
      sessionId: value('sessionId'),
      journalId: value('journalId'),
      dispatchedAt: value('dispatchedAt'),
      attempts: increment(commands.attempts),
    },
    id,
    projectId,
    eq(commands.serverId, sql.placeholder('serverId')),
    is('accepted'),
    gt(commands.expiresAt, sql.placeholder('dispatchedAt')),
    isNotFenced(database),
  );
  const redeliver = change(
    'commands.redeliver',
    {
      epoch: value('epoch'),
      sessionId: value('sessionId'),
      journalId: value('journalId'),
      attempts: increment(commands.attempts),
    },
    id,
    is('dispatched'),
    eq(commands.epoch, sql.placeholder('from')),
    or(isNull(commands.journalId), eq(commands.journalId, value('journalId'))),
    isNotFenced(database),
  );
  const { set: outcome, guards: isOpenThere } = settlement(tables, value);
  const settle = change('commands.settle', outcome, ...isOpenThere);
  const settleGivenUp = change(
    'commands.settleGivenUp',
    outcome,
    id,
    projectId,
    eq(commands.serverId, sql.placeholder('serverId')),
    is('indeterminate'),
    eq(commands.journalId, sql.placeholder('journalId')),
  );
  const settleKnown = prepareChange('commands.settleKnown', () => update(outcome, isOpenThere));
  return {
    /** Inserts a command, `accepted` or already `dispatched`. Returns the existing command if the id or the key is taken. */
    insert: async (row: CommandRow, durability: Durability): Promise<Inserted> => {
      try {
        if (await commit(() => insert(row), durability)) return { row, isNew: true };
        return { row: await existingFor(row), isNew: false };
      } catch (error) {
        return insertAgain(error, row, durability);
      }
    },
    /** accepted → dispatched for a session, before the deadline, unless a later session has come. */
    dispatch: ({
      at,
      durable,
      ...values
    }: Pick<CommandRow, 'projectId' | 'serverId' | 'id'> &
      Durability & { epoch: number; sessionId: string; journalId: string; at: number }) =>
      dispatch({ ...values, dispatchedAt: at }, { durable }),
    /**
     * dispatched → dispatched to another session than the one with the epoch `from`, unless a later session has come, or
     * the command was sent to another journal.
     */
    redeliver: (values: { id: string; from: number; epoch: number; sessionId: string; journalId: string }) =>
      redeliver(values),
    /** indeterminate → outcome, once, of a command that the hub gave up: its bridge has come back with `journalId`. */
    settleGivenUp: (settlement: Settlement & { journalId: string }, durability: Durability) =>
      settleGivenUp(withOwed(settlement), durability),
    /** dispatched → outcome. `known` is the row as it was dispatched: it need not be read again. */
    settle: async (
      settlement: Settlement,
      durability: Durability,
      known?: CommandRow,
    ): Promise<CommandRow | undefined> => {
      const values = withOwed(settlement);
      if (known === undefined) return settle(values, durability);
      if (!(await commit(() => settleKnown(values), durability))) return undefined;
      const { status, result, error, settledAt: at } = settlement;
      return { ...known, status, result, error, settledAt: at, journalId: null };
    },
  };
};
