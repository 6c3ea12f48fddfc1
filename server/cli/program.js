import { existsSync, readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
const sources = new URL('./run.ts', import.meta.url);
/** What `npm run build` leaves; a release has nothing else. */
const built = new URL('dist/program/', root);

/** A bundle of these sources: the one that was built, or one in the cache. */
const findBundle = async () => {
  const { fingerprint, cachedBundle } = await import('./bundle.js');
  const mark = new URL('fingerprint', built);
  if (existsSync(mark) && readFileSync(mark, 'utf8') === fingerprint()) return built;
  try {
    return await cachedBundle();
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    process.stderr.write(
      `causeway: Node.js ${process.versions.node} does not read TypeScript, so run: npm ci && npm run build (${reason})\n`,
    );
    return process.exit(1);
  }
};

/** The module that runs the command line: its source where Node.js reads TypeScript (22.18, 24), otherwise a bundle. */
export const findProgram = async () => {
  const isCheckout = existsSync(sources);
  if (isCheckout && process.features.typescript) return sources.href;
  const bundle = isCheckout ? await findBundle() : built;
  // Stack traces name the lines of the sources.
  process.setSourceMapsEnabled(true);
  return new URL('run.js', bundle).href;
};
