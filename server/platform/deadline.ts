/** The result of the work; undefined when it fails or is not done in time. The work itself goes on. */
export const inTime = <T>(work: Promise<T>, deadlineMs: number): Promise<T | undefined> => {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), deadlineMs);
  });
  return Promise.race([work.catch(() => undefined), deadline]).finally(() => clearTimeout(timer));
};
