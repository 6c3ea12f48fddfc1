import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import { type Context, Hono } from 'hono';
import type { RestEnv } from './request.ts';

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
  '/webhooks',
  '/project',
  '/setup',
];

const INDEX = 'index.html';
const MISSING = '404.html';
/** The build's other files are the compressed copies of these, and its fingerprint. */
const SERVED = /\.(html|js|css|svg|json|png)$/;

/** The page of the API reference; Swagger UI writes styles into its elements. */
const REFERENCE = '/docs/api';
const policyOf = (address: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self'${address === REFERENCE ? " 'unsafe-inline'" : ''}; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Whether the caller has this file by RFC 9110, 13.1.2: one of a list matches, compared weakly, or it is `*`. */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === etag) === true;

/** Whether an Accept list contains `text/html`; `q=0` excludes it. */
const acceptsPages = (list: string): boolean =>
  list
    .toLowerCase()
    .split(',')
    .map((entry) => entry.split(';').map((part) => part.trim()))
    .some(([name, ...parameters]) => name === 'text/html' && !parameters.some((each) => /^q *= *0(\.0*)?$/.test(each)));

/** Whether a browser asks for a page. */
const asksForPage = ({ req }: Context<RestEnv>): boolean =>
  (req.method === 'GET' || req.method === 'HEAD') && acceptsPages(req.header('accept') ?? '');

/** The folder of one build; undefined: there is none. Only the files that it has now get an address. */
const openBuild = (root: string) => {
  const mark = join(root, 'fingerprint');
  if (!existsSync(mark)) return undefined;
  // Weak, because the compressed copies have the same one.
  const etag = `W/"${readFileSync(mark, 'utf8').slice(0, 22)}"`;
  const routes = new Hono<RestEnv>();
  const headersOf = (address: string) => ({
    // Names of assets contain a hash of the content.
    'Cache-Control': /^(\/docs)?\/assets\//.test(address) ? 'public, max-age=31536000, immutable' : 'no-cache',
    'Content-Security-Policy': policyOf(address),
    'Cross-Origin-Opener-Policy': 'same-origin',
    ETag: etag,
    Vary: 'Accept-Encoding',
  });

  return {
    routes,
    files: readdirSync(root, { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => SERVED.test(name)),
    add: (address: string, file: string): void => {
      const headers = headersOf(address);
      const serve = serveStatic<RestEnv>({ root, path: file, precompressed: true });
      routes.get(address, async (c, next) => {
        // Asked first: an opened file that is not sent would stay open.
        if (c.req.header('if-none-match') === etag) return c.body(null, 304, headers);
        const answer = await serve(c, next);
        if (answer instanceof Response) {
          for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
        }
        return answer;
      });
    },
    /** Answers 404 with a file, from memory: the limit of strangers may replace the answer. */
    missing: (file: string) => {
      const page = readFileSync(join(root, file), 'utf8');
      const headers = { ...headersOf(''), 'Content-Type': 'text/html; charset=utf-8' };
      return (c: Context<RestEnv>): Response => c.body(page, 404, headers);
    },
  };
};

/** Default folder of the built panel. */
const FOLDER = fileURLToPath(new URL('../../dist/panel', import.meta.url));

/** The built panel at `/`, and the documentation below `/docs`. Without a build, there are no such addresses. */
export const createStaticFiles = (panelFolder = FOLDER) => {
  const panel = openBuild(panelFolder);
  const docs = openBuild(join(panelFolder, '../docs'));
  for (const file of panel?.files ?? []) {
    const addresses = file === INDEX ? PAGES : [`/${file}`];
    for (const address of addresses) panel?.add(address, file);
  }
  for (const file of docs?.files ?? []) {
    const page = file.replace(/\.html$/, '');
    if (file !== MISSING) docs?.add(file === INDEX ? '/docs' : `/docs/${page}`, file);
  }
  const missingPage = panel?.missing(INDEX);
  const missingDoc = docs?.missing(MISSING);

  return {
    panel: panel?.routes ?? new Hono<RestEnv>(),
    docs: docs?.routes ?? new Hono<RestEnv>(),
    hasPanel: panel !== undefined,
    /** The page for an address that does not exist, if a browser asks. */
    notFound: (c: Context<RestEnv>): Response | undefined => {
      if (!asksForPage(c) || /^\/api(\/|$)/.test(c.req.path)) return undefined;
      return /^\/docs(\/|$)/.test(c.req.path) ? (missingDoc ?? missingPage)?.(c) : missingPage?.(c);
    },
  };
};
