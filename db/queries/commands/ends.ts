import { and, asc, eq, inArray, isNotNull, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../database.ts';
import { atMost, choose, increment, literally, removeSome } from '../../expressions.ts';
import type { CommandStatus, StoredError } from '../../schema/commands.ts';
import type { Tables } from '../../schema/tables.ts';
import type { CommandRow } from './read.ts';
import { commandChanges, DURABLE, type OfServer, STEP } from './transitions.ts';

/** The end of a command whose bridge knows of no effect, and the number of rounds that it voided in succession. */
export type Asking = { status: CommandStatus; error: StoredError | null; voided: number };

const ASKING = 'asking';

/** The stored form of an `Asking`. The row is `dispatched` meanwhile, so no caller takes it for an outcome. */
const storedAsking = ({ status, error, voided }: Asking): StoredError => ({
  code: ASKING,
  message: 'A backup was restored, so the hub asks the bridge how this command ended.',
  details: { status, error, voided },
});

/** Undefined: the hub does not ask about this command. */
export const readAsking = ({ status, error }: Pick<CommandRow, 'status' | 'error'>): Asking | undefined =>
  // Only `storedAsking` writes these details.
  status === 'dispatched' && error?.code === ASKING ? (error.details as Asking) : undefined;

/** A new row that has ended already, as one to ask about: a restored hub may have forgotten that its bridge did it. */
export const asAsked = (row: CommandRow): CommandRow => ({
  ...row,
  status: 'dispatched',
  epoch: 0,
  round: row.round === null ? null : row.round + 1,
  dispatchedAt: row.createdAt,
  settledAt: null,
  error: storedAsking({ status: row.status, error: row.error, voided: 0 }),
});

/**
 * Open commands of a restored backup: what the bridge has done since then is missing in their rows. So none of them ends
 * as not executed before the bridge was asked, with `void`.
 */
export const commandAsks = (database: Database) => {
  const { handle, tables, prepare, commit, read } = database;
  const { commands, scheduleLooks } = tables;
  const { columns, id, is, isUnsent, someUnsent, value, update, change } = commandChanges(database);

  const isRestored = isNotNull(commands.restoredAt);
  /** A waiting command is asked about by the round that would come next. */
  const round = choose(is('waiting'), increment(commands.round), commands.round);
  // No session has this epoch, so the next session takes the row over.
  const asked = { status: 'dispatched' as const, epoch: sql`0`, sessionId: sql`null`, round };
  const asking = { ...asked, dispatchedAt: value('dispatchedAt'), error: value('error') };
  const ask = change('commands.ask', asking, id, isUnsent, isRestored);
  const askLate = change(
    'commands.askLate',
    asking,
    id,
    isUnsent,
    isRestored,
    lte(commands.expiresAt, sql.placeholder('dispatchedAt')),
    or(isNull(commands.deliverUntil), lte(commands.deliverUntil, sql.placeholder('dispatchedAt'))),
  );
  const askOverdue = prepare(
    'commands.askOverdue',
    () => {
      const late = handle
        .select({ seq: commands.seq })
        .from(commands)
        .where(and(is('waiting'), isRestored, lte(commands.expiresAt, sql.placeholder('dispatchedAt'))))
        .orderBy(commands.expiresAt)
        .limit(atMost(sql.placeholder('limit')));
      return update(asking, [isUnsent, isRestored, inArray(commands.seq, late)]).returning(columns);
    },
    'anew',
  );
  const askOn = change(
    'commands.askOn',
    { error: value('error'), round: increment(commands.round) },
    id,
    is('dispatched'),
    eq(commands.round, sql.placeholder('round')),
  );

  const askSome = (which: SQL, question: Asking, at: number): Promise<CommandRow[]> =>
    commit(
      () =>
        handle
          .update(commands)
          .set({ ...asked, dispatchedAt: at, error: storedAsking(question) })
          .where(and(isUnsent, isRestored, which))
          .returning(columns),
      DURABLE,
    );
  /** The next ones that match. */
  const step = (...which: SQL[]): SQL => {
    const some = handle
      .select({ seq: commands.seq })
      .from(commands)
      .where(and(isUnsent, isRestored, ...which))
      .limit(STEP);
    return inArray(commands.seq, some);
  };

  return {
    /** accepted or waiting → dispatched, of a restored command that is about to end without an effect. */
    ask: (commandId: string, asking: Asking, at: number) =>
      ask({ id: commandId, error: storedAsking(asking), dispatchedAt: at }, DURABLE),
    /** accepted or waiting → dispatched, of a restored command that is past its deadline. */
    askLate: (commandId: string, at: number) => {
      const error = storedAsking({ status: 'expired', error: null, voided: 0 });
      return askLate({ id: commandId, error, dispatchedAt: at }, DURABLE);
    },
    /** waiting → dispatched, of at most `limit` restored commands past their deadline; returns the changed rows. */
    askOverdue: (at: number, limit: number): Promise<CommandRow[]> => {
      const error = storedAsking({ status: 'expired', error: null, voided: 0 });
      return commit(() => askOverdue({ error, dispatchedAt: at, limit }), DURABLE);
    },
    /** Unsent → dispatched, of the next restored commands of a server made before a time; none: there are no more. */
    askAll: ({ error, at, ...ofServer }: OfServer & { error: StoredError; at: number }): Promise<CommandRow[]> =>
      askSome(someUnsent(ofServer, isRestored), { status: 'voided', error, voided: 0 }, at),
    /** Unsent → dispatched, of the next restored commands of a batch; none: there are no more. */
    askBatch: (batchId: string, at: number): Promise<CommandRow[]> => {
      const which = step(eq(commands.batchId, batchId));
      return askSome(which, { status: 'voided', error: null, voided: 0 }, at);
    },
    /** waiting → dispatched, of the next restored commands for these players; none: there are no more. */
    askTargets: ({
      projectId,
      serverId,
      targets,
      error,
      at,
    }: {
      projectId: string;
      serverId: string;
      targets: readonly string[];
      error: StoredError;
      at: number;
    }): Promise<CommandRow[]> => {
      const ofServer = [eq(commands.projectId, projectId), eq(commands.serverId, serverId)];
      const which = step(...ofServer, is('waiting'), inArray(commands.target, [...targets]));
      return askSome(which, { status: 'rejected', error, voided: 0 }, at);
    },
    /** dispatched → dispatched: the hub asks about the round after this one. */
    askOn: (commandId: string, from: number, asking: Asking) =>
      askOn({ id: commandId, round: from, error: storedAsking(asking) }, DURABLE),
    /** Notes that the database was restored, and marks its open commands; returns how many. */
    markRestored: async (at: number): Promise<number> => {
      const note = () =>
        handle
          .insert(scheduleLooks)
          .values({ id: 'restored', at })
          .onConflictDoUpdate({ target: scheduleLooks.id, set: { at } });
      await commit(note, DURABLE);
      const mark = () =>
        handle
          .update(commands)
          .set({ restoredAt: at })
          .where(or(isUnsent, is('dispatched')))
          .returning({ id: commands.id });
      return (await commit(mark, DURABLE)).length;
    },
    /** When the database was restored last (epoch milliseconds); undefined: never. */
    lastRestored: async (): Promise<number | undefined> => {
      const find = handle.select({ at: scheduleLooks.at }).from(scheduleLooks).where(eq(scheduleLooks.id, 'restored'));
      return (await read(() => find))[0]?.at;
    },
  };
};

/** Ends of commands that no bridge reported, each as one statement that compares and sets. */
export const commandEnds = (database: Database) => {
  const { handle, tables, prepareChange, commit } = database;
  const { commands } = tables;
  const { columns, id, projectId, is, isUnsent, someUnsent, owes, value, change } = commandChanges(database);

  const settledAt = { settledAt: value('settledAt'), ...owes.ended };
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
    { status: value('status'), resolution: value('resolution'), ...owes.ended },
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
            .set({ status: 'voided', error, settledAt: at, ...owes.ended })
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
            .set({ status: 'indeterminate', error, journalId, settledAt: at, ...owes.indeterminate })
            .where(and(eq(commands.projectId, project), inArray(commands.id, [...ids]), is('dispatched')))
            .returning(columns),
        DURABLE,
      ),
    /** indeterminate → resolved_applied or resolved_not_applied, by an operator. */
    resolve: ({
      projectId: project,
      id: commandId,
      ...resolution
    }: { projectId: string; id: string } & NonNullable<CommandRow['resolution']>) => {
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

/** Stray results, whose commands are unknown, for operators. */
export const strayResultQueries = (database: Database) => {
  const { handle, tables, read, commit } = database;
  const { strayResults } = tables;

  return {
    /** Keeps the first result of an id; durable, so that it may be acknowledged. */
    keep: async (row: Tables['strayResults']['$inferInsert']): Promise<void> => {
      await commit(() => handle.insert(strayResults).values(row).onConflictDoNothing(), { durable: true });
    },
    /** Deletes at most `limit` that came before (epoch milliseconds); returns how many. */
    prune: (before: number, limit: number): Promise<number> => {
      const { receivedAt } = strayResults;
      return removeSome(database, 'strayResults', { matches: lt(receivedAt, before), limit, order: receivedAt });
    },
    list: (projectId: string, serverId: string, limit = 200) =>
      read(() =>
        handle
          .select()
          .from(strayResults)
          .where(and(eq(strayResults.projectId, projectId), eq(strayResults.serverId, serverId)))
          .orderBy(asc(strayResults.receivedAt))
          .limit(limit),
      ),
  };
};
