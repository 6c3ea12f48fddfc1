import type { Texts } from '../i18n.ts';
import { plain } from '../parts/text.tsx';
import { type Shape, shapeOf } from './when.ts';

/** A Sunday. */
const SUNDAY = [2026, 0, 4] as const;
const LEAP_YEAR = 2028;
const WORKDAYS = '1 2 3 4 5';

/** The day of a month as people say it: 1st in English, 1. in German, 1 in Portuguese. */
const ordinal = (language: string, day: number): string => {
  if (language === 'de') return `${day}.`;
  if (language !== 'en') return String(day);
  const form = new Intl.PluralRules('en', { type: 'ordinal' }).select(day);
  return `${day}${{ one: 'st', two: 'nd', few: 'rd', other: 'th', zero: 'th', many: 'th' }[form]}`;
};

const cronInWords = ({ t, number, language, locale }: Texts, shape: Shape, zone: string): string => {
  if (shape.is === 'minutes')
    return shape.every === 1 ? t('cron.minute') : t('cron.minutes', { count: number(shape.every) });
  if (shape.is === 'hour') return t('cron.hour', { minute: number(shape.minute) });
  const format = (options: Intl.DateTimeFormatOptions, ...at: Parameters<typeof Date.UTC>): string =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }).format(Date.UTC(...at));
  const time = format({ timeStyle: 'short' }, ...SUNDAY, shape.hour, shape.minute);
  const city = plain(zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone);
  const values = { time, zone: city };
  switch (shape.is) {
    case 'day':
      return t('cron.day', values);
    case 'week': {
      if (shape.days.join(' ') === WORKDAYS) return t('cron.workdays', values);
      const [year, month, sunday] = SUNDAY;
      const names = shape.days.map((day) => format({ weekday: 'long' }, year, month, sunday + day));
      return t('cron.week', { ...values, days: new Intl.ListFormat(language).format(names) });
    }
    case 'month':
      return t('cron.month', { ...values, day: ordinal(language, shape.day) });
    case 'year': {
      const date = format({ day: 'numeric', month: 'long' }, LEAP_YEAR, shape.month - 1, shape.day);
      return t('cron.year', { ...values, date });
    }
  }
};

/** When a schedule runs, in words; an expression without words stands for itself. */
export const whenInWords = (texts: Texts, when: Record<string, unknown>): string => {
  const { at, cron, timeZone, minutes } = when;
  if (typeof at === 'string') return texts.t('schedules.once', { time: momentInShort(texts, at) });
  if (typeof minutes === 'number') return texts.t('schedules.before', { minutes: texts.number(minutes) });
  const zone = String(timeZone ?? 'UTC');
  const shape = shapeOf(String(cron));
  return shape === undefined ? plain(`${String(cron)} (${zone})`) : cronInWords(texts, shape, zone);
};

/** Whether the words of a schedule say when it runs; otherwise its next times do. */
export const hasWords = ({ cron }: Record<string, unknown>): boolean =>
  typeof cron !== 'string' || shapeOf(cron) !== undefined;

/** A time of the near future in short: Fri, 4 Dec, 20:30. */
export const momentInShort = ({ locale }: Texts, iso: string): string => {
  const at = new Date(iso);
  return new Intl.DateTimeFormat(locale, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    ...(at.getFullYear() !== new Date().getFullYear() && { year: 'numeric' }),
  }).format(at);
};
