import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { ShopLineRow } from '../../db/queries/shop-lines.ts';
import { executedOf } from '../commands/run.ts';
import { ERRORS, HubError } from '../platform/errors.ts';

const LEAST_PAUSE_MS = 2_000;
export const LONGEST_PAUSE_MS = 5 * 60 * 1000;
/** A player who is away is looked for this often; an event makes it sooner. */
const AWAY_MS = 60 * 60 * 1000;

const isRetryable = (code: string): boolean =>
  Object.hasOwn(ERRORS, code) && ERRORS[code as keyof typeof ERRORS].retryable;

/** The reason if an error is one of the moment: the work is tried again. */
export const passingReason = (error: unknown): string | undefined => {
  if (error instanceof HubError) {
    return isRetryable(error.code) || error.code === 'server_disabled' ? error.code : undefined;
  }
  return error instanceof Error && error.name === 'DatabaseError' ? 'store_unavailable' : undefined;
};

/** The reason if a command ended without effect for a reason of the moment: another one may take its place. */
export const passingEnd = ({ status, error }: CommandRow): string | undefined => {
  if (executedOf(status) !== 'no' || error === null) return undefined;
  return isRetryable(error.code) ? error.code : undefined;
};

/** The pause before the next try, in whole milliseconds: the older a line is, the longer. */
export const pauseOf = ({ createdAt }: Pick<ShopLineRow, 'createdAt'>, reason: string, at: number): number => {
  if (reason === 'player_offline') return AWAY_MS;
  return Math.min(LONGEST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, Math.floor((at - createdAt) / 2)));
};
