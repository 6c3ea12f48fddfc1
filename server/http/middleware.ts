import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Context, MiddlewareHandler } from 'hono';
import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import type { Scope } from '../auth/credentials.ts';
import { HubError } from '../platform/errors.ts';
import { limitHeaders, noteVisit, problem, requestIdOf, SECURITY_HEADERS, visitHeaders } from './answer.ts';
import { admit, assertAdmitted, assertScopes, type Identify, type KeylessCounts, type Limits } from './identify.ts';
import { bodyHeaders, ClientClosedError, jsonReader, type RestDeps, type RestEnv } from './request.ts';

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

const EMPTY = Buffer.alloc(0);

/** Whether a request is refused that came with no good key, cookie or signature. */
const isRefusedStranger = ({ res: { status }, var: { principal, isSigned } }: Context<RestEnv>): boolean =>
  status >= 400 && status < 500 && principal === undefined && isSigned !== true;

/**
 * Adds a request id, one log line and one measurement for each request. Requests of an address that has too many refused
 * ones are counted only.
 */
export const requestScope = ({
  log,
  metrics,
  keyless,
}: Pick<RestDeps, 'log' | 'metrics'> & { keyless: KeylessCounts }): MiddlewareHandler<RestEnv> =>
  createMiddleware<RestEnv>(async (c, next) => {
    const start = performance.now();
    const requestId = requestIdOf(c.req.header('x-request-id'));
    c.set('requestId', requestId);
    await next();
    const limited = isRefusedStranger(c) ? keyless.add(c.env.incoming) : undefined;
    if (limited !== undefined) {
      c.env.outgoing.shouldKeepAlive = false;
      // Headers of the answer before would be kept.
      c.res = undefined;
      c.res = problem(c, limited);
    }
    const common = { ...SECURITY_HEADERS, ...visitHeaders(requestId, c.req.header('traceparent')) };
    for (const [name, value] of Object.entries(common)) if (!c.res.headers.has(name)) c.header(name, value);
    if (limited !== undefined) return void metrics.refusals.inc({ code: limited.code });
    const { method, path } = c.req;
    const seen = { route: routePath(c, -1), status: c.res.status, since: start, principal: c.get('principal') };
    noteVisit({ log, metrics }, { requestId, method, path }, seen);
  });

/** Identifies the caller and counts the request. Refused requests are not counted. */
export const authenticate = (deps: Limits & { identity: Identify }): MiddlewareHandler<RestEnv> =>
  createMiddleware<RestEnv>(async (c, next) => {
    const principal = await deps.identity.identify(c.env.incoming);
    c.set('principal', principal);
    const admission = await admit(deps, principal);
    for (const [name, value] of Object.entries(limitHeaders(admission, principal))) c.header(name, value);
    assertAdmitted(admission, principal);
    await next();
  });

const isClosed = ({ complete, destroyed }: IncomingMessage): boolean => !complete && destroyed;

/** Accepts JSON bodies in UTF-8. An empty body counts as absent, also with headers of a body. */
export const requireJson: MiddlewareHandler<RestEnv> = createMiddleware<RestEnv>(async (c, next) => {
  const { length, hasBody, isJson } = bodyHeaders(c.env.incoming.headers);
  if (length > 0 && !isJson) throw new HubError('unsupported_media_type');
  // Hono caches the body for later readers.
  const bytes = hasBody
    ? Buffer.from(
        await c.req.arrayBuffer().catch((error: unknown) => {
          throw isClosed(c.env.incoming) ? new ClientClosedError() : error;
        }),
      )
    : EMPTY;
  if (bytes.length > 0 && !isJson) throw new HubError('unsupported_media_type');
  c.set('readBody', jsonReader(bytes));
  // Without a body, its type is removed: validators would expect JSON.
  if (bytes.length === 0) c.req.raw.headers.delete('content-type');
  await next();
});

const requireScopes = (scopes: readonly Scope[]): MiddlewareHandler<RestEnv> =>
  createMiddleware<RestEnv>(async (c, next) => {
    assertScopes(c.var.principal, scopes);
    await next();
  });

/** Requires these scopes, and documents them. */
export const needs = (scopes: readonly Scope[], description = '') => ({
  security: [{ apiKey: [...scopes] }],
  middleware: requireScopes(scopes),
  description: [description, scopes.length === 0 ? 'Any key will do.' : `Needs the scope ${scopes.join(' and ')}.`]
    .join(' ')
    .trim(),
});
