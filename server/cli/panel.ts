import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../', import.meta.url));
const FOLDERS = ['panel/src', 'panel/public', 'panel/site', 'docs', 'bridge', 'bridge-protocol'];
const FILES = ['panel/index.html', 'panel/vite.config.ts', 'package-lock.json', 'README.md'];

/** A hash of everything that the panel, the docs and the bridge's zip are built from: sources and locked packages. */
export const panelFingerprint = (): string => {
  const sources = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const others = FILES.map((name) => join(root, name)).filter((file) => existsSync(file));
  const contents = [...sources.toSorted(), ...others].map(
    (file) => `${file.slice(root.length)}\n${readFileSync(file, 'latin1')}`,
  );
  return hash('sha256', contents.join('\n'), 'hex');
};

const canBuild = (): boolean => {
  if (!['panel/src', 'docs'].every((folder) => existsSync(join(root, folder)))) return false;
  try {
    createRequire(import.meta.url).resolve('vite/package.json');
    return true;
  } catch {
    return false;
  }
};

const isBuilt = (): boolean => {
  const files = ['panel', 'docs', 'bridge'].map((name) => join(root, 'dist', name, 'fingerprint'));
  const fingerprint = panelFingerprint();
  return files.every((file) => existsSync(file) && readFileSync(file, 'utf8') === fingerprint);
};

/**
 * Builds the panel, the documentation and the bridge's zip if their sources have changed, which takes some seconds. Without sources or
 * tools, as in an image, the existing build is served.
 */
export const preparePanel = async (say: (message: string) => void): Promise<void> => {
  if (!canBuild() || isBuilt()) return;
  say('Building the panel, once …');
  try {
    // Always, tests included: React's development build is three times as large.
    const env = { ...process.env, NODE_ENV: 'production' };
    await promisify(execFile)(process.execPath, [join(root, 'panel/build.ts')], { env });
  } catch (error) {
    const reason = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
    say(`The panel could not be built; everything else works. ${reason}`);
  }
};
