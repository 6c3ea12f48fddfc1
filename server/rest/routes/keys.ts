import { OpenAPIHono, type z } from '@hono/zod-openapi';
import type { ApiKeyRow } from '../../../db/queries/api-keys.ts';
import { keyAdmin } from '../../admin/keys.ts';
import type { Principal, Scope } from '../../auth/credentials.ts';
import { HubError, invalidField } from '../../platform/errors.ts';
import { howToAdd } from '../admission.ts';
import type { RestDeps, RestEnv } from '../context.ts';
import { validationHook } from '../problem.ts';
import { keyApi, type keySchema } from './key-api.ts';

const time = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

const viewOf = (row: ApiKeyRow): z.infer<typeof keySchema> => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  scopes: row.scopes,
  servers: row.servers,
  maxBatchTargets: row.maxBatchTargets,
  maxBatchTotal: row.maxBatchTotal,
  rateLimit: row.rateLimit,
  createdBy: row.createdBy,
  createdAt: new Date(row.createdAt).toISOString(),
  expiresAt: time(row.expiresAt),
  revokedAt: time(row.revokedAt),
  lastUsedAt: time(row.lastUsedAt),
});

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
      `Your key expires at ${time(expiresAt)}; it cannot manage a key that expires later.`,
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
    .openapi(keyApi.list, async (c) => {
      const { limit, cursor } = c.req.valid('query');
      const { project, servers } = c.var.principal;
      const { rows, next } = await store.apiKeys.page(project.id, { servers, limit, cursor });
      return c.json({ data: rows.map(viewOf), pagination: { limit, next } }, 200);
    })
    .openapi(keyApi.create, async (c) => {
      const { principal } = c.var;
      const { maxBatchTargets: ofTargets, maxBatchTotal: ofTotal, rateLimit: ofRequests } = principal.key;
      const given = c.req.valid('json');
      const { maxBatchTargets = ofTargets, maxBatchTotal = ofTotal, rateLimit = ofRequests, ...others } = given;
      const wanted = { ...others, maxBatchTargets, maxBatchTotal, rateLimit };
      const expiresAt = wanted.expiresAt === null ? null : Date.parse(wanted.expiresAt);
      if (expiresAt !== null && expiresAt <= Date.now()) throw invalidField('/expiresAt', 'must lie in the future');
      assertWithin(principal, { ...wanted, expiresAt });
      await assertServersExist(principal, wanted.servers);
      const by = principal.key.id;
      const { row, key } = await keys.create(principal.project, { ...wanted, expiresAt, createdBy: by });
      return c.json({ ...viewOf(row), key }, 201);
    })
    .openapi(keyApi.update, async (c) => {
      const { principal } = c.var;
      const wanted = c.req.valid('json');
      assertWithin(principal, wanted);
      await assertServersExist(principal, wanted.servers);
      const patch = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
      return c.json(viewOf(await keys.change(await find(principal, c.req.valid('param').id), patch)), 200);
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
      return c.json({ ...viewOf(row), key }, 200);
    });
};
