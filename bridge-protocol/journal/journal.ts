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
