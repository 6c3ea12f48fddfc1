import type { Logger } from 'pino';
import { isCommandName, isCustomName, LIMITS, playerParamOf } from '../../bridge-protocol/index.ts';
import { readAsking } from '../../db/queries/commands/ends.ts';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import { isSettled } from '../../db/schema/command-status.ts';
import type { StoredError } from '../../db/schema/commands.ts';
import type { Store } from '../../db/store.ts';
import type { Events } from '../cluster/events.ts';
import { addressOf, type Router, type Session } from '../cluster/router.ts';
import type { Background } from '../platform/background.ts';
import type { Metrics } from '../platform/metrics.ts';
import { isExactlyOnce } from './catalogue.ts';
import type { Elsewhere } from './elsewhere.ts';
import {
  createRoundEnds,
  type ResultMessage,
  readOutcome,
  readWireId,
  type StoredOutcome,
  wireIdOf,
} from './outcome.ts';
import { isUnwritten, type LiveCommand, type LiveCommands, type Queues } from './queue.ts';
import { createStrays } from './strays.ts';
import { executedOf } from './view.ts';

/**
 * Announces a settled command to callers, event streams, metrics and log. The row is durable before. A command that the
 * hub gave up is announced again when its bridge reports the outcome; metrics and charts count it once (`isCounted`).
 */
export const createAnnounce =
  ({
    live,
    events,
    metrics,
    log,
    count,
    ended,
  }: {
    live: LiveCommands;
    events: Events;
    metrics: Metrics;
    log: Logger;
    /** For the charts. */
    count: (row: CommandRow) => void;
    /** The next waiting command of the player may leave. */
    ended: (row: CommandRow) => void;
  }) =>
  (row: CommandRow, { isCounted = true }: { isCounted?: boolean } = {}): void => {
    if (row.status === 'indeterminate' && isExactlyOnce(row.name)) {
      log.error(
        { commandId: row.id, serverId: row.serverId, message: row.error?.message },
        'command is indeterminate: an operator must resolve it',
      );
    }
    if (isCounted) {
      // Metric labels come from a closed list; game servers choose the names of custom commands.
      const name = isCustomName(row.name) ? 'custom' : row.name;
      metrics.commands.inc({ name, status: row.status });
      count(row);
      if (row.settledAt !== null) {
        metrics.commandSeconds.observe({ name }, (row.settledAt - row.createdAt) / 1000);
      }
    }
    // The events of a batch stand for those of its commands.
    if (row.batchId === null) {
      events.publish(row.projectId, {
        type: 'command.settled',
        serverId: row.serverId,
        data: { id: row.id, name: row.name, target: row.target, status: row.status },
      });
    }
    live.wake(row);
    if (row.deliver !== null) ended(row);
  };
export type Announce = ReturnType<typeof createAnnounce>;

/** Lets the nodes that hold the bridges ask about these rows. A bridge that is away is asked when it is back. */
export const createAsked =
  ({
    router,
    background,
    pickUp,
    elsewhere,
  }: {
    router: Pick<Router, 'find'>;
    background: Background;
    /** Asks the bridges of this node. */
    pickUp: () => Promise<void>;
    elsewhere: Pick<Elsewhere, 'moved'> | undefined;
  }) =>
  (rows: readonly CommandRow[]): void => {
    const servers = new Map(rows.map((row) => [addressOf(row.projectId, row.serverId), row]));
    const away = [...servers.values()].filter(({ projectId, serverId }) => !router.find(projectId, serverId));
    if (away.length < servers.size) background.run('ask about restored commands', pickUp);
    if (elsewhere === undefined) return;
    for (const row of away) background.run('ask about restored commands', () => elsewhere.moved(row));
  };
export type Asked = ReturnType<typeof createAsked>;

type Step = () => Promise<CommandRow | undefined>;

/** Ends commands that were not sent. A restored one may have been, so its bridge is asked instead. */
export const createUnsent = ({
  store,
  live,
  announce,
  postponed,
  asked,
  now,
}: {
  store: Pick<Store, 'commands'>;
  live: LiveCommands;
  announce: (row: CommandRow) => void;
  /** A command that may wait waits again. */
  postponed: (row: CommandRow) => void;
  /** A restored command became one to ask about. */
  asked: Asked;
  now: () => number;
}) => {
  const { commands } = store;
  const nothing: Step = async () => undefined;

  /** The first step that finds the row in its state counts. Returns the row if it has ended. */
  const finish = async (steps: { end: Step; postpone?: Step; ask?: Step }): Promise<CommandRow | undefined> => {
    const { end, postpone = nothing, ask = nothing } = steps;
    const ended = await end();
    const back = ended ?? (await postpone());
    const changed = back ?? (await ask());
    if (changed === undefined) return undefined;
    live.release(changed.id);
    if (ended !== undefined) announce(ended);
    else if (back !== undefined) postponed(back);
    else asked([changed]);
    return ended;
  };

  return {
    /** It is past its deadline, or its round is. */
    expire: (id: string): Promise<CommandRow | undefined> =>
      finish({
        end: () => commands.expire(id, now()),
        postpone: () => commands.postponeLate(id, now()),
        ask: () => commands.askLate(id, now()),
      }),
    /** A waiting command cannot be carried out any more. */
    refuse: (id: string, error: StoredError): Promise<CommandRow | undefined> =>
      finish({
        end: () => commands.refuseWaiting({ id, error, at: now() }),
        ask: () => commands.ask(id, { status: 'rejected', error, voided: 0 }, now()),
      }),
    /** A caller takes it back. */
    void: ({ projectId, id }: CommandRow): Promise<CommandRow | undefined> =>
      finish({
        end: () => commands.voidAccepted(projectId, id, now()),
        ask: () => commands.ask(id, { status: 'voided', error: null, voided: 0 }, now()),
      }),
  };
};
export type Unsent = ReturnType<typeof createUnsent>;

/**
 * The parameters in the frame: the player's own identifier, the protocol's word for `deduct`, and at most 512 UTF-16
 * units of the reason. REST counts characters, and 512 characters can have more units.
 */
const wireParams = ({ name, target, params: sent, roles }: CommandRow): CommandRow['params'] => {
  const whom = playerParamOf(roles);
  const params = target === null || sent[whom] === target ? sent : { ...sent, [whom]: target };
  if (!isCommandName(name)) return params;
  const { reason, action } = params;
  const isLong = typeof reason === 'string' && reason.length > LIMITS.reasonLength;
  if (!isLong && action !== 'deduct') return params;
  return {
    ...params,
    ...(action === 'deduct' && { action: 'remove' }),
    // Never between the halves of a surrogate pair.
    ...(isLong && { reason: reason.slice(0, LIMITS.reasonLength).replace(/[\ud800-\udbff]$/, '') }),
  };
};

/** The last step before the wire. The row is `dispatched`, durably, before the first byte of its frame is sent. */
export const createSend = ({
  store,
  router,
  live,
  background,
  announce,
  postponed,
  unsent,
  elsewhere,
  now,
}: {
  store: Pick<Store, 'commands'>;
  router: Router;
  live: LiveCommands;
  background: Background;
  announce: (row: CommandRow) => void;
  /** A command that may wait waits again. */
  postponed: (row: CommandRow) => void;
  unsent: Unsent;
  elsewhere: Pick<Elsewhere, 'moved'> | undefined;
  now: () => number;
}) => {
  /** Sends a dispatched command. */
  const send = (session: Session, row: CommandRow, command: LiveCommand): void => {
    session.send({
      type: 'command',
      id: wireIdOf(row),
      name: row.name,
      params: wireParams(row),
      fingerprint: row.fingerprint,
      expiresAt: row.expiresAt,
      attempt: row.attempts,
    });
    command.dispatched = row;
    command.sentAt = performance.now();
  };

  /**
   * The socket closed between commit and send, so no byte was sent: another node that holds the bridge sends it, or it
   * is voided. If the next session has taken the row over, the compare-and-set finds nothing.
   */
  const voidUnsent = async (row: CommandRow, sessionId: string): Promise<void> => {
    // The next session may have sent it: then the place is that session's.
    if (live.find(row.id)?.sentAt === undefined) live.release(row.id);
    if (isExactlyOnce(row.name) && (await elsewhere?.moved(row))) return;
    const error = { code: 'bridge_offline', message: 'The bridge disconnected before the command was sent.' };
    const voided = await store.commands.voidUnsent({ id: row.id, sessionId, error, at: now() });
    if (voided !== undefined) return announce(voided);
    const back = await store.commands.postponeUnsent({ id: row.id, sessionId, at: now() });
    if (back !== undefined) return postponed(back);
    // The next session may have settled it before its caller began to wait.
    const latest = await store.commands.get(row.projectId, row.id);
    if (latest !== undefined && isSettled(latest.status)) live.wake(latest);
  };

  /** Inserts its row if that has not been done; false: that failed, and its callers have been told. */
  const keep = async (command: LiveCommand): Promise<boolean> => {
    const { draft } = command;
    if (draft === undefined) return true;
    return live.store(command, draft).then(
      () => true,
      () => false,
    );
  };

  /** Takes it out of the queue, and ends its row as expired unless something else has ended it. */
  const expire = async (command: LiveCommand): Promise<void> => {
    await keep(command);
    await unsent.expire(command.id);
    live.release(command.id);
  };

  /** The row of a command that an earlier try marked as dispatched and did not send, because the answer was lost. */
  const markedBefore = async (command: LiveCommand, session: Session): Promise<CommandRow | undefined> => {
    const row = await store.commands.get(command.projectId, command.id);
    if (row?.status !== 'dispatched' || row.epoch === null || readAsking(row) !== undefined) return undefined;
    if (row.sessionId === session.id) return row;
    if (!isExactlyOnce(row.name)) return undefined;
    return store.commands.redeliver({ id: row.id, from: row.epoch, epoch: session.epoch, sessionId: session.id });
  };

  /**
   * Marks the row as dispatched. A row that is found dispatched was sent already, unless an earlier try of this node had
   * no answer: a command is sent once for each attempt.
   */
  const mark = async (command: LiveCommand, session: Session): Promise<CommandRow | undefined> => {
    const { projectId, serverId, id, name, isMarkUnknown } = command;
    const { epoch, id: sessionId } = session;
    command.isMarkUnknown = true;
    const durable = isExactlyOnce(name);
    const marked = await store.commands.dispatch({ projectId, serverId, id, epoch, sessionId, at: now(), durable });
    const row = marked ?? (isMarkUnknown ? await markedBefore(command, session) : undefined);
    command.isMarkUnknown = false;
    return row;
  };

  const markOnce = async (command: LiveCommand, session: Session): Promise<CommandRow | undefined> => {
    const { draft, expiresAt } = command;
    const at = now();
    if (draft !== undefined && isUnwritten(command) && expiresAt > at) {
      const stored = await live.store(command, draft, { session, at });
      if (stored.isNew) return stored.row;
    }
    await keep(command);
    return mark(command, session);
  };

  /** A command that could not be sent: expires it, or leaves it to another node or to a later session of this node. */
  const giveBack = async (command: LiveCommand, queues: Queues): Promise<void> => {
    await expire(command);
    if (await elsewhere?.moved(command)) return;
    const row = await store.commands.get(command.projectId, command.id);
    if (row?.status === 'accepted' && !live.hasPlace(command.id)) queues.requeue(command);
  };

  /** The row, dispatched. Undefined: it expired between two sweeps, it was withdrawn, or its bridge has a later session. */
  const markOrGiveBack = async (
    command: LiveCommand,
    session: Session,
    queues: Queues,
  ): Promise<CommandRow | undefined> => {
    const row = await markOnce(command, session);
    if (row === undefined) await giveBack(command, queues);
    return row;
  };

  /** Sends a queued command that has a place in the window: `accepted` → `dispatched`, then the wire. */
  const sendInTurn = async (command: LiveCommand, queues: Queues): Promise<void> => {
    if (command.inserting !== undefined && !(await keep(command))) return live.release(command.id);
    const session = router.find(command.projectId, command.serverId);
    if (session?.isOpen() !== true || command.place !== 'in flight') return queues.requeue(command);
    const row = await markOrGiveBack(command, session, queues).catch((error: unknown) => {
      // The next sweep tries again.
      queues.requeue(command);
      throw error;
    });
    if (row === undefined) return;
    if (session.isOpen()) send(session, row, command);
    else await voidUnsent(row, session.id);
  };

  return {
    send,
    keep,
    expire,
    /** Sends a row that was inserted as dispatched in this session. */
    sendFirst: (session: Session, row: CommandRow, command: LiveCommand): void => {
      if (session.isOpen()) send(session, row, command);
      else background.run('void unsent', () => voidUnsent(row, session.id));
    },
    /** Starts sending a queued command that has a place in the window. */
    start: (command: LiveCommand, queues: Queues): void =>
      background.run('dispatch', () => sendInTurn(command, queues)),
  };
};
export type Send = ReturnType<typeof createSend>;

/** Whether a result belongs to a round that has ended: the command waits, or has left again. */
const isOfEarlierRound = ({ round: current, status }: CommandRow, round: number | null): boolean =>
  current !== round || status === 'waiting' || status === 'accepted';

/** The session of a bridge that reports a result. */
type Source = Pick<Session, 'projectId' | 'serverId' | 'journalId'>;

/**
 * The durable end of a command. The first result settles the row, whichever socket of the server it comes from. It also
 * settles a row that the hub gave up, if it comes from the journal that the command was sent to. Later results change
 * nothing. Results of unknown commands are stored apart.
 */
export const createSettle = ({
  store,
  router,
  live,
  elsewhere,
  announce,
  postponed,
  metrics,
  log,
  now,
}: {
  store: Pick<Store, 'commands' | 'strayResults'>;
  router: Pick<Router, 'find'>;
  live: LiveCommands;
  elsewhere: Pick<Elsewhere, 'settled'> | undefined;
  announce: Announce;
  /** A command that may wait waits again. */
  postponed: (row: CommandRow) => void;
  metrics: Metrics;
  log: Logger;
  now: () => number;
}) => {
  const endOf = createRoundEnds({ store, router, postponed, now });
  const keepStray = createStrays({ store, metrics, log, now });

  /** The command, if it was sent to this server and is in flight. */
  const flyingTo = ({ projectId, serverId }: Source, id: string): LiveCommand | undefined => {
    const command = live.find(id);
    const isThere = command?.projectId === projectId && command.serverId === serverId;
    return isThere && command.place === 'in flight' && command.dispatched !== undefined ? command : undefined;
  };

  /** The row, if the command was sent to this server: an unsent command cannot have an outcome. */
  const rowSentTo = async (source: Source, id: string): Promise<CommandRow | undefined> => {
    const row = await store.commands.get(source.projectId, id);
    if (row?.serverId !== source.serverId || (row.status === 'accepted' && row.round === null)) return undefined;
    return row;
  };

  /** Writes an outcome once. `dispatched` is the row as it was sent, if the command is in flight. */
  const write = async (
    { journalId }: Source,
    { projectId, serverId, id, name, status: known }: CommandRow,
    { status, result, error }: StoredOutcome,
    { dispatched, asker }: Pick<LiveCommand, 'dispatched' | 'asker'>,
  ): Promise<void> => {
    const durable = isExactlyOnce(name);
    const settlement = { projectId, serverId, id, status, result, error, settledAt: now() };
    const isGivenUp = known === 'indeterminate';
    if (!isGivenUp && isSettled(known)) return;
    const settled = isGivenUp ? undefined : await store.commands.settle(settlement, { durable }, dispatched);
    // The row may have been given up since it was read.
    const row = settled ?? (await store.commands.settleGivenUp({ ...settlement, journalId }, { durable }));
    if (row === undefined) return;
    // First of all, so that the asking node need not read the row.
    if (asker !== undefined) elsewhere?.settled(asker, row);
    announce(row, { isCounted: settled !== undefined });
  };

  return {
    /** Settles by a `result` frame. Resolves when the outcome is durable, so the frame may be acknowledged. */
    settle: async (source: Source, message: ResultMessage): Promise<void> => {
      const { id, round } = readWireId(message.id);
      const { dispatched, asker } = flyingTo(source, id) ?? {};
      const row = dispatched ?? (await rowSentTo(source, id));
      const outcome = row && readOutcome(row, message);
      if (row === undefined || outcome === undefined || isOfEarlierRound(row, round)) {
        // A round that had no effect is over: a bridge repeats its answer until it is acknowledged.
        if (outcome === undefined || executedOf(outcome.status) !== 'no') await keepStray(source, message);
        return;
      }
      live.release(id);
      const end = await endOf(row, message, outcome);
      if (end !== undefined) await write(source, row, end, { dispatched, asker });
    },
  };
};
