import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { WebhookRow } from '../../../db/queries/webhooks.ts';
import { KEPT_EVENT_TYPES } from '../../../db/schema/events.ts';
import { ATTEMPT_STATES, WEBHOOK_FORMATS, WEBHOOK_OFFS } from '../../../db/schema/webhooks.ts';
import type { Principal } from '../../auth/credentials.ts';
import { HubError, invalidField } from '../../platform/errors.ts';
import { plainText, SLUG_PATTERN, sentFields } from '../../platform/fields.ts';
import { optionalTime } from '../../platform/time.ts';
import { MAX_URL } from '../../webhooks/address.ts';
import { detailOf, isDelivered, shownAnswer } from '../../webhooks/rounds.ts';
import { validationHook } from '../answer.ts';
import { actorOf } from '../identify.ts';
import { needs } from '../middleware.ts';
import type { RestDeps, RestEnv } from '../request.ts';
import { actor, at, body, instant, json, limitQuery, noQuery, pageJson, problems } from '../schemas.ts';

const eventTypes = z
  .array(z.enum(KEPT_EVENT_TYPES))
  .min(1)
  .max(KEPT_EVENT_TYPES.length)
  .nullable()
  .openapi({ description: 'The types of events that it gets; null: all.' });
const servers = z
  .array(z.string().regex(SLUG_PATTERN))
  .min(1)
  .max(100)
  .nullable()
  .openapi({ description: 'The servers whose events it gets; null: all.' });
const url = z
  .string()
  .max(MAX_URL)
  .openapi({ description: 'Only https, and only hosts of the public internet.', example: 'https://example.com/hook' });

const name = plainText(128).nullable().openapi({ description: 'For people; null: none.', example: 'Staff channel' });

const webhookSchema = z
  .object({
    id: z.string().openapi({ example: 'whk_01j9z3k7v8' }),
    name: z.string().nullable(),
    format: z.enum(WEBHOOK_FORMATS),
    url: z
      .string()
      .nullable()
      .openapi({ description: 'Without the token of Discord. null: it was sealed with another SECRET_KEY.' }),
    types: z.array(z.string()).nullable(),
    servers: z.array(z.string()).nullable(),
    names: z.boolean().openapi({ description: 'Whether it gets the names of players: its maker may see them.' }),
    maker: actor.openapi({ description: 'The key that last chose what it gets.' }),
    on: z.boolean(),
    off: z.enum(WEBHOOK_OFFS).nullable().openapi({
      description: 'paused: by a person. gone: it answered 410. failing: nothing has arrived for five days.',
    }),
    offAt: instant.nullable(),
    failures: z.int().openapi({ description: 'Failed attempts since the last good one.' }),
    failingSince: instant.nullable(),
    fault: z.string().nullable().openapi({ description: 'The last failure; null: the last attempt was good.' }),
    restUntil: instant.nullable().openapi({ description: 'Nothing is sent before.' }),
    troubled: z.boolean().openapi({
      description: 'Whether a person should look: the hub switched it off, it rests, or it has failed for ten minutes.',
    }),
    behind: z.int().openapi({ description: 'Events after its place, at most 1000; also those that are not for it.' }),
    waiting: z.int().openapi({ description: 'Events that are sent again.' }),
    givenUp: z.int().openapi({ description: 'Events whose attempts are used up.' }),
    previousSecretEndsAt: instant.nullable().openapi({ description: 'null: only one secret signs.' }),
    eventsSince: instant.nullable().openapi({
      description: 'Since when the project keeps its events; null: what was open before is still being noted.',
    }),
    createdAt: instant,
    updatedAt: instant,
  })
  .openapi('Webhook');
const shownSecret = {
  secret: z.string().openapi({ description: 'Shown this once.', example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }),
};

const deliverySchema = z
  .object({
    eventId: z.string(),
    type: z.string(),
    events: z.int().openapi({ description: 'More than 1: a summary in Discord of so many; this is the newest.' }),
    about: z
      .object({
        serverId: z.string(),
        subject: z.string().openapi({ example: 'cmd_01j9z3k7v8' }),
        command: z.string().nullable().openapi({ description: 'Of a command or a batch.', example: 'money' }),
        says: z.string().openapi({ example: 'Ana Silva · +500 bank · Salary' }),
      })
      .nullable()
      .openapi({
        description:
          'null: a summary, the event is not kept any more or of no server of your key, or that lacks commands:read.',
      }),
    state: z.enum(ATTEMPT_STATES),
    attempts: z.int(),
    status: z.int().nullable().openapi({ description: 'Of the last answer; null: there was none.' }),
    detail: z.string().nullable().openapi({ description: 'What went wrong.' }),
    answer: z.string().openapi({ description: 'The first 256 characters of the last answer.' }),
    tookMs: z.int(),
    at: instant,
    nextAt: instant.nullable(),
  })
  .openapi('WebhookDelivery');

const id = z.string().openapi({ example: 'whk_01j9z3k7v8' });
const params = z.object({ id });
const deliveryParams = z.object({ id, eventId: z.string().openapi({ example: 'evt_5f3a9c' }) });
const read = { tags: ['Webhooks'], ...needs(['webhooks:write']) };
const gives = { tags: ['Webhooks'], ...needs(['webhooks:write', 'commands:read']) };

const webhookApi = {
  list: createRoute({
    ...read,
    ...at('get', '/webhooks', 'listWebhooks'),
    summary: 'Webhooks of the project',
    request: { query: noQuery },
    responses: { 200: json(z.object({ data: z.array(webhookSchema) }), 'All of them, oldest first.'), ...problems() },
  }),
  create: createRoute({
    ...gives,
    ...at('post', '/webhooks', 'createWebhook'),
    summary: 'Send events to an address',
    request: {
      query: noQuery,
      body: body(
        z
          .strictObject({
            url,
            name: name.default(null),
            format: z.enum(WEBHOOK_FORMATS).default('json'),
            types: eventTypes.default(null),
            servers: servers.optional(),
          })
          .openapi('NewWebhook', { example: { url: 'https://example.com/hook' } }),
      ),
    },
    responses: {
      201: json(
        webhookSchema.extend({ secret: shownSecret.secret.nullable() }),
        'The webhook with its secret.',
        'Location',
      ),
      ...problems(409, 413, 415),
    },
  }),
  get: createRoute({
    ...read,
    ...at('get', '/webhooks/{id}', 'getWebhook'),
    summary: 'One webhook',
    request: { params, query: noQuery },
    responses: { 200: json(webhookSchema, 'The webhook.'), ...problems(404) },
  }),
  update: createRoute({
    ...gives,
    ...at('patch', '/webhooks/{id}', 'updateWebhook'),
    summary: 'Change a webhook, or switch it on or off',
    request: {
      params,
      query: noQuery,
      body: body(
        z
          .strictObject({
            url: url.optional(),
            name: name.optional(),
            types: eventTypes.optional(),
            servers: servers.optional(),
            on: z.boolean().optional(),
          })
          .openapi('WebhookChange', { example: { on: false } }),
      ),
    },
    responses: { 200: json(webhookSchema, 'The webhook as it is now.'), ...problems(404, 413, 415) },
  }),
  remove: createRoute({
    ...read,
    ...at('delete', '/webhooks/{id}', 'deleteWebhook'),
    summary: 'Delete a webhook with its deliveries',
    request: { params, query: noQuery },
    responses: { 204: { description: 'It gets nothing more.' }, ...problems(404, 413, 415) },
  }),
  rotate: createRoute({
    ...read,
    ...at('post', '/webhooks/{id}/rotate', 'rotateWebhook'),
    summary: 'A new secret; the one before also signs for 24 hours',
    request: { params, query: noQuery },
    responses: { 200: json(webhookSchema.extend(shownSecret), 'The new secret.'), ...problems(404, 413, 415) },
  }),
  test: createRoute({
    ...read,
    ...at('post', '/webhooks/{id}/test', 'testWebhook'),
    summary: 'Send an event of the type webhook.test now',
    request: { params, query: noQuery },
    responses: {
      200: json(
        z.object({
          id: z.string(),
          name: z.string().nullable(),
          delivered: z.boolean(),
          status: z.int().nullable(),
          detail: z.string().nullable(),
          answer: z.string(),
          tookMs: z.int(),
        }),
        'How it went.',
      ),
      ...problems(404, 413, 415),
    },
  }),
  deliveries: createRoute({
    ...read,
    ...at('get', '/webhooks/{id}/deliveries', 'listWebhookDeliveries'),
    summary: 'What was sent to a webhook',
    request: {
      params,
      query: z.strictObject({
        state: z.enum(ATTEMPT_STATES).optional(),
        limit: limitQuery(50),
        cursor: z.string().max(1_024).optional(),
      }),
    },
    responses: { 200: pageJson(deliverySchema, 'The newest first.'), ...problems(404) },
  }),
  retry: createRoute({
    ...read,
    ...at('post', '/webhooks/{id}/deliveries/{eventId}/retry', 'retryWebhookDelivery'),
    summary: 'Send an event again',
    request: { params: deliveryParams, query: noQuery },
    responses: { 202: json(deliverySchema, 'It is sent soon.'), ...problems(404, 413, 415) },
  }),
  replay: createRoute({
    ...read,
    ...at('post', '/webhooks/{id}/replay', 'replayWebhook'),
    summary: 'Send all events since a time again, with their ids',
    request: {
      params,
      query: noQuery,
      body: body(
        z.strictObject({ since: z.iso.datetime() }).openapi('WebhookReplay', {
          example: { since: '2026-11-20T00:00:00Z' },
        }),
      ),
    },
    responses: {
      202: json(webhookSchema, 'The webhook; behind says how many events come.'),
      ...problems(404, 413, 415),
    },
  }),
};

const seenBy = ({ scopes, servers }: Principal) => ({
  commands: scopes.has('commands:read'),
  names: scopes.has('players:read'),
  servers,
});

/** Webhooks to others: what happens in the project. */
export const webhookRoutes = ({ store, webhooks, keptEvents }: RestDeps) => {
  /** @throws HubError webhook_not_found */
  const find = async (principal: Principal, id: string): Promise<WebhookRow> => {
    const row = await webhooks.find(principal.project.id, id, principal.servers);
    if (row === undefined) throw new HubError('webhook_not_found');
    return row;
  };

  /** A webhook gets no more than its maker may see. @throws HubError server_not_allowed, invalid_request */
  const serversFor = async (principal: Principal, wanted: string[] | null | undefined): Promise<string[] | null> => {
    const own = principal.servers;
    if (wanted === undefined) return own === undefined ? null : [...own];
    const isOutside = own !== undefined && (wanted === null || wanted.some((each) => !own.includes(each)));
    if (isOutside) {
      throw new HubError('server_not_allowed', 'Your key is limited to some servers; name some of these in "servers".');
    }
    for (const [place, serverId] of (wanted ?? []).entries()) {
      const server = await store.servers.get(principal.project.id, serverId);
      if (server === undefined) throw invalidField(`/servers/${place}`, 'there is no such server');
    }
    return wanted;
  };

  const view = (row: WebhookRow): Promise<z.infer<typeof webhookSchema>> =>
    webhooks.view(row, keptEvents.since(row.projectId));

  return new OpenAPIHono<RestEnv>({ defaultHook: validationHook })
    .openapi(webhookApi.list, async (c) => {
      const { project, servers } = c.var.principal;
      return c.json({ data: await Promise.all((await webhooks.list(project.id, servers)).map(view)) }, 200);
    })
    .openapi(webhookApi.create, async (c) => {
      const { principal } = c.var;
      const wanted = c.req.valid('json');
      const made = await webhooks.create(principal.project, actorOf(principal), {
        url: wanted.url,
        name: wanted.name,
        format: wanted.format,
        types: wanted.types,
        servers: await serversFor(principal, wanted.servers),
        names: principal.scopes.has('players:read'),
      });
      const eventsSince = optionalTime(made.since);
      c.header('Location', `/api/v2/webhooks/${made.row.id}`);
      return c.json({ ...(await view(made.row)), secret: made.secret, eventsSince }, 201);
    })
    .openapi(webhookApi.get, async (c) => c.json(await view(await find(c.var.principal, c.req.valid('param').id)), 200))
    .openapi(webhookApi.update, async (c) => {
      const { principal } = c.var;
      const { servers: wanted, ...others } = sentFields(c.req.valid('json'));
      const row = await find(principal, c.req.valid('param').id);
      const isWidened = wanted !== undefined || others.types !== undefined;
      const mayName = principal.scopes.has('players:read');
      const changed = await webhooks.change(row, actorOf(principal), {
        ...others,
        ...(wanted !== undefined && { servers: await serversFor(principal, wanted) }),
        // Nobody gets names at an address of their own by changing that alone.
        ...((isWidened || (others.url !== undefined && !mayName)) && { names: mayName }),
      });
      return c.json(await view(changed), 200);
    })
    .openapi(webhookApi.remove, async (c) => {
      await webhooks.remove(await find(c.var.principal, c.req.valid('param').id));
      return c.body(null, 204);
    })
    .openapi(webhookApi.rotate, async (c) => {
      const { row, secret } = await webhooks.rotate(await find(c.var.principal, c.req.valid('param').id));
      return c.json({ ...(await view(row)), secret }, 200);
    })
    .openapi(webhookApi.test, async (c) => {
      const row = await find(c.var.principal, c.req.valid('param').id);
      const posted = await webhooks.test(row);
      const { status, tookMs } = posted;
      const said = { status, detail: detailOf(posted), answer: shownAnswer(posted), tookMs };
      return c.json({ id: row.id, name: row.name, delivered: isDelivered(posted), ...said }, 200);
    })
    .openapi(webhookApi.deliveries, async (c) => {
      const { state, limit, cursor } = c.req.valid('query');
      const row = await find(c.var.principal, c.req.valid('param').id);
      const page = { state, limit, cursor };
      const { deliveries, next } = await webhooks.deliveries(row, page, seenBy(c.var.principal));
      return c.json({ data: deliveries, pagination: { limit, next } }, 200);
    })
    .openapi(webhookApi.retry, async (c) => {
      const { id, eventId } = c.req.valid('param');
      const row = await find(c.var.principal, id);
      return c.json(await webhooks.retry(row, eventId, seenBy(c.var.principal)), 202);
    })
    .openapi(webhookApi.replay, async (c) => {
      const row = await find(c.var.principal, c.req.valid('param').id);
      const moved = await webhooks.replay(row, Date.parse(c.req.valid('json').since));
      return c.json(await view(moved), 202);
    });
};
