import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { html, raw } from 'hono/html';
import { HubError } from '../platform/errors.ts';
import { encodingFor } from './compress.ts';
import type { RestEnv } from './request.ts';

/** Whether the caller has this file by RFC 9110, 13.1.2: one of a list matches, compared weakly, or it is `*`. */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === etag) === true;

/** The files of the reference page, by the name they are served under. */
const ASSETS: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

const assetFolder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** The colours are those of the panel: see panel/public/scheme.js. */
const START = `const chosen = localStorage.getItem('causeway-scheme');
const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.setAttribute('data-scheme', isDark ? 'dark' : 'light');
document.documentElement.classList.toggle('dark-mode', isDark);
window.onload = () => SwaggerUIBundle({ url: '/api/v2/openapi.json', dom_id: '#reference', deepLinking: true, tryItOutEnabled: true });`;

const pageOf = (style: string | undefined) => html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>Causeway API</title>
      <link rel="stylesheet" href="/docs/assets/swagger-ui.css" />
      ${style === undefined ? '' : raw(`<link rel="stylesheet" href="/docs/${style}" />`)}
      <link rel="icon" href="/docs/assets/favicon-32x32.png" />
      <script src="/docs/assets/start.js"></script>
    </head>
    <body>
      <nav aria-label="Causeway"><a href="/docs">Documentation</a> · <a href="/">Panel</a></nav>
      <main id="reference"></main>
      <script src="/docs/assets/swagger-ui-bundle.js"></script>
    </body>
  </html>`;

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const secured: MiddlewareHandler<RestEnv> = async (c, next) => {
  await next();
  c.header('Content-Security-Policy', POLICY);
  c.header('X-Content-Type-Options', 'nosniff');
};

/** Almost as small as the best quality, in a fiftieth of its time. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number] | undefined;
type Bytes = Uint8Array<ArrayBuffer>;

const packed = async (file: Bytes, encoding: Encoding): Promise<Bytes> => {
  if (encoding === 'br') return new Uint8Array(await promisify(brotliCompress)(file, BROTLI));
  return encoding === 'gzip' ? new Uint8Array(await promisify(gzip)(file)) : file;
};

/** The files of the reference page. Each is read once, and packed once for each encoding that a caller asks for. */
const createAssets = () => {
  const files = new Map<string, Promise<{ bytes: Bytes; etag: string }>>();
  const copies = new Map<string, Promise<Bytes>>();
  /** A failure is not kept. */
  const once = <T>(known: Map<string, Promise<T>>, name: string, make: () => Promise<T>): Promise<T> => {
    const made = known.get(name) ?? make();
    known.set(name, made);
    made.catch(() => known.delete(name));
    return made;
  };
  const read = (name: string) =>
    once(files, name, async () => {
      const bytes = new Uint8Array(name === 'start.js' ? Buffer.from(START) : await readFile(join(assetFolder, name)));
      return { bytes, etag: `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"` };
    });
  return async (c: Context<RestEnv>, name: string, type: string): Promise<Response> => {
    const { bytes, etag } = await read(name);
    // Weak, because the packed copies have the same one.
    const headers = { ETag: `W/${etag}`, 'Cache-Control': 'public, max-age=86400', Vary: 'Accept-Encoding' };
    if (isKnown(c.req.header('if-none-match'), etag)) return c.body(null, 304, headers);
    const encoding = type.startsWith('image/') ? undefined : encodingFor(c.req.header('accept-encoding'), ENCODINGS);
    const body = await once(copies, `${name} ${encoding}`, () => packed(bytes, encoding));
    return c.body(body, 200, {
      ...headers,
      'Content-Type': type,
      ...(encoding !== undefined && { 'Content-Encoding': encoding }),
    });
  };
};

/** The API reference. It loads files of this hub only. `style`: its look below `/docs/`, if the documentation was built. */
export const docsRoutes = (style: string | undefined) => {
  const answer = createAssets();
  const page = pageOf(style);
  return (
    new Hono<RestEnv>()
      .use('/docs/api', secured)
      .use('/docs/assets/*', secured)
      .get('/docs/api', (c) => c.html(page))
      // For a hub whose documentation was not built.
      .get('/docs', (c) => c.redirect('/docs/api'))
      .get('/docs/assets/start.js', (c) => answer(c, 'start.js', 'text/javascript; charset=utf-8'))
      .get('/docs/assets/:name', (c) => {
        const name = c.req.param('name');
        const type = Object.hasOwn(ASSETS, name) ? ASSETS[name] : undefined;
        if (type === undefined) throw new HubError('not_found');
        return answer(c, name, type);
      })
  );
};
