import { describe, expect, it } from 'vitest';
import { lastTime, nextTimes, planAfter, planFrom } from '../../../server/schedules/times.ts';

const timesFrom = (cron: string, timeZone: string, from: string, count: number): string[] =>
  nextTimes({ cron, timeZone }, Date.parse(from), count).map((time) => new Date(time).toISOString().slice(0, 16));

/** The zone, what happens there, an expression, and its next times from an instant on. */
const CASES: [zone: string, what: string, cron: string, from: string, times: string[]][] = [
  // 2026-03-29 02:00 +01 becomes 03:00 +02, and 2026-10-25 03:00 +02 becomes 02:00 +01.
  ['Europe/Berlin', 'a skipped time', '30 2 * * *', '2026-03-28T12:00Z', ['2026-03-29T01:00', '2026-03-30T00:30']],
  ['Europe/Berlin', 'a repeated time', '30 2 * * *', '2026-10-24T12:00Z', ['2026-10-25T00:30', '2026-10-26T01:30']],
  [
    'Europe/Berlin',
    'a repeated time among others',
    '0 2,14 * * *',
    '2026-10-24T20:00Z',
    ['2026-10-25T00:00', '2026-10-25T13:00', '2026-10-26T01:00'],
  ],
  [
    'Europe/Berlin',
    'a skipped time among others',
    '0 2,14 * * *',
    '2026-03-28T20:00Z',
    ['2026-03-29T01:00', '2026-03-29T12:00', '2026-03-30T00:00'],
  ],
  [
    'Europe/Berlin',
    'two skipped times, which fall on one instant',
    '15,45 2 * * *',
    '2026-03-28T20:00Z',
    ['2026-03-29T01:00', '2026-03-30T00:15', '2026-03-30T00:45'],
  ],
  [
    'Europe/Berlin',
    'two repeated times',
    '15,45 2 * * *',
    '2026-10-24T20:00Z',
    ['2026-10-25T00:15', '2026-10-25T00:45', '2026-10-26T01:15'],
  ],
  [
    'Europe/Berlin',
    'a skipped time and the next one on one instant',
    '0 2,3 * * *',
    '2026-03-28T20:00Z',
    ['2026-03-29T01:00', '2026-03-30T00:00', '2026-03-30T01:00'],
  ],
  [
    'Europe/Berlin',
    'every second hour in autumn',
    '0 */2 * * *',
    '2026-10-24T21:00Z',
    ['2026-10-24T22:00', '2026-10-25T00:00', '2026-10-25T03:00', '2026-10-25T05:00'],
  ],
  [
    'Europe/Berlin',
    'every hour in autumn',
    '0 * * * *',
    '2026-10-24T23:30Z',
    ['2026-10-25T00:00', '2026-10-25T01:00', '2026-10-25T02:00'],
  ],
  [
    'Europe/Berlin',
    'every hour in spring',
    '30 0-23 * * *',
    '2026-03-29T00:00Z',
    ['2026-03-29T00:30', '2026-03-29T01:30', '2026-03-29T02:30'],
  ],
  // 2026-03-08 02:00 -05 becomes 03:00 -04, and 2026-11-01 02:00 -04 becomes 01:00 -05.
  [
    'America/New_York',
    'a repeated time among others',
    '0 1,13 * * *',
    '2026-10-31T20:00Z',
    ['2026-11-01T05:00', '2026-11-01T18:00', '2026-11-02T06:00'],
  ],
  ['America/New_York', 'a skipped time', '59 2 * * *', '2026-03-07T20:00Z', ['2026-03-08T07:00', '2026-03-09T06:59']],
  // 2026-09-06 00:00 -04 becomes 01:00 -03, and 2026-04-05 00:00 -03 becomes 2026-04-04 23:00 -04.
  [
    'America/Santiago',
    'a skipped midnight',
    '0 0 * * *',
    '2026-09-05T12:00Z',
    ['2026-09-06T04:00', '2026-09-07T03:00'],
  ],
  [
    'America/Santiago',
    'a skipped midnight among others',
    '30 0,12 * * *',
    '2026-09-05T20:00Z',
    ['2026-09-06T04:00', '2026-09-06T15:30', '2026-09-07T03:30'],
  ],
  [
    'America/Santiago',
    'a repeated hour before midnight',
    '30 23 * * *',
    '2026-04-04T12:00Z',
    ['2026-04-05T02:30', '2026-04-06T03:30'],
  ],
  // 2026-10-04 02:00 +10:30 becomes 02:30 +11, and 2026-04-05 02:00 +11 becomes 01:30 +10:30.
  [
    'Australia/Lord_Howe',
    'half an hour that is skipped',
    '15 2 * * *',
    '2026-10-03T12:00Z',
    ['2026-10-03T15:30', '2026-10-04T15:15'],
  ],
  [
    'Australia/Lord_Howe',
    'half an hour that is repeated',
    '45 1 * * *',
    '2026-04-04T12:00Z',
    ['2026-04-04T14:45', '2026-04-05T15:15'],
  ],
  [
    'Australia/Lord_Howe',
    'every hour while half an hour is repeated',
    '45 * * * *',
    '2026-04-04T14:00Z',
    ['2026-04-04T14:45', '2026-04-04T15:15', '2026-04-04T16:15'],
  ],
  [
    'Australia/Lord_Howe',
    'every hour while half an hour is skipped',
    '15 * * * *',
    '2026-10-03T14:30Z',
    ['2026-10-03T14:45', '2026-10-03T16:15'],
  ],
  // The 30th of December 2011 was left out: 2011-12-30T10:00Z showed the 31st, 00:00.
  [
    'Pacific/Apia',
    'a day that is left out',
    '0 9 * * *',
    '2011-12-29T00:00Z',
    ['2011-12-29T19:00', '2011-12-30T10:00', '2011-12-30T19:00'],
  ],
  [
    'Pacific/Apia',
    'only the day that is left out',
    '0 9 30 12 *',
    '2011-12-29T00:00Z',
    ['2011-12-30T10:00', '2012-12-29T19:00'],
  ],
  ['Pacific/Apia', 'every hour of it', '0 * 30 12 *', '2011-12-29T00:00Z', ['2012-12-29T10:00', '2012-12-29T11:00']],
  // Either of day and weekday counts where both are restricted.
  ['UTC', 'a day or a weekday', '0 0 13 * 5', '2026-11-10T00:00Z', ['2026-11-13T00:00', '2026-11-20T00:00']],
  ['UTC', 'a weekday', '0 0 * * 7', '2026-11-27T00:00Z', ['2026-11-29T00:00', '2026-12-06T00:00']],
  ['UTC', 'a range with a step', '0 9-17/4 * * 1-5', '2026-11-27T10:00Z', ['2026-11-27T13:00', '2026-11-27T17:00']],
  ['UTC', 'the 29th of February', '0 0 29 2 *', '2096-03-01T00:00Z', ['2104-02-29T00:00']],
];

it.each(CASES)('%s: %s, %s', (timeZone, _what, cron, from, times) => {
  expect(timesFrom(cron, timeZone, from, times.length)).toEqual(times);
});

it('an instant comes once', () => {
  const when = { at: '2026-12-01T00:00:00Z' };
  expect(nextTimes(when, Date.parse('2026-11-30T00:00:00Z'), 5)).toEqual([Date.parse(when.at)]);
  expect(nextTimes(when, Date.parse(when.at), 5)).toEqual([]);
});

it.each([
  ['* * * * *', '2026-01-01T00:00Z', '2026-11-27T10:00Z', '2026-11-27T10:00'],
  ['0 18 * * 5', '2026-01-02T18:00Z', '2026-11-27T10:00Z', '2026-11-20T18:00'],
  ['0 0 1 1 *', '2026-01-01T00:00Z', '2026-11-27T10:00Z', '2026-01-01T00:00'],
])('the last time of %s from %s up to %s', (cron, first, to, last) => {
  const found = lastTime({ cron, timeZone: 'UTC' }, Date.parse(first), Date.parse(to));
  expect(new Date(found).toISOString().slice(0, 16)).toBe(last);
});

it('a plan goes on from its known times, or from the time itself', () => {
  const when = { cron: '0 0 * * *', timeZone: 'Europe/Berlin' };
  const { nextAt, nextTimes: times } = planFrom(when, Date.parse('2026-03-27T12:00Z'));
  const [first = 0, second] = times;
  const next = planFrom(when, first);
  expect([nextAt, next.nextAt]).toEqual([first, second]);
  expect([planAfter(when, first, times), planAfter(when, first, null), planAfter(when, first, [1, 2])]).toEqual([
    next,
    next,
    next,
  ]);
});

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Numbers from a seed. */
const dice = (seed: number) => (most: number) => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return (seed >>> 8) % most;
};

/** An expression whose values are near the hours in which clocks change. */
const anyCron = (roll: (most: number) => number): string => {
  const some = (most: number, add = 0) => Array.from({ length: 1 + roll(3) }, () => add + roll(most)).join(',');
  const minute = ['0', some(60), '*/15', '*', '30'][roll(5)];
  const hour = ['*', some(5), '0-3', '*/2', '0,12', some(24), '23'][roll(7)];
  return `${minute} ${hour} ${['*', '*', some(31, 1)][roll(3)]} * ${['*', '*', some(8)][roll(3)]}`;
};

const valuesOf = (part: string, most: number): Set<number> =>
  new Set(
    part.split(',').flatMap((item) => {
      const [range = '', step = '1'] = item.split('/');
      const [from = 0, to = from] = range === '*' ? [0, most] : range.split('-').map(Number);
      return Array.from({ length: to - from + 1 }, (_, n) => from + n).filter((n) => (n - from) % Number(step) === 0);
    }),
  );

/** Whether an expression names a local time. */
const matcherOf = (cron: string): ((local: number) => boolean) => {
  const [minute = '', hour = '', day = '', , weekday = ''] = cron.split(' ');
  const [minutes, hours, days] = [valuesOf(minute, 59), valuesOf(hour, 23), valuesOf(day, 31)];
  const weekdays = valuesOf(weekday.replaceAll('7', '0'), 6);
  const isEither = days.size < 31 && weekdays.size < 7;
  return (local) => {
    const at = new Date(local);
    const [isDay, isWeekday] = [days.has(at.getUTCDate()), weekdays.has(at.getUTCDay())];
    const isOn = isEither ? isDay || isWeekday : isDay && isWeekday;
    return isOn && minutes.has(at.getUTCMinutes()) && hours.has(at.getUTCHours());
  };
};

type Minute = { at: number; local: number };

/** The local times that a zone shows in each minute of some days. */
const minutesOf = (timeZone: string, from: number, days: number): Minute[] => {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return Array.from({ length: (days * DAY_MS) / MINUTE_MS }, (_, n) => {
    const at = from + n * MINUTE_MS;
    return { at, local: Date.parse(`${clock.format(at).replace(' ', 'T')}Z`) };
  });
};

/** Walks minute by minute, with nothing but the clock that the zone shows. */
const walk = (cron: string, minutes: readonly Minute[], from: number): number[] => {
  const fits = matcherOf(cron);
  const isEveryHour = valuesOf(cron.split(' ')[1] ?? '', 23).size === 24;
  const times: number[] = [];
  let latest = minutes[0]?.local ?? 0;
  for (const { at, local } of minutes.slice(1)) {
    const wanted = isEveryHour ? [local] : [];
    // New local times: one a minute, none while they are repeated, many at the end of a gap.
    for (let time = latest + MINUTE_MS; !isEveryHour && time <= local; time += MINUTE_MS) wanted.push(time);
    latest = Math.max(latest, local);
    if (at > from && wanted.some(fits)) times.push(at);
  }
  return times;
};

describe('every expression comes when a walk through all minutes finds it', () => {
  it.each([
    ['Europe/Berlin', '2026-03-28T00:00Z'],
    ['Europe/Berlin', '2026-10-24T00:00Z'],
    ['America/New_York', '2026-03-07T00:00Z'],
    ['America/New_York', '2026-10-31T00:00Z'],
    ['America/Santiago', '2026-04-04T00:00Z'],
    ['America/Santiago', '2026-09-05T00:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T00:00Z'],
    ['Australia/Lord_Howe', '2026-10-03T00:00Z'],
    ['Pacific/Apia', '2011-12-29T00:00Z'],
    ['Africa/Casablanca', '2026-02-14T12:00Z'],
    ['Asia/Kathmandu', '2026-06-01T00:00Z'],
    ['Pacific/Chatham', '2026-04-04T00:00Z'],
    ['America/St_Johns', '2026-10-31T00:00Z'],
  ])('in %s from %s', (timeZone, day) => {
    const start = Date.parse(day);
    const roll = dice(start / 1000);
    // A day earlier, so that times which are shown for the second time are known.
    const minutes = minutesOf(timeZone, start - DAY_MS, 4);
    for (let n = 0; n < 20; n += 1) {
      const cron = anyCron(roll);
      const from = start + roll(DAY_MS);
      const expected = walk(cron, minutes, from);
      const found = nextTimes({ cron, timeZone }, from, expected.length + 1);
      expect({ cron, from, found: found.slice(0, expected.length) }).toEqual({ cron, from, found: expected });
      expect(found[expected.length] ?? Infinity).toBeGreaterThan(minutes.at(-1)?.at ?? 0);
    }
  });
});
