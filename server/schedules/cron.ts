/** The values of the five parts of a cron expression. */
export type Cron = {
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
export const readCron = (text: string): Cron | string => {
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
export const isOn = ({ days, months, weekdays }: Cron, date: number): boolean => {
  const at = new Date(date);
  if (!months.has(at.getUTCMonth() + 1)) return false;
  const [isDay, isWeekday] = [days.has(at.getUTCDate()), weekdays.has(at.getUTCDay())];
  const isEither = days.size < DAYS_OF_MONTH && weekdays.size < WEEKDAYS;
  return isEither ? isDay || isWeekday : isDay && isWeekday;
};
