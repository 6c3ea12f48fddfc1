import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { MiddlewareHandler } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { RestEnv } from './request.ts';

/** Whether an `Accept-Encoding` takes gzip (RFC 9110, 12.5.3). */
const takesGzip = (accepted = ''): boolean =>
  accepted
    .toLowerCase()
    .split(',')
    .map((each) => each.split(';').map((part) => part.trim()))
    .some(([name, ...parameters]) => name === 'gzip' && !parameters.some((each) => /^q *= *0(\.0*)?$/.test(each)));

/** A smaller answer fits into a few packets anyway. */
const MIN_BYTES = 8 * 1024;
const pack = promisify(gzip);

/** Compresses a large list, in a thread of the pool, for a caller that accepts it. */
export const compressed: MiddlewareHandler<RestEnv> = createMiddleware<RestEnv>(async (c, next) => {
  await next();
  if (c.req.method !== 'GET' || c.res.status !== 200) return;
  c.header('Vary', 'Accept-Encoding', { append: true });
  if (!takesGzip(c.req.header('accept-encoding'))) return;
  const answer = c.res;
  const text = await answer.text();
  const isLarge = text.length >= MIN_BYTES;
  // The fastest level: a page of players is then a fifth of its size, and a tenth larger than by the slowest.
  const body = isLarge ? new Uint8Array(await pack(text, { level: constants.Z_BEST_SPEED })) : text;
  // Headers of the answer before would be kept twice.
  c.res = undefined;
  c.res = new Response(body, answer);
  if (isLarge) c.header('Content-Encoding', 'gzip');
});
