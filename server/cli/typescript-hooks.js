import { hash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

// Beside the packages: whoever may write there may change these as well.
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/causeway/', import.meta.url));
const { version } = createRequire(import.meta.url)('@swc/wasm-typescript/package.json');

/** Where it can't be kept it is made again at the next start. */
const keep = async (file, code) => {
  const partial = `${file}.${process.pid}`;
  try {
    await mkdir(CACHE, { recursive: true });
    await writeFile(partial, code);
    await rename(partial, file);
  } catch {}
};

/** Blanks out the types of a module: lines and columns stay where they are, so stack traces need no source map. */
const strip = async (source, filename) => {
  const { transformSync } = await import('@swc/wasm-typescript');
  return transformSync(source, { mode: 'strip-only', filename }).code;
};

/** Loads TypeScript; what a module became is kept, because the compiler takes longer to load than all the rest. */
export const load = async (url, context, next) => {
  if (!url.endsWith('.ts')) return next(url, context);
  const filename = fileURLToPath(url);
  const source = await readFile(filename, 'utf8');
  const file = `${CACHE}${hash('sha256', `${version}\n${source}`, 'hex')}.js`;
  let code = await readFile(file, 'utf8').catch(() => undefined);
  if (code === undefined) {
    code = await strip(source, filename);
    await keep(file, code);
  }
  return { format: 'module', source: code, shortCircuit: true };
};
