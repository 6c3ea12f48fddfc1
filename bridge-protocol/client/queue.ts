import type { Journal, JournalEntry, Outcome } from '../journal/journal.ts';
import type { BridgeMessage } from '../wire/messages.ts';
import { Sleepers } from './connection.ts';
import { type Call, type Handlers, leftOver, outcomeOf, resultMessage } from './handlers.ts';
import type { Log } from './options.ts';

/** A received command that has not ended. `ending`: its outcome is certain and is being written into the journal. */
export type Task = {
  readonly id: string;
  /** Tasks of one lane run one after another. */
  readonly lane: string;
  /** Ephemeral: it needs no journal, and no room in the window. */
  readonly urgent: boolean;
  /** Empty for a `void`, which has none. */
  readonly fingerprint: string;
  readonly expiresAt: number;
  readonly call: Call | undefined;
  phase: 'queued' | 'running' | 'ending';
};

/**
 * First in, first out per lane, one at a time in each; lanes do not wait for one another. At most `window` tasks
 * that are not urgent run at once: the lane that became ready first goes first.
 */
export class Lanes {
  readonly #window: number;
  readonly #run: (task: Task) => void;
  readonly #lanes = new Map<string, Task[]>();
  readonly #ready: Task[] = [];
  #inWindow = 0;

  constructor(window: number, run: (task: Task) => void) {
    this.#window = window;
    this.#run = run;
  }

  /** Whether a task of the lane would have to wait for another one. */
  isBusy(lane: string): boolean {
    return this.#lanes.has(lane);
  }

  add(task: Task): void {
    const lane = this.#lanes.get(task.lane);
    if (lane !== undefined) lane.push(task);
    else {
      this.#lanes.set(task.lane, [task]);
      this.#offer(task);
    }
  }

  /** A task that was run has ended: its lane goes on. */
  done(task: Task): void {
    if (!task.urgent) this.#inWindow -= 1;
    const lane = this.#lanes.get(task.lane) ?? [];
    lane.shift();
    const next = lane[0];
    if (next === undefined) this.#lanes.delete(task.lane);
    else this.#offer(next);
    this.#beginReady();
  }

  #offer(task: Task): void {
    if (task.urgent) this.#begin(task);
    else {
      this.#ready.push(task);
      this.#beginReady();
    }
  }

  #beginReady(): void {
    while (this.#inWindow < this.#window) {
      const next = this.#ready.shift();
      if (next === undefined) return;
      this.#begin(next);
    }
  }

  #begin(task: Task): void {
    if (!task.urgent) this.#inWindow += 1;
    this.#run(task);
  }
}

const IDS_PER_FRAME = 1024;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 30_000;
/** The newest answers that are in no journal: a command that comes twice is answered and not run again. */
const ANSWERS = 4096;

/** The id of a round of a command that waited. */
const isRound = (id: string): boolean => /\.\d+$/.test(id);

const ENDING = {
  lane: '',
  urgent: false,
  fingerprint: '',
  expiresAt: 0,
  call: undefined,
  phase: 'ending',
} as const;

/**
 * The commands that have not ended, and how they end: first in the journal (an ephemeral one in memory), then as a
 * `result`. A `result` that is lost with its connection is sent again after the next welcome.
 */
export class Tasks {
  readonly #parts;
  readonly #tasks = new Map<string, Task>();
  readonly #received = new Set<string>();
  #reporting: ReturnType<typeof setTimeout> | undefined;
  readonly #recent = new Map<string, { fingerprint: string; outcome: Outcome }>();
  readonly #retries = new Sleepers();
  readonly #idle = new Sleepers();
  #isClosed = false;

  constructor(parts: {
    journal: Journal;
    classOf: Handlers['classOf'];
    receivedWithinMs: number;
    send: (message: BridgeMessage) => void;
    log: Log;
  }) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#tasks.size;
  }

  get(id: string): Task | undefined {
    return this.#tasks.get(id);
  }

  add(task: Partial<Task> & { id: string }): Task {
    const added: Task = { ...ENDING, ...task };
    this.#tasks.set(added.id, added);
    return added;
  }

  recent(id: string): { fingerprint: string; outcome: Outcome } | undefined {
    return this.#recent.get(id);
  }

  /** Reports soon that the command was received. */
  confirm(id: string): void {
    this.#received.add(id);
    if (this.#received.size >= IDS_PER_FRAME) this.#report();
    else this.#reporting ??= setTimeout(() => this.#report(), this.#parts.receivedWithinMs);
  }

  /** Drops what was collected for a connection that has ended. */
  leave(): void {
    this.#received.clear();
    clearTimeout(this.#reporting);
    this.#reporting = undefined;
  }

  answer(id: string, outcome: Outcome, sequence?: number): void {
    // A result confirms its command, too.
    this.#received.delete(id);
    this.#parts.send(resultMessage(id, outcome, sequence));
  }

  answerFrom(entry: JournalEntry): void {
    const outcome = outcomeOf(entry);
    if (outcome !== undefined) this.answer(entry.id, outcome, entry.sequence);
  }

  /** Ends a task whose outcome must not be lost. */
  async end(task: Task, outcome: Outcome): Promise<void> {
    task.phase = 'ending';
    if (task.urgent) return this.#endInMemory(task, outcome);
    const entry = await this.#settle(task.id, outcome);
    this.#forget(task.id);
    if (entry !== undefined) this.answerFrom(entry);
  }

  /** Ends a task that never began; durably if that is possible, so that a late re-delivery is answered alike. */
  async refuse(task: Task, outcome: Outcome): Promise<void> {
    // It waits for the journal: a restored hub may send this round again, and it must not be carried out then.
    if (isRound(task.id)) return this.end(task, outcome);
    task.phase = 'ending';
    if (task.urgent) return this.#endInMemory(task, outcome);
    try {
      const entry = await this.#settleOnce(task.id, outcome);
      this.#forget(task.id);
      this.answerFrom(entry);
    } catch (error) {
      this.#parts.log('error', `The refusal of ${task.id} is not in the journal: ${String(error)}`);
      this.#endInMemory(task, outcome);
    }
  }

  /** Ends a task whose start the journal did not take. */
  async refuseStart(task: Task, outcome: Outcome): Promise<void> {
    if (isRound(task.id)) return this.end(task, outcome);
    this.#endInMemory(task, outcome);
  }

  /** Ends a task that an earlier process started; it never runs again. */
  endLeftOver({ id, fingerprint, name = '' }: JournalEntry): Promise<void> {
    return this.end(this.add({ id, fingerprint }), leftOver(this.#parts.classOf(name)));
  }

  /** Resolves when every task has ended, at the latest after `withinMs`. */
  async idle(withinMs: number): Promise<void> {
    if (this.#tasks.size > 0) await this.#idle.sleep(withinMs);
  }

  /** Gives up on outcomes that the journal does not take; the next process finds them `started`. */
  close(): void {
    this.#isClosed = true;
    this.#retries.wake();
  }

  #report(): void {
    const ids = [...this.#received];
    this.leave();
    if (ids.length > 0) this.#parts.send({ type: 'received', ids });
  }

  #forget(id: string): void {
    this.#tasks.delete(id);
    if (this.#tasks.size === 0) this.#idle.wake();
  }

  #endInMemory({ id, fingerprint }: Task, outcome: Outcome): void {
    this.#recent.set(id, { fingerprint, outcome });
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > ANSWERS && oldest !== undefined) this.#recent.delete(oldest);
    this.#forget(id);
    this.answer(id, outcome);
  }

  /** Undefined: the bridge was closed before the journal took the outcome. */
  async #settle(id: string, outcome: Outcome): Promise<JournalEntry | undefined> {
    // It does not give up: an effect that has happened must not be forgotten because the disk was full for a minute.
    for (let delayMs = FIRST_RETRY_MS; !this.#isClosed; delayMs = Math.min(delayMs * 2, LAST_RETRY_MS)) {
      try {
        return await this.#settleOnce(id, outcome);
      } catch (error) {
        const { log } = this.#parts;
        log('error', `The outcome of ${id} (${outcome.status}) is not in the journal yet: ${String(error)}`);
      }
      if (!this.#isClosed) await this.#retries.sleep(delayMs);
    }
    return undefined;
  }

  async #settleOnce(id: string, outcome: Outcome): Promise<JournalEntry> {
    const { journal } = this.#parts;
    const before = journal.get(id);
    // An atomic handler has settled it in its own transaction.
    if (before !== undefined && before.status !== 'started') return before;
    await journal.settle(id, outcome);
    const settled = journal.get(id);
    if (settled === undefined) throw new Error('the entry is not there after it was written');
    return settled;
  }
}
