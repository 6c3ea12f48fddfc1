import type { Context, MiddlewareHandler } from 'hono';
import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import { clientAddress } from '../client-address.ts';
import type { Principal, Scope } from '../credentials.ts';
import { HubError } from '../errors.ts';
import { newId } from '../ids.ts';
import type { Admission } from '../rate-limit.ts';
import type { RestDeps, RestEnv } from './context.ts';
import { withoutSecrets } from './problem.ts';

/** Printable and short; a key that was sent as a request id would end up in the log. */
const REQUEST_ID = /^(?!cwb?_)[A-Za-z0-9_.:-]{1,64}$/;
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** On every answer that has not set its own. Nothing here is a page, a frame or for a cache. */
const SECURITY_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** A request id everywhere, one log line and one measurement for each request. */
export const requestScope = ({ log, metrics }: Pick<RestDeps, 'log' | 'metrics'>): MiddlewareHandler<RestEnv> =>
  createMiddleware<RestEnv>(async (c, next) => {
    const start = performance.now();
    const given = c.req.header('x-request-id');
    const requestId = given !== undefined && REQUEST_ID.test(given) ? given : newId('req');
    c.set('requestId', requestId);
    await next();
    const seconds = (performance.now() - start) / 1000;
    c.header('X-Request-Id', requestId);
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) if (!c.res.headers.has(name)) c.header(name, value);
    const trace = c.req.header('traceparent');
    if (trace !== undefined && TRACEPARENT.test(trace)) c.header('traceparent', trace);
    const labels = { method: c.req.method, route: routePath(c, -1), status: String(c.res.status) };
    metrics.requests.observe(labels, seconds);
    const principal: Principal | undefined = c.get('principal');
    log.info(
      {
        requestId,
        method: c.req.method,
        path: withoutSecrets(c.req.path).slice(0, 200),
        status: c.res.status,
        ms: Math.round(seconds * 1e5) / 100,
        ...(principal === undefined ? {} : { project: principal.project.slug, keyId: principal.key.id }),
      },
      'request',
    );
  });

const writeLimitHeaders = (c: Context<RestEnv>, { limit, remaining, resetMs }: Admission): void => {
  const seconds = Math.ceil(resetMs / 1000);
  c.header('RateLimit-Policy', `"project";q=${limit};w=60`);
  c.header('RateLimit', `"project";r=${remaining};t=${seconds}`);
  c.header('X-RateLimit-Limit', String(limit));
  c.header('X-RateLimit-Remaining', String(remaining));
  c.header('X-RateLimit-Reset', String(Math.ceil((Date.now() + resetMs) / 1000)));
};

/** Who asks, and whether there is room in the project's minute. Refused requests are not counted. */
export const authenticate = ({ credentials, rateLimit, config }: RestDeps): MiddlewareHandler<RestEnv> =>
  createMiddleware<RestEnv>(async (c, next) => {
    const address = clientAddress(c.env.incoming, config.TRUST_PROXY);
    const principal = await credentials.authenticateKey(c.req.header('x-api-key'), address);
    c.set('principal', principal);
    const admission = rateLimit.admit(principal.project.id, principal.project.rateLimit);
    writeLimitHeaders(c, admission);
    if (!admission.admitted) {
      throw new HubError('rate_limited', `The project may send ${admission.limit} requests in any 60 seconds.`, {
        retryAfterS: Math.max(1, Math.ceil(admission.resetMs / 1000)),
      });
    }
    await next();
  });

/** Bodies are JSON or absent. A transfer without a length is a body too. */
export const requireJson: MiddlewareHandler<RestEnv> = createMiddleware<RestEnv>(async (c, next) => {
  const length = c.req.header('content-length');
  const hasBody = (length !== undefined && length !== '0') || c.req.header('transfer-encoding') !== undefined;
  const type = c.req.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (hasBody && type !== 'application/json') throw new HubError('unsupported_media_type');
  await next();
});

const requireScopes = (scopes: readonly Scope[]): MiddlewareHandler<RestEnv> =>
  createMiddleware<RestEnv>(async (c, next) => {
    const { principal } = c.var;
    const missing = scopes.filter((scope) => !principal.scopes.has(scope));
    if (missing.length > 0) {
      throw new HubError('insufficient_scope', `This needs a key with the scope ${missing.join(' and ')}.`);
    }
    await next();
  });

/** The route is for keys with all of these scopes: enforced, and told to those who read the document. */
export const needs = (scopes: readonly Scope[], description = '') => ({
  security: [{ apiKey: [...scopes] }],
  middleware: requireScopes(scopes),
  description: [description, scopes.length === 0 ? 'Any key will do.' : `Needs the scope ${scopes.join(' and ')}.`]
    .join(' ')
    .trim(),
});

/** The key may act on this server. What it may not see is refused before it is known whether it exists. */
export const assertServerAllowed = ({ servers }: Principal, serverId: string): void => {
  if (servers !== undefined && !servers.includes(serverId)) throw new HubError('server_not_allowed');
};
