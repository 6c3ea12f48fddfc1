/** Number of cached seconds: the times of current commands fall into few. */
const KEPT = 64;
const seconds = new Float64Array(KEPT).fill(Number.NaN);
const texts: string[] = Array.from({ length: KEPT }, () => '');

/** Formats a time (whole epoch milliseconds from 1970 on) as ISO 8601 in UTC, like `toISOString` but faster. */
export const isoTime = (ms: number): string => {
  const second = Math.floor(ms / 1_000);
  const place = second % KEPT;
  if (seconds[place] !== second) {
    texts[place] = new Date(second * 1_000).toISOString().slice(0, 20);
    seconds[place] = second;
  }
  return `${texts[place]}${String(ms - second * 1_000).padStart(3, '0')}Z`;
};

export const optionalTime = (ms: number | null | undefined): string | null => (ms == null ? null : isoTime(ms));

/** The result of the work; undefined when it fails or is not done in time. The work itself goes on. */
export const inTime = <T>(work: Promise<T>, deadlineMs: number): Promise<T | undefined> => {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), deadlineMs);
  });
  return Promise.race([work.catch(() => undefined), deadline]).finally(() => clearTimeout(timer));
};

type Deadline = { at: number; end: () => void };

/** Ends waiting for work that takes too long, by one sweep for all. The work itself goes on. */
export const createDeadlines = () => {
  const deadlines = new Set<Deadline>();
  return {
    /** The result of the work, or the error if `deadlineMs` is over at a sweep before. */
    within: <T>(work: Promise<T>, deadlineMs: number, errorOf: () => Error): Promise<T> =>
      new Promise((resolve, reject) => {
        const deadline: Deadline = { at: performance.now() + deadlineMs, end: () => reject(errorOf()) };
        deadlines.add(deadline);
        void work.then(resolve, reject).finally(() => deadlines.delete(deadline));
      }),
    sweep: (): void => {
      const now = performance.now();
      for (const deadline of deadlines) {
        if (deadline.at > now) continue;
        deadlines.delete(deadline);
        deadline.end();
      }
    },
  };
};
