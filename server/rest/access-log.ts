import type { Principal } from '../auth/credentials.ts';
import { SECRET_START } from '../auth/secrets.ts';
import { newId } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { withoutSecrets } from './answer.ts';

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

export type Visit = {
  requestId: string;
  method: string;
  path: string;
  /** The pattern of the path, for labels. */
  route: string;
  status: number;
  ms: number;
  principal: Principal | undefined;
};

/** Proxies and supervisors ask these twice a second: that all is well is of interest at `debug` only. */
const PROBES: ReadonlySet<string> = new Set(['/livez', '/readyz']);

/** One log line and one measurement for each request. */
export const createVisitNote =
  ({ log, metrics }: { log: Log; metrics: Pick<Metrics, 'requests'> }) =>
  ({ requestId, method, path, route, status, ms, principal }: Visit): void => {
    metrics.requests.observe({ method, route, status }, ms / 1_000);
    if (status === 200 && PROBES.has(path)) return log.debug({ requestId, method, path, status, ms }, 'request');
    const where = JSON.stringify(withoutSecrets(path).slice(0, 200));
    const who =
      principal === undefined
        ? ''
        : `,"project":${JSON.stringify(principal.project.slug)},"keyId":"${principal.key.id}"`;
    const took = Math.round(ms * 100) / 100;
    log.line(
      `"requestId":"${requestId}","method":"${method}","path":${where},"status":${status},"ms":${took}${who},"msg":"request"`,
    );
  };
