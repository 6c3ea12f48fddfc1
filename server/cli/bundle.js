import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** They have files of their own beside their code: an addon. */
const PACKAGES_IN_PLACE = ['better-sqlite3'];
/** Optional packages of our packages, which we do not use. */
const UNUSED = ['pg-native', 'bufferutil', 'utf-8-validate'];

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
 * Bundles a program into a folder inside of the checkout. Beside the command line a release needs `db/migrations`, the
 * threads `db/sqlite/*.js`, `dist/panel`, `dist/docs` and the packages in place.
 */
export const bundle = async (folder, entry = 'server/cli/run.ts') => {
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
};

if (process.argv[1] === import.meta.filename) {
  const folder = join(ROOT, 'dist/program');
  await rm(folder, { recursive: true, force: true });
  await bundle(folder);
}
