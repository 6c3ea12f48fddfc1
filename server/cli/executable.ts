import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { getAsset, getRawAsset } from 'node:sea';
import { pathOf } from '../../db/sqlite/file.ts';
import { prepareFolder } from './program-folder.ts';

/**
 * Where the files of this executable go: beside the database, because a temporary folder may forbid to run programs,
 * and is not of this user alone.
 */
const homeFolder = ({ PROGRAM_FOLDER = '', DATABASE_URL = '' }: NodeJS.ProcessEnv): string => {
  if (PROGRAM_FOLDER !== '') return resolve(PROGRAM_FOLDER);
  const url = DATABASE_URL === '' ? 'file:causeway.db' : DATABASE_URL;
  const database = url.startsWith('file:') ? pathOf(url) : undefined;
  return resolve(database === undefined ? '.' : dirname(database), '.causeway');
};

const prepare = (): string => {
  const text = getAsset('contents.json', 'utf8');
  const contents = JSON.parse(text) as { version: string; hashes: Record<string, string> };
  try {
    return prepareFolder(homeFolder(process.env), {
      text,
      ...contents,
      bytesOf: (name) => new Uint8Array(getRawAsset(`program/${name}`)),
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`causeway: its files cannot be unpacked: ${reason}\n`);
    return process.exit(1);
  }
};

// Texts say what the user has typed. The Debian package sets its own name.
process.env['CAUSEWAY_COMMAND'] ??= /\s/.test(process.argv0) ? `"${process.argv0}"` : process.argv0;
// The program runs from its files as an installed package does; an executable itself can load built-in modules only.
createRequire(join(prepare(), 'package.json'))('./server/cli/from-executable.cjs');
