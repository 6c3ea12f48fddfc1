import type { Rule } from '../judges/rules.ts';
import type { Check } from './check.ts';
import { CRASH_CHECKS } from './crash.ts';
import { CUSTOM_CHECKS } from './custom.ts';
import { CUSTOM_CRASH_CHECKS } from './custom-crash.ts';
import { DRAIN_CHECKS } from './drain.ts';
import { EXPIRY_CHECKS } from './expiry.ts';
import { FAREWELL_CHECKS } from './farewell.ts';
import { JOURNAL_CHECKS } from './journal.ts';
import { MONEY_CHECKS } from './money.ts';
import { ORDER_CHECKS } from './order.ts';
import { RECONNECT_CHECKS } from './reconnect.ts';
import { REFUSAL_CHECKS } from './refusals.ts';
import { SESSION_CHECKS } from './session.ts';
import { SLOW_CHECKS } from './slow.ts';
import { UNREADABLE_CHECKS } from './unreadable.ts';

/** Without these there is nobody to talk to, and nobody to give money to. */
const OPENING = SESSION_CHECKS.slice(0, 2);
/** Who never comes through this is not there. */
export const GREETING: Check | undefined = SESSION_CHECKS[0];
/** The first money that is given and taken; where that does not work, no other money check would. */
export const PAYING: Check | undefined = MONEY_CHECKS[0];

/** All but the last checks, in the order they are tried; afterwards balances are as they were. */
const BEFORE: readonly Check[] = [
  ...SESSION_CHECKS,
  ...MONEY_CHECKS,
  ...JOURNAL_CHECKS,
  ...REFUSAL_CHECKS,
  ...CUSTOM_CHECKS,
  ...ORDER_CHECKS,
  ...EXPIRY_CHECKS,
  ...RECONNECT_CHECKS,
  ...DRAIN_CHECKS,
  ...SLOW_CHECKS,
  ...CRASH_CHECKS,
  ...CUSTOM_CRASH_CHECKS,
  ...UNREADABLE_CHECKS,
];

/** The checks to try: all, or those about some rules with what they build on. */
export const chooseChecks = (only: readonly Rule[] | undefined): { before: Check[]; last: Check[] } => {
  const isWanted = (check: Check): boolean =>
    only === undefined || [...check.rules, ...(check.shows ?? [])].some((rule) => only.includes(rule));
  const last = FAREWELL_CHECKS.filter(isWanted);
  const wanted = [...BEFORE, ...last].filter(isWanted);
  const isPaid = wanted.some(({ needs, isAnew }) => needs?.includes('money') || (needs?.includes('run') && !isAnew));
  const isNeeded = (check: Check): boolean => OPENING.includes(check) || (isPaid && check === PAYING);
  return { before: BEFORE.filter((check) => isWanted(check) || isNeeded(check)), last };
};
