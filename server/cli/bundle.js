import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CACHE = join(ROOT, 'node_modules/.cache/causeway');
const KEPT_MS = 24 * 60 * 60 * 1000;
const FOLDERS = ['bridge-protocol', 'conformance', 'db', 'server', 'simulator'];
/** They have files of their own beside their code: an addon, and the assets of the API reference. */
const PACKAGES_IN_PLACE = ['better-sqlite3', 'swagger-ui-dist'];
/** Optional packages of our packages, which we do not use. */
const UNUSED = ['pg-native', 'bufferutil', 'utf-8-validate'];

const sourceFiles = () =>
  FOLDERS.flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.[jt]s$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));

const COMMAND_LINE = 'server/cli/run.ts';

/** Changes with every source, and with every package. */
export const fingerprint = (entry = COMMAND_LINE) => {
  const others = [entry, 'package.json', 'package-lock.json'].map((file) => join(ROOT, file));
  const files = [...sourceFiles().sort(), ...others];
  return hash('sha256', files.map((file) => `${relative(ROOT, file)}\n${readFileSync(file, 'utf8')}`).join('\n'));
};

/** A source that names a file beside it finds that file from the bundle, too. */
const filesInPlace = {
  name: 'files in place',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const place = relative(ROOT, path).replaceAll(sep, '/');
      const url = `new URL(${JSON.stringify(place)}, CAUSEWAY_ROOT).href`;
      return { loader: 'ts', contents: source.replaceAll('import.meta.url', url) };
    }),
};

/**
 * Bundles a program, which imports from these folders only, into a folder inside of the checkout. Beside the command
 * line a release needs `db/migrations`, the threads `db/sqlite/*.js`, `dist/panel`, `dist/docs` and the packages in place.
 */
export const bundle = async (folder, entry = COMMAND_LINE) => {
  const { build } = await import('esbuild');
  const made = fingerprint(entry);
  const up = `${relative(folder, ROOT).replaceAll(sep, '/')}/`;
  await build({
    entryPoints: [join(ROOT, entry)],
    outdir: folder,
    absWorkingDir: ROOT,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.21',
    legalComments: 'none',
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: true,
    sourcesContent: false,
    external: [...PACKAGES_IN_PLACE, ...UNUSED],
    banner: {
      js: `import { createRequire as causewayRequire } from 'node:module';
const require = causewayRequire(import.meta.url), CAUSEWAY_ROOT = new URL('${up}', import.meta.url);`,
    },
    plugins: [filesInPlace],
    logLevel: 'silent',
  });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }\n');
  await writeFile(join(folder, 'fingerprint'), made);
};

/** Removes bundles that no process was started from for a day; their sources have changed since. */
const prune = async () => {
  for (const name of await readdir(CACHE)) {
    const folder = join(CACHE, name);
    if (Date.now() - (await stat(folder)).mtimeMs > KEPT_MS) await rm(folder, { recursive: true });
  }
};

/** The folder of a bundle of the sources as they are now, which is made once. */
export const cachedBundle = async (entry = COMMAND_LINE) => {
  const folder = join(CACHE, `program-${fingerprint(entry)}`);
  const now = new Date();
  const isThere = await utimes(folder, now, now).then(
    () => true,
    (error) => error.code !== 'ENOENT',
  );
  if (!isThere) {
    mkdirSync(CACHE, { recursive: true });
    const partial = await mkdtemp(`${folder}.`);
    await bundle(partial, entry);
    // Another process may have been faster, and may prune at the same time.
    await rename(partial, folder).catch(() => rm(partial, { recursive: true }));
    await prune().catch(() => undefined);
  }
  return pathToFileURL(`${folder}/`);
};

if (process.argv[1] === import.meta.filename) {
  const folder = join(ROOT, 'dist/program');
  await rm(folder, { recursive: true, force: true });
  await bundle(folder);
}
