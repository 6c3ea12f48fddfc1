import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');
export const OUT = join(ROOT, 'dist/release');
/** Folders that the packages are made of; they are removed at the end. */
export const WORK = join(ROOT, 'dist/release-work');
/** The time of every packed file, so that the same sources give the same bytes: the time that npm writes, too. */
export const EPOCH_S = 499_162_500;

/** All files below a folder, as sorted paths with `/`. */
export const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .sort();

/** Copies files, by their paths from the first folder, into the second one. */
export const copyFiles = (from: string, to: string, paths: readonly string[]): void => {
  for (const path of paths) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    copyFileSync(join(from, path), join(to, path));
  }
};

/** Writes a text or bytes, and the folders above. */
export const write = (file: string, content: string | Uint8Array): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
};

export const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

export const readJson = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T;

export const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
