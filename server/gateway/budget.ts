import type { Connection } from './connection.ts';

/** Bytes of frames that one connection may send in a second, on average. */
const BYTES_PER_SECOND = 4 * 1_048_576;
const BURST_BYTES = 16 * 1_048_576;
/** Time that the hub spends on reading the frames of one connection in a second, on average, and at once. */
const PARSE_MS_PER_SECOND = 200;
const BURST_PARSE_MS = 200;
/** Time that it gets before the event loop turns to the other connections. */
const TURN_PARSE_MS = 5;

/**
 * Frames of one bridge cost the time of all others. `bytesPaidAt` and `parsePaidAt` are the moments at which all of the
 * connection's frames so far would fit its rates; how far they lie ahead is its debt.
 */
export type Budget = Pick<Connection, 'bytesPaidAt' | 'parsePaidAt' | 'overBudgetSince'>;

const BURST_BYTES_MS = (BURST_BYTES / BYTES_PER_SECOND) * 1_000;
const BURST_PARSE_WAIT_MS = (BURST_PARSE_MS / PARSE_MS_PER_SECOND) * 1_000;
const TURN_PARSE_WAIT_MS = (TURN_PARSE_MS / PARSE_MS_PER_SECOND) * 1_000;

/** The debt as a share of the burst: over 1 the connection is not read. */
const debtOf = ({ bytesPaidAt, parsePaidAt }: Budget, at: number): number =>
  Math.max((bytesPaidAt - at) / BURST_BYTES_MS, (parsePaidAt - at) / BURST_PARSE_WAIT_MS);

/** True if the hub must not read the connection now. */
export const isOverBudget = (budget: Budget, at: number): boolean => debtOf(budget, at) > 1;

/** True if the hub must serve other connections before it reads this one again. */
export const isTurnOver = ({ parsePaidAt }: Budget, at: number): boolean => parsePaidAt - at > TURN_PARSE_WAIT_MS;

/** Books one frame. `at`: now. True: the connection is over its budget. */
export const spend = (budget: Budget, bytes: number, parseMs: number, at: number): boolean => {
  budget.bytesPaidAt = Math.max(budget.bytesPaidAt, at) + (bytes / BYTES_PER_SECOND) * 1_000;
  budget.parsePaidAt = Math.max(budget.parsePaidAt, at) + (parseMs / PARSE_MS_PER_SECOND) * 1_000;
  if (!isOverBudget(budget, at)) return false;
  budget.overBudgetSince ??= at;
  return true;
};

/** Since when the connection has sent more than its rates allow; undefined once half of its burst is free again. */
export const overBudgetSince = (budget: Budget, at: number): number | undefined => {
  if (budget.overBudgetSince !== undefined && debtOf(budget, at) <= 0.5) budget.overBudgetSince = undefined;
  return budget.overBudgetSince;
};
