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
        work.then(
          (result) => {
            deadlines.delete(deadline);
            resolve(result);
          },
          (error: unknown) => {
            deadlines.delete(deadline);
            reject(error);
          },
        );
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
