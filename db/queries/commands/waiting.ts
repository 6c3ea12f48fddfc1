import {
  and,
  asc,
  count,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  lte,
  min,
  notExists,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { Database, Preparable } from '../../database.ts';
import { atMost, increment, literally } from '../../expressions.ts';
import type { Deliver, StoredError } from '../../schema/commands.ts';
import type { CommandRow } from './read.ts';
import { commandChanges, DURABLE, STEP } from './transitions.ts';

type Address = { projectId: string; serverId: string };
type Ending = Address & { targets: readonly string[]; at: number };
/** The waiting commands of one player that wait for the same; they leave in the order in which they came. */
export type Lane = { target: string | null; deliver: Deliver | 'now' };

/** Commands that wait for their server or their player. Each change is one statement that compares and sets. */
export const commandWaits = (database: Database) => {
  const { handle, tables, prepare, commit, read, reader } = database;
  const { batches, commands, sessions } = tables;
  const { columns, id, is, value, change } = commandChanges(database);
  const ofServer = ({ projectId, serverId }: Address): SQL[] => [
    eq(commands.projectId, projectId),
    eq(commands.serverId, serverId),
  ];
  const ofTarget = (target: string | null): SQL =>
    target === null ? sql`target is null` : eq(commands.target, target);

  const release = change(
    'commands.release',
    { status: 'accepted', expiresAt: value('expiresAt'), round: increment(commands.round) },
    id,
    is('waiting'),
    gt(commands.deliverUntil, sql.placeholder('at')),
  );
  const declare = change('commands.declare', { params: value('params'), roles: value('roles') }, id, is('waiting'));
  const back = {
    status: 'waiting',
    expiresAt: sql`${commands.deliverUntil}`,
    epoch: sql`null`,
    sessionId: sql`null`,
    dispatchedAt: sql`null`,
  };
  /** A round that never left keeps its number for the next one: the hub asks about rounds without a gap. */
  const unsent = { ...back, round: sql`${commands.round} - 1` };
  const isInTime = gt(commands.deliverUntil, sql.placeholder('at'));
  const postponeLate = change(
    'commands.postponeLate',
    unsent,
    id,
    is('accepted'),
    lte(commands.expiresAt, sql.placeholder('at')),
    isInTime,
  );
  const postponeUnsent = change(
    'commands.postponeUnsent',
    unsent,
    id,
    is('dispatched'),
    eq(commands.sessionId, sql.placeholder('sessionId')),
    literally(eq(commands.voidRequested, false)),
    isInTime,
  );
  const isOfRound = [
    id,
    is('dispatched'),
    eq(commands.round, sql.placeholder('round')),
    literally(eq(commands.voidRequested, false)),
    isInTime,
  ];
  const postpone = change('commands.postpone', back, ...isOfRound);
  const crashes = sql`coalesce(${commands.crashes}, 0)`;
  const postponeCrashed = change(
    'commands.postponeCrashed',
    { ...back, crashes: sql`${crashes} + 1` },
    ...isOfRound,
    sql`${crashes} < ${sql.placeholder('most')}`,
  );
  const refuse = change(
    'commands.refuseWaiting',
    { status: 'rejected', error: value('error'), settledAt: value('settledAt') },
    id,
    is('waiting'),
    isNull(commands.restoredAt),
  );

  const endedBatch = handle
    .select({ id: batches.id })
    .from(batches)
    .where(and(eq(batches.id, commands.batchId), isNotNull(batches.endedBy)));
  const mayLeave = or(isNull(commands.batchId), notExists(endedBatch));

  const inLane = (isTargeted: boolean): SQL[] => [
    eq(commands.projectId, sql.placeholder('projectId')),
    eq(commands.serverId, sql.placeholder('serverId')),
    isTargeted ? eq(commands.target, sql.placeholder('target')) : isNull(commands.target),
    eq(commands.deliver, sql.placeholder('deliver')),
  ];
  /** A statement about one lane: with a target it can use an index that an `is null` cannot. */
  const ofLane = <T>(name: string, build: (isTargeted: boolean) => Preparable<T[]>) => {
    const targeted = prepare(name, () => build(true));
    const untargeted = prepare(`${name}Untargeted`, () => build(false));
    return async (address: Address, { target, deliver }: Lane): Promise<T | undefined> => {
      const values = { projectId: address.projectId, serverId: address.serverId, target, deliver };
      return (await read(() => (target === null ? untargeted : targeted)(values)))[0];
    };
  };
  const firstWaiting = ofLane('commands.firstWaiting', (isTargeted) =>
    handle
      .select(columns)
      .from(commands)
      .where(and(...inLane(isTargeted), is('waiting'), mayLeave))
      .orderBy(asc(commands.seq))
      .limit(atMost(1)),
  );
  // Each status by itself, because a partial index holds only one. And the range makes SQLite prefer that of accepted
  // commands to one of all commands.
  const openInLane = ofLane('commands.openInLane', (isTargeted) => {
    const open = (status: 'accepted' | 'dispatched') =>
      handle
        .select({ id: commands.id })
        .from(commands)
        .where(and(...inLane(isTargeted), is(status), gt(commands.expiresAt, 0)));
    return open('dispatched').unionAll(open('accepted')).limit(atMost(1));
  });

  /** Counts rows up to `most`, and the bytes of their parameters. */
  const countUpTo = async (most: number, ...filters: SQL[]): Promise<{ rows: number; bytes: number }> => {
    const some = handle
      .select({ bytes: commands.bytes })
      .from(commands)
      .where(and(is('waiting'), ...filters))
      .limit(most)
      .as('some');
    const [row] = await read(() =>
      handle.select({ rows: count(), bytes: sql<unknown>`sum(${some.bytes})` }).from(some),
    );
    return { rows: row?.rows ?? 0, bytes: Number(row?.bytes ?? 0) };
  };

  return {
    /** Notes the parameters and roles of a custom command that was not known when it was accepted. */
    declare: (values: { id: string } & Pick<CommandRow, 'params' | 'roles'>) => declare(values),
    /** waiting → accepted for another round, unless its time is over. */
    release: (values: { id: string; expiresAt: number; at: number }) => release(values, DURABLE),
    /** accepted → waiting: it could not be sent in its round. */
    postponeLate: (commandId: string, at: number) => postponeLate({ id: commandId, at }, DURABLE),
    /** dispatched → waiting, if this session still has it and has not sent it. */
    postponeUnsent: (values: { id: string; sessionId: string; at: number }) => postponeUnsent(values, DURABLE),
    /** dispatched → waiting: the bridge says that this round had no effect. Not of a command that was taken back. */
    postpone: (values: { id: string; round: number; at: number }) => postpone(values, DURABLE),
    /** The same, of a round that a crash of the game server has ended, at most `most` times for one command. */
    postponeCrashed: (values: { id: string; round: number; at: number; most: number }) =>
      postponeCrashed(values, DURABLE),
    /** waiting → rejected: the server cannot carry it out any more. */
    refuseWaiting: ({ at, ...values }: { id: string; error: NonNullable<CommandRow['error']>; at: number }) =>
      refuse({ ...values, settledAt: at }, DURABLE),
    /** waiting → voided, all of a batch, step by step; returns how many. */
    voidBatch: async (batchId: string, at: number): Promise<number> => {
      const some = handle
        .select({ seq: commands.seq })
        .from(commands)
        .where(and(eq(commands.batchId, batchId), is('waiting'), isNull(commands.restoredAt)))
        .limit(STEP);
      const step = () =>
        handle
          .update(commands)
          .set({ status: 'voided', voidRequested: true, settledAt: at })
          .where(and(is('waiting'), inArray(commands.seq, some)))
          .returning({ seq: commands.seq });
      let total = 0;
      while (true) {
        const { length } = await commit(step, DURABLE);
        total += length;
        if (length < STEP) return total;
      }
    },
    /** waiting → expired, at most `limit`; returns the changed rows. */
    expireWaiting: (at: number, limit: number): Promise<CommandRow[]> => {
      const late = handle
        .select({ seq: commands.seq })
        .from(commands)
        .where(and(is('waiting'), isNull(commands.restoredAt), lte(commands.expiresAt, at)))
        .orderBy(asc(commands.expiresAt))
        .limit(limit);
      const expired = () =>
        handle
          .update(commands)
          .set({ status: 'expired', settledAt: at })
          .where(and(is('waiting'), inArray(commands.seq, late)))
          .returning(columns);
      return commit(expired, DURABLE);
    },
    /** waiting → rejected, at most `limit` of these players; not a restored one, of which the bridge may know more. */
    rejectWaiting: ({ targets, error, at, limit, ...address }: Ending & { error: StoredError; limit: number }) => {
      const some = handle
        .select({ seq: commands.seq })
        .from(commands)
        .where(
          and(...ofServer(address), is('waiting'), inArray(commands.target, [...targets]), isNull(commands.restoredAt)),
        )
        .limit(limit);
      const rejected = () =>
        handle
          .update(commands)
          .set({ status: 'rejected', error, settledAt: at })
          .where(and(is('waiting'), inArray(commands.seq, some)))
          .returning(columns);
      return commit(rejected, DURABLE);
    },
    /** The rounds of these players that are on their way are their last: none of their commands waits again. */
    noMoreRounds: async ({ targets, at, ...address }: Ending): Promise<void> => {
      // Each status has an index of its own.
      const some = (status: 'accepted' | 'dispatched') =>
        handle
          .select({ seq: commands.seq })
          .from(commands)
          .where(and(...ofServer(address), is(status), gt(commands.expiresAt, 0)));
      const isOnItsWay = or(is('accepted'), is('dispatched'));
      const isFound = or(inArray(commands.seq, some('accepted')), inArray(commands.seq, some('dispatched')));
      const mayWait = inArray(commands.deliver, ['when_connected', 'when_online']);
      const last = () =>
        handle
          .update(commands)
          .set({ deliverUntil: at })
          .where(and(isOnItsWay, isFound, inArray(commands.target, [...targets]), mayWait));
      await commit(last, DURABLE);
    },
    /**
     * Targets with waiting commands who have been gone since `before`, of one server or of all. One without a row was
     * deleted while the command was stored: the age of the command stands for that of the deletion.
     */
    goneTargets: (before: number, address?: Address): Promise<(Address & { target: string })[]> => {
      const { id: playerId, goneAt } = tables.players;
      const { projectId, serverId, target } = commands;
      const isTarget = and(
        eq(tables.players.projectId, projectId),
        eq(tables.players.identifier, target),
        eq(tables.players.serverId, serverId),
      );
      const isGone = or(lte(goneAt, before), and(isNull(playerId), lte(commands.createdAt, before)));
      const found = reader.handle
        .select({ projectId, serverId, target: sql<string>`${target}` })
        .from(commands)
        .leftJoin(tables.players, isTarget)
        .where(and(...(address ? ofServer(address) : []), is('waiting'), isNotNull(target), isGone))
        .groupBy(projectId, serverId, target);
      return reader.read(() => found);
    },
    /** The oldest waiting command of a lane that may leave. Those of an ended batch wait to be voided. */
    firstWaiting,
    /** A command of a lane that has left and has not ended. */
    openInLane: async (address: Address, lane: Lane): Promise<string | undefined> =>
      (await openInLane(address, lane))?.id,
    /** The lanes of a server that have waiting commands, the oldest first. */
    lanesOf: async (address: Address): Promise<Lane[]> => {
      const lanes = () =>
        handle
          .select({ target: commands.target, deliver: commands.deliver, first: min(commands.seq) })
          .from(commands)
          .where(and(...ofServer(address), is('waiting')))
          .groupBy(commands.target, commands.deliver)
          .orderBy(asc(min(commands.seq)));
      return (await read(lanes)).flatMap(({ target, deliver }) => (deliver === null ? [] : [{ target, deliver }]));
    },
    /** The servers of a node's bridges that have waiting commands. */
    serversThatWait: (node: string): Promise<Address[]> => {
      const isOf = and(eq(sessions.projectId, commands.projectId), eq(sessions.serverId, commands.serverId));
      return read(() =>
        handle
          .select({ projectId: commands.projectId, serverId: commands.serverId })
          .from(commands)
          .innerJoin(sessions, and(isOf, eq(sessions.node, node), literally(eq(sessions.connected, true))))
          .where(is('waiting'))
          .groupBy(commands.projectId, commands.serverId),
      );
    },
    /**
     * How many commands wait for a player, a server and a project, each counted up to its bound, and the bytes of the
     * parameters of those of the project.
     */
    waitingCounts: async (
      address: Address,
      target: string | null,
      most: { player: number; server: number; project: number },
    ): Promise<{ player: number; server: number; project: number; bytes: number }> => {
      const [player, server, project] = await Promise.all([
        countUpTo(most.player, ...ofServer(address), ofTarget(target)),
        // Batches have bounds of their own.
        countUpTo(most.server, ...ofServer(address), isNull(commands.batchId)),
        countUpTo(most.project, eq(commands.projectId, address.projectId)),
      ]);
      return { player: player.rows, server: server.rows, project: project.rows, bytes: project.bytes };
    },
  };
};
