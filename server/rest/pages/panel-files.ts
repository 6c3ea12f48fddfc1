import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Context, Hono } from 'hono';
import type { RestEnv } from '../context.ts';
import { asksForPage, isPacked, packingFor, staticHeaders } from './static-file.ts';

/** Addresses of panel pages: all of them get the same document. */
const PAGES = [
  '/',
  '/players',
  '/players/:serverId/:identifier',
  '/journal',
  '/journal/:id',
  '/batches',
  '/batches/new',
  '/batches/:id',
  '/schedules',
  '/schedules/new',
  '/schedules/:id',
  '/servers',
  '/servers/:serverId',
  '/servers/:serverId/connect',
  '/shops',
  '/shops/:id',
  '/shops/:id/edit',
  '/keys',
  '/project',
  '/setup',
];

type PanelFile = {
  plain: Uint8Array<ArrayBuffer>;
  br: Uint8Array<ArrayBuffer>;
  gzip: Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
};

const read = (file: string) => new Uint8Array(readFileSync(file));

const readPanel = (folder: string): Map<string, PanelFile> => {
  if (!existsSync(join(folder, 'index.html'))) return new Map();
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => isPacked(extname(name)));
  return new Map(
    names.map((name) => {
      const file = join(folder, name);
      const plain = read(file);
      const path = `/${relative(folder, file).replaceAll('\\', '/')}`;
      const etag = `"${hash('sha256', plain, 'base64url').slice(0, 22)}"`;
      const headers = staticHeaders(path, extname(name), etag);
      return [path, { plain, br: read(`${file}.br`), gzip: read(`${file}.gz`), headers }];
    }),
  );
};

/** Default folder of the built panel. */
const FOLDER = fileURLToPath(new URL('../../../dist/panel', import.meta.url));

const answer = (c: Context<RestEnv>, file: PanelFile, status: 200 | 404): Response => {
  const packed = packingFor(c);
  return c.body(file[packed ?? 'plain'], status, {
    ...file.headers,
    ...(packed === undefined ? {} : { 'Content-Encoding': packed }),
  });
};

/** Serves the built panel at `/` from memory. Without a build, there are no such addresses. */
export const createPanelFiles = (folder = FOLDER) => {
  const files = readPanel(folder);
  const index = files.get('/index.html');
  const routes = new Hono<RestEnv>();
  const serve = (path: string, file: PanelFile) =>
    routes.get(path, (c) => {
      if (c.req.header('if-none-match') === file.headers['ETag']) return c.body(null, 304, file.headers);
      return answer(c, file, 200);
    });
  for (const [path, file] of files) if (path !== '/index.html') serve(path, file);
  if (index !== undefined) {
    for (const page of PAGES) serve(page, index);
    // Some people type a trailing slash; the panel's router removes it.
    for (const page of PAGES) if (page !== '/') serve(`${page}/`, index);
  }
  return {
    routes,
    isBuilt: index !== undefined,
    /** The page for an unknown address in a browser. */
    notFound: (c: Context<RestEnv>): Response | undefined => {
      const isPage = asksForPage(c) && !/^\/api(\/|$)/.test(c.req.path);
      return isPage && index !== undefined ? answer(c, index, 404) : undefined;
    },
  };
};
