import { LIMITS, orderKey } from '../../bridge-protocol/index.ts';
import { DatabaseError } from '../../db/port/errors.ts';
import { asAsked } from '../../db/queries/commands/asks.ts';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import { isSettled } from '../../db/schema/command-status.ts';
import type { Store } from '../../db/store.ts';
import type { Session } from '../cluster/router.ts';
import { HubError } from '../platform/errors.ts';
import { isExactlyOnce } from './catalogue.ts';

/** The database's answer to the insert of a command. */
export type Stored = Awaited<ReturnType<Store['commands']['insert']>>;

type Caller = {
  /** By `performance.now()`: setting the clock must neither end a wait nor prolong it. */
  deadline: number;
  resolve: (row: CommandRow | undefined) => void;
  reject: (error: unknown) => void;
};

/** The queue in which a command has its place. */
export type PlaceIn = { leave: (command: LiveCommand) => void };

/**
 * A command that this node is busy with. It has two independent parts: a place in the queue of its game server, and
 * callers that wait for its outcome. It is forgotten when both are empty.
 *
 * | event | place | callers | row |
 * | --- | --- | --- | --- |
 * | request, room in the window | none → in flight | the caller waits | inserted as `dispatched` before the first byte |
 * | request, no room or no waiting caller | none → waiting | the caller waits, if it wants to | inserted as `accepted`, or later by the sweep, or as `dispatched` when it is sent |
 * | start of the hub (`restore`) | none → waiting | – | was `accepted` |
 * | welcome of the bridge (`resume`) | none → in flight | go on waiting | `dispatched`: the new session takes it over |
 * | another node asks (`adopt`) | none → waiting or in flight | wait at that node | was inserted by that node |
 * | start of sending | waiting → in flight | go on waiting | `accepted` → `dispatched` before the first byte |
 * | start of sending, and the session has gone | in flight → waiting, at the head | go on waiting | stays |
 * | start of sending, and the bridge has a later session | in flight → waiting, at the head; none if another node holds it | go on waiting | stays `accepted` |
 * | outcome | → none | get the row | settled |
 * | expired, voided, withdrawn | → none | get the row | settled |
 * | insert failed | → none | get the error | absent, or unknown |
 * | idempotency conflict | → none | the caller waits for the earlier command | of the earlier command |
 * | disconnect | in flight → none; waiting stays | go on waiting | stays `dispatched` |
 * | hand-on: another node holds the bridge | waiting stays until that node settles it | go on waiting | inserted first, sent by that node |
 */
export type LiveCommand = {
  readonly id: string;
  readonly projectId: string;
  readonly serverId: string;
  readonly name: string;
  /** The id at the bridge; each round has another. */
  wireId: string;
  /** Epoch milliseconds after which it must not be sent. */
  expiresAt: number;
  /** Commands of one order are sent first in, first out; one of them at a time is in flight. */
  readonly order: string;
  /** Kicks have a window of their own: they wait neither for money nor for other players' kicks. */
  readonly isUrgent: boolean;
  /** Whether it has waited for its server or player: then single commands go first. */
  readonly hasWaited: boolean;
  /** The node that waits for its outcome, if it is another one. */
  asker: string | undefined;
  /** The row to insert; undefined: it is in the database. */
  draft: CommandRow | undefined;
  /** The insert, once it has begun. */
  inserting: Promise<Stored> | undefined;
  /** The row as it was dispatched, once its frame was sent. */
  dispatched: CommandRow | undefined;
  place: 'none' | 'waiting' | 'in flight';
  queue: PlaceIn | undefined;
  /** By `performance.now()`; undefined: the frame has not been sent. */
  sentAt: number | undefined;
  /** Whether the database gave no answer when the row was marked as dispatched: it may be marked, and is not sent. */
  isMarkUnknown: boolean;
  /** Whether the bridge has confirmed the frame. */
  isReceived: boolean;
  /** Whether the sweep has found it in flight after its time. */
  isOverdue: boolean;
  callers: Caller[];
};

/** The columns of a row that a live command is made of. */
export type CommandSource = Pick<
  CommandRow,
  'id' | 'projectId' | 'serverId' | 'name' | 'target' | 'expiresAt' | 'round'
>;

/** The id of a command at its bridge. Each round of a command that may wait has one of its own. */
export const wireIdOf = ({ id, round }: Pick<CommandRow, 'id' | 'round'>): string =>
  round === null ? id : `${id}.${round}`;

/** The command and the round that a bridge means. */
export const readWireId = (wireId: string): Pick<CommandRow, 'id' | 'round'> => {
  const dot = wireId.indexOf('.');
  return dot < 0 ? { id: wireId, round: null } : { id: wireId.slice(0, dot), round: Number(wireId.slice(dot + 1)) };
};

const make = ({ id, projectId, serverId, name, target, expiresAt, round }: CommandSource): LiveCommand => ({
  id,
  wireId: wireIdOf({ id, round }),
  projectId,
  serverId,
  name,
  expiresAt,
  order: orderKey(name, target),
  isUrgent: !isExactlyOnce(name),
  hasWaited: round !== null,
  asker: undefined,
  draft: undefined,
  inserting: undefined,
  dispatched: undefined,
  place: 'none',
  queue: undefined,
  sentAt: undefined,
  isMarkUnknown: false,
  isReceived: false,
  isOverdue: false,
  callers: [],
});

/** The session that a command is sent in, and when: epoch milliseconds. */
type Sent = { session: Session; at: number };

const dispatchedIn = (draft: CommandRow, { session: { id: sessionId, epoch }, at }: Sent): CommandRow => ({
  ...draft,
  status: 'dispatched',
  attempts: 1,
  dispatchedAt: at,
  sessionId,
  epoch,
});

/** True if its row is not in the database and no insert has begun. */
export const isUnwritten = ({ draft, inserting }: LiveCommand): boolean =>
  draft !== undefined && inserting === undefined;

/** The error for an insert that failed, or whose result is unknown: a row that was stored is sent after a reconnect. */
export const notStored = (error: unknown): HubError => {
  const isUnknown = error instanceof DatabaseError && error.isUnknown;
  return new HubError(
    'store_unavailable',
    isUnknown ? 'It may have been stored. Repeat it with the same Idempotency-Key, or look for it.' : undefined,
    { retryAfterS: 5, ...(isUnknown && { executed: 'unknown' }) },
    { cause: error },
  );
};

/** The commands that this node is busy with, by their id. */
export const createLiveCommands = ({ store }: { store: Pick<Store, 'commands'> }) => {
  const commands = new Map<string, LiveCommand>();
  let callerCount = 0;
  let restoredAt: number | undefined;

  const forgetIfIdle = (command: LiveCommand): void => {
    if (command.place === 'none' && command.callers.length === 0) commands.delete(command.id);
  };

  const findOrMake = (source: CommandSource): LiveCommand => {
    const known = commands.get(source.id);
    if (known !== undefined) return known;
    const command = make(source);
    commands.set(source.id, command);
    return command;
  };

  const takeCallers = (id: string): Caller[] => {
    const command = commands.get(id);
    if (command === undefined) return [];
    const { callers } = command;
    callerCount -= callers.length;
    command.callers = [];
    forgetIfIdle(command);
    return callers;
  };

  /** The command has ended, or will not be sent: frees its place. */
  const release = (id: string): void => {
    const command = commands.get(id);
    if (command === undefined || command.place === 'none') return;
    command.queue?.leave(command);
    forgetIfIdle(command);
  };

  /**
   * A command whose id comes from a key, its own or that of its batch, may be one that the bridge has carried out, and that
   * a restored database has forgotten.
   */
  const mayBeForgotten = ({
    idempotencyKey,
    batchId,
    name,
    createdAt,
  }: Pick<CommandRow, 'idempotencyKey' | 'batchId' | 'name' | 'createdAt'>): boolean =>
    restoredAt !== undefined &&
    (idempotencyKey !== null || batchId !== null) &&
    isExactlyOnce(name) &&
    createdAt < restoredAt + LIMITS.journalRetentionMs;

  /** Not even a refusal of the hub ends such a command before its bridge was asked. */
  const marked = (row: CommandRow): CommandRow => {
    if (restoredAt === undefined || !mayBeForgotten(row)) return row;
    const restored = { ...row, restoredAt };
    return isSettled(row.status) ? asAsked(restored) : restored;
  };

  const insert = async (row: CommandRow): Promise<Stored> => {
    try {
      return await store.commands.insert(marked(row), { durable: isExactlyOnce(row.name) });
    } catch (error) {
      release(row.id);
      throw notStored(error);
    }
  };

  const begin = (command: LiveCommand, row: CommandRow): Promise<Stored> => {
    const inserting = insert(row);
    command.inserting = inserting;
    inserting.catch((error: unknown) => {
      for (const caller of takeCallers(row.id)) caller.reject(error);
    });
    return inserting;
  };

  return {
    find: (id: string): LiveCommand | undefined => commands.get(id),
    /** The database was restored at this time: for 14 days, bridges may know more of a key than the hub. */
    restored: (at: number): void => {
      restoredAt = at;
    },
    mayBeForgotten,
    hasPlace: (id: string): boolean => (commands.get(id)?.place ?? 'none') !== 'none',
    /**
     * The live command of this id, about to get a place: with a row to insert (`draft`), or with one in the database.
     * Callers that wait for it stay.
     */
    open: (
      source: CommandSource,
      { draft, asker }: { draft?: CommandRow; asker?: string | undefined } = {},
    ): LiveCommand => {
      const command = findOrMake(source);
      command.wireId = wireIdOf(source);
      command.expiresAt = source.expiresAt;
      command.draft = draft;
      // An insert that has begun is still what its callers wait for.
      if (draft !== undefined) command.inserting = undefined;
      command.dispatched = undefined;
      command.isMarkUnknown = false;
      command.asker = asker;
      return command;
    },
    /** Remembers a command again that lost its place, unless the same command has come back. */
    retain: (command: LiveCommand): LiveCommand => {
      const known = commands.get(command.id) ?? command;
      commands.set(command.id, known);
      return known;
    },
    /** Forgets a command that has neither a place nor callers. */
    forgetIfIdle,
    release,
    /**
     * Inserts its row, unless that has begun: as dispatched where it is `sent` next, or else as accepted.
     * @throws HubError store_unavailable
     */
    store: (command: LiveCommand, draft: CommandRow, sent?: Sent): Promise<Stored> =>
      command.inserting ?? begin(command, sent === undefined ? draft : dispatchedIn(draft, sent)),
    /** Inserts the row of a command for a bridge of another node. @throws HubError store_unavailable */
    insert,
    /** Waits for the outcome: the settled row, or undefined when `waitMs` is over first. */
    wait: (source: CommandSource, waitMs: number): Promise<CommandRow | undefined> =>
      new Promise((resolve, reject) => {
        findOrMake(source).callers.push({ deadline: performance.now() + waitMs, resolve, reject });
        callerCount += 1;
      }),
    /** The command has settled. */
    wake: (row: CommandRow): void => {
      for (const caller of takeCallers(row.id)) caller.resolve(row);
    },
    /** The command was discarded: its callers read its row. */
    drop: (id: string): void => {
      for (const caller of takeCallers(id)) caller.resolve(undefined);
    },
    /** Ends the waits that are over; with `all`, every one. One sweep for all: a timer for each caller would cost more. */
    sweepCallers: ({ all = false }: { all?: boolean } = {}): void => {
      const at = performance.now();
      const isOver = ({ deadline }: Caller): boolean => all || deadline <= at;
      for (const command of commands.values()) {
        if (!command.callers.some(isOver)) continue;
        const over = command.callers.filter(isOver);
        command.callers = command.callers.filter((caller) => !isOver(caller));
        callerCount -= over.length;
        forgetIfIdle(command);
        for (const caller of over) caller.resolve(undefined);
      }
    },
    isAwaited: (id: string): boolean => (commands.get(id)?.callers.length ?? 0) > 0,
    /** The ids of the commands that callers or a queue wait for. */
    unsettled: (): string[] =>
      [...commands.values()]
        .filter(({ place, callers }) => place === 'waiting' || callers.length > 0)
        .map(({ id }) => id),
    /** How many callers wait. */
    callers: (): number => callerCount,
    size: (): number => commands.size,
  };
};
export type LiveCommands = ReturnType<typeof createLiveCommands>;
