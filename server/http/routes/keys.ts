import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { ApiKeyRow } from '../../../db/queries/api-keys.ts';
import { moneyBounds } from '../../../db/queries/projects.ts';
import { keyAdmin, keyView, MAX_KEY_RATE_LIMIT } from '../../admin/keys.ts';
import type { Principal, Scope } from '../../auth/credentials.ts';
import { MAX_BATCH_TARGETS } from '../../commands/batches.ts';
import { HubError, invalidField } from '../../platform/errors.ts';
import { plainText, SLUG_PATTERN, sentFields } from '../../platform/fields.ts';
import { isoTime } from '../../platform/time.ts';
import { validationHook } from '../answer.ts';
import { howToAdd } from '../identify.ts';
import { needs } from '../middleware.ts';
import type { RestDeps, RestEnv } from '../request.ts';
import { at, body, instant, json, noQuery, pageJson, pageQuery, problems, scope } from '../schemas.ts';

const keySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string().openapi({ example: 'cw_live_Ab3d' }),
    scopes: z.array(z.string()),
    servers: z.array(z.string()).nullable().openapi({ description: 'null: every server of the project.' }),
    maxBatchTargets: z
      .int()
      .nullable()
      .openapi({ description: 'Players in one batch; null: the bound of the project.' }),
    maxBatchTotal: z
      .int()
      .nullable()
      .openapi({ description: 'Money that one batch may move; null: the bound of the project.' }),
    rateLimit: z.int().nullable().openapi({
      description: "Requests in any 60 seconds, within the project's; null: only the limit of the project.",
    }),
    createdBy: z.string().nullable(),
    createdAt: instant,
    expiresAt: instant.nullable(),
    revokedAt: instant.nullable(),
    lastUsedAt: instant.nullable(),
  })
  .openapi('ApiKey');

const secretSchema = keySchema
  .extend({ key: z.string().openapi({ description: 'Shown once.', example: 'cw_live_…' }) })
  .openapi('NewApiKey');

const meSchema = keySchema
  .extend({
    project: z
      .object({
        slug: z.string(),
        name: z.string(),
        language: z.string().nullable(),
        confirmAbove: z.int(),
        reasonFor: z.array(z.string()),
        maxAmount: z.int().nullable(),
        maxBatchTotal: z.int().nullable(),
      })
      .openapi({ description: 'What the project asks of its staff: see GET /api/v2/project.' }),
  })
  .openapi('Me');

const scopes = z.array(scope).min(1).max(32);
const servers = z.array(z.string().regex(SLUG_PATTERN)).min(1).max(256).nullable();
const maxBatchTargets = z.int().min(1).max(MAX_BATCH_TARGETS).nullable();
const maxBatchTotal = z.int().min(1).nullable();
const rateLimit = z.int().min(1).max(MAX_KEY_RATE_LIMIT).nullable();
const name = plainText(128);
const graceSeconds = z
  .int()
  .min(0)
  .max(604_800)
  .openapi({ description: 'Absent: 0; for your own key, the old secret works until the new one is used.' });
const params = z.object({ id: z.string().openapi({ example: 'key_01j9z3k7v8' }) });
const base = { tags: ['Keys'], ...needs(['keys:write']) };

const keyApi = {
  me: createRoute({
    ...base,
    ...at('get', '/me', 'getMe'),
    summary: 'Your own key, and what its project asks of its staff',
    ...needs([]),
    request: { query: noQuery },
    responses: { 200: json(meSchema, 'The key of the request, or of the session.'), ...problems() },
  }),
  list: createRoute({
    ...base,
    ...at('get', '/keys', 'listKeys'),
    summary: 'API keys of the project',
    ...needs(['keys:write'], 'A key of some servers sees only keys that reach no other server.'),
    request: { query: pageQuery },
    responses: {
      200: pageJson(keySchema, 'The keys, oldest first, without their secrets.'),
      ...problems(),
    },
  }),
  create: createRoute({
    ...base,
    ...at('post', '/keys', 'createKey'),
    summary: 'Create an API key',
    request: {
      query: noQuery,
      body: body(
        z
          .strictObject({
            name,
            scopes,
            servers: servers.default(null),
            expiresAt: z.iso.datetime().nullable().default(null),
            maxBatchTargets: maxBatchTargets.optional().openapi({ description: 'Absent: that of your own key.' }),
            maxBatchTotal: maxBatchTotal.optional().openapi({ description: 'Absent: that of your own key.' }),
            rateLimit: rateLimit.optional().openapi({ description: 'Absent: that of your own key.' }),
          })
          .openapi('NewKey'),
      ),
    },
    responses: { 201: json(secretSchema, 'The key, shown once.'), ...problems(400, 409, 413, 415) },
  }),
  update: createRoute({
    ...base,
    ...at('patch', '/keys/{id}', 'updateKey'),
    summary: 'Change what an API key may do',
    request: {
      params,
      query: noQuery,
      body: body(
        z
          .strictObject({
            name: name.optional(),
            scopes: scopes.optional(),
            servers: servers.optional(),
            expiresAt: z.iso.datetime().nullable().optional().openapi({ description: 'null: never.' }),
            maxBatchTargets: maxBatchTargets.optional(),
            maxBatchTotal: maxBatchTotal.optional(),
            rateLimit: rateLimit.optional(),
          })
          .openapi('KeyChange'),
      ),
    },
    responses: { 200: json(keySchema, 'The key as it is now.'), ...problems(400, 404, 409, 413, 415) },
  }),
  revoke: createRoute({
    ...base,
    ...at('delete', '/keys/{id}', 'revokeKey'),
    summary: 'Revoke an API key at once',
    request: { params, query: noQuery },
    responses: {
      204: { description: 'The key is revoked. Webhooks that it made go on.' },
      ...problems(404, 409, 413, 415),
    },
  }),
  rotate: createRoute({
    ...base,
    ...at('post', '/keys/{id}/rotate', 'rotateKey'),
    summary: 'Replace the secret of an API key',
    request: {
      params,
      query: noQuery,
      body: body(z.strictObject({ graceSeconds: graceSeconds.optional() }).openapi('KeyRotation'), {
        required: false,
      }),
    },
    responses: {
      200: json(secretSchema, 'The new secret; the old one ends after graceSeconds.'),
      ...problems(400, 404, 409, 413, 415),
    },
  }),
};

type Wanted = {
  scopes?: Scope[] | undefined;
  servers?: string[] | null | undefined;
  expiresAt?: number | null;
  maxBatchTargets?: number | null | undefined;
  maxBatchTotal?: number | null | undefined;
  rateLimit?: number | null | undefined;
};

const assertBoundsWithin = ({ key }: Principal, wanted: Wanted): void => {
  for (const name of ['maxBatchTargets', 'maxBatchTotal', 'rateLimit'] as const) {
    const [own, asked] = [key[name], wanted[name]];
    if (own === null || asked === undefined || (asked ?? Infinity) <= own) continue;
    throw new HubError(
      'insufficient_scope',
      `Your key has a ${name} of ${own}; it can only manage keys with one of at most ${own}.`,
    );
  }
};

/** A key cannot grant more than it has. */
const assertWithin = (principal: Principal, wanted: Wanted): void => {
  assertBoundsWithin(principal, wanted);
  const { expiresAt } = principal.key;
  if (expiresAt !== null && wanted.expiresAt !== undefined && (wanted.expiresAt ?? Infinity) > expiresAt) {
    throw new HubError(
      'insufficient_scope',
      `Your key expires at ${isoTime(expiresAt)}; it cannot manage a key that expires later.`,
    );
  }
  const missing = wanted.scopes?.filter((each) => !principal.scopes.has(each)) ?? [];
  if (missing.length > 0) {
    const { key, project } = principal;
    const lacks = `Your key lacks ${missing.join(', ')}, so it cannot manage keys with it.`;
    throw new HubError('insufficient_scope', `${lacks} ${howToAdd(key.id, project.slug, missing)}`);
  }
  if (principal.servers === undefined || wanted.servers === undefined) return;
  const outside = wanted.servers === null || wanted.servers.some((id) => principal.servers?.includes(id) !== true);
  if (outside) throw new HubError('server_not_allowed', 'Your key is limited to some servers; give only those away.');
};

/** Epoch milliseconds of the end of a key; null: never. @throws HubError invalid_request */
const endOf = (expiresAt: string | null): number | null => {
  const at = expiresAt === null ? null : Date.parse(expiresAt);
  if (at !== null && at <= Date.now()) throw invalidField('/expiresAt', 'must lie in the future');
  return at;
};

/** API keys of the project. */
export const keyRoutes = ({ store, forgetKeys }: RestDeps) => {
  const keys = keyAdmin({ store, forgetKeys });

  const find = async (principal: Principal, id: string): Promise<ApiKeyRow> => {
    const row = await keys.find(principal.project.id, id);
    if (row === undefined) throw new HubError('key_not_found');
    assertWithin(principal, { ...row, scopes: row.scopes as Scope[] });
    return row;
  };

  const assertServersExist = async ({ project }: Principal, wanted: readonly string[] | null = null): Promise<void> => {
    for (const [place, id] of (wanted ?? []).entries()) {
      const server = await store.servers.get(project.id, id);
      if (server === undefined) throw invalidField(`/servers/${place}`, 'there is no such server');
    }
  };

  return new OpenAPIHono<RestEnv>({ defaultHook: validationHook })
    .openapi(keyApi.me, (c) => {
      const { key, project } = c.var.principal;
      const { slug, name, language, confirmAbove } = project;
      const asked = { confirmAbove, reasonFor: project.reasonFor ?? [], ...moneyBounds(project) };
      return c.json({ ...keyView(key), project: { slug, name, language, ...asked } }, 200);
    })
    .openapi(keyApi.list, async (c) => {
      const { limit, cursor } = c.req.valid('query');
      const { project, servers } = c.var.principal;
      const { rows, next } = await store.apiKeys.page(project.id, { servers, limit, cursor });
      return c.json({ data: rows.map(keyView), pagination: { limit, next } }, 200);
    })
    .openapi(keyApi.create, async (c) => {
      const { principal } = c.var;
      const { maxBatchTargets: ofTargets, maxBatchTotal: ofTotal, rateLimit: ofRequests } = principal.key;
      const given = c.req.valid('json');
      const { maxBatchTargets = ofTargets, maxBatchTotal = ofTotal, rateLimit = ofRequests, ...others } = given;
      const wanted = { ...others, maxBatchTargets, maxBatchTotal, rateLimit };
      const expiresAt = endOf(wanted.expiresAt);
      assertWithin(principal, { ...wanted, expiresAt });
      await assertServersExist(principal, wanted.servers);
      const by = principal.key.id;
      const { row, key } = await keys.create(principal.project, { ...wanted, expiresAt, createdBy: by });
      return c.json({ ...keyView(row), key }, 201);
    })
    .openapi(keyApi.update, async (c) => {
      const { principal } = c.var;
      const { expiresAt, ...others } = c.req.valid('json');
      const wanted = { ...others, ...(expiresAt !== undefined && { expiresAt: endOf(expiresAt) }) };
      assertWithin(principal, wanted);
      await assertServersExist(principal, wanted.servers);
      const row = await find(principal, c.req.valid('param').id);
      return c.json(keyView(await keys.change(row, sentFields(wanted))), 200);
    })
    .openapi(keyApi.revoke, async (c) => {
      await keys.revoke(await find(c.var.principal, c.req.valid('param').id));
      return c.body(null, 204);
    })
    .openapi(keyApi.rotate, async (c) => {
      const { principal } = c.var;
      const current = await find(principal, c.req.valid('param').id);
      // The answer may be lost: the caller's own secret must not be.
      const usual = current.id === principal.key.id ? 'until used' : 0;
      const { row, key } = await keys.rotate(current, c.req.valid('json')?.graceSeconds ?? usual);
      return c.json({ ...keyView(row), key }, 200);
    });
};
