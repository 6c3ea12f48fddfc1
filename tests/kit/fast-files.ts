import { statfsSync } from 'node:fs';
import { join } from 'node:path';

/** Linux keeps these files in memory, where a sync costs nothing; a killed process loses nothing either. */
const MEMORY = '/dev/shm';
/** A container may have only 64 MiB there. */
const ENOUGH_BYTES = 2 ** 30;

const freeBytes = (folder: string): number => {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
};

/** Workers and the processes that tests start inherit both: files in memory, and code that was compiled before. */
export const setup = (): void => {
  if (freeBytes(MEMORY) > ENOUGH_BYTES) process.env['TMPDIR'] ??= MEMORY;
  process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../../node_modules/.cache/causeway/compiled');
};
