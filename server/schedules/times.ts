import { Cron } from 'croner';
import type { When } from '../../db/schema/schedules.ts';
import { invalidField } from '../platform/errors.ts';

const parse = ({ cron, timeZone }: { cron: string; timeZone: string }): Cron =>
  new Cron(cron, { timezone: timeZone, paused: true, mode: '5-part' });

const isZone = (timeZone: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

/**
 * The next times after `after` (epoch milliseconds), at most `most`. A local time that does not exist in the night when
 * the clocks change is the next instant that does; one that comes twice is taken once.
 */
export const nextTimes = (when: When, after: number, most: number): number[] => {
  if ('before' in when) return [];
  if ('at' in when) {
    const at = Date.parse(when.at);
    return at > after ? [at] : [];
  }
  return parse(when)
    .nextRuns(most, new Date(after))
    .map((time) => time.getTime());
};

export const nextTime = (when: When, after: number): number | null => nextTimes(when, after, 1)[0] ?? null;

/** @throws HubError invalid_request: it never runs, or cannot be read */
export const assertTimes = (when: When, now: number): void => {
  if ('before' in when) return;
  if ('at' in when) {
    if (Date.parse(when.at) <= now) throw invalidField('/when/at', 'must be in the future');
    return;
  }
  if (!isZone(when.timeZone)) throw invalidField('/when/timeZone', 'must be a time zone such as Europe/Berlin');
  let next: number | null;
  try {
    next = nextTime(when, now);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalidField('/when/cron', `must have five parts such as 0 18 * * 5 (${reason.slice(0, 200)})`);
  }
  if (next === null) throw invalidField('/when/cron', 'never comes: there is no such date');
};
