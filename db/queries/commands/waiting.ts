import {
  and,
  asc,
  count,
  eq,
  exists,
  gt,
  inArray,
  isNotNull,
  isNull,
  lte,
  ne,
  notExists,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import { type Database, first } from '../../database.ts';
import { DatabaseError } from '../../errors.ts';
import { after, atMost, choose, increment, literally } from '../../expressions.ts';
import { type Deliver, isInRound, type StoredError } from '../../schema/commands.ts';
import type { CommandRow } from './read.ts';
import { commandChanges, DURABLE, STEP } from './transitions.ts';

type Address = { projectId: string; serverId: string };
/** From this round without an effect on, a command waits a while before the next one. */
const ROUNDS_AT_ONCE = 3;
const NEXT_ROUND_AFTER_MS = 10_000;

/** The waiting commands of one player that wait for the same; they leave in the order in which they came, one by one. */
export type Lane = { target: string | null; deliver: Deliver | 'now' };

/** Commands that wait for their server or their player. Each change is one statement that compares and sets. */
export const commandWaits = (database: Database) => {
  const { handle, tables, prepare, commit, read, reader } = database;
  const { batches, commands, sessions } = tables;
  const { columns, id, is, owes, value, update, change } = commandChanges(database);
  const ofServer = ({ projectId, serverId }: Address): SQL[] => [
    eq(commands.projectId, projectId),
    eq(commands.serverId, serverId),
  ];
  const ofTarget = (target: string | null): SQL =>
    target === null ? sql`target is null` : eq(commands.target, target);

  const endedBatch = handle
    .select({ id: batches.id })
    .from(batches)
    .where(and(eq(batches.id, commands.batchId), isNotNull(batches.endedBy)));
  const mayLeave = or(isNull(commands.batchId), notExists(endedBatch));
  /** Another command of the same lane is in a round. */
  const inRound = (isSameTarget: SQL): SQL => sql`exists (select 1 from ${commands} as flying
    where flying.project_id = ${commands.projectId} and flying.server_id = ${commands.serverId}
    and ${isSameTarget} and flying.deliver = ${commands.deliver} and ${isInRound})`;
  const isLaneFree = sql`not ${inRound(sql`flying.target = ${commands.target}`)}`;

  const expireWaiting = prepare(
    'commands.expireWaiting',
    () => {
      const late = handle
        .select({ seq: commands.seq })
        .from(commands)
        .where(and(is('waiting'), isNull(commands.restoredAt), lte(commands.expiresAt, sql.placeholder('settledAt'))))
        .orderBy(asc(commands.expiresAt))
        .limit(atMost(sql.placeholder('limit')));
      const set = { status: 'expired', settledAt: value('settledAt'), ...owes.ended };
      return update(set, [is('waiting'), inArray(commands.seq, late)]).returning(columns);
    },
    'anew',
  );
  const release = change(
    'commands.release',
    { status: 'accepted', expiresAt: value('expiresAt'), round: increment(commands.round) },
    id,
    is('waiting'),
    gt(commands.deliverUntil, sql.placeholder('at')),
    or(isNull(commands.notBefore), lte(commands.notBefore, sql.placeholder('at'))),
    mayLeave,
    isLaneFree,
    sql`not ${inRound(sql`${commands.target} is null and flying.target is null`)}`,
  );
  const declare = change('commands.declare', { params: value('params'), roles: value('roles') }, id, is('waiting'));
  const back = {
    status: 'waiting',
    expiresAt: sql`${commands.deliverUntil}`,
    epoch: sql`null`,
    sessionId: sql`null`,
    journalId: sql`null`,
    dispatchedAt: sql`null`,
    ...owes.waiting,
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
  const again = {
    ...back,
    notBefore: choose(
      sql`${commands.round} >= ${sql.raw(`${ROUNDS_AT_ONCE}`)}`,
      sql`cast(${sql.placeholder('notBefore')} as bigint)`,
      sql`null`,
    ),
  };
  const postpone = change('commands.postpone', again, ...isOfRound);
  const crashes = sql`coalesce(${commands.crashes}, 0)`;
  const postponeCrashed = change(
    'commands.postponeCrashed',
    { ...again, crashes: sql`${crashes} + 1` },
    ...isOfRound,
    sql`${crashes} < ${sql.placeholder('most')}`,
  );
  const refuse = change(
    'commands.refuseWaiting',
    { status: 'rejected', error: value('error'), settledAt: value('settledAt'), ...owes.ended },
    id,
    is('waiting'),
    isNull(commands.restoredAt),
  );

  const inLane = (isTargeted: boolean): SQL[] => [
    eq(commands.projectId, sql.placeholder('projectId')),
    eq(commands.serverId, sql.placeholder('serverId')),
    isTargeted ? eq(commands.target, sql.placeholder('target')) : isNull(commands.target),
    eq(commands.deliver, sql.placeholder('deliver')),
  ];
  const firstWaiting = (name: string, isTargeted: boolean) =>
    prepare(name, () =>
      handle
        .select({ row: columns, notBefore: commands.notBefore })
        .from(commands)
        .where(and(...inLane(isTargeted), is('waiting'), mayLeave))
        .orderBy(asc(commands.seq))
        .limit(atMost(1)),
    );
  // With a target it can use an index that an `is null` cannot.
  const firstTargeted = firstWaiting('commands.firstWaiting', true);
  const firstUntargeted = firstWaiting('commands.firstWaitingUntargeted', false);

  const { players } = tables;
  const isOnline = exists(
    reader.handle
      .select({ id: players.id })
      .from(players)
      .where(
        and(
          eq(players.projectId, commands.projectId),
          eq(players.identifier, commands.target),
          eq(players.serverId, commands.serverId),
          literally(eq(players.online, true)),
        ),
      ),
  );
  const laneColumns = [commands.target, commands.deliver];
  const lanesAfter = reader.prepare('commands.lanesAfter', () =>
    reader.handle
      .select({ target: commands.target, deliver: commands.deliver })
      .from(commands)
      .where(
        and(
          eq(commands.projectId, sql.placeholder('projectId')),
          eq(commands.serverId, sql.placeholder('serverId')),
          is('waiting'),
          after(laneColumns, 'asc', ['target', 'deliver']),
          or(literally(ne(commands.deliver, 'when_online')), isOnline),
          isLaneFree,
        ),
      )
      .groupBy(...laneColumns)
      .orderBy(...laneColumns.map((column) => asc(column)))
      .limit(atMost(sql.placeholder('limit'))),
  );

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
    /**
     * waiting → accepted for another round, unless its time is over or has not come, its batch has ended, or another
     * command of its lane is in a round.
     */
    release: async (values: { id: string; expiresAt: number; at: number }): Promise<CommandRow | undefined> => {
      try {
        return await release(values, DURABLE);
      } catch (error) {
        // Another node has released one of the same lane meanwhile.
        if (error instanceof DatabaseError && error.isDuplicate) return undefined;
        throw error;
      }
    },
    /** accepted → waiting: it could not be sent in its round. */
    postponeLate: (commandId: string, at: number) => postponeLate({ id: commandId, at }, DURABLE),
    /** dispatched → waiting, if this session still has it and has not sent it. */
    postponeUnsent: (values: { id: string; sessionId: string; at: number }) => postponeUnsent(values, DURABLE),
    /** dispatched → waiting: the bridge says that this round had no effect. Not of a command that was taken back. */
    postpone: (values: { id: string; round: number; at: number }) =>
      postpone({ ...values, notBefore: values.at + NEXT_ROUND_AFTER_MS }, DURABLE),
    /** dispatched → waiting: a crash of the game server has ended the round; at most `most` times for one command. */
    postponeCrashed: (values: { id: string; round: number; at: number; most: number }) =>
      postponeCrashed({ ...values, notBefore: values.at + NEXT_ROUND_AFTER_MS }, DURABLE),
    /** waiting → rejected: the server cannot carry it out any more. */
    refuseWaiting: ({ at, ...values }: { id: string; error: NonNullable<CommandRow['error']>; at: number }) =>
      refuse({ ...values, settledAt: at }, DURABLE),
    /** waiting or accepted → voided, all of a batch, step by step; returns their ids. */
    voidBatch: async (batchId: string, at: number): Promise<string[]> => {
      const isUnsent = or(is('waiting'), is('accepted'));
      const some = handle
        .select({ seq: commands.seq })
        .from(commands)
        .where(and(eq(commands.batchId, batchId), isUnsent, isNull(commands.restoredAt)))
        .limit(STEP);
      const step = () =>
        handle
          .update(commands)
          .set({ status: 'voided', voidRequested: true, settledAt: at, ...owes.ended })
          .where(and(isUnsent, inArray(commands.seq, some)))
          .returning({ id: commands.id });
      const ids: string[] = [];
      while (true) {
        const rows = await commit(step, DURABLE);
        for (const { id } of rows) ids.push(id);
        if (rows.length < STEP) return ids;
      }
    },
    /** waiting → expired, at most `limit`; returns the changed rows. */
    expireWaiting: (at: number, limit: number): Promise<CommandRow[]> =>
      commit(() => expireWaiting({ settledAt: at, limit }), DURABLE),
    /** waiting → rejected, at most `limit` of these players; not a restored one, of which the bridge may know more. */
    rejectWaiting: ({
      targets,
      error,
      at,
      limit,
      ...address
    }: Address & { targets: readonly string[]; error: StoredError; at: number; limit: number }) => {
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
          .set({ status: 'rejected', error, settledAt: at, ...owes.ended })
          .where(and(is('waiting'), inArray(commands.seq, some)))
          .returning(columns);
      return commit(rejected, DURABLE);
    },
    /** The rounds of these players that are on their way are their last: none of their commands waits again. */
    noMoreRounds: async ({
      targets,
      at,
      ...address
    }: Address & { targets: readonly string[]; at: number }): Promise<void> => {
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
    /**
     * The oldest waiting command of a lane, and the time before which it does not leave. Those of an ended batch wait to
     * be voided.
     */
    firstWaiting: (
      address: Address,
      { target, deliver }: Lane,
    ): Promise<{ row: CommandRow; notBefore: number | null } | undefined> => {
      const values = { projectId: address.projectId, serverId: address.serverId, target, deliver };
      return first(read(() => (target === null ? firstUntargeted : firstTargeted)(values)));
    },
    /** The players among these with commands that wait for them to play. */
    waitingAmong: async (address: Address, targets: readonly string[]): Promise<string[]> => {
      const { target, deliver } = commands;
      const mayWait = [is('waiting'), inArray(target, [...targets]), eq(deliver, 'when_online')];
      const found = () =>
        handle
          .select({ target: sql<string>`${target}` })
          .from(commands)
          .where(and(...ofServer(address), ...mayWait))
          .groupBy(target);
      return (await read(found)).map((row) => row.target);
    },
    /**
     * The next lanes of a server, after this one, that have a target. None of their commands is in a round, and if they
     * wait for a player, the player is online. There may be thousands, so they are not found on the event loop.
     */
    lanesAfter: async (address: Address, last: Lane | undefined, limit: number): Promise<Lane[]> => {
      const { target, deliver } = last ?? { target: '', deliver: '' };
      const values = { projectId: address.projectId, serverId: address.serverId, target, deliver, limit };
      const found = await reader.read(() => lanesAfter(values));
      return found.flatMap((row) => (row.deliver === null ? [] : [{ target: row.target, deliver: row.deliver }]));
    },
    /** The servers of a node's bridges that have waiting commands. A hub without any starts no thread to read them. */
    serversThatWait: async (node: string): Promise<Address[]> => {
      const any = handle.select({ seq: commands.seq }).from(commands).where(is('waiting')).limit(1);
      if ((await read(() => any)).length === 0) return [];
      const isOf = and(eq(sessions.projectId, commands.projectId), eq(sessions.serverId, commands.serverId));
      return reader.read(() =>
        reader.handle
          .select({ projectId: commands.projectId, serverId: commands.serverId })
          .from(commands)
          .innerJoin(sessions, and(isOf, eq(sessions.node, node), literally(eq(sessions.connected, true))))
          .where(is('waiting'))
          .groupBy(commands.projectId, commands.serverId),
      );
    },
    /**
     * Counts the commands that wait for a player, a server and a project, each up to its bound, and the bytes of the
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
