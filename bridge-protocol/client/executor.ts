import type { Journal, Outcome } from '../journal/journal.ts';
import { LIMITS } from '../wire/limits.ts';
import type { BridgeMessage, HubMessage, MessageOf } from '../wire/messages.ts';
import {
  boundOutcome,
  type Call,
  type Handlers,
  outcomeOf,
  rejected,
  resultMessage,
  unfinished,
  VOIDED,
} from './handlers.ts';
import type { Log } from './options.ts';
import { Lanes, type Task, Tasks } from './queue.ts';

/** Samples kept: about a minute of pings. */
const SAMPLES = 4;

type CommandMessage = MessageOf<HubMessage, 'command'>;

const isCall = (prepared: Call | Outcome): prepared is Call => 'run' in prepared;

/**
 * Carries commands out: each id at most once, per player in the order of arrival, and every answer from the journal
 * where the command needs one. It knows no socket: `send` may lose a message.
 */
export class Executor {
  readonly tasks: Tasks;
  isDraining = false;
  readonly #parts;
  readonly #lanes: Lanes;
  readonly #offsets: number[] = [];

  constructor(parts: {
    journal: Journal;
    handlers: Handlers;
    receivedWithinMs: number;
    now: () => number;
    send: (message: BridgeMessage) => void;
    log: Log;
  }) {
    this.#parts = parts;
    this.tasks = new Tasks({ ...parts, classOf: parts.handlers.classOf });
    this.#lanes = new Lanes(LIMITS.inFlight, (task) => {
      const work = this.#execute(task).finally(() => this.#lanes.done(task));
      this.#background(task.id, work);
    });
  }

  /** Takes a sample of the hub's clock. */
  heard(hubNow: number): void {
    this.#offsets.push(hubNow - this.#parts.now());
    if (this.#offsets.length > SAMPLES) this.#offsets.shift();
  }

  command(message: CommandMessage): void {
    if (this.#answerKnown(message)) return;
    if (this.tasks.size < LIMITS.openCommands) this.#begin(message);
    else this.#parts.send({ type: 'error', re: 'command', code: 'busy', message: `${message.id} is one too many.` });
  }

  /** Takes a command back if it has not started; one that runs is answered when it ends. */
  void(id: string): void {
    const task = this.tasks.get(id);
    if (task?.phase === 'queued') this.#background(id, this.tasks.end(task, VOIDED));
    else if (task !== undefined) this.tasks.confirm(id);
    else if (!this.#answerEnded(id)) this.#background(id, this.tasks.end(this.tasks.add({ id }), VOIDED));
  }

  async acknowledge(ids: readonly string[]): Promise<void> {
    await this.#parts.journal.acknowledge(ids);
  }

  /** Settles commands that an earlier process started and did not finish. */
  recover(): void {
    for (const entry of this.#parts.journal.open()) {
      if (entry.status === 'started') this.#background(entry.id, this.tasks.endLeftOver(entry));
    }
  }

  /** The results that the hub has not acknowledged, oldest first. */
  openResults(): BridgeMessage[] {
    return this.#parts.journal.open().flatMap((entry) => {
      const outcome = outcomeOf(entry);
      return outcome === undefined ? [] : [resultMessage(entry.id, outcome, entry.sequence)];
    });
  }

  /** Epoch milliseconds at the hub. */
  #now(): number {
    // Each sample arrives late, never early, so the largest difference of the last ones is the best. After a process slept,
    // it reads old frames; older samples are still right then.
    return this.#parts.now() + (this.#offsets.length === 0 ? 0 : Math.max(...this.#offsets));
  }

  #background(id: string, work: Promise<void>): void {
    work.catch((error: unknown) => this.#parts.log('error', `${id}: ${String(error)}`));
  }

  /** Runs nothing. False: the id is new. */
  #answerKnown({ id, fingerprint }: CommandMessage): boolean {
    const task = this.tasks.get(id);
    const known = task ?? this.tasks.recent(id) ?? this.#parts.journal.get(id);
    if (known === undefined) return false;
    if (known.fingerprint !== '' && known.fingerprint !== fingerprint) {
      this.tasks.answer(id, rejected('fingerprint_mismatch', 'The id belongs to another command.'));
    } else if (task !== undefined) this.tasks.confirm(id);
    else this.#answerEnded(id);
    return true;
  }

  /** False: neither this process nor an earlier one has begun it. */
  #answerEnded(id: string): boolean {
    const recent = this.tasks.recent(id);
    const entry = this.#parts.journal.get(id);
    if (recent !== undefined) this.tasks.answer(id, recent.outcome);
    else if (entry?.status === 'started') this.#background(id, this.tasks.endLeftOver(entry));
    else if (entry !== undefined) this.tasks.answerFrom(entry);
    return recent !== undefined || entry !== undefined;
  }

  #begin({ id, name, params, fingerprint, expiresAt }: CommandMessage): void {
    const prepared = this.#parts.handlers.prepare(name, params);
    if (!isCall(prepared)) {
      this.#background(id, this.tasks.refuse(this.tasks.add({ id, fingerprint }), prepared));
      return;
    }
    const { order: lane, urgent } = prepared;
    const task = this.tasks.add({ id, lane, urgent, fingerprint, expiresAt, call: prepared, phase: 'queued' });
    if (expiresAt <= this.#now()) this.#background(id, this.tasks.refuse(task, VOIDED));
    else if (this.isDraining) {
      const outcome = rejected('server_restarting', 'The game server is about to restart.');
      this.#background(id, this.tasks.refuse(task, outcome));
    } else {
      // A command that starts at once is reported when its start is in the journal.
      if (this.#lanes.isBusy(lane)) this.tasks.confirm(id);
      this.#lanes.add(task);
    }
  }

  async #execute(task: Task): Promise<void> {
    const { journal, log } = this.#parts;
    if (task.phase !== 'queued' || task.call === undefined) return;
    if (task.expiresAt <= this.#now()) return this.tasks.refuse(task, VOIDED);
    task.phase = 'running';
    if (!task.urgent) {
      try {
        const { name, params } = task.call;
        await journal.start(task.id, task.fingerprint, { name, params });
      } catch (error) {
        log('error', `The journal does not take ${task.id}: ${String(error)}`);
        const outcome = rejected('journal_unavailable', 'The journal of the bridge takes no writes.');
        return this.tasks.refuseStart(task, outcome);
      }
    }
    this.tasks.confirm(task.id);
    await this.tasks.end(task, await this.#call(task, task.call));
  }

  async #call({ id, fingerprint }: Task, { name, urgent, run }: Call): Promise<Outcome> {
    const { handlers, log } = this.#parts;
    try {
      const outcome = boundOutcome(name, await run({ id, fingerprint }));
      if (outcome !== undefined) return outcome;
      log('error', `The handler of ${name} did not answer with an outcome for ${id}.`);
    } catch (error) {
      log('error', `The handler of ${name} failed for ${id}: ${String(error)}`);
    }
    // No journal covers ephemeral or custom commands, so nothing proves that they were rolled back.
    return unfinished(urgent ? 'volatile' : handlers.classOf(name), `The handler of ${name} failed.`);
  }
}
