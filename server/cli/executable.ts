import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { getAsset, getRawAsset } from 'node:sea';
import { pathOf } from '../../db/sqlite/file.ts';

/** Folders of this many versions stay: a hub of an earlier one may still run. */
const KEPT = 3;

type Contents = { version: string; hashes: Record<string, string> };

/**
 * Where the files of this executable go: beside the database, because a temporary folder may forbid to run programs,
 * and is not of this user alone.
 */
const homeFolder = ({ PROGRAM_FOLDER, DATABASE_URL = 'file:causeway.db' }: NodeJS.ProcessEnv): string => {
  if (PROGRAM_FOLDER !== undefined) return resolve(PROGRAM_FOLDER);
  const database = DATABASE_URL.startsWith('file:') ? pathOf(DATABASE_URL) : undefined;
  return resolve(database === undefined ? '.' : dirname(database), '.causeway');
};

const isWhole = (file: string, digest: string): boolean => {
  try {
    return hash('sha256', readFileSync(file)) === digest;
  } catch {
    return false;
  }
};

/** Writes every file that is missing or is not what it must be. */
const unpack = (folder: string, hashes: Contents['hashes']): void => {
  for (const [name, digest] of Object.entries(hashes)) {
    const file = join(folder, name);
    if (isWhole(file, digest)) continue;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Another process may do the same at the same time.
    const partial = `${file}.${process.pid}`;
    writeFileSync(partial, new Uint8Array(getRawAsset(`program/${name}`)), { mode: 0o600 });
    renameSync(partial, file);
  }
};

const removeOld = (home: string): void => {
  const folders = readdirSync(home).map((name) => join(home, name));
  const newestFirst = folders.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const folder of newestFirst.slice(KEPT)) rmSync(folder, { recursive: true, force: true });
};

const prepare = (): string => {
  const text = getAsset('contents.json', 'utf8');
  const { version, hashes } = JSON.parse(text) as Contents;
  const home = homeFolder(process.env);
  const folder = join(home, `${version}-${hash('sha256', text).slice(0, 12)}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    unpack(folder, hashes);
    utimesSync(folder, new Date(), new Date());
    removeOld(home);
    return folder;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(
      `causeway: cannot unpack its files into ${home} (${reason}); set PROGRAM_FOLDER to a folder of this user\n`,
    );
    return process.exit(1);
  }
};

// The program runs from its files as an installed package does; an executable itself can load built-in modules only.
createRequire(join(prepare(), 'package.json'))('./server/cli/from-executable.cjs');
