import { LIMITS } from '../wire/limits.ts';
import type { CommandError, JournalClass, OutcomeStatus } from '../wire/messages.ts';

/** The outcome of a command, as the journal stores it and `result` sends it. */
export type Outcome = {
  status: OutcomeStatus;
  data?: Record<string, unknown>;
  error?: CommandError;
};

/** A command that is about to take effect, by its name and its checked parameters. */
export type StartedCall = { name: string; params: unknown };

export type JournalEntry = {
  id: string;
  /** Empty for a tombstone: a `void` that came before its command. */
  fingerprint: string;
  /** The command's name, until it is settled. After a crash it decides the outcome; without it the outcome is unknown. */
  name?: string | undefined;
  status: 'started' | OutcomeStatus;
  /** The checked parameters, if the journal keeps them. */
  params?: unknown;
  /** Present once settled, until acknowledged; then only that of a refusal, with its code and nothing else. */
  outcome?: Outcome;
  /** The journal's sequence when the entry was last written. */
  sequence: number;
  /** Epoch milliseconds of the last write. */
  at: number;
  acknowledged: boolean;
};

/**
 * The durable list of executed command ids that a bridge keeps. Contract: what `start` and `settle` wrote survives a
 * crash of the process once they return (resolve); ids outlive their payload and stay for at least 14 days; `id` is
 * made with the journal and never changes; `sequence` never decreases. A write that fails throws, and then the
 * command must not take effect.
 */
export type Journal = {
  readonly class: JournalClass;
  readonly id: string;
  /** The sequence it had when it was opened, before anything that an earlier process had left was settled. */
  readonly openedAt: number;
  sequence(): number;
  get(id: string): JournalEntry | undefined;
  /**
   * Durable before the effect. A journal keeps the name of `call`, and may keep its parameters to resolve it after a
   * crash.
   */
  start(id: string, fingerprint: string, call?: StartedCall): void | Promise<void>;
  /** Durable before `result` is sent. Settling a settled id again throws. Returns the new sequence. */
  settle(id: string, outcome: Outcome): number | Promise<number>;
  /** The hub has the outcome: the payload may go. The id stays, and the code of a `rejected` or `failed`. */
  acknowledge(ids: readonly string[]): void | Promise<void>;
  /** Everything not acknowledged, oldest first. */
  open(): JournalEntry[];
  /** Closes files; the journal must not be used after. */
  close(): void | Promise<void>;
};

/** Interval at which ids past their retention are dropped. */
const PRUNE_EVERY_MS = 60 * 60 * 1000;

/** The part of an outcome that stays after its `ack`: a restored hub decides by the code of a refusal as before. */
const keptOf = ({ status, error }: Outcome): Outcome | undefined =>
  (status === 'rejected' || status === 'failed') && error !== undefined
    ? { status, error: { code: error.code, message: '' } }
    : undefined;

const byAge = (one: JournalEntry, other: JournalEntry): number => one.sequence - other.sequence;

/**
 * The content of a journal in memory: entries by id, and the sequence. It checks each entry before it is written; the
 * journals make the entries durable.
 */
export class JournalIndex {
  readonly #entries = new Map<string, JournalEntry>();
  readonly #now: () => number;
  #sequence = 0;
  #prunedAt: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#prunedAt = now();
  }

  get sequence(): number {
    return this.#sequence;
  }

  get entries(): ReadonlyMap<string, JournalEntry> {
    return this.#entries;
  }

  /** A sequence that was reached earlier; a lower one than now changes nothing. */
  reached(earlier: number): void {
    this.#sequence = Math.max(this.#sequence, earlier);
  }

  open(): JournalEntry[] {
    return [...this.#entries.values()].filter((entry) => !entry.acknowledged).sort(byAge);
  }

  put(entry: JournalEntry): void {
    this.#entries.set(entry.id, entry);
    this.reached(entry.sequence);
  }

  /** The entry that `start` is about to write. @throws Error when the id is known: a mistake of the caller */
  started(id: string, fingerprint: string, sequence: number, call?: StartedCall): JournalEntry {
    if (this.#entries.has(id)) throw new Error(`The command ${id} was started before.`);
    return { id, fingerprint, name: call?.name, status: 'started', sequence, at: this.#now(), acknowledged: false };
  }

  /** The entry that `settle` is about to write. @throws Error when the id is settled: a mistake of the caller */
  settled(id: string, outcome: Outcome, sequence: number): JournalEntry {
    const known = this.#entries.get(id);
    if (known !== undefined && known.status !== 'started') throw new Error(`The command ${id} is settled already.`);
    const fingerprint = known?.fingerprint ?? '';
    return { id, fingerprint, status: outcome.status, outcome, sequence, at: this.#now(), acknowledged: false };
  }

  /** Drops the payloads of settled ids, all but the codes of refusals; answers which of the ids changed. */
  acknowledge(ids: readonly string[]): string[] {
    return ids.filter((id) => {
      const entry = this.#entries.get(id);
      if (entry === undefined || entry.status === 'started' || entry.acknowledged) return false;
      const { outcome, ...rest } = entry;
      const kept = outcome && keptOf(outcome);
      this.#entries.set(id, { ...rest, ...(kept !== undefined && { outcome: kept }), acknowledged: true });
      return true;
    });
  }

  /** Forgets acknowledged ids past their retention; without `force` it looks at most once an hour. */
  prune({ force }: { force: boolean }): void {
    const now = this.#now();
    if (!force && now - this.#prunedAt < PRUNE_EVERY_MS) return;
    this.#prunedAt = now;
    for (const [id, entry] of this.#entries) {
      if (entry.acknowledged && entry.at < now - LIMITS.journalRetentionMs) this.#entries.delete(id);
    }
  }
}

/**
 * A journal that ends with its process: for tests, and for bridges without money. It is `volatile` unless the
 * caller says otherwise, because a restart forgets what was done. `id` is random unless given; `now` is in epoch
 * milliseconds.
 */
export const memoryJournal = ({
  class: journalClass = 'volatile',
  id = globalThis.crypto.randomUUID(),
  now = Date.now,
}: {
  class?: JournalClass;
  id?: string;
  now?: () => number;
} = {}): Journal => {
  const index = new JournalIndex(now);
  return {
    class: journalClass,
    id,
    openedAt: 0,
    sequence: () => index.sequence,
    get: (command) => index.entries.get(command),
    start: (command, fingerprint, call) => {
      index.prune({ force: false });
      index.put(index.started(command, fingerprint, index.sequence + 1, call));
    },
    settle: (command, outcome) => {
      index.put(index.settled(command, outcome, index.sequence + 1));
      return index.sequence;
    },
    acknowledge: (commands) => void index.acknowledge(commands),
    open: () => index.open(),
    close: () => {},
  };
};
