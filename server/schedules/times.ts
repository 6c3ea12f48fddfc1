import type { When } from '../../db/schema/schedules.ts';
import { invalidField } from '../platform/errors.ts';
import { type Cron, isOn, readCron } from './cron.ts';
import { firstInstantOf, isZone, shownAt } from './zones.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Clocks change at a quarter of an hour of UTC. */
const QUARTER_MS = 900_000;
const HOURS_OF_DAY = 24;
/** The 29th of February is missing for at most this long. */
const SEARCHED_MS = 8 * 366 * DAY_MS;
const SHOWN_TIMES = 5;

/** The dates that count from a local time on, as if they were UTC. */
const datesFrom = function* (cron: Cron, from: number): Generator<number> {
  const end = from + SEARCHED_MS;
  for (let date = from - (from % DAY_MS); date <= end; date += DAY_MS) if (isOn(cron, date)) yield date;
};

/** Each local time once, at its first instant. */
const onceEach = function* (cron: Cron, timeZone: string, after: number): Generator<number> {
  const shown = shownAt(timeZone, after);
  let last = after;
  for (const date of datesFrom(cron, shown)) {
    for (const hour of cron.hours) {
      for (const minute of cron.minutes) {
        const local = date + hour * HOUR_MS + minute * MINUTE_MS;
        // Times that the clock shows before this one are over, also where it was set back.
        if (local <= shown) continue;
        const at = firstInstantOf(timeZone, local);
        if (at <= last) continue;
        last = at;
        yield at;
      }
    }
  }
};

/** Every instant that shows one of the minutes, on the dates that count. */
const whenShown = function* (cron: Cron, timeZone: string, after: number): Generator<number> {
  const minutes = new Set(cron.minutes);
  const end = after + SEARCHED_MS;
  let quarter = after - (after % QUARTER_MS);
  while (quarter <= end) {
    const shown = shownAt(timeZone, quarter);
    for (let ms = 0; ms < QUARTER_MS; ms += MINUTE_MS) {
      const local = shown + ms;
      const isShown = minutes.has(new Date(local).getUTCMinutes()) && isOn(cron, local);
      if (isShown && quarter + ms > after) yield quarter + ms;
    }
    const { value: date = Infinity } = datesFrom(cron, shown + QUARTER_MS).next();
    // No zone is a day ahead of UTC.
    quarter = Math.max(quarter + QUARTER_MS, date - DAY_MS);
  }
};

/**
 * The planned times after `after` (epoch milliseconds), in their order. If a cron expression names hours, each local
 * time counts once; a time that the clock skips counts at the first instant after the gap. With every hour of the day, it
 * is each instant that shows the minute. @throws HubError invalid_request
 */
const timesAfter = function* (when: When, after: number): Generator<number> {
  if ('before' in when) return;
  if ('at' in when) {
    const at = Date.parse(when.at);
    if (at > after) yield at;
    return;
  }
  const cron = readCron(when.cron);
  if (typeof cron === 'string') throw invalidField('/when/cron', cron);
  if (!isZone(when.timeZone)) throw invalidField('/when/timeZone', `this hub does not know ${when.timeZone}`);
  yield* (cron.hours.length < HOURS_OF_DAY ? onceEach : whenShown)(cron, when.timeZone, after);
};

/** The next planned times, at most `most`. */
export const nextTimes = (when: When, after: number, most = SHOWN_TIMES): number[] => {
  const times: number[] = [];
  for (const at of timesAfter(when, after)) if (times.push(at) >= most) break;
  return times;
};

/** The next planned times as a schedule stores them. */
export const planFrom = (when: When, after: number): { nextAt: number | null; nextTimes: number[] } => {
  const times = nextTimes(when, after);
  return { nextAt: times[0] ?? null, nextTimes: times };
};

/** The plan after the planned time `from`, of which `known` are the times from `from` on. */
export const planAfter = (when: When, from: number, known: readonly number[] | null): ReturnType<typeof planFrom> => {
  const [first, ...rest] = known ?? [];
  const last = rest.at(-1);
  if (first !== from || last === undefined) return planFrom(when, from);
  const times = [...rest, ...nextTimes(when, last, SHOWN_TIMES - rest.length)];
  return { nextAt: times[0] ?? null, nextTimes: times };
};

/** A new plan of a schedule that runs. A planned time that has come, and that no hub has looked at yet, stays the first. */
export const planKept = (
  { nextAt, paused }: { nextAt: number | null; paused: boolean },
  plan: ReturnType<typeof planFrom>,
  now: number,
): ReturnType<typeof planFrom> =>
  paused || nextAt === null || nextAt > now
    ? plan
    : { nextAt, nextTimes: [nextAt, ...plan.nextTimes].slice(0, SHOWN_TIMES) };

/** The last planned time up to `to`, where `first` is a planned time, too. */
export const lastTime = (when: When, first: number, to: number): number => {
  for (let span = HOUR_MS; ; span *= HOURS_OF_DAY) {
    const from = Math.max(first, to - span);
    let last: number | undefined;
    for (const at of timesAfter(when, from)) {
      if (at > to) break;
      last = at;
    }
    if (last !== undefined || from === first) return last ?? first;
  }
};

/** `hint`: what to do about a time that has passed. @throws HubError invalid_request: it never runs, or cannot be read */
export const assertTimes = (when: When, now: number, hint = ''): void => {
  if ('before' in when) return;
  if ('at' in when) {
    if (Date.parse(when.at) <= now) throw invalidField('/when/at', `must be in the future${hint}`);
    return;
  }
  // An offset has no summer time.
  if (/^[+-]/.test(when.timeZone) || !isZone(when.timeZone))
    throw invalidField('/when/timeZone', 'must be the name of a time zone, such as Europe/Berlin or UTC');
  if (nextTimes(when, now, 1).length === 0)
    throw invalidField('/when/cron', 'never comes within 8 years. Choose a day that the month has');
};
