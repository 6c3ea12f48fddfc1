import { and, eq, gt, inArray, lte, type SQL, sql } from 'drizzle-orm';
import type { CommandRow, CommandStatus } from './commands.ts';
import { commandColumns, commandReads } from './commands-read.ts';
import type { Database, PlaceholderValues } from './database.ts';
import { bound, increment, literally } from './expressions.ts';
import { untilKnown } from './in-doubt.ts';
import type { Actor, StoredError } from './schema-commands.ts';

type Durability = { durable: boolean };
const DURABLE: Durability = { durable: true };
type Settlement = Pick<CommandRow, 'projectId' | 'serverId' | 'id' | 'status' | 'result' | 'error'> & {
  settledAt: number;
};

/** Everything that changes a command, each as one statement that compares and sets. */
export const commandTransitions = (database: Database) => {
  const { handle, tables, prepare, prepareChange, commit } = database;
  const { commands } = tables;
  const { get, byIdempotencyKey } = commandReads(database);

  const id = eq(commands.id, sql.placeholder('id'));
  const projectId = eq(commands.projectId, sql.placeholder('projectId'));
  const is = (status: CommandStatus): SQL => literally(eq(commands.status, status));
  const value = <K extends keyof CommandRow>(column: K): SQL => bound(commands[column], column);
  const first = async (rows: Promise<CommandRow[]>): Promise<CommandRow | undefined> => (await rows)[0];

  const columns = commandColumns(database);
  const placeholders = Object.fromEntries(Object.keys(columns).map((name) => [name, sql.placeholder(name)]));

  const insert = prepareChange('commands.insert', () =>
    handle
      .insert(commands)
      // One placeholder for every column, by its name.
      .values(placeholders as Record<keyof CommandRow, ReturnType<typeof sql.placeholder>>)
      .onConflictDoNothing(),
  );
  const existingFor = async (row: CommandRow): Promise<CommandRow> => {
    const key = row.idempotencyKey ?? undefined;
    const sameKey = key === undefined ? undefined : await byIdempotencyKey(row.projectId, key);
    const existing = sameKey ?? (await get(row.projectId, row.id));
    if (existing === undefined) throw new Error(`The command ${row.id} is of another project.`);
    return existing;
  };
  type Changes = Record<string, SQL | string | boolean>;
  const update = (set: Changes, guards: readonly SQL[]) =>
    handle
      .update(commands)
      .set(set)
      .where(and(...guards));
  const change = (name: string, set: Changes, ...guards: SQL[]) => {
    const statement = prepare(name, () => update(set, guards).returning(columns));
    return (values: PlaceholderValues, durability?: Durability) => first(commit(() => statement(values), durability));
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
    is('accepted'),
    gt(commands.expiresAt, sql.placeholder('dispatchedAt')),
  );
  const redeliver = change(
    'commands.redeliver',
    { epoch: value('epoch'), sessionId: value('sessionId'), attempts: increment(commands.attempts) },
    id,
    is('dispatched'),
  );
  const outcome = {
    status: value('status'),
    result: value('result'),
    error: value('error'),
    settledAt: value('settledAt'),
  };
  const isOpenThere = [id, projectId, eq(commands.serverId, sql.placeholder('serverId')), is('dispatched')];
  const settle = change('commands.settle', outcome, ...isOpenThere);
  const settleKnown = prepareChange('commands.settleKnown', () => update(outcome, isOpenThere));
  const settledAt = { settledAt: value('settledAt') };
  const expire = change(
    'commands.expire',
    { status: 'expired', ...settledAt },
    id,
    is('accepted'),
    lte(commands.expiresAt, sql.placeholder('settledAt')),
  );
  const voidAccepted = change(
    'commands.voidAccepted',
    { status: 'voided', voidRequested: true, ...settledAt },
    projectId,
    id,
    is('accepted'),
  );
  const voidUnsent = change(
    'commands.voidUnsent',
    { status: 'voided', error: value('error'), ...settledAt },
    id,
    eq(commands.sessionId, sql.placeholder('sessionId')),
    is('dispatched'),
  );
  const requestVoid = change('commands.requestVoid', { voidRequested: true }, projectId, id, is('dispatched'));
  const resolve = change(
    'commands.resolve',
    { status: value('status'), resolution: value('resolution') },
    projectId,
    id,
    is('indeterminate'),
  );

  return {
    /** Inserts a command, `accepted` or already `dispatched`; one with the same id or key is given back instead. */
    insert: async (
      row: CommandRow,
      durability: Durability,
    ): Promise<{ inserted: CommandRow } | { existing: CommandRow }> => {
      const { value: existing, again } = await untilKnown(async () =>
        (await commit(() => insert(row), durability)) ? undefined : existingFor(row),
      );
      // An attempt whose answer was lost has written it.
      const isOwn = again && existing?.requestId === row.requestId && existing.createdAt === row.createdAt;
      return existing === undefined || isOwn ? { inserted: row } : { existing };
    },
    /** accepted → dispatched for a session, before the deadline. */
    dispatch: ({ at, durable, ...values }: { id: string; epoch: number; sessionId: string; at: number } & Durability) =>
      dispatch({ ...values, dispatchedAt: at }, { durable }),
    /** dispatched, once more, to another session. */
    redeliver: (values: { id: string; epoch: number; sessionId: string }) => redeliver(values),
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
    /** accepted → expired, after the deadline. */
    expire: (commandId: string, at: number) => expire({ id: commandId, settledAt: at }),
    /** accepted → voided. */
    voidAccepted: (project: string, commandId: string, at: number) =>
      voidAccepted({ projectId: project, id: commandId, settledAt: at }, DURABLE),
    /** dispatched → voided, if it is still this session's: nothing of it has left the hub. */
    voidUnsent: ({ at, ...values }: { id: string; sessionId: string; error: StoredError; at: number }) =>
      voidUnsent({ ...values, settledAt: at }, DURABLE),
    /** Notes on a dispatched command that it shall not start. */
    requestVoid: (project: string, commandId: string) => requestVoid({ projectId: project, id: commandId }, DURABLE),
    /** dispatched → indeterminate, several at once; returns those that changed. */
    indeterminate: ({
      projectId: project,
      ids,
      error,
      at,
    }: {
      projectId: string;
      ids: readonly string[];
      error: StoredError;
      at: number;
    }): Promise<CommandRow[]> =>
      commit(
        () =>
          handle
            .update(commands)
            .set({ status: 'indeterminate', error, settledAt: at })
            .where(and(eq(commands.projectId, project), inArray(commands.id, [...ids]), is('dispatched')))
            .returning(columns),
        DURABLE,
      ),
    /** indeterminate → resolved_applied or resolved_not_applied, by an operator. */
    resolve: ({
      projectId: project,
      id: commandId,
      ...resolution
    }: {
      projectId: string;
      id: string;
      applied: boolean;
      note: string;
      actor: Actor;
      at: number;
    }) => {
      const status: CommandStatus = resolution.applied ? 'resolved_applied' : 'resolved_not_applied';
      return resolve({ projectId: project, id: commandId, status, resolution }, DURABLE);
    },
  };
};
