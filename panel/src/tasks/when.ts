import type { components } from '../api-types.ts';
import { instantOf, localOf } from '../clock.ts';

/** The shapes of a cron expression that have words. Weekdays: 0 is Sunday. */
export type Shape =
  | { is: 'minutes'; every: number }
  | { is: 'hour'; minute: number }
  | ({ hour: number; minute: number } & (
      | { is: 'day' }
      | { is: 'week'; days: readonly number[] }
      | { is: 'month'; day: number }
      | { is: 'year'; day: number; month: number }
    ));

const MAX_LISTED = 7;
const NUMBER = /^\d{1,2}$/;

/** `1-5` or `1,3,6` as numbers; undefined: another kind of part. */
const weekdaysOf = (part: string): readonly number[] | undefined => {
  const days = part.split(',').flatMap((each) => {
    const [, from, to = from] = /^([0-7])(?:-([0-7]))?$/.exec(each) ?? [];
    if (from === undefined) return [Number.NaN];
    return Array.from({ length: Math.max(0, Number(to) - Number(from) + 1) }, (_, at) => (Number(from) + at) % 7);
  });
  const unique = [...new Set(days)];
  return unique.length > 0 && unique.length < MAX_LISTED && unique.every((day) => day < MAX_LISTED)
    ? unique
    : undefined;
};

/** The shape of a cron expression; undefined: it has no words. */
export const shapeOf = (cron: string): Shape | undefined => {
  const [minutes = '', hours = '', day = '', month = '', weekday = '', ...more] = cron.trim().split(/\s+/);
  if (more.length > 0) return undefined;
  const dates = `${day} ${month} ${weekday}`;
  const [, every] = /^\*\/(\d+)$/.exec(minutes) ?? [];
  if (hours === '*' && dates === '* * *') {
    if (minutes === '*') return { is: 'minutes', every: 1 };
    if (every !== undefined && 60 % Number(every) === 0) return { is: 'minutes', every: Number(every) };
    return NUMBER.test(minutes) ? { is: 'hour', minute: Number(minutes) } : undefined;
  }
  if (!NUMBER.test(minutes) || !NUMBER.test(hours)) return undefined;
  const clock = { minute: Number(minutes), hour: Number(hours) };
  if (dates === '* * *') return { is: 'day', ...clock };
  const days = day === '*' && month === '*' ? weekdaysOf(weekday) : undefined;
  if (days !== undefined) return { is: 'week', days, ...clock };
  if (weekday !== '*' || !NUMBER.test(day)) return undefined;
  if (month === '*') return { is: 'month', day: Number(day), ...clock };
  return NUMBER.test(month) ? { is: 'year', day: Number(day), month: Number(month), ...clock } : undefined;
};

type When = components['schemas']['ScheduleRequest']['when'];
export const RHYTHMS = ['once', 'day', 'week', 'month', 'cron', 'restart'] as const;
type Rhythm = (typeof RHYTHMS)[number];

export type WhenDraft = {
  rhythm: Rhythm;
  /** Local time of the browser. */
  at: string;
  /** `HH:mm` */
  time: string;
  /** 0: Sunday */
  weekday: string;
  day: string;
  cron: string;
  minutes: string;
  timeZone: string;
};

export const newWhen = (): WhenDraft => ({
  rhythm: 'day',
  at: '',
  time: '18:00',
  weekday: '5',
  day: '1',
  cron: '',
  minutes: '5',
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
});

const twoDigits = (value: number): string => String(value).padStart(2, '0');

export const whenDraftOf = ({ at, cron, timeZone, minutes }: Record<string, unknown>): WhenDraft => {
  const empty = newWhen();
  if (typeof at === 'string') return { ...empty, rhythm: 'once', at: localOf(at) };
  if (typeof minutes === 'number') return { ...empty, rhythm: 'restart', minutes: String(minutes) };
  const typed = { ...empty, rhythm: 'cron', cron: String(cron), timeZone: String(timeZone ?? 'UTC') } as const;
  const shape = shapeOf(typed.cron);
  if (shape === undefined || !('hour' in shape)) return typed;
  const timed = { ...typed, time: `${twoDigits(shape.hour)}:${twoDigits(shape.minute)}` };
  if (shape.is === 'day') return { ...timed, rhythm: 'day' };
  if (shape.is === 'month') return { ...timed, rhythm: 'month', day: String(shape.day) };
  const [only, ...others] = shape.is === 'week' ? shape.days : [];
  if (only === undefined || others.length > 0) return typed;
  return { ...timed, rhythm: 'week', weekday: String(only) };
};

const wholeOf = (text: string, min: number, max: number): number | undefined =>
  /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined;

const MAX_MINUTES = 1_440;

const cronOf = ({ rhythm, time, weekday, day, cron }: WhenDraft): string | undefined => {
  if (rhythm === 'cron') return cron.trim() === '' ? undefined : cron.trim();
  const [, hours, minutes] = /^(\d\d):(\d\d)/.exec(time) ?? [];
  if (hours === undefined || minutes === undefined) return undefined;
  const clock = `${Number(minutes)} ${Number(hours)}`;
  if (rhythm === 'day') return `${clock} * * *`;
  if (rhythm === 'week') return `${clock} * * ${weekday}`;
  return wholeOf(day, 1, 31) === undefined ? undefined : `${clock} ${day} * *`;
};

/** When a schedule runs, for the hub; undefined while something is missing or wrong. */
export const readWhen = (draft: WhenDraft): When | undefined => {
  if (draft.rhythm === 'once') {
    const at = instantOf(draft.at);
    return at === undefined ? undefined : { at };
  }
  if (draft.rhythm === 'restart') {
    const minutes = wholeOf(draft.minutes, 2, MAX_MINUTES);
    return minutes === undefined ? undefined : { before: 'restart', minutes };
  }
  const cron = cronOf(draft);
  return cron === undefined ? undefined : { cron, timeZone: draft.timeZone };
};
