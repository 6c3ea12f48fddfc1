import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** The path of a file that does not exist yet; its folder goes when the test ends. */
export const newFile = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-world-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, name);
};
