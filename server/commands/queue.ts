import { LIMITS, orderKey } from '../../bridge-protocol/index.ts';
import { asAsked } from '../../db/queries/commands/ends.ts';
import type { CommandRow } from '../../db/queries/commands/read.ts';
import type { Inserted } from '../../db/queries/commands/transitions.ts';
import { isSettled } from '../../db/schema/commands.ts';
import type { Store } from '../../db/store.ts';
import { addressOf, type Session } from '../cluster/router.ts';
import { notStored } from '../platform/errors.ts';
import { isExactlyOnce } from './catalogue.ts';
import { wireIdOf } from './outcome.ts';

type Caller = {
  /** By `performance.now()`: setting the clock must neither end a wait nor prolong it. */
  deadline: number;
  resolve: (row: CommandRow | undefined) => void;
  reject: (error: unknown) => void;
};

/** The columns of a row that a live command is made of. */
export type CommandSource = Pick<
  CommandRow,
  'id' | 'projectId' | 'serverId' | 'name' | 'target' | 'expiresAt' | 'round'
>;

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
 * | another node asks (`take`) | none → waiting or in flight | wait at that node | was inserted by that node |
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
export class LiveCommand {
  readonly id: string;
  readonly projectId: string;
  readonly serverId: string;
  readonly name: string;
  /** The id at the bridge; each round has another. */
  wireId: string;
  /** Epoch milliseconds after which it must not be sent. */
  expiresAt: number;
  /** Commands of one order leave first in, first out, one at a time, except those that a reconnect resumes. */
  readonly order: string;
  /** Commands without a journal, such as kicks, have a window of their own: money never delays them. */
  readonly isUrgent: boolean;
  /** Whether it has waited for its server or player: then single commands go first. */
  readonly hasWaited: boolean;
  /** The node that waits for its outcome, if it is another one. */
  asker: string | undefined = undefined;
  /** The row that this node inserts, and kept afterwards; undefined: it was in the database. */
  draft: CommandRow | undefined = undefined;
  /** The insert, once it has begun. */
  inserting: Promise<Inserted> | undefined = undefined;
  /** The row as it was dispatched, once its frame was sent. */
  dispatched: CommandRow | undefined = undefined;
  place: 'none' | 'waiting' | 'in flight' = 'none';
  queue: { leave: (command: LiveCommand) => void } | undefined = undefined;
  /** When it got its place, by `performance.now()`. */
  placedAt = 0;
  /** By `performance.now()`; undefined: the frame has not been sent. */
  sentAt: number | undefined = undefined;
  /** Whether the database gave no answer when the row was marked as dispatched: it may be marked, and is not sent. */
  isMarkUnknown = false;
  /** Whether the bridge has confirmed the frame. */
  isReceived = false;
  /** Whether the sweep has found it in flight after its time. */
  isOverdue = false;
  callers: Caller[] = [];

  constructor(source: CommandSource) {
    const { id, projectId, serverId, name, target, expiresAt, round } = source;
    this.id = id;
    this.projectId = projectId;
    this.serverId = serverId;
    this.name = name;
    this.wireId = wireIdOf(source);
    this.expiresAt = expiresAt;
    this.order = orderKey(name, target);
    this.isUrgent = !isExactlyOnce(name);
    this.hasWaited = round !== null;
  }
}

/** The row of a command that is sent in this session, at this time (epoch milliseconds). */
const dispatchedIn = (draft: CommandRow, { id: sessionId, epoch }: Session, at: number): CommandRow => ({
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
    const command = new LiveCommand(source);
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

  /** A restored database may have forgotten that the bridge ran it: even a refusal is stored as a question to the bridge. */
  const marked = (row: CommandRow): CommandRow => {
    if (restoredAt === undefined || !mayBeForgotten(row)) return row;
    const restored = { ...row, restoredAt };
    return isSettled(row.status) ? asAsked(restored) : restored;
  };

  const insert = async (row: CommandRow): Promise<Inserted> => {
    try {
      return await store.commands.insert(marked(row), { durable: isExactlyOnce(row.name) });
    } catch (error) {
      release(row.id);
      throw notStored(error);
    }
  };

  const begin = (command: LiveCommand, row: CommandRow): Promise<Inserted> => {
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
    store: (command: LiveCommand, draft: CommandRow, sent?: { session: Session; at: number }): Promise<Inserted> =>
      command.inserting ?? begin(command, sent === undefined ? draft : dispatchedIn(draft, sent.session, sent.at)),
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

/** Urgent commands and the others are counted apart: messages to many players must not keep payments out. */
const CAPACITY = 256;

/** After a single command, others are expected for so long. Meanwhile one delivery younger than HELD_UP_MS may be out. */
const SHARED_FOR_MS = 1_000;
/** A delivery that takes longer may wait for something else than the game's processor. So many hold no others up. */
const HELD_UP_MS = 250;
const MOST_HELD_UP = 4;

type Address = { readonly projectId: string; readonly serverId: string };

/**
 * The commands that wait for one game server and those in flight to it. At most `window` are in flight; each order is
 * first in, first out, and holds up no other order. Urgent commands have a window of their own. It outlives the socket:
 * commands that were not sent wait for the next one.
 */
const createQueue = ({ start, ...given }: { start: (command: LiveCommand) => void; window: number }) => {
  const waiting = new Set<LiveCommand>();
  const inFlight = new Set<LiveCommand>();
  const busyOrders = new Map<string, LiveCommand>();
  let { window } = given;
  let urgentInFlight = 0;
  let urgentWaiting = 0;
  let sharedUntil = 0;

  const hasRoom = ({ order, isUrgent }: LiveCommand): boolean =>
    window > 0 &&
    !busyOrders.has(order) &&
    (isUrgent ? urgentInFlight < window : inFlight.size - urgentInFlight < window);

  /** True if no waiting command could start. */
  const isFull = (): boolean =>
    (urgentWaiting === 0 || urgentInFlight >= window) &&
    (waiting.size === urgentWaiting || inFlight.size - urgentInFlight >= window);

  const isBehind = ({ order }: LiveCommand): boolean => {
    for (const other of waiting) if (other.order === order) return true;
    return false;
  };

  const leaveWaiting = (command: LiveCommand): void => {
    if (waiting.delete(command) && command.isUrgent) urgentWaiting -= 1;
  };
  const leaveFlight = (command: LiveCommand): void => {
    if (!inFlight.delete(command)) return;
    if (command.isUrgent) urgentInFlight -= 1;
    if (busyOrders.get(command.order) === command) busyOrders.delete(command.order);
  };

  const enqueue = (command: LiveCommand): void => {
    waiting.add(command);
    if (command.isUrgent) urgentWaiting += 1;
    command.place = 'waiting';
    command.placedAt = performance.now();
    command.queue = queue;
  };

  const fly = (command: LiveCommand): void => {
    inFlight.add(command);
    busyOrders.set(command.order, command);
    if (command.isUrgent) urgentInFlight += 1;
    command.place = 'in flight';
    command.placedAt = performance.now();
    command.queue = queue;
    command.sentAt = undefined;
    command.isReceived = false;
    command.isOverdue = false;
  };

  const pump = (): void => {
    if (window === 0 || waiting.size === 0) return;
    const passed = new Set<string>();
    for (const command of waiting) {
      if (isFull()) return;
      if (passed.has(command.order)) continue;
      passed.add(command.order);
      if (!hasRoom(command)) continue;
      leaveWaiting(command);
      fly(command);
      start(command);
    }
  };

  /** Whether a single command came in the last second, or has not ended. */
  const isShared = (): boolean =>
    performance.now() < sharedUntil || [...inFlight, ...waiting].some(({ hasWaited }) => !hasWaited);

  const queue = {
    /** Gives it a place in the window at once, or in the queue. Nothing is started by this call. */
    admit: (command: LiveCommand, { direct }: { direct: boolean }): 'in flight' | 'waiting' | 'busy' => {
      if (!command.hasWaited) sharedUntil = performance.now() + SHARED_FOR_MS;
      if (direct && !isBehind(command) && hasRoom(command)) {
        fly(command);
        return 'in flight';
      }
      if ((command.isUrgent ? urgentWaiting : waiting.size - urgentWaiting) >= CAPACITY) return 'busy';
      enqueue(command);
      return 'waiting';
    },
    /** Puts a command that an earlier socket carried back into flight, even if the window is full. */
    resume: (command: LiveCommand): void => {
      leaveWaiting(command);
      fly(command);
    },
    pump,
    /** Puts a command that is stored behind all others, however many these are. */
    append: enqueue,
    /** It could not be sent, for example because no socket is open: it goes to the head, because it was the first. */
    requeue: (command: LiveCommand): void => {
      leaveFlight(command);
      leaveWaiting(command);
      enqueue(command);
      for (const each of [...waiting]) if (each !== command && waiting.delete(each)) waiting.add(each);
    },
    /** The command has ended, or was never sent: a waiting command takes its place. */
    leave: (command: LiveCommand): void => {
      leaveFlight(command);
      leaveWaiting(command);
      command.place = 'none';
      pump();
    },
    /** A socket has opened, with its window: sends waiting commands. */
    open: (size: number): void => {
      window = size;
      pump();
    },
    /** The socket has closed: no command is in flight any more. Returns the commands that were. */
    close: (): LiveCommand[] => {
      const lost = [...inFlight];
      window = 0;
      for (const command of lost) {
        leaveFlight(command);
        command.place = 'none';
      }
      return lost;
    },
    /** The time at which the oldest unconfirmed frame was sent. */
    unconfirmedSince: (): number | undefined => {
      for (const { sentAt, isReceived } of inFlight) if (sentAt !== undefined && !isReceived) return sentAt;
      return undefined;
    },
    /** Commands in flight past their deadline; each one is returned once. */
    overdue: (at: number): LiveCommand[] => {
      const late = [...inFlight].filter(({ isOverdue, expiresAt }) => !isOverdue && expiresAt <= at);
      for (const command of late) command.isOverdue = true;
      return late;
    },
    isShared,
    /** Whether one more command that has waited may come, while `coming` others are about to. */
    hasRoomForWaited: (coming: number): boolean => {
      const since = performance.now() - HELD_UP_MS;
      const placed = [...inFlight, ...waiting].filter(({ hasWaited }) => hasWaited);
      const size = coming + placed.length;
      if (size >= Math.max(1, Math.floor(window / 2)) || waiting.size - urgentWaiting >= CAPACITY) return false;
      const isAtWork = coming > 0 || placed.some(({ placedAt }) => placedAt > since);
      return !isShared() || (!isAtWork && size <= MOST_HELD_UP);
    },
    waiting: (): LiveCommand[] => [...waiting],
    sizes: () => ({ waiting: waiting.size, flying: inFlight.size }),
  };
  return queue;
};
export type Queue = ReturnType<typeof createQueue>;

/** One queue for each game server that has commands. `windowOf`: how many may be in flight to a server now. */
export const createQueues = ({
  live,
  start,
  windowOf,
}: {
  live: LiveCommands;
  start: (command: LiveCommand) => void;
  windowOf: (address: Address) => number;
}) => {
  const queues = new Map<string, Queue>();

  const queueOf = (address: Address): Queue => {
    const key = addressOf(address.projectId, address.serverId);
    const found = queues.get(key);
    if (found !== undefined) return found;
    const queue = createQueue({ start, window: windowOf(address) });
    queues.set(key, queue);
    return queue;
  };
  const peek = ({ projectId, serverId }: Address): Queue | undefined => queues.get(addressOf(projectId, serverId));

  return {
    queueOf,
    /** Gives a command whose row is stored a place, and starts sending it if there is room. */
    take: (source: CommandSource, asker?: string): 'taken' | 'busy' => {
      if (live.hasPlace(source.id)) return 'taken';
      const command = live.open(source, { asker });
      const place = queueOf(source).admit(command, { direct: true });
      if (place === 'in flight') start(command);
      if (place !== 'busy') return 'taken';
      live.forgetIfIdle(command);
      return 'busy';
    },
    /** The queue if there is one; does not create it. */
    peek,
    waitingFor: (address: Address): LiveCommand[] => peek(address)?.waiting() ?? [],
    /** A socket has opened, with its window: sends waiting commands. */
    open: (address: Address): void => peek(address)?.open(windowOf(address)),
    requeue: (command: LiveCommand): void => queueOf(command).requeue(live.retain(command)),
    /** The socket has closed: commands in flight lose their place, because their rows keep them; waiting ones stay. */
    close: (address: Address): void => {
      const queue = peek(address);
      for (const command of queue?.close() ?? []) live.forgetIfIdle(command);
      if (queue?.sizes().waiting === 0) queues.delete(addressOf(address.projectId, address.serverId));
    },
    all: (): IterableIterator<Queue> => queues.values(),
    /** Drops queues with nothing to do: the next command makes another. */
    prune: (): void => {
      for (const [key, queue] of queues) {
        const { waiting, flying } = queue.sizes();
        if (waiting === 0 && flying === 0 && !queue.isShared()) queues.delete(key);
      }
    },
    totals: () => {
      const totals = { waiting: 0, flying: 0 };
      for (const queue of queues.values()) {
        const sizes = queue.sizes();
        totals.waiting += sizes.waiting;
        totals.flying += sizes.flying;
      }
      return totals;
    },
  };
};
export type Queues = ReturnType<typeof createQueues>;
