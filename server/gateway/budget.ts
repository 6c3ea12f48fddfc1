import type { Connection } from './connection.ts';

/** Bytes of frames that one connection may send per second, on average. */
const BYTES_PER_SECOND = 4 * 1_048_576;
const BURST_BYTES = 16 * 1_048_576;
/** Milliseconds per second that the hub spends on frames of one connection, on average; and the largest burst. */
const PARSE_MS_PER_SECOND = 200;
const BURST_PARSE_MS = 200;
/** Milliseconds before the event loop serves other connections. */
const TURN_PARSE_MS = 5;

/**
 * Limits the frames of one bridge, because they take time from all others. `bytesPaidAt` and `parsePaidAt` are the times
 * at which the connection's frames would fit its rates; their distance from now is its debt.
 */
export type Budget = Pick<Connection, 'bytesPaidAt' | 'parsePaidAt' | 'overBudgetSince'>;

const BURST_BYTES_MS = (BURST_BYTES / BYTES_PER_SECOND) * 1_000;
const BURST_PARSE_WAIT_MS = (BURST_PARSE_MS / PARSE_MS_PER_SECOND) * 1_000;
const TURN_PARSE_WAIT_MS = (TURN_PARSE_MS / PARSE_MS_PER_SECOND) * 1_000;

/** The debt as a share of the burst. Over 1, the connection is not read. */
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

/** The time since which the connection is over its rates; undefined once half of its burst is free again. */
export const overBudgetSince = (budget: Budget, at: number): number | undefined => {
  if (budget.overBudgetSince !== undefined && debtOf(budget, at) <= 0.5) budget.overBudgetSince = undefined;
  return budget.overBudgetSince;
};
