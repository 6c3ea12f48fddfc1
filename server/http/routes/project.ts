import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { moneyBounds, type ProjectRow } from '../../../db/queries/projects.ts';
import { changeProject } from '../../admin/projects.ts';
import type { Admission } from '../../auth/limits.ts';
import { COMMANDS_WITH_REASON } from '../../commands/catalogue.ts';
import { HubError } from '../../platform/errors.ts';
import { plainText, sentFields } from '../../platform/fields.ts';
import { optionalTime } from '../../platform/time.ts';
import { RECENT_MS } from '../../schedules/runs.ts';
import { validationHook } from '../answer.ts';
import { actorOf, peekPeople } from '../identify.ts';
import { needs } from '../middleware.ts';
import type { RestDeps, RestEnv } from '../request.ts';
import { at, body, instant, json, noQuery, problems } from '../schemas.ts';

/** The languages of the panel. */
const LANGUAGES = ['en', 'pt', 'de'] as const;

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
    language: z
      .string()
      .nullable()
      .openapi({ description: 'Of the panel, for people who chose none; null: that of their browser.' }),
    confirmAbove: z.int().openapi({ description: 'Above this amount, the panel asks a person to type it.' }),
    reasonFor: z.array(z.string()).openapi({ description: 'Commands that are refused without a reason.' }),
    maxAmount: z.int().nullable().openapi({ description: 'Limit of one money command.' }),
    maxServers: z.int(),
    maxBatchTargets: z.int().openapi({ description: 'Players in one batch.' }),
    maxBatchTotal: z.int().nullable().openapi({ description: 'Money that one batch may move.' }),
    ceilings: z
      .object({ maxAmount: z.int().nullable(), maxBatchTotal: z.int().nullable() })
      .openapi({ description: "The operator's bounds: the project's own lie below them. null: none." }),
    maxWaiting: z.int().openapi({ description: 'Commands that may wait for servers and players.' }),
    maxKeys: z.int().openapi({ description: 'Keys that are neither revoked nor expired.' }),
    totals: z.object({ servers: z.int(), players: z.int(), playersOnline: z.int() }),
    commands: z
      .object({ waiting: z.int(), accepted: z.int(), dispatched: z.int(), indeterminate: z.int() })
      .openapi({ description: 'Commands that have not ended or are indeterminate.' }),
    schedules: z
      .object({ notMade: z.int() })
      .openapi({ description: 'Planned runs of the last three days that did not happen, as far as the hub knows.' }),
    eventsSince: instant.nullable().openapi({
      description: 'Since when all events are kept; null: they are not, or not all yet.',
    }),
    attention: z
      .object({
        unknown: z.int().openapi({ description: 'Commands of which a person must say whether they happened.' }),
        orders: z.int().openapi({ description: 'Lines of orders that the staff has to decide.' }),
        runs: z.int().openapi({ description: 'Runs of schedules of the last three days that did not happen.' }),
        servers: z.int().openapi({ description: 'Game servers that were connected once, and are not now.' }),
        webhooks: z.int().openapi({ description: 'Webhooks that are off, but not by a person, or that rest.' }),
      })
      .openapi({ description: 'What waits for a person.' }),
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

const bound = z.int().min(1).max(Number.MAX_SAFE_INTEGER);

const changeRoute = createRoute({
  ...at('patch', '/project', 'changeProject'),
  tags: ['Project'],
  summary: 'Change what the project calls itself and asks of its staff',
  ...needs(['project:write'], 'A key of some servers cannot.'),
  request: {
    query: noQuery,
    body: body(
      z
        .strictObject({
          name: plainText(128),
          language: z.enum(LANGUAGES).nullable(),
          confirmAbove: bound,
          reasonFor: z.array(z.enum(COMMANDS_WITH_REASON)).max(COMMANDS_WITH_REASON.length),
          maxAmount: bound.nullable().openapi({ description: "null: the operator's bound. Above it: 403." }),
          maxBatchTotal: bound.nullable().openapi({ description: "null: the operator's bound. Above it: 403." }),
        })
        .partial()
        .openapi('ProjectChange', { example: { maxAmount: 50_000, reasonFor: ['money'] } }),
    ),
  },
  responses: { 200: json(projectSchema, 'The project as it is now.'), ...problems(400, 413, 415) },
});

/** The bounds that a project sets for itself lie below those of the operator. @throws HubError above_ceiling */
const assertBelow = (
  project: ProjectRow,
  wanted: Record<'maxAmount' | 'maxBatchTotal', number | null | undefined>,
): void => {
  for (const name of ['maxAmount', 'maxBatchTotal'] as const) {
    const [ceiling, asked] = [project[name], wanted[name] ?? 0];
    if (ceiling !== null && asked > ceiling) {
      throw new HubError('above_ceiling', `The operator allows a ${name} of at most ${ceiling}.`);
    }
  }
};

/** The project a key belongs to. */
export const projectRoutes = ({ store, webhooks, keptEvents, rateLimit, nodeRateLimit, forgetKeys, log }: RestDeps) => {
  const viewOfProject = async (
    project: ProjectRow,
    servers: readonly string[] | undefined,
  ): Promise<z.infer<typeof projectSchema>> => {
    const [totals, commands, notMade, away, shops, troubled] = await Promise.all([
      store.projects.totals(project.id, servers),
      store.commands.counts(project.id, servers),
      store.schedules.countNotMade(project.id, Date.now() - RECENT_MS, servers),
      store.sessions.countAway(project.id, servers),
      store.integrations.ids(project.id, servers),
      webhooks.countTroubled(project.id, servers),
    ]);
    const lines = await store.shopLines.staffCounts(shops);
    const orders = [...lines.values()].reduce((sum, rows) => sum + rows, 0);
    return {
      slug: project.slug,
      name: project.name,
      rateLimit: viewOf(rateLimit.peek(project.id, project.rateLimit)),
      people: viewOf(peekPeople({ nodeRateLimit }, project.id)),
      language: project.language,
      confirmAbove: project.confirmAbove,
      reasonFor: project.reasonFor ?? [],
      ...moneyBounds(project),
      ceilings: { maxAmount: project.maxAmount, maxBatchTotal: project.maxBatchTotal },
      maxServers: project.maxServers,
      maxBatchTargets: project.maxBatchTargets,
      maxWaiting: project.maxWaiting,
      maxKeys: project.maxKeys,
      totals,
      commands,
      schedules: { notMade },
      eventsSince: optionalTime(keptEvents.since(project.id)),
      attention: { unknown: commands.indeterminate, orders, runs: notMade, servers: away, webhooks: troubled },
    };
  };

  return new OpenAPIHono<RestEnv>({ defaultHook: validationHook })
    .openapi(projectRoute, async (c) => {
      const { project, servers } = c.var.principal;
      return c.json(await viewOfProject(project, servers), 200);
    })
    .openapi(changeRoute, async (c) => {
      const { principal } = c.var;
      if (principal.servers !== undefined)
        throw new HubError('server_not_allowed', 'Your key is limited to some servers.');
      const { maxAmount, maxBatchTotal, ...others } = sentFields(c.req.valid('json'));
      assertBelow(principal.project, { maxAmount, maxBatchTotal });
      const own = sentFields({ ownMaxAmount: maxAmount, ownMaxBatchTotal: maxBatchTotal });
      const project = await changeProject(store, principal.project, { ...others, ...own });
      if (project === undefined) throw new HubError('invalid_api_key');
      forgetKeys();
      log.info({ project: project.slug, actor: actorOf(principal), changed: { ...others, ...own } }, 'project changed');
      return c.json(await viewOfProject(project, principal.servers), 200);
    });
};
