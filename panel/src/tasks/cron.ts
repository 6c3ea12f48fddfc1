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
