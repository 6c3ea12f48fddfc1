import { createRoute, z } from '@hono/zod-openapi';
import { MAX_KEY_RATE_LIMIT } from '../../admin/keys.ts';
import { MAX_BATCH_TARGETS } from '../../commands/batches.ts';
import { plainText } from '../../platform/text-fields.ts';
import { needs } from '../middleware.ts';
import { body, instant, json, noQuery, pageQuery, pagination, problems, SLUG_PATTERN, scope } from '../schemas.ts';

export const keySchema = z
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

export const keyApi = {
  list: createRoute({
    ...base,
    method: 'get',
    path: '/keys',
    operationId: 'listKeys',
    summary: 'API keys of the project',
    ...needs(['keys:write'], 'A key of some servers sees only keys that reach no other server.'),
    request: { query: pageQuery },
    responses: {
      200: json(z.object({ data: z.array(keySchema), pagination }), 'The keys, oldest first, without their secrets.'),
      ...problems(),
    },
  }),
  create: createRoute({
    ...base,
    method: 'post',
    path: '/keys',
    operationId: 'createKey',
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
    method: 'patch',
    path: '/keys/{id}',
    operationId: 'updateKey',
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
    method: 'delete',
    path: '/keys/{id}',
    operationId: 'revokeKey',
    summary: 'Revoke an API key at once',
    request: { params, query: noQuery },
    responses: { 204: { description: 'The key is revoked.' }, ...problems(404, 409, 413, 415) },
  }),
  rotate: createRoute({
    ...base,
    method: 'post',
    path: '/keys/{id}/rotate',
    operationId: 'rotateKey',
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
