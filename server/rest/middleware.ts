import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { MiddlewareHandler } from 'hono';
import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import type { Scope } from '../auth/credentials.ts';
import { HubError } from '../platform/errors.ts';
import { createVisitNote, requestIdOf, visitHeaders } from './access-log.ts';
import { limitHeaders, SECURITY_HEADERS } from './answer.ts';
import { admit, assertAdmitted, assertScopes, type Limits } from './authorize.ts';
import { bodyHeaders, ClientClosedError } from './body.ts';
import type { RestDeps, RestEnv } from './context.ts';
import type { Identify } from './identify.ts';

const EMPTY = Buffer.alloc(0);

/** A request id everywhere, one log line and one measurement for each request. */
export const requestScope = ({ log, metrics }: Pick<RestDeps, 'log' | 'metrics'>): MiddlewareHandler<RestEnv> => {
  const note = createVisitNote({ log, metrics });
  return createMiddleware<RestEnv>(async (c, next) => {
    const start = performance.now();
    const requestId = requestIdOf(c.req.header('x-request-id'));
    c.set('requestId', requestId);
    await next();
    const common = { ...SECURITY_HEADERS, ...visitHeaders(requestId, c.req.header('traceparent')) };
    for (const [name, value] of Object.entries(common)) if (!c.res.headers.has(name)) c.header(name, value);
    note({
      requestId,
      method: c.req.method,
      path: c.req.path,
      route: routePath(c, -1),
      status: c.res.status,
      ms: performance.now() - start,
      principal: c.get('principal'),
    });
  });
};

/** Who asks, and whether there is room in their minute. Refused requests are not counted. */
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

/** Bodies are JSON in UTF-8, or absent. A body without bytes is absent, whatever its headers say. */
export const requireJson: MiddlewareHandler<RestEnv> = createMiddleware<RestEnv>(async (c, next) => {
  const { length, hasBody, isJson } = bodyHeaders(c.env.incoming.headers);
  if (length > 0 && !isJson) throw new HubError('unsupported_media_type');
  // Hono keeps what was read for those who read it again.
  const bytes = hasBody
    ? Buffer.from(
        await c.req.arrayBuffer().catch((error: unknown) => {
          throw isClosed(c.env.incoming) ? new ClientClosedError() : error;
        }),
      )
    : EMPTY;
  if (bytes.length > 0 && !isJson) throw new HubError('unsupported_media_type');
  if (!isUtf8(bytes)) throw new HubError('malformed_json');
  // Without a body its type means nothing; the validators would look for JSON.
  if (bytes.length === 0) c.req.raw.headers.delete('content-type');
  await next();
});

const requireScopes = (scopes: readonly Scope[]): MiddlewareHandler<RestEnv> =>
  createMiddleware<RestEnv>(async (c, next) => {
    assertScopes(c.var.principal, scopes);
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
