import { hash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The command line in few files. */
    program: string;
  }
}

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/causeway');
const ENTRY = "import { main } from './server/cli/main.ts'; await main(process.argv.slice(2));";
const BANNER =
  "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);";

/** Files that a module names by their place beside it stay where they are. */
const inPlace: Plugin = {
  name: 'in place',
  setup: ({ onLoad }) =>
    onLoad({ filter: /(server|db)\/.*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      return { loader: 'ts', contents: source.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)) };
    }),
};

const KEPT_MS = 24 * 60 * 60 * 1000;

/** What no test of the last day was given is of another version. */
const prune = async (): Promise<void> => {
  const folders = (await readdir(CACHE)).filter((name) => name.startsWith('program-')).map((name) => join(CACHE, name));
  for (const folder of folders) {
    if (Date.now() - (await stat(folder)).mtimeMs > KEPT_MS) await rm(folder, { recursive: true });
  }
};

/**
 * Bundles the command line before the tests: to load the program in its three hundred modules takes half a second of
 * every process, and tests start a hundred. `tests/cli/start.test.ts` and others start it as it is shipped.
 */
export const setup = async ({ provide }: TestProject): Promise<void> => {
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: ROOT, sourcefile: 'causeway.ts' },
    bundle: true,
    splitting: true,
    write: false,
    outdir: ROOT,
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['better-sqlite3', 'pg-native', 'bufferutil', 'utf-8-validate'],
    banner: { js: BANNER },
    plugins: [inPlace],
  });
  const folder = join(CACHE, `program-${hash('sha256', outputFiles.map(({ text }) => text).join('\n'), 'hex')}`);
  await mkdir(CACHE, { recursive: true });
  const partial = await mkdtemp(`${folder}.`);
  for (const { path, contents } of outputFiles) {
    await writeFile(join(partial, basename(path)), contents);
  }
  // Somebody was first.
  await rename(partial, folder).catch(() => rm(partial, { recursive: true }));
  await utimes(folder, new Date(), new Date());
  // Others may be at it.
  await prune().catch(() => undefined);
  provide('program', join(folder, 'stdin.mjs'));
};
