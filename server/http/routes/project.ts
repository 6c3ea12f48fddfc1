import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { Admission } from '../../auth/limits.ts';
import { RECENT_MS } from '../../schedules/runs.ts';
import { validationHook } from '../answer.ts';
import { peekPeople } from '../identify.ts';
import { needs } from '../middleware.ts';
import type { RestDeps, RestEnv } from '../request.ts';
import { at, json, noQuery, problems } from '../schemas.ts';

const usage = z.object({ limit: z.int(), used: z.int(), remaining: z.int(), resetSeconds: z.int() });

const viewOf = ({ limit, remaining, resetMs }: Admission): z.infer<typeof usage> => ({
  limit,
  used: limit - remaining,
  remaining,
  resetSeconds: Math.ceil(resetMs / 1000),
});

const projectSchema = z
  .object({
    slug: z.string(),
    name: z.string(),
    rateLimit: usage.openapi({ description: 'Requests of all keys in the last 60 seconds.' }),
    people: usage.openapi({ description: 'Changes of people in the panel in the last 60 seconds.' }),
    maxAmount: z.int().nullable().openapi({ description: 'Limit of one money command.' }),
    maxServers: z.int(),
    maxBatchTargets: z.int().openapi({ description: 'Players in one batch.' }),
    maxBatchTotal: z.int().nullable().openapi({ description: 'Money that one batch may move.' }),
    maxWaiting: z.int().openapi({ description: 'Commands that may wait for servers and players.' }),
    maxKeys: z.int().openapi({ description: 'Keys that are neither revoked nor expired.' }),
    totals: z.object({ servers: z.int(), players: z.int(), playersOnline: z.int() }),
    commands: z
      .object({ waiting: z.int(), accepted: z.int(), dispatched: z.int(), indeterminate: z.int() })
      .openapi({ description: 'Commands that have not ended or are indeterminate.' }),
    schedules: z
      .object({ notMade: z.int() })
      .openapi({ description: 'Planned runs of the last three days that did not happen, as far as the hub knows.' }),
  })
  .openapi('Project');

const projectRoute = createRoute({
  ...at('get', '/project', 'getProject'),
  tags: ['Project'],
  summary: 'Name, limit, usage in this window, totals',
  ...needs([]),
  request: { query: noQuery },
  responses: { 200: json(projectSchema, 'The project of the key.'), ...problems() },
});

/** The project a key belongs to. */
export const projectRoutes = ({ store, rateLimit, nodeRateLimit }: RestDeps) =>
  new OpenAPIHono<RestEnv>({ defaultHook: validationHook }).openapi(projectRoute, async (c) => {
    const { project, servers } = c.var.principal;
    const [totals, commands, notMade] = await Promise.all([
      store.projects.totals(project.id, servers),
      store.commands.counts(project.id, servers),
      store.schedules.countNotMade(project.id, Date.now() - RECENT_MS, servers),
    ]);
    return c.json(
      {
        slug: project.slug,
        name: project.name,
        rateLimit: viewOf(rateLimit.peek(project.id, project.rateLimit)),
        people: viewOf(peekPeople({ nodeRateLimit }, project.id)),
        maxAmount: project.maxAmount,
        maxServers: project.maxServers,
        maxBatchTargets: project.maxBatchTargets,
        maxBatchTotal: project.maxBatchTotal,
        maxWaiting: project.maxWaiting,
        maxKeys: project.maxKeys,
        totals,
        commands,
        schedules: { notMade },
      },
      200,
    );
  });
