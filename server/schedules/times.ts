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

const PARTS = [
  ['minute', '0 to 59'],
  ['hour', '0 to 23'],
  ['day of the month', '1 to 31'],
  ['month', '1 to 12'],
  ['weekday', '0 (Sunday) to 6'],
] as const;
const SHAPE = 'minute, hour, day of the month, month and weekday, such as 0 18 * * 5';

const canBeRead = (cron: string): boolean => {
  try {
    parse({ cron, timeZone: 'UTC' });
    return true;
  } catch {
    return false;
  }
};

/** Why a cron expression cannot be read. */
const cronFault = (cron: string): string => {
  const given = cron.trim().split(/\s+/);
  if (given.length !== PARTS.length) return `must have five parts: ${SHAPE}`;
  for (const [place, [name, range]] of PARTS.entries()) {
    const alone = PARTS.map((_, other) => (other === place ? given[place] : '*')).join(' ');
    if (canBeRead(alone)) continue;
    return `has a wrong ${name} (part ${place + 1}): it must be ${range}, *, a list such as 1,5, a range such as 1-5, or */10`;
  }
  return `must have five parts that fit together: ${SHAPE}`;
};

/** @throws HubError invalid_request: it never runs, or cannot be read */
export const assertTimes = (when: When, now: number): void => {
  if ('before' in when) return;
  if ('at' in when) {
    if (Date.parse(when.at) <= now) throw invalidField('/when/at', 'must be in the future');
    return;
  }
  if (!isZone(when.timeZone))
    throw invalidField('/when/timeZone', 'must be the name of a time zone, such as Europe/Berlin or UTC');
  if (!canBeRead(when.cron)) throw invalidField('/when/cron', cronFault(when.cron));
  const next = nextTime(when, now);
  if (next === null)
    throw invalidField('/when/cron', 'never comes: there is no such date. Choose a day that the month has');
};
