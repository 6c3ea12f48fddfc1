import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SIZE = '4m';
const LARGEST_WRITE = 64 * 1024;

/** Writes until not one byte more fits. */
const fillUp = (file: string): void => {
  const descriptor = openSync(file, 'a');
  for (let size = LARGEST_WRITE; size >= 1; size /= 2) {
    try {
      while (writeSync(descriptor, Buffer.alloc(size)) > 0);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
    }
  }
  closeSync(descriptor);
};

/** Makes a mounted folder read-only, even for root. */
export const makeReadOnly = (folder: string): void => void execFileSync('mount', ['-o', 'remount,ro', folder]);

/** A disk of 4 MiB that a test can fill; undefined where this user cannot mount one. */
export const mountSmallDisk = (atEnd: (dispose: () => void) => void) => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-disk-'));
  const filler = join(folder, 'filler');
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    remove();
    return undefined;
  }
  atEnd(() => {
    // Lazy: a process that a failed test left behind may still have files open there.
    execFileSync('umount', ['--lazy', folder]);
    remove();
  });
  return {
    folder,
    fill: (): void => fillUp(filler),
    empty: (): void => rmSync(filler),
    freeBytes: (): number => {
      const { bavail, bsize } = statfsSync(folder);
      return bavail * bsize;
    },
  };
};
export type SmallDisk = NonNullable<ReturnType<typeof mountSmallDisk>>;
