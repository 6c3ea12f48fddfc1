import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { type Bucket, RANGES, STEP_MS } from '../../panel/statistics.ts';
import { plainText } from '../../platform/fields.ts';
import { isoTime } from '../../platform/time.ts';
import { validationHook } from '../answer.ts';
import { assertServerAllowed } from '../identify.ts';
import { needs } from '../middleware.ts';
import type { RestDeps, RestEnv } from '../request.ts';
import { at, instant, json, problems, wholeQuery } from '../schemas.ts';

const HOUR_MS = 60 * 60_000;

const ends = {
  succeeded: z.int(),
  refused: z.int().openapi({ description: 'Commands without effect: rejected, taken back or expired.' }),
  failed: z.int(),
  unknown: z.int(),
};

/** A value of a bucket. */
const known = <T extends z.ZodType>(value: T) => value.nullable();
const UNKNOWN = 'null: no bridge was connected, and no command ended.';

const statisticsSchema = z
  .object({
    stepSeconds: z.int(),
    points: z.array(z.object({ at: instant, online: z.int(), ...ends })),
  })
  .openapi('Statistics', { description: 'Without range.' });

const rangeSchema = z
  .object({
    range: z.enum(['24h', '7d', '30d']),
    bucketSeconds: z.int().openapi({ description: '900, 3600 or 21600. A bucket begins at a multiple of it, in UTC.' }),
    points: z.array(
      z.object({
        at: instant,
        online: known(z.number()).openapi({ description: `The average. ${UNKNOWN}` }),
        ended: known(z.object(ends)).openapi({
          description: `Commands that ended, without those of batches. ${UNKNOWN}`,
        }),
        batches: known(z.object(ends)).openapi({ description: 'Commands of batches that ended.' }),
      }),
    ),
    peak: z.number().openapi({
      description: 'The most players at the end of five minutes; of more than 8 days ago, the highest average.',
    }),
    servers: z
      .array(
        z.object({
          serverId: z.string(),
          online: z.array(known(z.number())),
          ended: z.array(known(z.int())),
          batches: z.array(known(z.int())),
        }),
      )
      .optional()
      .openapi({ description: 'With each=server: a value for each point, in the order of the points.' }),
  })
  .openapi('StatisticsRange', { description: 'With range.' });

const query = z
  .strictObject({
    hours: wholeQuery({ min: 1, max: 168 })
      .optional()
      .openapi({ description: 'Without range: how far back; default 24.' }),
    range: z.enum(['24h', '7d', '30d']).optional(),
    each: z.enum(['server']).optional().openapi({ description: 'With range: also a series of each server.' }),
    serverId: plainText(63).optional(),
  })
  .superRefine(({ hours, range, each }, { addIssue }) => {
    const isBoth = hours !== undefined && range !== undefined;
    if (isBoth) addIssue({ code: 'custom', path: ['hours'], message: 'must be absent with range: send one of them' });
    const message = 'needs range: send range=24h, 7d or 30d, too';
    if (each !== undefined && range === undefined) addIssue({ code: 'custom', path: ['each'], message });
  });

const statisticsRoute = createRoute({
  ...at('get', '/statistics', 'getStatistics'),
  tags: ['Project'],
  summary: 'Players online and outcomes of commands over time',
  ...needs(
    ['servers:read'],
    'A point for each five minutes in which a bridge was connected or a command ended; with range, for each bucket of it.',
  ),
  request: { query },
  responses: {
    200: json(z.union([statisticsSchema, rangeSchema]), 'The oldest first; the last one is still running.'),
    ...problems(),
  },
});

const sumOf = (counts: Bucket['ended']): number | null =>
  counts === null ? null : counts.succeeded + counts.refused + counts.failed + counts.unknown;

/** Data for charts. */
export const statisticsRoutes = ({ statistics }: RestDeps) =>
  new OpenAPIHono<RestEnv>({ defaultHook: validationHook }).openapi(statisticsRoute, async (c) => {
    const { principal } = c.var;
    const { hours = 24, range, each, serverId } = c.req.valid('query');
    if (serverId !== undefined) assertServerAllowed(principal, serverId);
    const servers = serverId === undefined ? principal.servers : [serverId];
    const { id } = principal.project;
    if (range === undefined) {
      const points = await statistics.since(id, servers, Date.now() - hours * HOUR_MS);
      return c.json(
        { stepSeconds: STEP_MS / 1000, points: points.map(({ at, ...point }) => ({ ...point, at: isoTime(at) })) },
        200,
      );
    }
    const points = await statistics.over(id, servers, range);
    const peak = await statistics.peak(id, servers, { range, buckets: points });
    const series = each === undefined ? undefined : await statistics.overOfEach(id, servers, range);
    return c.json(
      {
        range,
        bucketSeconds: RANGES[range].bucketMs / 1000,
        points: points.map(({ at, ...point }) => ({ ...point, at: isoTime(at) })),
        peak,
        servers: series?.map(({ serverId: of, buckets }) => ({
          serverId: of,
          online: buckets.map(({ online }) => online),
          ended: buckets.map(({ ended }) => sumOf(ended)),
          batches: buckets.map(({ batches }) => sumOf(batches)),
        })),
      },
      200,
    );
  });
