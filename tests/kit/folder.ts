import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './ends.ts';

/** A new folder, until the test is over, or the file for what `shared` makes. */
export const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-test-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** The path of a file in a folder of its own. The file does not exist yet. */
export const newFile = (name: string): string => join(newFolder(), name);
