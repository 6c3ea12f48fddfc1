import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { ApiKeyRow } from '../../db/api-keys.ts';
import type { Principal, Scope } from '../credentials.ts';
import { HubError } from '../errors.ts';
import { newId } from '../ids.ts';
import { createSecret, hashSecret, secretPrefix } from '../secrets.ts';
import type { RestDeps, RestEnv } from './context.ts';
import { requireScope } from './middleware.ts';
import { validationHook } from './problem.ts';
import { body, instant, json, plainText, problems, SLUG_PATTERN, scope, security } from './schemas.ts';

const keySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string().openapi({ example: 'cw_live_Ab3d' }),
    scopes: z.array(z.string()),
    servers: z.array(z.string()).nullable().openapi({ description: 'null: every server of the project.' }),
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
const name = plainText(128);
const params = z.object({ id: z.string().openapi({ example: 'key_01j9z3k7v8' }) });
const base = { tags: ['Keys'], security, middleware: requireScope('keys:write') };

const routes = {
  list: createRoute({
    ...base,
    method: 'get',
    path: '/keys',
    operationId: 'listKeys',
    summary: 'API keys of the project',
    request: { query: z.strictObject({}) },
    responses: { 200: json(z.object({ data: z.array(keySchema) }), 'The keys, without their secrets.'), ...problems() },
  }),
  create: createRoute({
    ...base,
    method: 'post',
    path: '/keys',
    operationId: 'createKey',
    summary: 'Make an API key',
    request: {
      body: body(
        z
          .strictObject({
            name,
            scopes,
            servers: servers.default(null),
            expiresAt: z.iso.datetime().nullable().default(null),
          })
          .openapi('NewKey'),
      ),
    },
    responses: { 201: json(secretSchema, 'The key, shown once.'), ...problems(400, 413, 415) },
  }),
  update: createRoute({
    ...base,
    method: 'patch',
    path: '/keys/{id}',
    operationId: 'updateKey',
    summary: 'Change what an API key may do',
    request: {
      params,
      body: body(
        z
          .strictObject({ name: name.optional(), scopes: scopes.optional(), servers: servers.optional() })
          .openapi('KeyChange'),
      ),
    },
    responses: { 200: json(keySchema, 'The key as it is now.'), ...problems(400, 404, 413, 415) },
  }),
  revoke: createRoute({
    ...base,
    method: 'delete',
    path: '/keys/{id}',
    operationId: 'revokeKey',
    summary: 'Revoke an API key at once',
    request: { params },
    responses: { 204: { description: 'It opens nothing any more.' }, ...problems(404) },
  }),
  rotate: createRoute({
    ...base,
    method: 'post',
    path: '/keys/{id}/rotate',
    operationId: 'rotateKey',
    summary: 'Replace the secret of an API key',
    request: {
      params,
      body: body(
        z.strictObject({ graceSeconds: z.int().min(0).max(604_800).default(0) }).openapi('KeyRotation'),
        { required: false },
      ),
    },
    responses: { 200: json(secretSchema, 'The new secret; the old one ends after graceSeconds.'), ...problems(400, 404, 413, 415) },
  }),
};

const time = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

const viewOf = (row: ApiKeyRow): z.infer<typeof keySchema> => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  scopes: row.scopes,
  servers: row.servers,
  createdBy: row.createdBy,
  createdAt: new Date(row.createdAt).toISOString(),
  expiresAt: time(row.expiresAt),
  revokedAt: time(row.revokedAt),
  lastUsedAt: time(row.lastUsedAt),
});

/** A key can give away no more than it has itself. */
const assertWithin = (principal: Principal, wanted: { scopes?: Scope[] | undefined; servers?: string[] | null | undefined }): void => {
  const missing = wanted.scopes?.filter((each) => !principal.scopes.has(each)) ?? [];
  if (missing.length > 0) {
    throw new HubError('insufficient_scope', `Your key has not got ${missing.join(', ')} itself.`);
  }
  if (principal.servers === undefined || wanted.servers === undefined) return;
  const outside = wanted.servers === null || wanted.servers.some((id) => principal.servers?.includes(id) !== true);
  if (outside) throw new HubError('server_not_allowed', 'Your key is limited to some servers; give only those away.');
};

/** API keys of the project. */
export const keyRoutes = ({ store, credentials }: RestDeps) => {
  const change = async (principal: Principal, id: string, patch: Partial<ApiKeyRow>): Promise<ApiKeyRow> => {
    const row = id.length <= 64 ? await store.apiKeys.find(principal.project.id, id) : undefined;
    if (row === undefined || row.revokedAt !== null) throw new HubError('key_not_found');
    assertWithin(principal, { scopes: row.scopes as Scope[], servers: row.servers });
    const changed = await store.apiKeys.update(principal.project.id, id, patch, Date.now());
    if (changed === undefined) throw new HubError('key_not_found');
    credentials.forget();
    return changed;
  };

  return new OpenAPIHono<RestEnv>({ defaultHook: validationHook })
    .openapi(routes.list, async (c) => {
      const rows = await store.apiKeys.list(c.var.principal.project.id);
      return c.json({ data: rows.map(viewOf) }, 200);
    })
    .openapi(routes.create, async (c) => {
      const { principal } = c.var;
      const wanted = c.req.valid('json');
      assertWithin(principal, wanted);
      const key = createSecret('api_key');
      const at = Date.now();
      const row = await store.apiKeys.create({
        id: newId('key'),
        projectId: principal.project.id,
        name: wanted.name,
        scopes: [...new Set(wanted.scopes)],
        servers: wanted.servers,
        prefix: secretPrefix(key),
        hash: hashSecret(key),
        createdBy: principal.key.id,
        createdAt: at,
        updatedAt: at,
        expiresAt: wanted.expiresAt === null ? null : Date.parse(wanted.expiresAt),
      });
      return c.json({ ...viewOf(row), key }, 201);
    })
    .openapi(routes.update, async (c) => {
      const { principal } = c.var;
      const wanted = c.req.valid('json');
      assertWithin(principal, wanted);
      const patch = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
      return c.json(viewOf(await change(principal, c.req.valid('param').id, patch)), 200);
    })
    .openapi(routes.revoke, async (c) => {
      await change(c.var.principal, c.req.valid('param').id, { revokedAt: Date.now() });
      return c.body(null, 204);
    })
    .openapi(routes.rotate, async (c) => {
      const { principal } = c.var;
      const { id } = c.req.valid('param');
      const grace = c.req.valid('json')?.graceSeconds ?? 0;
      const current = await store.apiKeys.find(principal.project.id, id.slice(0, 64));
      const key = createSecret('api_key');
      const row = await change(principal, id, {
        hash: hashSecret(key),
        prefix: secretPrefix(key),
        previousHash: grace === 0 ? null : (current?.hash ?? null),
        previousExpiresAt: grace === 0 ? null : Date.now() + grace * 1000,
      });
      return c.json({ ...viewOf(row), key }, 200);
    });
};
