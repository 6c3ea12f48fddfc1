import type { Context } from 'hono';
import type { RestEnv } from '../context.ts';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.png': 'image/png',
};

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Whether the build also wrote this file compressed, as `.br` and `.gz`. Pictures are compressed by themselves. */
export const isPacked = (extension: string): boolean => extension !== '.png' && Object.hasOwn(TYPES, extension);

/** The headers of a built file. */
export const staticHeaders = (path: string, extension: string, etag: string): Record<string, string> => ({
  'Content-Type': TYPES[extension] ?? '',
  // Names of assets contain a hash of the content.
  'Cache-Control': /^(\/docs)?\/assets\//.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  ETag: etag,
  Vary: 'Accept-Encoding',
});

/** Whether an Accept list contains the value; `q=0` excludes it. */
export const isAccepted = (list: string, wanted: string): boolean =>
  list
    .toLowerCase()
    .split(',')
    .map((entry) => entry.split(';').map((part) => part.trim()))
    .some(([name, ...parameters]) => name === wanted && !parameters.some((each) => /^q *= *0(\.0*)?$/.test(each)));

/** The compression that the client accepts, or undefined. */
export const packingFor = (c: Context<RestEnv>): 'br' | 'gzip' | undefined =>
  (['br', 'gzip'] as const).find((each) => isAccepted(c.req.header('accept-encoding') ?? '', each));

/** Whether a browser asks for a page. */
export const asksForPage = (c: Context<RestEnv>): boolean =>
  (c.req.method === 'GET' || c.req.method === 'HEAD') && isAccepted(c.req.header('accept') ?? '', 'text/html');
