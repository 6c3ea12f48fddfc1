import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = new Set<string>();
let isWatching = false;

export const removeFolder = (folder: string): void => {
  folders.delete(folder);
  rmSync(folder, { recursive: true, force: true });
};

const removeAll = (): void => {
  for (const folder of folders) removeFolder(folder);
};

/** At any end of the bench, because a million players take gigabytes. */
const watch = (): void => {
  if (isWatching) return;
  isWatching = true;
  process.once('exit', removeAll);
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.once(signal, () => process.exit(code));
  }
};

/** A folder that `removeFolder` removes, or the end of the process. */
export const temporaryFolder = (): string => {
  watch();
  const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
  folders.add(folder);
  return folder;
};
