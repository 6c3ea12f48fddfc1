import { CliError } from './output.ts';

/** Files that the hub opens, and some connections. With fewer, it cannot even build its panel. */
const AT_LEAST = 256;

/** The soft limit of open files of this process; undefined where the system has none, as on Windows. */
const openFilesLimit = (): number | undefined => {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | 'unlimited' } } };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : undefined;
};

/** Refuses to start if connections would soon fail. @throws CliError */
export const assertOpenFiles = (): void => {
  const limit = openFilesLimit();
  if (limit === undefined || limit >= AT_LEAST) return;
  throw new CliError(`only ${limit} files may be open at once, and the hub needs ${AT_LEAST}; run: ulimit -n 65536`);
};
