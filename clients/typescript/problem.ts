import type { components } from './api-types.ts';

type Document = components['schemas']['Problem'];

/** A code of the hub's closed list; `docs/reference/errors.md` explains each. */
export type ErrorCode = Document['code'];

/** Fields that come with some codes only. */
type Fields = {
  insufficient_funds: Pick<Document, 'balance'>;
  inventory_full: Pick<Document, 'fits'>;
  too_heavy: Pick<Document, 'fits'>;
  not_enough_items: Pick<Document, 'count'>;
  waiting_full: Pick<Document, 'waiting'>;
  player_ambiguous: Pick<Document, 'players'>;
};
type Common = Omit<Document, 'code' | 'balance' | 'fits' | 'count' | 'waiting' | 'players'>;

/** The hub's error answer (RFC 9457), a union by `code`. A newer hub may send codes that this version does not know. */
export type Problem<C extends ErrorCode = ErrorCode> = {
  [K in C]: Common & { code: K } & (K extends keyof Fields ? Fields[K] : unknown);
}[C];

class ProblemError<C extends ErrorCode> extends Error {
  override readonly name = 'HubProblem';
  declare readonly code: C;
  declare readonly problem: Problem<C>;
  /** As long as this the hub wants no further request, milliseconds; 0: it does not say. */
  declare readonly retryAfterMs: number;

  constructor(problem: Problem<C>, retryAfterMs = 0) {
    super(`${problem.code}: ${problem.detail}`);
    this.code = problem.code as C;
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Thrown for the hub's error answer. `code` narrows `problem`. */
export type HubProblem = { [C in ErrorCode]: ProblemError<C> }[ErrorCode];
export const HubProblem = ProblemError as unknown as new (problem: Problem, retryAfterMs?: number) => HubProblem;

/**
 * Thrown when a request that pays nobody got no answer of a hub: `message` says why. Whether the hub has carried out a
 * change is not known.
 */
export class HubUnreachable extends Error {
  override readonly name = 'HubUnreachable';
}
