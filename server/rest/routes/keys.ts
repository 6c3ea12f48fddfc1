import { OpenAPIHono, type z } from '@hono/zod-openapi';
import type { ApiKeyRow } from '../../../db/queries/api-keys.ts';
import { newKey, rotatedKey } from '../../admin/keys.ts';
import { createQuotas } from '../../admin/quotas.ts';
import type { Principal, Scope } from '../../auth/credentials.ts';
import { HubError, invalidField } from '../../platform/errors.ts';
import type { RestDeps, RestEnv } from '../context.ts';
import { validationHook } from '../problem.ts';
import { keyApi, type keySchema } from './key-api.ts';

const KEYS_SCOPE: Scope = 'keys:write';

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

/** A key cannot grant more than it has. */
const assertWithin = (
  principal: Principal,
  wanted: { scopes?: Scope[] | undefined; servers?: string[] | null | undefined; expiresAt?: number | null },
): void => {
  const { expiresAt } = principal.key;
  if (expiresAt !== null && wanted.expiresAt !== undefined && (wanted.expiresAt ?? Infinity) > expiresAt) {
    throw new HubError(
      'insufficient_scope',
      `Your key ends at ${time(expiresAt)}; it has no power over one that outlives it.`,
    );
  }
  const missing = wanted.scopes?.filter((each) => !principal.scopes.has(each)) ?? [];
  if (missing.length > 0) {
    throw new HubError('insufficient_scope', `Your key has not got ${missing.join(', ')} itself.`);
  }
  if (principal.servers === undefined || wanted.servers === undefined) return;
  const outside = wanted.servers === null || wanted.servers.some((id) => principal.servers?.includes(id) !== true);
  if (outside) throw new HubError('server_not_allowed', 'Your key is limited to some servers; give only those away.');
};

/** Whether a key is live and may manage keys for all servers. */
const isAdmin = (row: Pick<ApiKeyRow, 'revokedAt' | 'expiresAt' | 'servers' | 'scopes'>): boolean =>
  row.revokedAt === null &&
  (row.expiresAt ?? Infinity) > Date.now() &&
  row.servers === null &&
  row.scopes.includes(KEYS_SCOPE);

/** API keys of the project. */
export const keyRoutes = ({ store, forgetKeys }: RestDeps) => {
  const quotas = createQuotas({ store });

  const assertAdminRemains = async (row: ApiKeyRow, patch: Partial<ApiKeyRow>): Promise<void> => {
    if (!isAdmin(row) || isAdmin({ ...row, ...patch })) return;
    const others = await store.apiKeys.scopesOfOthers(row.projectId, row.id, Date.now());
    if (!others.some((scopes) => scopes.includes(KEYS_SCOPE))) throw new HubError('last_admin_key');
  };

  const change = async (principal: Principal, id: string, patch: Partial<ApiKeyRow>): Promise<ApiKeyRow> => {
    const row = id.length <= 64 ? await store.apiKeys.find(principal.project.id, id) : undefined;
    if (row === undefined || row.revokedAt !== null) throw new HubError('key_not_found');
    assertWithin(principal, { scopes: row.scopes as Scope[], servers: row.servers, expiresAt: row.expiresAt });
    await assertAdminRemains(row, patch);
    const changed = await store.apiKeys.update(principal.project.id, id, patch, Date.now());
    if (changed === undefined) throw new HubError('key_not_found');
    forgetKeys();
    return changed;
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
      const wanted = c.req.valid('json');
      const expiresAt = wanted.expiresAt === null ? null : Date.parse(wanted.expiresAt);
      if (expiresAt !== null && expiresAt <= Date.now()) throw invalidField('/expiresAt', 'must lie in the future');
      assertWithin(principal, { ...wanted, expiresAt });
      await assertServersExist(principal, wanted.servers);
      const made = newKey(principal.project.id, { ...wanted, expiresAt, createdBy: principal.key.id });
      const row = await quotas.addKey(principal.project, made.row);
      return c.json({ ...viewOf(row), key: made.key }, 201);
    })
    .openapi(keyApi.update, async (c) => {
      const { principal } = c.var;
      const wanted = c.req.valid('json');
      assertWithin(principal, wanted);
      await assertServersExist(principal, wanted.servers);
      const patch = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
      return c.json(viewOf(await change(principal, c.req.valid('param').id, patch)), 200);
    })
    .openapi(keyApi.revoke, async (c) => {
      await change(c.var.principal, c.req.valid('param').id, { revokedAt: Date.now() });
      return c.body(null, 204);
    })
    .openapi(keyApi.rotate, async (c) => {
      const { principal } = c.var;
      const { id } = c.req.valid('param');
      const grace = c.req.valid('json')?.graceSeconds ?? 0;
      const current = await store.apiKeys.find(principal.project.id, id.slice(0, 64));
      if (current === undefined) throw new HubError('key_not_found');
      const { key, patch } = rotatedKey(current, grace);
      return c.json({ ...viewOf(await change(principal, id, patch)), key }, 200);
    });
};
