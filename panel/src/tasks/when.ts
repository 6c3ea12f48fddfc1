import type { components } from '../api-types.ts';
import { instantOf, localOf } from '../clock.ts';
import { shapeOf } from './cron.ts';

type When = components['schemas']['ScheduleRequest']['when'];
export const RHYTHMS = ['once', 'day', 'week', 'month', 'cron', 'restart'] as const;
export type Rhythm = (typeof RHYTHMS)[number];

/** When a schedule runs, as it is typed. */
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

/** A stored time for the form. */
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
