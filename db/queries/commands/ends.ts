import { and, asc, eq, inArray, isNotNull, isNull, lt, lte, or, sql } from 'drizzle-orm';
import type { Database } from '../../port/database.ts';
import type { CommandStatus } from '../../schema/command-status.ts';
import type { Actor, StoredError } from '../../schema/commands.ts';
import { literally } from '../expressions.ts';
import { commandChanges, DURABLE, type OfServer } from './change.ts';
import type { CommandRow } from './row.ts';

/** Ends of commands that no bridge reported, each as one statement that compares and sets. */
export const commandEnds = (database: Database) => {
  const { handle, tables, prepareChange, commit } = database;
  const { commands } = tables;
  const { columns, id, projectId, is, isUnsent, someUnsent, value, change } = commandChanges(database);

  const settledAt = { settledAt: value('settledAt') };
  // The bridge may have done more of a restored command than its row says: it is asked first.
  const isEndable = and(isUnsent, isNull(commands.restoredAt));
  const expire = change(
    'commands.expire',
    { status: 'expired', ...settledAt },
    id,
    isEndable,
    lte(commands.expiresAt, sql.placeholder('settledAt')),
    // A command that may wait goes on waiting.
    or(isNull(commands.deliverUntil), lte(commands.deliverUntil, sql.placeholder('settledAt'))),
  );
  const voidAccepted = change(
    'commands.voidAccepted',
    { status: 'voided', voidRequested: true, ...settledAt },
    projectId,
    id,
    isEndable,
  );
  const discard = prepareChange('commands.discard', () =>
    handle.delete(commands).where(and(projectId, id, is('accepted'))),
  );
  const voidUnsent = change(
    'commands.voidUnsent',
    { status: 'voided', error: value('error'), ...settledAt },
    id,
    eq(commands.sessionId, sql.placeholder('sessionId')),
    is('dispatched'),
    or(isNull(commands.deliverUntil), literally(eq(commands.voidRequested, true))),
    // Its bridge may have carried it out before the restore, so the next session asks.
    isNull(commands.restoredAt),
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
    /** accepted or waiting → expired, after the deadline; not a restored one, like all ends of unsent commands here. */
    expire: (commandId: string, at: number) => expire({ id: commandId, settledAt: at }),
    /** accepted or waiting → voided. */
    voidAccepted: (project: string, commandId: string, at: number) =>
      voidAccepted({ projectId: project, id: commandId, settledAt: at }, DURABLE),
    /** accepted → no row: it was not sent, and its idempotency key is free again. False: it was sent. */
    discard: (project: string, commandId: string): Promise<boolean> =>
      commit(() => discard({ projectId: project, id: commandId }), DURABLE),
    /** dispatched → voided, if this session still has it and has not sent it; not a command that may wait. */
    voidUnsent: ({ at, ...values }: { id: string; sessionId: string; error: StoredError; at: number }) =>
      voidUnsent({ ...values, settledAt: at }, DURABLE),
    /** Records the request to void a dispatched command. */
    requestVoid: (project: string, commandId: string) => requestVoid({ projectId: project, id: commandId }, DURABLE),
    /**
     * accepted or waiting → voided, some of a server that were made before a time; returns the changed rows.
     * None: there are no more.
     */
    withdrawAll: ({ error, at, ...ofServer }: OfServer & { error: StoredError; at: number }): Promise<CommandRow[]> =>
      commit(
        () =>
          handle
            .update(commands)
            .set({ status: 'voided', error, settledAt: at })
            .where(and(isEndable, someUnsent(ofServer, isNull(commands.restoredAt))))
            .returning(columns),
        DURABLE,
      ),
    /**
     * dispatched → indeterminate, several at once; returns the changed rows. The bridge with `journalId` may still
     * report how they ended.
     */
    indeterminate: ({
      projectId: project,
      ids,
      error,
      journalId = null,
      at,
    }: {
      projectId: string;
      ids: readonly string[];
      error: StoredError;
      journalId?: string | null;
      at: number;
    }): Promise<CommandRow[]> =>
      commit(
        () =>
          handle
            .update(commands)
            .set({ status: 'indeterminate', error, journalId, settledAt: at })
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

/** Removes idempotency keys when their retention ends. The row itself stays. */
export const commandRetention = ({ handle, tables: { commands }, commit }: Database) => ({
  /** Takes the idempotency keys from at most `limit` commands settled before (epoch ms); returns how many. */
  forgetKeys: async (settledBefore: number, limit: number): Promise<number> => {
    const old = handle
      .select({ seq: commands.seq })
      .from(commands)
      .where(and(isNotNull(commands.idempotencyKey), lt(commands.settledAt, settledBefore)))
      .orderBy(asc(commands.settledAt))
      .limit(limit);
    const forget = () =>
      handle
        .update(commands)
        .set({ idempotencyKey: null })
        .where(inArray(commands.seq, old))
        .returning({ seq: commands.seq });
    return (await commit(forget)).length;
  },
});
