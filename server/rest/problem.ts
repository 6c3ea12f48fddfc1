import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { ERRORS, HubError, invalidField } from '../errors.ts';
import type { RestDeps, RestEnv } from './context.ts';

const SECRET = /cw(?:b|_live)_[0-9A-Za-z]+/g;

/** A text that a caller wrote, as it may be repeated in logs and answers: without a key that strayed into it. */
export const withoutSecrets = (text: string): string => text.replaceAll(SECRET, '[redacted]');

/** An error as `application/problem+json` (RFC 9457). Never a stack, a query or a path of the machine. */
export const problem = (c: Context<RestEnv>, error: HubError): Response => {
  const { status, title, executed, retryable } = ERRORS[error.code];
  const { retryAfterS, allow, ...extras } = error.extras;
  const body = {
    type: `/docs/errors#${error.code}`,
    title,
    status,
    detail: error.message,
    instance: withoutSecrets(c.req.path),
    code: error.code,
    requestId: c.get('requestId'),
    executed,
    retryable,
    ...extras,
  };
  const headers: Record<string, string> = { 'Content-Type': 'application/problem+json' };
  if (retryAfterS !== undefined) headers['Retry-After'] = String(retryAfterS);
  if (allow !== undefined) headers['Allow'] = allow.join(', ');
  return c.body(JSON.stringify(body), status, headers);
};

const fromHttpException = (error: HTTPException): HubError => {
  if (error.status === 400) return new HubError('malformed_json');
  if (error.status === 413) return new HubError('payload_too_large');
  if (error.status === 415) return new HubError('unsupported_media_type');
  return new HubError('internal_error');
};

/** The one place where anything thrown becomes an answer. */
export const createErrorHandler =
  ({ log }: Pick<RestDeps, 'log'>) =>
  (error: Error, c: Context<RestEnv>): Response => {
    if (error instanceof HubError) return problem(c, error);
    if (error instanceof HTTPException) return problem(c, fromHttpException(error));
    if (error.name === 'InvalidCursor') return problem(c, invalidField('/cursor', error.message));
    if (error.name === 'DatabaseError') {
      log.error({ err: error, requestId: c.get('requestId') }, 'the database failed');
      return problem(c, new HubError('store_unavailable', undefined, { retryAfterS: 5 }));
    }
    log.error({ err: error, requestId: c.get('requestId'), path: withoutSecrets(c.req.path) }, 'a request failed');
    return problem(c, new HubError('internal_error'));
  };

/** Validation errors of zod, one line for each field. */
export const validationHook = (
  result: { success: true } | { success: false; target: string; error: { issues: readonly Issue[] } },
): void => {
  if (result.success) return;
  const errors = result.error.issues.slice(0, 20).flatMap(describe);
  const detail = errors.map(({ pointer, detail: text }) => `${pointer}: ${text}`).join('; ');
  throw new HubError('invalid_request', detail.slice(0, 1000), { errors });
};

type Issue = { code?: string; path: readonly PropertyKey[]; message: string; keys?: readonly string[] };

const clip = (text: string): string => withoutSecrets(text).slice(0, 64).toWellFormed();

const pointerOf = (path: readonly PropertyKey[]): string =>
  `/${path.map((part) => clip(String(part)).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;

const describe = (issue: Issue): { pointer: string; detail: string }[] =>
  issue.code === 'unrecognized_keys'
    ? (issue.keys ?? []).slice(0, 10).map((key) => ({
        pointer: pointerOf([...issue.path, key]),
        detail: 'this field does not exist here',
      }))
    : [{ pointer: pointerOf(issue.path), detail: issue.message.slice(0, 200) }];
