import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);
const sources = new URL('./run.ts', import.meta.url);
/** The output of `npm run build`; a release has no sources. */
const built = new URL('dist/program/', root);

/** A bundle of these sources: the one that was built, or one in the cache. Undefined: none can be made. */
const findBundle = async () => {
  const { fingerprint, cachedBundle } = await import('./bundle.js');
  const mark = new URL('fingerprint', built);
  if (existsSync(mark) && readFileSync(mark, 'utf8') === fingerprint()) return built;
  try {
    return await cachedBundle();
  } catch {
    return undefined;
  }
};

const sourceMaps = new Map();

/** The map of a bundled file; undefined: it has none. */
const sourceMapOf = (url) => {
  if (!sourceMaps.has(url)) {
    const file = fileURLToPath(`${url}.map`);
    sourceMaps.set(url, existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : undefined);
  }
  return sourceMaps.get(url);
};

/** A line of a stack trace, with the place in the source instead of that in the bundle. */
const inSource = (frame) => {
  const [url, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()];
  if (!url?.startsWith('file:') || line === null || column === null) return String(frame);
  const { originalSource, originalLine, originalColumn } = sourceMapOf(url)?.findEntry(line - 1, column - 1) ?? {};
  if (originalSource === undefined) return String(frame);
  const place = `${fileURLToPath(new URL(originalSource, url))}:${originalLine + 1}:${originalColumn + 1}`;
  return String(frame).replace(`${url}:${line}:${column}`, place);
};

/** Stack traces name the lines of the sources. Node.js itself would keep every map in memory, which takes 13 MB. */
const nameSources = () => {
  Error.prepareStackTrace = (error, frames) => {
    try {
      return [error, ...frames.map(inSource)].join('\n    at ');
    } catch {
      return [error, ...frames].join('\n    at ');
    }
  };
};

/**
 * The module that runs the command line: a bundle, which starts in a third of the time of the sources. Where no bundle can
 * be made, as without esbuild, Node.js reads the sources.
 */
export const findProgram = async () => {
  const isCheckout = existsSync(sources);
  // Outside of the checkout, npx would find a package of another owner.
  const isHere = isCheckout && process.cwd() === fileURLToPath(root).replace(/[\\/]$/, '');
  if (isCheckout)
    process.env.CAUSEWAY_COMMAND ??= isHere
      ? 'npx causeway'
      : `node ${fileURLToPath(new URL('server/cli/causeway.js', root))}`;
  const bundle = isCheckout ? await findBundle() : built;
  if (bundle === undefined) return sources.href;
  nameSources();
  return new URL('run.js', bundle).href;
};
