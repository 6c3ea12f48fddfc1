import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { HubError } from '../platform/errors.ts';
import { asHubError, invalidRequest, problemAnswer, withoutSecrets } from './answer.ts';
import type { RestDeps, RestEnv } from './context.ts';
import { CLIENT_CLOSED, ClientClosedError } from './request.ts';

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

/** Of a request with a key, an earlier one may have been executed; commands and batches that are voided may have been. */
const mayBeDone = (c: Context<RestEnv>): boolean =>
  c.req.method === 'POST' && (c.req.header('idempotency-key') !== undefined || /\/(void|resolve)$/.test(c.req.path));

/** Turns all errors of routes into answers. */
export const createErrorHandler =
  ({ log }: Pick<RestDeps, 'log'>) =>
  (error: Error, c: Context<RestEnv>): Response => {
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

type Validated =
  | { success: true }
  | { success: false; target: string; error: { issues: Parameters<typeof invalidRequest>[0] } };

/** Validation errors of zod, for every route alike. */
export const validationHook = (result: Validated): void => {
  if (!result.success) throw invalidRequest(result.error.issues);
};
