import { createHash, timingSafeEqual } from 'node:crypto';
import { Hono } from 'hono';
import { HubError } from '../../platform/errors.ts';
import { inTime } from '../../platform/time.ts';
import type { RestDeps, RestEnv } from '../context.ts';

/** Deadline of a readiness check: proxies give up after some seconds. */
const PING_MS = 1_000;

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

const isSame = (given: string, wanted: string): boolean => {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
};

/** Routes for operators: liveness, readiness, metrics. */
export const operationRoutes = ({ config, metrics, database, phase }: RestDeps) =>
  new Hono<RestEnv>()
    .get('/livez', (c) => c.text('ok\n'))
    .get('/readyz', async (c) => {
      if (phase.isLeaving) return c.text('draining\n', 503);
      const isReady = await inTime(
        database.ping().then(() => true),
        PING_MS,
      );
      return isReady === true ? c.text('ok\n') : c.text('database\n', 503);
    })
    .get('/metrics', async (c) => {
      const bearer = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
      const isLocal =
        LOOPBACK.test(c.env.incoming.socket.remoteAddress ?? '') && c.req.header('x-forwarded-for') === undefined;
      const isAllowed = config.METRICS_TOKEN === undefined ? isLocal : isSame(bearer, config.METRICS_TOKEN);
      if (!isAllowed) throw new HubError('not_found');
      return c.body(await metrics.registry.metrics(), 200, { 'Content-Type': metrics.registry.contentType });
    });
