import { setTimeout as pause } from 'node:timers/promises';
import { eq, gt, sql } from 'drizzle-orm';
import type { Database } from '../../port/database.ts';
import { DatabaseError } from '../../port/errors.ts';
import { increment } from '../expressions.ts';
import { settlement } from '../settlement.ts';
import { commandChanges, type Durability, isNotFenced } from './change.ts';
import { commandReads } from './read.ts';
import { bytesOf, type CommandRow } from './row.ts';

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

type Settlement = Pick<CommandRow, 'projectId' | 'serverId' | 'id' | 'status' | 'result' | 'error'> & {
  settledAt: number;
};

/** The row of a command. `isNew`: this insert made it; otherwise the id or the idempotency key was taken. */
export type Inserted = { row: CommandRow; isNew: boolean };

type Dispatching = Pick<CommandRow, 'projectId' | 'serverId' | 'id'> & { epoch: number; sessionId: string; at: number };

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
    { epoch: value('epoch'), sessionId: value('sessionId'), attempts: increment(commands.attempts) },
    id,
    is('dispatched'),
    eq(commands.epoch, sql.placeholder('from')),
    isNotFenced(database),
  );
  const { set: outcome, guards: isOpenThere } = settlement(tables, value);
  const settle = change('commands.settle', outcome, ...isOpenThere);
  const settleGivenUp = change(
    'commands.settleGivenUp',
    { ...outcome, journalId: sql`null` },
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
    dispatch: ({ at, durable, ...values }: Dispatching & Durability) =>
      dispatch({ ...values, dispatchedAt: at }, { durable }),
    /** dispatched → dispatched to another session than the one with the epoch `from`, unless a later session has come. */
    redeliver: (values: { id: string; from: number; epoch: number; sessionId: string }) => redeliver(values),
    /** indeterminate → outcome, once, of a command that the hub gave up: its bridge has come back with `journalId`. */
    settleGivenUp: (settlement: Settlement & { journalId: string }, durability: Durability) =>
      settleGivenUp(settlement, durability),
    /** dispatched → outcome. `known` is the row as it was dispatched: it need not be read again. */
    settle: async (
      settlement: Settlement,
      durability: Durability,
      known?: CommandRow,
    ): Promise<CommandRow | undefined> => {
      if (known === undefined) return settle(settlement, durability);
      if (!(await commit(() => settleKnown(settlement), durability))) return undefined;
      const { status, result, error, settledAt: at } = settlement;
      return { ...known, status, result, error, settledAt: at };
    },
  };
};
