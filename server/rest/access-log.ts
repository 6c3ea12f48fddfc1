import type { Logger } from 'pino';
import type { Principal } from '../auth/credentials.ts';
import { newId } from '../platform/ids.ts';
import { createLineWriter } from '../platform/logging.ts';
import type { Metrics } from '../platform/metrics.ts';
import { withoutSecrets } from './answer.ts';

/** Printable and short; a secret in it, at whatever place, would end up in the log. */
const REQUEST_ID = /^(?!.*cw(?:b|p|_live)?_)[A-Za-z0-9_.:-]{1,64}$/;
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The id that the caller gave the request, if it is one that may stand in a log; else a new one. */
export const requestIdOf = (given: string | undefined): string =>
  given !== undefined && REQUEST_ID.test(given) ? given : newId('req');

/** What every answer repeats of its request. */
export const visitHeaders = (requestId: string, traceparent: string | undefined): Record<string, string> =>
  traceparent !== undefined && TRACEPARENT.test(traceparent)
    ? { 'X-Request-Id': requestId, traceparent }
    : { 'X-Request-Id': requestId };

export type Visit = {
  requestId: string;
  method: string;
  path: string;
  /** The pattern of the path: of these there are few. */
  route: string;
  status: number;
  ms: number;
  principal: Principal | undefined;
};

/** One log line and one measurement for each request. */
export const createVisitNote = ({ log, metrics }: { log: Logger; metrics: Pick<Metrics, 'requests'> }) => {
  const write = createLineWriter(log);
  return ({ requestId, method, path, route, status, ms, principal }: Visit): void => {
    metrics.requests.observe({ method, route, status }, ms / 1_000);
    const where = JSON.stringify(withoutSecrets(path).slice(0, 200));
    const who =
      principal === undefined
        ? ''
        : `,"project":${JSON.stringify(principal.project.slug)},"keyId":"${principal.key.id}"`;
    const took = Math.round(ms * 100) / 100;
    write(
      `"requestId":"${requestId}","method":"${method}","path":${where},"status":${status},"ms":${took}${who},"msg":"request"`,
    );
  };
};
