import type { Rule } from '../judges/rules.ts';
import type { Check } from './check.ts';
import { CRASH_CHECKS } from './crash.ts';
import { CUSTOM_CHECKS } from './custom.ts';
import { CUSTOM_CRASH_CHECKS } from './custom-crash.ts';
import { DRAIN_CHECKS } from './drain.ts';
import { EXPIRY_CHECKS } from './expiry.ts';
import { FAREWELL_CHECKS } from './farewell.ts';
import { ITEM_CHECKS } from './items.ts';
import { JOB_CHECKS } from './job.ts';
import { JOURNAL_CHECKS } from './journal.ts';
import { MONEY_CHECKS } from './money.ts';
import { ORDER_CHECKS } from './order.ts';
import { PLAYABLE_CHECKS } from './playable.ts';
import { RECONNECT_CHECKS } from './reconnect.ts';
import { REFUSAL_CHECKS } from './refusals.ts';
import { CRASH_ROUND_CHECKS, ROUND_CHECKS } from './rounds.ts';
import { SESSION_CHECKS } from './session.ts';
import { SLOW_CHECKS } from './slow.ts';
import { STAFF_CHECKS } from './staff.ts';
import { UNREADABLE_CHECKS } from './unreadable.ts';
import { VEHICLE_CHECKS } from './vehicles.ts';

/** Without these checks there is no connection, and no player to pay. */
const OPENING = SESSION_CHECKS.slice(0, 2);
/** A bridge that never passes this check is not connected. */
export const GREETING: Check | undefined = SESSION_CHECKS[0];
/** The first payment and withdrawal; if it fails, no other money check can pass. */
export const PAYING: Check | undefined = MONEY_CHECKS[0];

/** All checks except the last ones, in their order; they leave the balances unchanged. */
const BEFORE: readonly Check[] = [
  ...SESSION_CHECKS,
  ...MONEY_CHECKS,
  ...JOURNAL_CHECKS,
  ...REFUSAL_CHECKS,
  ...ITEM_CHECKS,
  ...VEHICLE_CHECKS,
  ...JOB_CHECKS,
  ...STAFF_CHECKS,
  ...CUSTOM_CHECKS,
  ...ROUND_CHECKS,
  ...ORDER_CHECKS,
  ...EXPIRY_CHECKS,
  ...RECONNECT_CHECKS,
  ...PLAYABLE_CHECKS,
  ...DRAIN_CHECKS,
  ...SLOW_CHECKS,
  ...CRASH_CHECKS,
  ...CRASH_ROUND_CHECKS,
  ...CUSTOM_CRASH_CHECKS,
  ...UNREADABLE_CHECKS,
];

/** The chosen checks: all, or those for some rules with the checks that they depend on. */
export const chooseChecks = (only: readonly Rule[] | undefined): { before: Check[]; last: Check[] } => {
  const isWanted = (check: Check): boolean =>
    only === undefined || [...check.rules, ...(check.shows ?? [])].some((rule) => only.includes(rule));
  const last = FAREWELL_CHECKS.filter(isWanted);
  const wanted = [...BEFORE, ...last].filter(isWanted);
  const isPaid = wanted.some(({ needs, isAnew }) => needs?.includes('money') || (needs?.includes('run') && !isAnew));
  const isNeeded = (check: Check): boolean => OPENING.includes(check) || (isPaid && check === PAYING);
  return { before: BEFORE.filter((check) => isWanted(check) || isNeeded(check)), last };
};
