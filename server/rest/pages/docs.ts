import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Hono, type MiddlewareHandler } from 'hono';
import { html } from 'hono/html';
import { HubError } from '../../platform/errors.ts';
import type { RestEnv } from '../context.ts';

/** The files of the reference page, by the name they are served under. */
const ASSETS: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

const assetFolder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const START = `window.onload = () => SwaggerUIBundle({ url: '/api/v2/openapi.json', dom_id: '#reference', deepLinking: true, tryItOutEnabled: true });`;

const page = html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>Causeway API</title>
      <link rel="stylesheet" href="/docs/assets/swagger-ui.css" />
      <link rel="icon" href="/docs/assets/favicon-32x32.png" />
    </head>
    <body>
      <nav aria-label="Causeway" style="padding:0.8rem 1.2rem;font-family:system-ui,sans-serif"><a href="/docs">Documentation</a> · <a href="/">Panel</a></nav>
      <main id="reference"></main>
      <script src="/docs/assets/swagger-ui-bundle.js"></script>
      <script src="/docs/assets/start.js"></script>
    </body>
  </html>`;

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const secured: MiddlewareHandler<RestEnv> = async (c, next) => {
  await next();
  c.header('Content-Security-Policy', POLICY);
  c.header('X-Content-Type-Options', 'nosniff');
};

/** The API reference. It loads files of this hub only. */
export const docsRoutes = () =>
  new Hono<RestEnv>()
    .use('/docs/api', secured)
    .use('/docs/assets/*', secured)
    .get('/docs/api', (c) => c.html(page))
    // For a hub whose documentation was not built.
    .get('/docs', (c) => c.redirect('/docs/api'))
    .get('/docs/assets/start.js', (c) => c.body(START, 200, { 'Content-Type': 'text/javascript; charset=utf-8' }))
    .get('/docs/assets/:name', async (c) => {
      const name = c.req.param('name');
      const type = Object.hasOwn(ASSETS, name) ? ASSETS[name] : undefined;
      if (type === undefined) throw new HubError('not_found');
      const file = await readFile(join(assetFolder, name));
      return c.body(new Uint8Array(file), 200, {
        'Content-Type': type,
        'Cache-Control': 'public, max-age=86400',
      });
    });
