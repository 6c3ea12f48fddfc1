import type { Logger } from 'pino';
import { isCustomName } from '../../bridge-protocol/index.ts';
import { type Asking, readAsking } from '../../db/queries/commands/ends.ts';
import type { CommandRow } from '../../db/queries/commands/read.ts';
import { isSettled, type StoredError } from '../../db/schema/commands.ts';
import type { Store } from '../../db/store.ts';
import type { Bus } from '../cluster/bus.ts';
import type { Events } from '../cluster/events.ts';
import { addressOf, type Router, type Session } from '../cluster/router.ts';
import type { Background } from '../platform/background.ts';
import type { Metrics } from '../platform/metrics.ts';
import { Windows } from '../platform/windows.ts';
import { isExactlyOnce } from './catalogue.ts';
import type { Elsewhere } from './elsewhere.ts';
import type { LiveCommand, LiveCommands } from './live.ts';
import {
  askedNext,
  formerIdsOf,
  isCrashed,
  isOfEarlierRound,
  isUnknownThere,
  isWithoutCode,
  isWorthAnotherRound,
  type ResultMessage,
  readOutcome,
  readWireId,
  type StoredOutcome,
  wireIdOf,
  wireParams,
  withKnownBalance,
} from './outcome.ts';
import { Queues } from './queue.ts';
import { versionProblem } from './versions.ts';
import { executedOf } from './view.ts';

/** The parts of the hub that the files of this folder work with, and the commands that this node is busy with. */
export type Parts = {
  store: Pick<
    Store,
    'commands' | 'batches' | 'servers' | 'sessions' | 'projects' | 'strayResults' | 'players' | 'exclusively'
  >;
  router: Router;
  bus: Pick<Bus, 'ask' | 'tell' | 'isUp'>;
  events: Events;
  metrics: Metrics;
  background: Background;
  log: Logger;
  live: LiveCommands;
  elsewhere: Elsewhere | undefined;
};

/** The session of a bridge that reports a result. */
type Source = Pick<Session, 'projectId' | 'serverId' | 'journalId'>;

/** Whether a result comes from a bridge whose journal cannot have the command: it was sent to another one. */
const isOfOtherJournal = ({ name, status, journalId: sentTo }: CommandRow, { journalId }: Source): boolean =>
  status === 'dispatched' && isExactlyOnce(name) && sentTo !== null && sentTo !== journalId;

/** Characters of the payload of a stray result that are stored. */
const MAX_LENGTH = 2_048;
/** Bridges report a few after a restored backup. A faulty bridge must not fill the disk or the log. */
const KEPT_PER_DAY = 4_096;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The payload of a stray result, bounded, for operators. */
const boundedPayload = ({ data, error }: ResultMessage): Record<string, unknown> => {
  const payload = { data: data ?? null, error: error ?? null };
  const { length } = JSON.stringify(payload);
  return length <= MAX_LENGTH ? payload : { omitted: length };
};

/** Stray results, whose command is unknown: the first ones of a server and day are stored and logged; all are counted. */
const createStrays = ({ store, metrics, log }: Parts) => {
  const counts = new Windows({ ms: DAY_MS });

  return async ({ projectId, serverId }: Source, message: ResultMessage): Promise<void> => {
    metrics.strayResults.inc();
    const { count } = counts.add(addressOf(projectId, serverId));
    if (count === KEPT_PER_DAY + 1)
      log.warn({ projectId, serverId }, 'stray results over the daily limit are not stored');
    if (count > KEPT_PER_DAY) return;
    const { id: commandId, status } = message;
    log.warn({ projectId, serverId, commandId, status }, 'stray result: its command is unknown');
    await store.strayResults.keep({
      projectId,
      serverId,
      commandId,
      status,
      payload: boundedPayload(message),
      receivedAt: Date.now(),
    });
  };
};

/** Why a command was not sent. */
const DISCONNECTED = { code: 'bridge_offline', message: 'The bridge disconnected before the command was sent.' };

/** A round that a crash of the game server ended is repeated so often: a command that crashes it must not do so for ever. */
const MAX_CRASHES = 3;

type Step = () => Promise<CommandRow | undefined>;
const nothing: Step = async () => undefined;

/** The life of a command between its row and its outcome: its insert, its slot, its frame, its result, its announcement. */
export const createRun = (
  parts: Parts & {
    /** For the charts: a command has ended. */
    count: (row: CommandRow) => void;
    /** A command that could wait has ended. */
    onEnded: (row: CommandRow) => void;
    /** A command that may wait waits again. */
    onPostponed: (row: CommandRow) => void;
    /** Asks the bridges of this node about commands that other sessions or nodes have left to them. */
    pickUp: () => Promise<void>;
  },
) => {
  const { store, router, events, metrics, background, log, live, elsewhere } = parts;
  const { commands } = store;
  const keepStray = createStrays(parts);
  const queues = new Queues({
    live,
    start: (command) => background.run('dispatch', () => sendInTurn(command)),
    windowOf: ({ projectId, serverId }) => router.find(projectId, serverId)?.window ?? 0,
  });

  /**
   * Announces a settled command to callers, event streams, metrics and log. The row is durable before. A command that the
   * hub gave up is announced again when its bridge reports the outcome; metrics and charts count it once (`isCounted`).
   */
  const announce = (row: CommandRow, { isCounted = true }: { isCounted?: boolean } = {}): void => {
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
      parts.count(row);
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
    if (row.deliver !== null) parts.onEnded(row);
  };

  /** A command that may wait waits again: its callers read its row. */
  const postponed = (row: CommandRow): void => {
    live.drop(row.id);
    parts.onPostponed(row);
  };

  /** Lets the nodes that hold the bridges ask about these rows. A bridge that is away is asked when it is back. */
  const asked = (rows: readonly CommandRow[]): void => {
    const servers = new Map(rows.map((row) => [addressOf(row.projectId, row.serverId), row]));
    const away = [...servers.values()].filter(({ projectId, serverId }) => !router.find(projectId, serverId));
    if (away.length < servers.size) background.run('ask about restored commands', parts.pickUp);
    if (elsewhere === undefined) return;
    for (const row of away) background.run('ask about restored commands', () => elsewhere.moved(row));
  };

  /**
   * Ends a command that was not sent. A restored one may have been, so its bridge is asked instead. The first step that
   * finds the row in its state counts. Returns the row if it has ended.
   */
  const endUnsent = async (steps: { end: Step; postpone?: Step; ask: Step }): Promise<CommandRow | undefined> => {
    const { end, postpone = nothing, ask } = steps;
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

  /** A waiting command cannot be carried out any more. */
  const refuse = (id: string, error: StoredError): Promise<CommandRow | undefined> =>
    endUnsent({
      end: () => commands.refuseWaiting({ id, error, at: Date.now() }),
      ask: () => commands.ask(id, { status: 'rejected', error, voided: 0 }, Date.now()),
    });

  /** A caller takes back a command that was not sent. */
  const takeBack = ({ projectId, id }: CommandRow): Promise<CommandRow | undefined> =>
    endUnsent({
      end: () => commands.voidAccepted(projectId, id, Date.now()),
      ask: () => commands.ask(id, { status: 'voided', error: null, voided: 0 }, Date.now()),
    });

  /** A command is past its deadline, or its round is: takes it out of the queue, and ends its row unless that has ended. */
  const expire = async (id: string): Promise<void> => {
    const command = live.find(id);
    const slot = command?.state;
    if (command !== undefined) await ensureStored(command);
    await endUnsent({
      end: () => commands.expire(id, Date.now()),
      postpone: () => commands.postponeLate(id, Date.now()),
      ask: () => commands.askLate(id, Date.now()),
    });
    // Another call may have ended this round, and the slot be that of the next one.
    if (live.find(id)?.state === slot) live.release(id);
  };

  /**
   * Sends a dispatched command. If it must not be started any more, its bridge is told so. First it is sent by its former ids
   * as one that is over: a bridge that knows none of them does nothing.
   */
  const send = (session: Session, row: CommandRow, command: LiveCommand, formerIds = formerIdsOf(row)): void => {
    command.sent(row);
    const id = wireIdOf(row);
    const former = command.lookFor(formerIds);
    const isOver = row.expiresAt <= Date.now() || row.voidRequested || readAsking(row) !== undefined;
    if (former === undefined && isOver) return session.send({ type: 'void', id });
    session.send({
      type: 'command',
      id: former ?? id,
      name: row.name,
      params: wireParams(row),
      fingerprint: row.fingerprint,
      expiresAt: former === undefined ? row.expiresAt : 0,
      attempt: row.attempts,
    });
  };

  /**
   * The command was marked, and no byte was sent: another node that holds the bridge sends it, or it is voided. If the next
   * session has taken the row over, the compare-and-set finds nothing.
   */
  const voidUnsent = async (row: CommandRow, sessionId: string, error = DISCONNECTED): Promise<void> => {
    // The next session may have sent it: then the slot is that session's.
    const state = live.find(row.id)?.state;
    if (state?.is !== 'inFlight' || state.sentAt === undefined) live.release(row.id);
    if (isExactlyOnce(row.name) && (await elsewhere?.moved(row))) return;
    const voided = await commands.voidUnsent({ id: row.id, sessionId, error, at: Date.now() });
    if (voided !== undefined) return announce(voided);
    const back = await commands.postponeUnsent({ id: row.id, sessionId, at: Date.now() });
    if (back !== undefined) return postponed(back);
    // The next session may have settled it before its caller began to wait.
    const latest = await commands.get(row.projectId, row.id);
    if (latest !== undefined && isSettled(latest.status)) live.wake(latest);
  };

  /** Inserts its row if that has not been done; false: that failed, and its callers have been told. */
  const ensureStored = async (command: LiveCommand): Promise<boolean> => {
    const { draft } = command;
    if (draft === undefined) return true;
    return live.store(command, draft).then(
      () => true,
      () => false,
    );
  };

  /** The row of a command that an earlier try marked as dispatched and did not send, because the answer was lost. */
  const markedBefore = async (command: LiveCommand, session: Session): Promise<CommandRow | undefined> => {
    const row = await commands.get(command.projectId, command.id);
    if (row?.status !== 'dispatched' || row.epoch === null || readAsking(row) !== undefined) return undefined;
    if (row.sessionId === session.id) return row;
    if (!isExactlyOnce(row.name)) return undefined;
    const { epoch, id: sessionId, journalId } = session;
    return commands.redeliver({ id: row.id, from: row.epoch, epoch, sessionId, journalId });
  };

  /**
   * Marks the row as dispatched. A row that is found dispatched was sent already, unless an earlier try of this node had
   * no answer: a command is sent once for each attempt.
   */
  const mark = async (command: LiveCommand, session: Session): Promise<CommandRow | undefined> => {
    const { projectId, serverId, id, name, isMarkUnknown } = command;
    const { epoch, id: sessionId, journalId } = session;
    command.isMarkUnknown = true;
    const durable = isExactlyOnce(name);
    const sent = { projectId, serverId, id, epoch, sessionId, journalId };
    const marked = await commands.dispatch({ ...sent, at: Date.now(), durable });
    const row = marked ?? (isMarkUnknown ? await markedBefore(command, session) : undefined);
    command.isMarkUnknown = false;
    return row;
  };

  const markOnce = async (command: LiveCommand, session: Session): Promise<CommandRow | undefined> => {
    const { draft, expiresAt } = command;
    const at = Date.now();
    if (draft !== undefined && command.isUnwritten && expiresAt > at) {
      const stored = await live.store(command, draft, { session, at });
      if (stored.isNew) return stored.row;
    }
    await ensureStored(command);
    return mark(command, session);
  };

  /**
   * A command that could not be sent: expires it, or leaves it to another node or to a later session of this node. It keeps
   * its slot until then, so that the next command of its order does not overtake it.
   */
  const giveBack = async (command: LiveCommand): Promise<void> => {
    const { state } = command;
    const hasMoved = await elsewhere?.moved(command);
    const row = hasMoved ? undefined : await commands.get(command.projectId, command.id);
    const isUnsent = row?.status === 'accepted';
    if (isUnsent && row.expiresAt <= Date.now()) return void (await expire(command.id));
    // The slot may have been lost to a disconnect, and the command taken again.
    if (command.state !== state && live.hasSlot(command.id)) return;
    if (isUnsent) queues.requeue(command);
    else live.release(command.id);
  };

  /** The row, dispatched. Undefined: it expired between two sweeps, it was withdrawn, or its bridge has a later session. */
  const markOrGiveBack = async (command: LiveCommand, session: Session): Promise<CommandRow | undefined> => {
    const row = await markOnce(command, session);
    if (row === undefined) await giveBack(command);
    return row;
  };

  /** Sends a command that has room in the window: `accepted` → `dispatched`, then the wire. */
  const sendInTurn = async (command: LiveCommand): Promise<void> => {
    if (command.inserting !== undefined && !(await ensureStored(command))) return live.release(command.id);
    const session = router.find(command.projectId, command.serverId);
    if (session?.isOpen() !== true || command.state.is !== 'inFlight') return queues.requeue(command);
    const row = await markOrGiveBack(command, session).catch((error: unknown) => {
      // The next sweep tries again.
      queues.requeue(command);
      throw error;
    });
    if (row === undefined) return;
    // A session of an earlier version may have followed the one that was asked.
    const problem = versionProblem(session, row);
    if (problem !== undefined) await voidUnsent(row, session.id, { code: 'unsupported', message: problem });
    else if (session.isOpen()) send(session, row, command);
    else await voidUnsent(row, session.id);
  };

  /** The command, if it was sent to this server and is in flight. */
  const flyingTo = ({ projectId, serverId }: Source, id: string): LiveCommand | undefined => {
    const command = live.find(id);
    const isThere = command?.projectId === projectId && command.serverId === serverId;
    return isThere && command.state.is === 'inFlight' && command.dispatched !== undefined ? command : undefined;
  };

  /** The row, if the command was sent to this server: an unsent command cannot have an outcome. */
  const rowSentTo = async (source: Source, id: string): Promise<CommandRow | undefined> => {
    const row = await commands.get(source.projectId, id);
    if (row?.serverId !== source.serverId || (row.status === 'accepted' && row.round === null)) return undefined;
    return row;
  };

  /** Writes an outcome once. `dispatched` is the row as it was sent, if the command is in flight. */
  const write = async (
    { journalId }: Source,
    command: CommandRow,
    outcome: StoredOutcome,
    { dispatched, asker }: Pick<LiveCommand, 'dispatched' | 'asker'>,
  ): Promise<void> => {
    const { projectId, serverId, id, name, status: known } = command;
    const { status, result } = outcome;
    const durable = isExactlyOnce(name);
    const isGivenUp = known === 'indeterminate';
    if (!isGivenUp && isSettled(known)) return;
    const { error: why } = outcome;
    const error = status === 'indeterminate' && why !== null ? await withKnownBalance(store, command, why) : why;
    const settlement = { projectId, serverId, id, status, result, error, settledAt: Date.now() };
    const settled = isGivenUp ? undefined : await commands.settle(settlement, { durable }, dispatched);
    // The row may have been given up since it was read.
    const row = settled ?? (await commands.settleGivenUp({ ...settlement, journalId }, { durable }));
    if (row === undefined) return;
    // First of all, so that the asking node need not read the row.
    if (asker !== undefined) elsewhere?.settled(asker, row);
    announce(row, { isCounted: settled !== undefined });
  };

  /** Asks about the round after this one. After a reconnect, the hub asks again. */
  const askOn = async (id: string, round: number, asking: Asking): Promise<undefined> => {
    const row = await commands.askOn(id, round, asking);
    if (row !== undefined) router.find(row.projectId, row.serverId)?.send({ type: 'void', id: wireIdOf(row) });
  };

  /** The command waits again. False: its time is over, it was taken back, or it has crashed too often. */
  const postpone = async (id: string, round: number, outcome: StoredOutcome): Promise<boolean> => {
    const at = Date.now();
    const back = isCrashed(outcome)
      ? await commands.postponeCrashed({ id, round, at, most: MAX_CRASHES })
      : await commands.postpone({ id, round, at });
    if (back !== undefined) postponed(back);
    return back !== undefined;
  };

  const afterQuestion = (
    { id, round, deliver }: CommandRow,
    asking: Asking,
    outcome: StoredOutcome,
    hasNoCode: boolean,
  ): StoredOutcome | Promise<undefined> => {
    const hadNoEffect = outcome.status === 'voided' || hasNoCode || isWorthAnotherRound(deliver, outcome);
    if (!hadNoEffect) return outcome;
    const next = round === null ? undefined : askedNext(asking, outcome);
    if (round !== null && next !== undefined) return askOn(id, round, next);
    return { status: asking.status, result: null, error: asking.error };
  };

  const afterRound = async (
    { projectId, id, restoredAt }: CommandRow,
    round: number,
    outcome: StoredOutcome,
  ): Promise<StoredOutcome | undefined> => {
    if (await postpone(id, round, outcome)) return undefined;
    // An answer may have come twice, and another round may be on its way.
    const latest = await commands.get(projectId, id);
    if (latest?.round !== round) return undefined;
    // The hub gave it up in this round, and each round before had no effect.
    if (latest.status === 'indeterminate' && restoredAt === null) return outcome;
    if (latest.status !== 'dispatched') return undefined;
    const { status, error } = outcome;
    const next = restoredAt === null ? undefined : askedNext({ status, error, voided: 0 }, outcome);
    return next === undefined ? outcome : askOn(id, round, next);
  };

  /** The outcome to write; undefined: the command waits again, or the hub asks about it. */
  const endOf = async (
    command: CommandRow,
    message: ResultMessage,
    outcome: StoredOutcome,
  ): Promise<StoredOutcome | undefined> => {
    const { id, round, deliver } = command;
    const asking = readAsking(command);
    if (asking !== undefined) return afterQuestion(command, asking, outcome, isWithoutCode(message));
    if (round === null || deliver === 'now') return outcome;
    if (isWithoutCode(message) && command.status === 'dispatched') {
      const { status, error } = outcome;
      // The caller may have sent a new key since a hub reported this outcome, so no round may begin.
      return askOn(id, round, { status, error, voided: 0 });
    }
    return isWorthAnotherRound(deliver, outcome) ? afterRound(command, round, outcome) : outcome;
  };

  return {
    queues,
    announce,
    postponed,
    asked,
    refuse,
    takeBack,
    expire,
    send,
    ensureStored,
    /** Sends a row that was inserted as dispatched in this session. */
    sendFirst: (session: Session, row: CommandRow, command: LiveCommand): void => {
      if (session.isOpen()) send(session, row, command);
      else background.run('void unsent', () => voidUnsent(row, session.id));
    },
    /**
     * Settles by a `result` frame. Resolves when the outcome is durable, so the frame may be acknowledged. The first result
     * from the journal that the command was sent to settles the row, whichever socket of the server it comes from, also one
     * that the hub gave up. Later results change nothing. Results of unknown commands are stored apart.
     */
    settle: async (source: Source, message: ResultMessage): Promise<void> => {
      const { id, round } = readWireId(message.id);
      const command = flyingTo(source, id);
      const { dispatched, asker, isLookedFor } = command ?? {};
      const row = dispatched ?? (await rowSentTo(source, id));
      const outcome = row && readOutcome(row, message);
      const isForeign = row === undefined || isOfOtherJournal(row, source);
      const former = dispatched === undefined ? [] : formerIdsOf(dispatched);
      const nth = former.indexOf(message.id);
      if (isForeign || outcome === undefined || (nth < 0 && isOfEarlierRound(row, round))) {
        // A round that had no effect is over: a bridge repeats its answer until it is acknowledged.
        if (outcome === undefined || executedOf(outcome.status) !== 'no') await keepStray(source, message);
        return;
      }
      // It was taken back or its time has passed during the look: after it, the bridge answers once more.
      if (nth < 0 && isLookedFor === true && outcome.status === 'voided') return;
      if (nth >= 0 && command !== undefined && isUnknownThere(outcome)) {
        const session = router.find(row.projectId, row.serverId);
        if (session?.isOpen() === true) send(session, row, command, former.slice(nth + 1));
        return;
      }
      live.release(id);
      const end = await endOf(row, message, outcome);
      if (end !== undefined) await write(source, row, end, { dispatched, asker });
    },
  };
};
type Run = ReturnType<typeof createRun>;

/** The parts that the other files of this folder work with. */
export type Core = Parts & { run: Run };
