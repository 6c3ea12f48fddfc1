import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Node.js before 22.18 reads TypeScript only when it is asked to, and warns. */
const READS_TYPESCRIPT = process.features.typescript
  ? []
  : ['--experimental-strip-types', '--disable-warning=ExperimentalWarning'];

/** A hash of the panel's sources and locked packages. */
export const panelFingerprint = (): string => {
  const sources = ['panel/src', 'panel/public'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const others = ['panel/index.html', 'panel/vite.config.ts', 'package-lock.json'].map((name) => join(root, name));
  const contents = [...sources.toSorted(), ...others].map(
    (file) => `${file.slice(root.length)}\n${readFileSync(file, 'utf8')}`,
  );
  return hash('sha256', contents.join('\n'), 'hex');
};

const canBuild = (): boolean => {
  if (!existsSync(join(root, 'panel/src'))) return false;
  try {
    createRequire(import.meta.url).resolve('vite/package.json');
    return true;
  } catch {
    return false;
  }
};

const isBuilt = (): boolean => {
  const file = join(root, 'dist/panel/fingerprint');
  return existsSync(file) && readFileSync(file, 'utf8') === panelFingerprint();
};

/**
 * Builds the panel if its sources have changed, which takes some seconds. Without sources or tools, as in an image, the
 * existing build is served.
 */
export const preparePanel = async (say: (message: string) => void): Promise<void> => {
  if (!canBuild() || isBuilt()) return;
  say('Building the panel, once …');
  try {
    // Always, tests included: React's development build is three times as large.
    const env = { ...process.env, NODE_ENV: 'production' };
    await promisify(execFile)(process.execPath, [...READS_TYPESCRIPT, join(root, 'panel/build.ts')], { env });
  } catch (error) {
    const reason = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
    say(`The panel could not be built; everything else works. ${reason}`);
  }
};
