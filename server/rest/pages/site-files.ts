import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Context, Hono } from 'hono';
import { HubError } from '../../platform/errors.ts';
import type { RestEnv } from '../context.ts';
import { asksForPage, isPacked, packingFor, staticHeaders } from './static-file.ts';

const PANEL = fileURLToPath(new URL('../../../dist/panel', import.meta.url));
const MISSING = '/docs/404';
const SUFFIXES = { br: '.br', gzip: '.gz' } as const;

type Listed = { file: string; etag: string };

/** Made by panel/site/build.ts. */
const readList = (folder: string): Record<string, Listed> => {
  const list = join(folder, 'files.json');
  return existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as Record<string, Listed>) : {};
};

/** The documentation, built beside the panel, below `/docs`. Files stay on disk: only their list is in memory. */
export const createSiteFiles = (panelFolder = PANEL) => {
  const folder = join(panelFolder, '../docs');
  const files = new Map(Object.entries(readList(folder)));
  const routes = new Hono<RestEnv>();

  const answer = async (c: Context<RestEnv>, path: string, { file, etag }: Listed, status: 200 | 404) => {
    const headers = staticHeaders(path, extname(file), etag);
    if (status === 200 && c.req.header('if-none-match') === etag) return c.body(null, 304, headers);
    const packing = isPacked(extname(file)) ? packingFor(c) : undefined;
    const suffix = packing === undefined ? '' : SUFFIXES[packing];
    // Another build may have replaced the folder since the list was read.
    const content = await readFile(join(folder, file + suffix)).catch(() => undefined);
    if (content === undefined) throw new HubError('not_found');
    const encoding = packing === undefined ? {} : { 'Content-Encoding': packing };
    return c.body(new Uint8Array(content), status, { ...headers, ...encoding });
  };

  for (const [path, listed] of files) {
    if (path !== MISSING) routes.get(path, (c) => answer(c, path, listed, 200));
  }
  return {
    routes,
    /** The page for an address below `/docs` that does not exist, if a browser asks. */
    notFound: async (c: Context<RestEnv>): Promise<Response | undefined> => {
      const listed = files.get(MISSING);
      if (listed === undefined || !/^\/docs(\/|$)/.test(c.req.path) || !asksForPage(c)) return undefined;
      return answer(c, MISSING, listed, 404);
    },
  };
};
