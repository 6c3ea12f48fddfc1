import { and, eq, inArray, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../port/database.ts';
import type { CommandStatus } from '../../schema/command-status.ts';
import type { StoredError } from '../../schema/commands.ts';
import { choose, increment } from '../expressions.ts';
import { commandChanges, DURABLE, type OfServer, STEP } from './change.ts';
import type { CommandRow } from './row.ts';

/** How a command ends if its bridge knows of no effect, and how many rounds in succession it has voided. */
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
  const { handle, tables, commit, read } = database;
  const { commands, scheduleLooks } = tables;
  const { columns, id, is, isUnsent, someUnsent, value, change } = commandChanges(database);

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
    /** The same, of one that is past its deadline. */
    askLate: (commandId: string, at: number) => {
      const error = storedAsking({ status: 'expired', error: null, voided: 0 });
      return askLate({ id: commandId, error, dispatchedAt: at }, DURABLE);
    },
    /** The same, of at most `limit` waiting ones past their deadline; returns the changed rows. */
    askOverdue: (at: number, limit: number): Promise<CommandRow[]> => {
      const late = handle
        .select({ seq: commands.seq })
        .from(commands)
        .where(and(is('waiting'), isRestored, lte(commands.expiresAt, at)))
        .orderBy(commands.expiresAt)
        .limit(limit);
      return askSome(inArray(commands.seq, late), { status: 'expired', error: null, voided: 0 }, at);
    },
    /** The same, of the next restored ones of a server that were made before a time; none: there are no more. */
    askAll: ({ error, at, ...ofServer }: OfServer & { error: StoredError; at: number }): Promise<CommandRow[]> =>
      askSome(someUnsent(ofServer, isRestored), { status: 'voided', error, voided: 0 }, at),
    /** The same, of the next restored ones of a batch that wait; none: there are no more. */
    askBatch: (batchId: string, at: number): Promise<CommandRow[]> => {
      const which = step(eq(commands.batchId, batchId), is('waiting'));
      return askSome(which, { status: 'voided', error: null, voided: 0 }, at);
    },
    /** The same, of the next restored ones that wait for these players; none: there are no more. */
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
