import type { ServerResponse } from 'node:http';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type Principal, SECRET_START, SECRETS } from '../auth/credentials.ts';
import type { Admission } from '../auth/limits.ts';
import { ERRORS, HubError, invalidField } from '../platform/errors.ts';
import { type Issue, invalidRequest } from '../platform/fields.ts';
import { newId } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import { CLIENT_CLOSED, ClientClosedError, type RestDeps, type RestEnv } from './request.ts';
import type { HttpFault } from './server.ts';

/** An error as the answer of a route. */
export const problem = (c: Context<RestEnv>, error: HubError): Response => {
  const { status, headers, text } = problemAnswer(error, { path: c.req.path, requestId: c.get('requestId') });
  return c.body(text, status as ContentfulStatusCode, headers);
};

const fromHttpException = (error: HTTPException): HubError => {
  if (error.status === 400) return new HubError('malformed_json');
  if (error.status === 413) return new HubError('payload_too_large');
  if (error.status === 415) return new HubError('unsupported_media_type');
  return new HubError('internal_error');
};

/** Whether a failed request may have taken effect: one with an idempotency key earlier, and `void` or `resolve` just now. */
const mayBeDone = (c: Context<RestEnv>): boolean =>
  c.req.method === 'POST' && (c.req.header('idempotency-key') !== undefined || /\/(void|resolve)$/.test(c.req.path));

/** Turns an error of a route into its answer. */
export const answerError = (log: Log, error: Error, c: Context<RestEnv>): Response => {
  if (error instanceof ClientClosedError) return c.body(null, CLIENT_CLOSED as ContentfulStatusCode);
  if (error instanceof HTTPException) return problem(c, fromHttpException(error));
  const known = asHubError(error, { mayBeDone: mayBeDone(c) });
  if (error.name === 'DatabaseError') {
    log.error({ err: error, requestId: c.get('requestId') }, 'the database failed');
  } else if (known === undefined) {
    log.error({ err: error, requestId: c.get('requestId'), path: withoutSecrets(c.req.path) }, 'a request failed');
  }
  return problem(c, known ?? new HubError('internal_error'));
};

/** A fault of a header at its usual name: validators know headers in lower case. */
const ofHeader = (issue: Issue): Issue => ({
  ...issue,
  path: issue.path.map((name) => String(name).replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())),
});

/** Validation errors of zod, for every route alike. */
export const validationHook = (
  result: { target: string } & ({ success: true } | { success: false; error: { issues: readonly Issue[] } }),
): void => {
  if (result.success) return;
  const { issues } = result.error;
  throw invalidRequest(result.target === 'header' ? issues.map(ofHeader) : issues);
};

/** A caller's text for logs and answers, without secrets in it. */
const withoutSecrets = (text: string): string => (text.includes('cw') ? text.replaceAll(SECRETS, '[redacted]') : text);

/** An HTTP answer before it is written. */
export type Answer = { status: number; headers: Record<string, string>; text: string };

/** Default headers of API answers: no page, no frame, no cache. */
export const SECURITY_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** The state of the request limit, as IETF draft headers and under their older names. */
export const limitHeaders = (
  { limit, remaining, resetMs, ofKey }: Admission,
  { bucket }: Pick<Principal, 'bucket'>,
): Record<string, string> => ({
  'RateLimit-Policy': `"${ofKey === true ? 'key' : bucket}";q=${limit};w=60`,
  RateLimit: `"${ofKey === true ? 'key' : bucket}";r=${remaining};t=${Math.ceil(resetMs / 1000)}`,
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': String(Math.ceil((Date.now() + resetMs) / 1000)),
});

const SECURITY = Object.entries(SECURITY_HEADERS).flat();

/** Writes an answer without the framework. Node.js is fastest with names and values in one array. */
export const writeAnswer = (
  response: ServerResponse,
  { status, headers, text }: Answer,
  ...groups: readonly Record<string, string>[]
): void => {
  const list = [...SECURITY];
  for (const group of [...groups, headers]) for (const name in group) list.push(name, group[name] ?? '');
  list.push('Content-Length', String(Buffer.byteLength(text)));
  response.writeHead(status, list);
  response.end(text);
};

/** An error as `application/problem+json` (RFC 9457). Never a stack, a query or a path of the machine. */
export const problemAnswer = (error: HubError, { path, requestId }: { path?: string; requestId: string }): Answer => {
  const { status, title, executed, retryable } = ERRORS[error.code];
  const { retryAfterS, allow, ...extras } = error.extras;
  const headers: Record<string, string> = { 'Content-Type': 'application/problem+json' };
  if (retryAfterS !== undefined) headers['Retry-After'] = String(retryAfterS);
  if (allow !== undefined) headers['Allow'] = allow.join(', ');
  const body = {
    type: `/docs/errors#${error.code}`,
    title,
    status,
    detail: error.message,
    instance: path,
    code: error.code,
    requestId,
    executed,
    retryable,
    ...extras,
  };
  // An API key in a path or field name is not repeated.
  return { status, headers, text: withoutSecrets(JSON.stringify(body)) };
};

const WRONG_CURSOR = 'must be pagination.next of an answer of this list; leave it out for the first page';

/**
 * An expected error as {@link HubError}; undefined: an unexpected error. `mayBeDone`: an earlier request or this one may
 * have had an effect that the database does not show now.
 */
export const asHubError = (error: unknown, { mayBeDone = false } = {}): HubError | undefined => {
  if (error instanceof HubError) return error;
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'InvalidCursor') return invalidField('/cursor', WRONG_CURSOR);
  if (error.name === 'DatabaseError') {
    const isUnknown = mayBeDone || ('isUnknown' in error && error.isUnknown === true);
    const extras = { retryAfterS: 5, ...(isUnknown && { executed: 'unknown' as const }) };
    return new HubError('store_unavailable', undefined, extras, { cause: error });
  }
  return undefined;
};

/** The complete answer to bytes that are not a valid request. */
export const httpFaultAnswer = (code: HttpFault | 'internal_error'): Answer => {
  const requestId = newId('req');
  const { status, headers, text } = problemAnswer(new HubError(code), { requestId });
  const length = String(Buffer.byteLength(text));
  const all = {
    ...SECURITY_HEADERS,
    'X-Request-Id': requestId,
    ...headers,
    'Content-Length': length,
    Connection: 'close',
  };
  return { status, headers: all, text };
};

/** Request ids are printable and short. Texts that contain a secret are refused, because ids are logged. */
const REQUEST_ID = /^[A-Za-z0-9_.:-]{1,64}$/;
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The caller's request id if it may be logged, else a new one. */
export const requestIdOf = (given: string | undefined): string =>
  given !== undefined && REQUEST_ID.test(given) && !SECRET_START.test(given) ? given : newId('req');

/** Headers that each answer repeats from its request. */
export const visitHeaders = (requestId: string, traceparent: string | undefined): Record<string, string> =>
  traceparent !== undefined && TRACEPARENT.test(traceparent)
    ? { 'X-Request-Id': requestId, traceparent }
    : { 'X-Request-Id': requestId };

/** Proxies and supervisors ask these twice a second: that all is well is of interest at `debug` only. */
const PROBES: ReadonlySet<string> = new Set(['/livez', '/readyz']);

/** One log line and one measurement for each request. `route`: the pattern of its path, for labels. */
export const noteVisit = (
  { log, metrics }: Pick<RestDeps, 'log' | 'metrics'>,
  { requestId, method, path }: { requestId: string; method: string; path: string },
  {
    route,
    status,
    since,
    principal,
  }: { route: string; status: number; since: number; principal: Principal | undefined },
): void => {
  const ms = performance.now() - since;
  metrics.requests.observe({ method, route, status }, ms / 1_000);
  if (status === 200 && PROBES.has(path)) return log.debug({ requestId, method, path, status, ms }, 'request');
  const where = JSON.stringify(withoutSecrets(path).slice(0, 200));
  const who =
    principal === undefined ? '' : `,"project":${JSON.stringify(principal.project.slug)},"keyId":"${principal.key.id}"`;
  const took = Math.round(ms * 100) / 100;
  log.line(
    `"requestId":"${requestId}","method":"${method}","path":${where},"status":${status},"ms":${took}${who},"msg":"request"`,
  );
};
