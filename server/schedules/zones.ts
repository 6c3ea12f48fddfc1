const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** There are about 600 zones; callers can also send thousands of offsets, such as +05:17. */
const MAX_FORMATS = 1_000;

const formats = new Map<string, Intl.DateTimeFormat>();

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
  if (formats.size >= MAX_FORMATS) formats.clear();
  formats.set(timeZone, made);
  return made;
};

/** Whether this is the name of a time zone. */
export const isZone = (timeZone: string): boolean => {
  try {
    return formatOf(timeZone).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

/** The local time that a zone shows at an instant (epoch milliseconds), written as if it were UTC. */
export const shownAt = (timeZone: string, at: number): number => {
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
export const firstInstantOf = (timeZone: string, local: number): number => {
  // No zone is a day from UTC, so one instant is before every change that concerns this time, and one after it.
  const [before, after] = [local - DAY_MS, local + DAY_MS];
  const [early, late] = [offsetAt(timeZone, before), offsetAt(timeZone, after)];
  if (early === late || offsetAt(timeZone, local - early) === early) return local - early;
  if (offsetAt(timeZone, local - late) === late) return local - late;
  return changeBetween(timeZone, before, after);
};
