import type { WebhookHealth, WebhookRow } from '../../db/queries/webhooks.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The time after each failed attempt, as Standard Webhooks 1.0.0 proposes: ten attempts in 75 hours and 35 minutes. */
const DELAYS = [
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR],
  ...[10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
];
/** Up to this part of a delay is added, so that what failed together does not come back together. */
const JITTER = 0.1;
/** The longest time that a receiver can ask for with Retry-After. */
const MOST_ASKED = DAY;

/** So many failures in a row, and a webhook rests: then one attempt at a time follows the table. */
const REST_AFTER = 5;
/** A webhook that has failed for so long waits for a person. */
const TROUBLED_AFTER = 10 * MINUTE;
/** A webhook is switched off after this time without any success, if it has failed on at least two days. */
const OFF_AFTER = 5 * DAY;
const OFF_DAYS = 2;

/** The clock and chance, as tests set them. */
export type Chance = { now: number; random: () => number };

const spread = (delay: number, { random }: Chance): number => Math.round(delay * (1 + JITTER * random()));

/** The time until which a receiver wants to be left alone; null: it has not said so. Seconds, or a date. */
export const askedUntil = (retryAfter: string | undefined, now: number): number | null => {
  if (retryAfter === undefined) return null;
  const until = /^\d{1,9}$/.test(retryAfter) ? now + Number(retryAfter) * SECOND : Date.parse(retryAfter);
  return until > now ? Math.min(until, now + MOST_ASKED) : null;
};

/** When an event is sent again after so many failed attempts; null: they are used up. */
export const retryAt = (attempts: number, asked: number | null, chance: Chance): number | null => {
  const delay = DELAYS[attempts - 1];
  return delay === undefined ? null : Math.max(chance.now + spread(delay, chance), asked ?? 0);
};

/** A webhook that works. */
export const HEALTHY: WebhookHealth = {
  failures: 0,
  failingSince: null,
  failedDay: null,
  failedDays: 0,
  fault: null,
  restUntil: null,
};

/** Whether only one attempt at a time may be made. */
export const isProbing = ({ failures }: Pick<WebhookHealth, 'failures'>): boolean => failures >= REST_AFTER;

/**
 * Whether a person should look at a webhook: the hub has switched it off, it rests, or nothing has arrived for longer than
 * a receiver takes to restart. A quiet community has its fifth failure hours after the first one.
 */
export const isTroubled = (
  webhook: Pick<WebhookRow, 'failures' | 'failingSince' | 'off'>,
  now = Date.now(),
): boolean => {
  const { off, failingSince } = webhook;
  if (off !== null) return off !== 'paused';
  return isProbing(webhook) || (failingSince !== null && now - failingSince >= TROUBLED_AFTER);
};

/** A webhook after one more failure; `fault` says it in words. `isOver`: it is switched off. */
export const afterFailure = (
  health: WebhookHealth,
  { asked, fault }: { asked: number | null; fault: string | null },
  chance: Chance,
): { health: WebhookHealth; isOver: boolean } => {
  const { now } = chance;
  const failures = health.failures + 1;
  const failingSince = health.failingSince ?? now;
  const failedDay = Math.floor(now / DAY);
  const failedDays = health.failedDays + (failedDay === health.failedDay ? 0 : 1);
  // The table from its second delay on; after it, one attempt a day.
  const delay = failures < REST_AFTER ? null : (DELAYS[failures - REST_AFTER + 1] ?? DAY);
  const rest = delay === null ? null : now + spread(delay, chance);
  const restUntil = rest === null && asked === null ? null : Math.max(rest ?? 0, asked ?? 0);
  const isOver = now - failingSince >= OFF_AFTER && failedDays >= OFF_DAYS;
  return { health: { failures, failingSince, failedDay, failedDays, fault, restUntil }, isOver };
};
