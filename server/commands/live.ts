import { LIMITS, orderKey } from '../../bridge-protocol/index.ts';
import { asAsked } from '../../db/queries/commands/ends.ts';
import type { CommandRow } from '../../db/queries/commands/read.ts';
import type { Inserted } from '../../db/queries/commands/transitions.ts';
import { isSettled } from '../../db/schema/commands.ts';
import type { Store } from '../../db/store.ts';
import type { Session } from '../cluster/router.ts';
import { notStored } from '../platform/errors.ts';
import { isExactlyOnce } from './catalogue.ts';
import { wireIdOf } from './outcome.ts';

/** The columns of a row that a live command is made of. */
export type CommandSource = Pick<
  CommandRow,
  'id' | 'projectId' | 'serverId' | 'name' | 'target' | 'expiresAt' | 'round' | 'undoes'
>;

type Caller = {
  /** By `performance.now()`: setting the clock must neither end a wait nor prolong it. */
  deadline: number;
  resolve: (row: CommandRow | undefined) => void;
  reject: (error: unknown) => void;
};

/** The slot of a command: its position in a queue, with what is true only there. Times are by `performance.now()`. */
type Slot = {
  readonly queue: {
    leave: (command: LiveCommand) => void;
    /** The next one of its order that was queued before it. */
    ahead: (command: LiveCommand) => LiveCommand | undefined;
  };
  readonly since: number;
};
type State =
  | { readonly is: 'unplaced' }
  | ({ readonly is: 'queued' } & Slot)
  | ({
      readonly is: 'inFlight';
      /** When its frame was handed to the socket. */
      sentAt: number | undefined;
      /** Whether the bridge has confirmed the frame. */
      isReceived: boolean;
      /** Whether the sweep has found it after its deadline. */
      isOverdue: boolean;
      /** Whether an earlier session had sent it. */
      readonly isResumed: boolean;
    } & Slot);

const UNPLACED: State = { is: 'unplaced' };

/**
 * A command that this node is busy with. It has two independent parts: a slot in the queue of its game server, and
 * callers that wait for its outcome. It is forgotten when it has neither.
 *
 * | event | slot | callers | row |
 * | --- | --- | --- | --- |
 * | request, room in the window | unplaced → inFlight | wait | inserted as `dispatched` before the first byte |
 * | request, no room or no waiting caller | unplaced → queued | wait, if they want to | inserted as `accepted`, or later by the sweep, or as `dispatched` when it is sent |
 * | start of the hub (`restore`) | unplaced → queued | none | was `accepted` |
 * | welcome of the bridge (`resume`) | unplaced → inFlight | go on waiting | `dispatched`: the new session takes it over |
 * | another node asks (`take`) | unplaced → queued or inFlight | wait at that node | was inserted by that node |
 * | found without a slot (`take`) | unplaced → queued or inFlight | go on waiting | was `accepted` |
 * | start of sending | queued → inFlight | go on waiting | `accepted` → `dispatched` before the first byte |
 * | start of sending, and the session has gone or is not the latest | inFlight → queued, at the head | go on waiting | stays |
 * | outcome | inFlight → unplaced | get the row | settled |
 * | expired, voided, withdrawn | queued or inFlight → unplaced | get the row | settled |
 * | insert failed | queued or inFlight → unplaced | get the error | absent, or unknown |
 * | idempotency conflict | queued or inFlight → unplaced | wait for the earlier command | of the earlier command |
 * | disconnect, sent | inFlight → unplaced | go on waiting | stays `dispatched` |
 * | disconnect, about to be sent | inFlight → inFlight, until its row tells who sends it | go on waiting | stays, or voided |
 * | disconnect, not sent | queued → queued | go on waiting | stays; inserted, if another node holds the bridge now, which sends it |
 */
export class LiveCommand {
  readonly id: string;
  readonly projectId: string;
  readonly serverId: string;
  readonly name: string;
  /** Commands of one order leave first in, first out, one at a time, except those that a reconnect resumes. */
  readonly order: string;
  /** Commands without a journal, such as kicks, have a window of their own: money never delays them. */
  readonly isUrgent: boolean;
  /** Whether it has waited for its server or player: then single commands go first. */
  readonly hasWaited: boolean;
  /** Whether the database gave no answer when the row was marked as dispatched: it may be marked, and is not sent. */
  isMarkUnknown = false;
  /** Whether its bridge is being asked by the former ids of the command: a `void` of its own id proves nothing yet. */
  isLookedFor = false;
  #wireId: string;
  #expiresAt: number;
  #asker: string | undefined = undefined;
  #draft: CommandRow | undefined = undefined;
  #inserting: Promise<Inserted> | undefined = undefined;
  #dispatched: CommandRow | undefined = undefined;
  #callers: Caller[] = [];
  #state = UNPLACED;

  constructor(source: CommandSource) {
    const { id, projectId, serverId, name, target, expiresAt, round } = source;
    this.id = id;
    this.projectId = projectId;
    this.serverId = serverId;
    this.name = name;
    this.order = orderKey(name, target);
    this.isUrgent = !isExactlyOnce(name);
    this.hasWaited = round !== null;
    this.#wireId = wireIdOf(source);
    this.#expiresAt = expiresAt;
  }

  /** The id at the bridge; each round has another. */
  get wireId(): string {
    return this.#wireId;
  }

  /** Epoch milliseconds after which it must not be sent. */
  get expiresAt(): number {
    return this.#expiresAt;
  }

  /** The node that waits for its outcome, if it is another one. */
  get asker(): string | undefined {
    return this.#asker;
  }

  /** The row that this node inserts, and kept afterwards; undefined: it was in the database. */
  get draft(): CommandRow | undefined {
    return this.#draft;
  }

  /** The insert, once it has begun. */
  get inserting(): Promise<Inserted> | undefined {
    return this.#inserting;
  }

  /** True if its row is not in the database and no insert has begun. */
  get isUnwritten(): boolean {
    return this.#draft !== undefined && this.#inserting === undefined;
  }

  /** The row as it was dispatched, once its frame was sent; it stays when the slot is lost. */
  get dispatched(): CommandRow | undefined {
    return this.#dispatched;
  }

  get state(): Readonly<State> {
    return this.#state;
  }

  get isAwaited(): boolean {
    return this.#callers.length > 0;
  }

  /** It begins again, with a row to insert (`draft`) or with one in the database. Slot and callers stay. */
  renew(source: CommandSource, { draft, asker }: { draft?: CommandRow; asker?: string | undefined }): void {
    this.#wireId = wireIdOf(source);
    this.#expiresAt = source.expiresAt;
    this.#asker = asker;
    this.#draft = draft;
    // An insert that has begun is still what its callers wait for.
    if (draft !== undefined) this.#inserting = undefined;
    this.#dispatched = undefined;
    this.isMarkUnknown = false;
    this.isLookedFor = false;
  }

  /** The insert of its row has begun. */
  insert(inserting: Promise<Inserted>): void {
    this.#inserting = inserting;
  }

  enqueue(queue: Slot['queue']): void {
    this.#state = { is: 'queued', queue, since: performance.now() };
  }

  /** It takes room in the window: its frame is sent next, unless an earlier session has sent it. */
  fly(queue: Slot['queue'], { isResumed }: { isResumed: boolean }): void {
    const since = performance.now();
    this.#state = { is: 'inFlight', queue, since, sentAt: undefined, isReceived: false, isOverdue: false, isResumed };
  }

  /** Whether its row is being marked, so that it is not known yet whether it will be sent. */
  get isStarting(): boolean {
    const { state } = this;
    return state.is === 'inFlight' && state.sentAt === undefined && !state.isResumed;
  }

  /** Its frame was handed to the socket. */
  sent(row: CommandRow): void {
    this.#dispatched = row;
    if (this.#state.is === 'inFlight') this.#state.sentAt = performance.now();
  }

  /** The first of the former ids by which its bridge is still to be asked; undefined: there is none any more. */
  lookFor([former]: readonly string[]): string | undefined {
    this.isLookedFor = former !== undefined;
    return former;
  }

  /** Its bridge has confirmed the frame. */
  received(): void {
    if (this.#state.is === 'inFlight') this.#state.isReceived = true;
  }

  /** Whether it is in flight past its deadline; true only once, and not while its row is being inserted. */
  becomesOverdue(at: number): boolean {
    const state = this.#state;
    if (state.is !== 'inFlight' || state.isOverdue || this.#expiresAt > at) return false;
    if (this.#draft !== undefined && this.#dispatched === undefined) return false;
    state.isOverdue = true;
    return true;
  }

  /** It has ended, its bridge has gone, or this node does not send it. */
  leave(): void {
    this.#state = UNPLACED;
  }

  addCaller(caller: Caller): void {
    this.#callers.push(caller);
  }

  /** Removes and returns all callers, or those that meet a condition. */
  takeCallers(isTaken?: (caller: Caller) => boolean): Caller[] {
    const callers = this.#callers;
    this.#callers = isTaken === undefined ? [] : callers.filter((caller) => !isTaken(caller));
    return isTaken === undefined ? callers : callers.filter(isTaken);
  }
}

/** The row of a command that is sent in this session, at this time (epoch milliseconds). */
const dispatchedIn = (draft: CommandRow, { id: sessionId, epoch, journalId }: Session, at: number): CommandRow => ({
  ...draft,
  status: 'dispatched',
  attempts: 1,
  dispatchedAt: at,
  sessionId,
  epoch,
  journalId,
});

/** The commands that this node is busy with, by their id. */
export class LiveCommands {
  readonly #store: Pick<Store, 'commands'>;
  readonly #commands = new Map<string, LiveCommand>();
  #callers = 0;
  #restoredAt: number | undefined = undefined;

  constructor({ store }: { store: Pick<Store, 'commands'> }) {
    this.#store = store;
  }

  find(id: string): LiveCommand | undefined {
    return this.#commands.get(id);
  }

  hasSlot(id: string): boolean {
    const command = this.#commands.get(id);
    return command !== undefined && command.state.is !== 'unplaced';
  }

  /** The live command of this id, about to get a slot. Callers that wait for it stay. */
  open(source: CommandSource, given: { draft?: CommandRow; asker?: string | undefined } = {}): LiveCommand {
    const command = this.#findOrMake(source);
    command.renew(source, given);
    return command;
  }

  /** Remembers a command again that lost its slot, unless the same command has come back. */
  retain(command: LiveCommand): LiveCommand {
    const known = this.#commands.get(command.id) ?? command;
    this.#commands.set(command.id, known);
    return known;
  }

  /** Forgets a command that has neither a slot nor callers. */
  forgetIfIdle(command: LiveCommand): void {
    if (command.state.is === 'unplaced' && !command.isAwaited) this.#commands.delete(command.id);
  }

  /** The command has ended, or will not be sent: frees its slot. */
  release(id: string): void {
    const command = this.#commands.get(id);
    if (command === undefined || command.state.is === 'unplaced') return;
    command.state.queue.leave(command);
    this.forgetIfIdle(command);
  }

  /**
   * Inserts its row, unless that has begun: as dispatched where it is `sent` next, or else as accepted.
   * @throws HubError store_unavailable
   */
  store(command: LiveCommand, draft: CommandRow, sent?: { session: Session; at: number }): Promise<Inserted> {
    if (command.inserting !== undefined) return command.inserting;
    const inserting =
      sent === undefined
        ? this.#insertInOrder(command, draft)
        : this.insert(dispatchedIn(draft, sent.session, sent.at));
    command.insert(inserting);
    inserting.catch((error: unknown) => {
      for (const caller of this.#takeCallers(draft.id)) caller.reject(error);
    });
    return inserting;
  }

  /** Inserts a row of which nobody waits for the insert alone. @throws HubError store_unavailable */
  async insert(row: CommandRow): Promise<Inserted> {
    try {
      return await this.#store.commands.insert(this.#marked(row), { durable: isExactlyOnce(row.name) });
    } catch (error) {
      this.release(row.id);
      throw notStored(error);
    }
  }

  /** Waits for the outcome: the settled row, or undefined when `waitMs` is over first. */
  wait(source: CommandSource, waitMs: number): Promise<CommandRow | undefined> {
    return new Promise((resolve, reject) => {
      this.#findOrMake(source).addCaller({ deadline: performance.now() + waitMs, resolve, reject });
      this.#callers += 1;
    });
  }

  /** The command has settled. */
  wake(row: CommandRow): void {
    for (const caller of this.#takeCallers(row.id)) caller.resolve(row);
  }

  /** The command was discarded: its callers read its row. */
  drop(id: string): void {
    for (const caller of this.#takeCallers(id)) caller.resolve(undefined);
  }

  /** Ends the waits that are over; with `all`, every one. One sweep for all: a timer for each caller would cost more. */
  sweepCallers({ all = false }: { all?: boolean } = {}): void {
    const at = performance.now();
    for (const command of this.#commands.values()) {
      const over = command.takeCallers(({ deadline }) => all || deadline <= at);
      if (over.length === 0) continue;
      this.#callers -= over.length;
      this.forgetIfIdle(command);
      for (const caller of over) caller.resolve(undefined);
    }
  }

  /** The ids of the commands that callers or a queue wait for. */
  unsettled(): string[] {
    return [...this.#commands.values()]
      .filter(({ state, isAwaited }) => state.is === 'queued' || isAwaited)
      .map(({ id }) => id);
  }

  sizes(): { callers: number; live: number } {
    return { callers: this.#callers, live: this.#commands.size };
  }

  /** The database was restored at this time: for 14 days, bridges may know more of a key than the hub. */
  restored(at: number): void {
    this.#restoredAt = at;
  }

  /**
   * A command whose id comes from a key, its own or that of its batch, may be one that the bridge has carried out, and that
   * a restored database has forgotten.
   */
  mayBeForgotten({
    idempotencyKey,
    batchId,
    name,
    createdAt,
  }: Pick<CommandRow, 'idempotencyKey' | 'batchId' | 'name' | 'createdAt'>): boolean {
    const hasKey = idempotencyKey !== null || batchId !== null;
    if (this.#restoredAt === undefined || !hasKey || !isExactlyOnce(name)) return false;
    return createdAt < this.#restoredAt + LIMITS.journalRetentionMs;
  }

  /** Inserts those of its order that were queued before it first: the next process sends them in the order of their rows. */
  async #insertInOrder(command: LiveCommand, draft: CommandRow): Promise<Inserted> {
    const { state } = command;
    const ahead = state.is === 'queued' ? state.queue.ahead(command) : undefined;
    if (ahead?.draft !== undefined) await this.store(ahead, ahead.draft).catch(() => undefined);
    return this.insert(draft);
  }

  #findOrMake(source: CommandSource): LiveCommand {
    const known = this.#commands.get(source.id);
    if (known !== undefined) return known;
    const command = new LiveCommand(source);
    this.#commands.set(source.id, command);
    return command;
  }

  #takeCallers(id: string): Caller[] {
    const command = this.#commands.get(id);
    if (command === undefined) return [];
    const callers = command.takeCallers();
    this.#callers -= callers.length;
    this.forgetIfIdle(command);
    return callers;
  }

  /** A restored database may have forgotten that the bridge ran it: even a refusal is stored as a question to the bridge. */
  #marked(row: CommandRow): CommandRow {
    if (this.#restoredAt === undefined || !this.mayBeForgotten(row)) return row;
    const restored = { ...row, restoredAt: this.#restoredAt };
    return isSettled(row.status) ? asAsked(restored) : restored;
  }
}
