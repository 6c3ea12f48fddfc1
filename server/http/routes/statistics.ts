import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { STEP_MS } from '../../panel/statistics.ts';
import { plainText } from '../../platform/fields.ts';
import { isoTime } from '../../platform/time.ts';
import { validationHook } from '../answer.ts';
import { assertServerAllowed } from '../identify.ts';
import { needs } from '../middleware.ts';
import type { RestDeps, RestEnv } from '../request.ts';
import { at, countQuery, instant, json, problems } from '../schemas.ts';

const HOUR_MS = 60 * 60_000;

const statisticsRoute = createRoute({
  ...at('get', '/statistics', 'getStatistics'),
  tags: ['Project'],
  summary: 'Players online and outcomes of commands over time',
  ...needs(['servers:read'], 'A point for each five minutes in which a bridge was connected or a command ended.'),
  request: {
    query: z.strictObject({
      hours: countQuery({ min: 1, max: 168, fallback: 24 }),
      serverId: plainText(63).optional(),
    }),
  },
  responses: {
    200: json(
      z
        .object({
          stepSeconds: z.int(),
          points: z.array(
            z.object({
              at: instant,
              online: z.int(),
              succeeded: z.int(),
              refused: z.int().openapi({ description: 'Commands without effect: rejected, taken back or expired.' }),
              failed: z.int(),
              unknown: z.int(),
            }),
          ),
        })
        .openapi('Statistics'),
      'The steps, the oldest first; the last one is still running.',
    ),
    ...problems(),
  },
});

/** Data for charts. */
export const statisticsRoutes = ({ statistics }: RestDeps) =>
  new OpenAPIHono<RestEnv>({ defaultHook: validationHook }).openapi(statisticsRoute, async (c) => {
    const { principal } = c.var;
    const { hours, serverId } = c.req.valid('query');
    if (serverId !== undefined) assertServerAllowed(principal, serverId);
    const servers = serverId === undefined ? principal.servers : [serverId];
    const points = await statistics.since(principal.project.id, servers, Date.now() - hours * HOUR_MS);
    return c.json(
      { stepSeconds: STEP_MS / 1000, points: points.map(({ at, ...point }) => ({ ...point, at: isoTime(at) })) },
      200,
    );
  });
