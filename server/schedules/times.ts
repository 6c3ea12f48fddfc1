import type { When } from '../../db/schema/schedules.ts';
import { invalidField } from '../platform/errors.ts';
import { Newest } from '../platform/windows.ts';

/** The values of the five parts of a cron expression. */
type Cron = {
  minutes: readonly number[];
  hours: readonly number[];
  days: ReadonlySet<number>;
  months: ReadonlySet<number>;
  weekdays: ReadonlySet<number>;
};

const PARTS = [
  { name: 'minute', least: 0, most: 59, range: '0 to 59' },
  { name: 'hour', least: 0, most: 23, range: '0 to 23' },
  { name: 'day of the month', least: 1, most: 31, range: '1 to 31' },
  { name: 'month', least: 1, most: 12, range: '1 to 12' },
  { name: 'weekday', least: 0, most: 7, range: '0 to 7 (0 and 7 are Sunday)' },
] as const;
const SHAPE = 'minute, hour, day of the month, month and weekday, such as 0 18 * * 5';
const ITEM = /^(?:(?<all>\*)|(?<first>\d{1,2})(?:-(?<last>\d{1,2}))?)(?:\/(?<step>\d{1,2}))?$/;
const DAYS_OF_MONTH = 31;
const WEEKDAYS = 7;

type Part = (typeof PARTS)[number];

/** The values of one item of a list; undefined: it cannot be read. */
const valuesOf = (item: string, { least, most }: Part): number[] | undefined => {
  const { all, first, last, step } = ITEM.exec(item)?.groups ?? {};
  if (all === undefined && first === undefined) return undefined;
  // A step needs a range: n/step means different things to different programs.
  if (step !== undefined && all === undefined && last === undefined) return undefined;
  const from = all === undefined ? Number(first) : least;
  const to = all === undefined ? Number(last ?? first) : most;
  const by = Number(step ?? 1);
  if (from < least || to > most || from > to || by < 1 || by > most - least + 1) return undefined;
  return Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, n) => from + n * by);
};

const readPart = (text: string, part: Part): number[] | undefined => {
  const lists = text.split(',').map((item) => valuesOf(item, part));
  const values = lists.flatMap((list) => list ?? []);
  return lists.includes(undefined) ? undefined : [...new Set(values)].toSorted((a, b) => a - b);
};

/**
 * Reads a cron expression: each part is `*`, `n`, `a-b`, `*` or `a-b` with a step, or a list of these. Other cron
 * programs know more (names, `@daily`, `L`, `W`, `#`, `?`); the answer is then a sentence that says what is wrong.
 */
const readCron = (text: string): Cron | string => {
  const given = text.trim().split(/\s+/);
  if (given.length !== PARTS.length) return `must have five parts: ${SHAPE}`;
  const read = PARTS.map((part, place) => readPart(given[place] ?? '', part));
  const wrong = read.indexOf(undefined);
  if (wrong !== -1) {
    const { name, range } = PARTS[wrong] as Part;
    return `has a wrong ${name} (part ${wrong + 1}): it must be ${range}, *, a list such as 1,5, a range such as 1-5, or */10`;
  }
  const [minutes = [], hours = [], days, months, weekdays] = read;
  return {
    minutes,
    hours,
    days: new Set(days),
    months: new Set(months),
    weekdays: new Set(weekdays?.map((day) => day % WEEKDAYS)),
  };
};

/** Whether a date counts, given as epoch milliseconds of UTC. If day and weekday are both restricted, either counts. */
const isOn = ({ days, months, weekdays }: Cron, date: number): boolean => {
  const at = new Date(date);
  if (!months.has(at.getUTCMonth() + 1)) return false;
  const [isDay, isWeekday] = [days.has(at.getUTCDate()), weekdays.has(at.getUTCDay())];
  const isEither = days.size < DAYS_OF_MONTH && weekdays.size < WEEKDAYS;
  return isEither ? isDay || isWeekday : isDay && isWeekday;
};

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** There are about 600 zones; callers can also send thousands of offsets, such as +05:17. */
const MAX_FORMATS = 1_000;

const formats = new Newest<Intl.DateTimeFormat>(MAX_FORMATS);

const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const numeric = 'numeric';
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  });
  formats.set(timeZone, made);
  return made;
};

/** Whether this is the name of a time zone. */
const isZone = (timeZone: string): boolean => {
  try {
    return formatOf(timeZone).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

/** The local time that a zone shows at an instant (epoch milliseconds), written as if it were UTC. */
const shownAt = (timeZone: string, at: number): number => {
  const shown = /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)$/.exec(formatOf(timeZone).format(at));
  const [, month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = (shown ?? []).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
};

const offsetAt = (timeZone: string, at: number): number => shownAt(timeZone, at) - at;

/** The first minute after `from`, at the latest `to`, at which the zone has another offset than at `from`. */
const changeBetween = (timeZone: string, from: number, to: number): number => {
  const before = offsetAt(timeZone, from);
  let [low, high] = [from, to];
  while (high - low > MINUTE_MS) {
    const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
    if (offsetAt(timeZone, middle) === before) low = middle;
    else high = middle;
  }
  return high;
};

/**
 * The first instant that shows a local time, which is written as if it were UTC. If the clock skips it, the first
 * instant after the gap.
 */
const firstInstantOf = (timeZone: string, local: number): number => {
  // No zone is a day from UTC, so one instant is before every change that concerns this time, and one after it.
  const [before, after] = [local - DAY_MS, local + DAY_MS];
  const [early, late] = [offsetAt(timeZone, before), offsetAt(timeZone, after)];
  if (early === late || offsetAt(timeZone, local - early) === early) return local - early;
  if (offsetAt(timeZone, local - late) === late) return local - late;
  return changeBetween(timeZone, before, after);
};

const HOUR_MS = 3_600_000;
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
