import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Hono, type MiddlewareHandler } from 'hono';
import { html } from 'hono/html';
import { ERRORS, HubError } from '../../platform/errors.ts';
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

const errorPage = html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>Causeway errors</title>
      <link rel="stylesheet" href="/docs/assets/errors.css" />
    </head>
    <body>
      <h1>Errors</h1>
      <p>Every error is <code>application/problem+json</code>; <code>type</code> links to its section here.</p>
      ${Object.entries(ERRORS).map(
        ([code, { status, title, remedy, executed, retryable }]) =>
          html`<section id="${code}">
            <h2>${code}</h2>
            <p><strong>${status} · ${title}.</strong> ${remedy}</p>
            <p>Took effect: ${executed}. Worth repeating as it is: ${retryable ? 'yes' : 'no'}.</p>
          </section>`,
      )}
    </body>
  </html>`;

const ERRORS_CSS =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}section:target{outline:2px solid #7aa2f7;outline-offset:.5rem}';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const secured: MiddlewareHandler<RestEnv> = async (c, next) => {
  await next();
  c.header('Content-Security-Policy', POLICY);
  c.header('X-Content-Type-Options', 'nosniff');
};

/** The API reference, and a plain page of errors. They load files of this hub only. */
export const docsRoutes = () =>
  new Hono<RestEnv>()
    .use('/docs/api', secured)
    .use('/docs/errors', secured)
    .use('/docs/assets/*', secured)
    .get('/docs/api', (c) => c.html(page))
    // Both are for a hub whose documentation was not built.
    .get('/docs', (c) => c.redirect('/docs/api'))
    .get('/docs/errors', (c) => c.html(errorPage))
    .get('/docs/assets/start.js', (c) => c.body(START, 200, { 'Content-Type': 'text/javascript; charset=utf-8' }))
    .get('/docs/assets/errors.css', (c) => c.body(ERRORS_CSS, 200, { 'Content-Type': 'text/css; charset=utf-8' }))
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
