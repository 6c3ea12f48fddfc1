import { type Address, addressOf } from '../cluster/router.ts';
import type { CommandSource, LiveCommand, LiveCommands } from './live.ts';

/** Urgent commands and the others are counted apart: messages to many players must not keep payments out. */
const CAPACITY = 256;

/** After a single command, others are expected for so long. Meanwhile one delivery younger than HELD_UP_MS may be out. */
const SHARED_FOR_MS = 1_000;
/** A delivery that takes longer may wait for something else than the game's processor. So many hold no others up. */
const HELD_UP_MS = 250;
const MOST_HELD_UP = 4;

/**
 * The commands that are queued for one game server and those in flight to it. At most `window` are in flight; each order is
 * first in, first out, and holds up no other order. Urgent commands have a window of their own. It outlives the socket:
 * commands that were not sent wait for the next one.
 */
class Queue {
  readonly #start: (command: LiveCommand) => void;
  readonly #queued = new Set<LiveCommand>();
  readonly #inFlight = new Set<LiveCommand>();
  readonly #busyOrders = new Map<string, LiveCommand>();
  #window: number;
  #urgentInFlight = 0;
  #urgentQueued = 0;
  #sharedUntil = 0;

  /** `start`: begins to send a command that has got its slot in the window. */
  constructor({ start, window }: { start: (command: LiveCommand) => void; window: number }) {
    this.#start = start;
    this.#window = window;
  }

  /** Gives it a slot in the window at once, or in the queue. Nothing is started by this call. */
  admit(command: LiveCommand, { direct }: { direct: boolean }): 'inFlight' | 'queued' | 'busy' {
    if (!command.hasWaited) this.#sharedUntil = performance.now() + SHARED_FOR_MS;
    if (direct && !this.#isBehind(command) && this.#hasRoom(command)) {
      this.#fly(command);
      return 'inFlight';
    }
    if ((command.isUrgent ? this.#urgentQueued : this.#queued.size - this.#urgentQueued) >= CAPACITY) return 'busy';
    this.append(command);
    return 'queued';
  }

  /** Puts a command that an earlier socket carried back into flight, even if the window is full. */
  resume(command: LiveCommand): void {
    this.#leaveQueue(command);
    this.#fly(command, { isResumed: true });
  }

  /** Starts the commands whose turn has come. */
  pump(): void {
    if (this.#window === 0 || this.#queued.size === 0) return;
    const passed = new Set<string>();
    for (const command of this.#queued) {
      if (this.#isFull()) return;
      if (passed.has(command.order)) continue;
      passed.add(command.order);
      if (!this.#hasRoom(command)) continue;
      this.#leaveQueue(command);
      this.#fly(command);
      this.#start(command);
    }
  }

  /** Puts a command that is stored behind all others, however many these are. */
  append(command: LiveCommand): void {
    this.#queued.add(command);
    if (command.isUrgent) this.#urgentQueued += 1;
    command.enqueue(this);
  }

  /** It could not be sent, for example because no socket is open: it goes to the head, because it was the first. */
  requeue(command: LiveCommand): void {
    this.#leaveFlight(command);
    this.#leaveQueue(command);
    this.append(command);
    for (const each of [...this.#queued]) if (each !== command && this.#queued.delete(each)) this.#queued.add(each);
  }

  /** The command has ended, or was never sent: a queued command takes its room in the window. */
  leave(command: LiveCommand): void {
    this.#leaveFlight(command);
    this.#leaveQueue(command);
    command.leave();
    this.pump();
  }

  /** A socket has opened, with its window: sends queued commands. */
  open(window: number): void {
    this.#window = window;
    this.pump();
  }

  /**
   * The socket has closed: what it has sent is not in flight any more, and is returned. What is being marked keeps its slot
   * until its row tells: the next command of its order must not overtake it in the next session.
   */
  close(): LiveCommand[] {
    const lost = [...this.#inFlight].filter(({ isStarting }) => !isStarting);
    this.#window = 0;
    for (const command of lost) {
      this.#leaveFlight(command);
      command.leave();
    }
    return lost;
  }

  /** The time at which the oldest unconfirmed frame was sent. */
  unconfirmedSince(): number | undefined {
    for (const { state } of this.#inFlight)
      if (state.is === 'inFlight' && state.sentAt !== undefined && !state.isReceived) return state.sentAt;
    return undefined;
  }

  /** Commands in flight past their deadline; each one is returned once. */
  overdue(at: number): LiveCommand[] {
    return [...this.#inFlight].filter((command) => command.becomesOverdue(at));
  }

  /** Whether a single command came in the last second, or has not ended. */
  isShared(): boolean {
    return performance.now() < this.#sharedUntil || this.#all().some(({ hasWaited }) => !hasWaited);
  }

  /** Whether one more command that has waited may come, while `coming` others are about to. */
  hasRoomForWaited(coming: number): boolean {
    const before = performance.now() - HELD_UP_MS;
    const waited = this.#all().filter(({ hasWaited }) => hasWaited);
    const size = coming + waited.length;
    if (size >= Math.max(1, Math.floor(this.#window / 2))) return false;
    if (this.#queued.size - this.#urgentQueued >= CAPACITY) return false;
    const isAtWork = coming > 0 || waited.some(({ state }) => state.is !== 'unplaced' && state.since > before);
    return !this.isShared() || (!isAtWork && size <= MOST_HELD_UP);
  }

  /** The next one of its order that was queued before it. */
  ahead(command: LiveCommand): LiveCommand | undefined {
    let last: LiveCommand | undefined;
    for (const other of this.#queued) {
      if (other === command) return last;
      if (other.order === command.order) last = other;
    }
    return undefined;
  }

  queued(): LiveCommand[] {
    return [...this.#queued];
  }

  sizes(): { queued: number; inFlight: number } {
    return { queued: this.#queued.size, inFlight: this.#inFlight.size };
  }

  #all(): LiveCommand[] {
    return [...this.#inFlight, ...this.#queued];
  }

  #hasRoom({ order, isUrgent }: LiveCommand): boolean {
    const flying = isUrgent ? this.#urgentInFlight : this.#inFlight.size - this.#urgentInFlight;
    return flying < this.#window && !this.#busyOrders.has(order);
  }

  /** True if no queued command could start. */
  #isFull(): boolean {
    return (
      (this.#urgentQueued === 0 || this.#urgentInFlight >= this.#window) &&
      (this.#queued.size === this.#urgentQueued || this.#inFlight.size - this.#urgentInFlight >= this.#window)
    );
  }

  #isBehind({ order }: LiveCommand): boolean {
    for (const other of this.#queued) if (other.order === order) return true;
    return false;
  }

  #fly(command: LiveCommand, { isResumed = false } = {}): void {
    this.#leaveFlight(command);
    this.#inFlight.add(command);
    this.#busyOrders.set(command.order, command);
    if (command.isUrgent) this.#urgentInFlight += 1;
    command.fly(this, { isResumed });
  }

  #leaveQueue(command: LiveCommand): void {
    if (this.#queued.delete(command) && command.isUrgent) this.#urgentQueued -= 1;
  }

  #leaveFlight(command: LiveCommand): void {
    if (!this.#inFlight.delete(command)) return;
    if (command.isUrgent) this.#urgentInFlight -= 1;
    if (this.#busyOrders.get(command.order) === command) this.#busyOrders.delete(command.order);
  }
}

/** One queue for each game server that has commands. */
export class Queues {
  readonly #live: LiveCommands;
  readonly #start: (command: LiveCommand) => void;
  readonly #windowOf: (address: Address) => number;
  readonly #queues = new Map<string, Queue>();

  /** `windowOf`: how many may be in flight to a server now. */
  constructor(given: {
    live: LiveCommands;
    start: (command: LiveCommand) => void;
    windowOf: (address: Address) => number;
  }) {
    this.#live = given.live;
    this.#start = given.start;
    this.#windowOf = given.windowOf;
  }

  queueOf(address: Address): Queue {
    const key = addressOf(address.projectId, address.serverId);
    const found = this.#queues.get(key);
    if (found !== undefined) return found;
    const queue = new Queue({ start: this.#start, window: this.#windowOf(address) });
    this.#queues.set(key, queue);
    return queue;
  }

  /** The queue if there is one; does not create it. */
  peek({ projectId, serverId }: Address): Queue | undefined {
    return this.#queues.get(addressOf(projectId, serverId));
  }

  /** Gives a command whose row is stored a slot, and starts sending it if there is room. */
  take(source: CommandSource, asker?: string): 'taken' | 'busy' {
    if (this.#live.hasSlot(source.id)) return 'taken';
    const command = this.#live.open(source, { asker });
    const slot = this.queueOf(source).admit(command, { direct: true });
    if (slot === 'inFlight') this.#start(command);
    if (slot !== 'busy') return 'taken';
    this.#live.forgetIfIdle(command);
    return 'busy';
  }

  queuedFor(address: Address): LiveCommand[] {
    return this.peek(address)?.queued() ?? [];
  }

  /** A socket has opened, with its window: sends queued commands. */
  open(address: Address): void {
    this.peek(address)?.open(this.#windowOf(address));
  }

  requeue(command: LiveCommand): void {
    this.queueOf(command).requeue(this.#live.retain(command));
  }

  /** The socket has closed: commands in flight lose their slot, because their rows keep them; queued ones stay. */
  close(address: Address): void {
    const queue = this.peek(address);
    for (const command of queue?.close() ?? []) this.#live.forgetIfIdle(command);
  }

  all(): IterableIterator<Queue> {
    return this.#queues.values();
  }

  /** Drops queues with nothing to do: the next command makes another. */
  prune(): void {
    for (const [key, queue] of this.#queues) {
      const { queued, inFlight } = queue.sizes();
      if (queued === 0 && inFlight === 0 && !queue.isShared()) this.#queues.delete(key);
    }
  }

  totals(): { queued: number; inFlight: number } {
    const totals = { queued: 0, inFlight: 0 };
    for (const queue of this.#queues.values()) {
      const { queued, inFlight } = queue.sizes();
      totals.queued += queued;
      totals.inFlight += inFlight;
    }
    return totals;
  }
}
