import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { bundle } from '../../server/cli/bundle.js';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/causeway');
const KEPT_MS = 24 * 60 * 60 * 1000;
const FOLDERS = ['bridge-protocol', 'conformance', 'db', 'server', 'simulator'];

/** Changes with every source and every package. */
const fingerprint = (entry: string): string => {
  const sources = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile() && /\.[jt]s$/.test(each.name))
      .map((each) => join(each.parentPath, each.name)),
  );
  const files = [...sources.sort(), ...[entry, 'package.json', 'package-lock.json'].map((file) => join(ROOT, file))];
  return hash('sha256', files.map((file) => `${relative(ROOT, file)}\n${readFileSync(file, 'utf8')}`).join('\n'));
};

/** Removes bundles that no process was started from for a day: their sources have changed since. */
const prune = async (): Promise<void> => {
  for (const name of (await readdir(CACHE)).filter((each) => each.startsWith('program-'))) {
    const folder = join(CACHE, name);
    if (Date.now() - (await stat(folder)).mtimeMs > KEPT_MS) await rm(folder, { recursive: true });
  }
};

/**
 * The path of a program as one bundle of the sources as they are now, which is made once: from it, a process starts in a
 * third of the time. The program imports files of the product only. Default: the command line.
 */
export const bundled = async (entry = 'server/cli/run.ts'): Promise<string> => {
  const folder = join(CACHE, `program-${fingerprint(entry)}`);
  const now = new Date();
  const isThere = await utimes(folder, now, now).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    mkdirSync(CACHE, { recursive: true });
    const partial = await mkdtemp(`${folder}.`);
    await bundle(partial, entry);
    // Another process may have been faster, and may prune at the same time.
    await rename(partial, folder).catch(() => rm(partial, { recursive: true }));
    await prune().catch(() => undefined);
  }
  return join(folder, basename(entry).replace(/\.ts$/, '.js'));
};
