import { addressOf } from '../cluster/router.ts';
import type { LiveCommand, LiveCommands } from './command.ts';

/** Urgent commands and the others are counted apart: messages to many players must not keep payments out. */
const CAPACITY = 256;

/** After a single command, others are expected for so long: commands that have waited leave room for them. */
const SHARED_FOR_MS = 1_000;

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
    command.queue = queue;
  };

  const fly = (command: LiveCommand): void => {
    inFlight.add(command);
    busyOrders.set(command.order, command);
    if (command.isUrgent) urgentInFlight += 1;
    command.place = 'in flight';
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
    /** Puts a command that an earlier socket carried back into flight; the window does not count against it. */
    resume: (command: LiveCommand): void => {
      leaveWaiting(command);
      fly(command);
    },
    pump,
    /** No socket was open when the command was to be sent: it goes back to the head of the queue. */
    requeue: (command: LiveCommand): void => {
      leaveFlight(command);
      const others = [...waiting];
      waiting.clear();
      urgentWaiting = 0;
      for (const each of [command, ...others]) enqueue(each);
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
    /** Whether a single command came in the last second, or has not ended. */
    isShared: (): boolean =>
      performance.now() < sharedUntil || [...inFlight, ...waiting].some(({ hasWaited }) => !hasWaited),
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
