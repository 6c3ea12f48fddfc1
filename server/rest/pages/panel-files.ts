import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Context, Hono } from 'hono';
import type { RestEnv } from '../context.ts';

/** Addresses of panel pages: all of them get the same document. */
const PAGES = [
  '/',
  '/players',
  '/players/:serverId/:identifier',
  '/journal',
  '/journal/:id',
  '/servers',
  '/servers/:serverId',
  '/keys',
  '/project',
];

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type PanelFile = {
  plain: Uint8Array<ArrayBuffer>;
  br: Uint8Array<ArrayBuffer>;
  gzip: Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
};

const read = (file: string) => new Uint8Array(readFileSync(file));

const readPanel = (folder: string): Map<string, PanelFile> => {
  if (!existsSync(join(folder, 'index.html'))) return new Map();
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => extname(name) in TYPES);
  return new Map(
    names.map((name) => {
      const file = join(folder, name);
      const plain = read(file);
      const path = `/${relative(folder, file).replaceAll('\\', '/')}`;
      // Names of assets contain a hash of the content.
      const caching = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
      const headers = {
        'Content-Type': TYPES[extname(name)] ?? '',
        'Cache-Control': caching,
        'Content-Security-Policy': POLICY,
        'Cross-Origin-Opener-Policy': 'same-origin',
        ETag: `"${hash('sha256', plain, 'base64url').slice(0, 22)}"`,
        Vary: 'Accept-Encoding',
      };
      return [path, { plain, br: read(`${file}.br`), gzip: read(`${file}.gz`), headers }];
    }),
  );
};

/** Default folder of the built panel. */
const FOLDER = fileURLToPath(new URL('../../../dist/panel', import.meta.url));

/** Whether an Accept list contains the value; `q=0` excludes it. */
const isAccepted = (list: string, wanted: string): boolean =>
  list
    .toLowerCase()
    .split(',')
    .map((entry) => entry.split(';').map((part) => part.trim()))
    .some(([name, ...parameters]) => name === wanted && !parameters.some((each) => /^q *= *0(\.0*)?$/.test(each)));

const PACKED = ['br', 'gzip'] as const;

const answer = (c: Context<RestEnv>, file: PanelFile, status: 200 | 404): Response => {
  const packed = PACKED.find((each) => isAccepted(c.req.header('accept-encoding') ?? '', each));
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
    /** The page for an unknown address in a browser. */
    notFound: (c: Context<RestEnv>): Response | undefined => {
      const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
      const isPage =
        isRead && isAccepted(c.req.header('accept') ?? '', 'text/html') && !/^\/api(\/|$)/.test(c.req.path);
      return isPage && index !== undefined ? answer(c, index, 404) : undefined;
    },
  };
};
