import { setImmediate as nextTurn } from 'node:timers/promises';
import { OpenAPIHono, type z } from '@hono/zod-openapi';
import { createTurns } from '../../../db/port/turns.ts';
import type { IntegrationRow } from '../../../db/queries/integrations.ts';
import type { ShopLineRow } from '../../../db/queries/shop-lines.ts';
import type { PackageMap } from '../../../db/schema/shops.ts';
import type { Principal } from '../../auth/credentials.ts';
import { HubError, invalidField } from '../../platform/errors.ts';
import { isoTime } from '../../platform/iso-time.ts';
import { isForStaff } from '../../shops/line-change.ts';
import { shownText } from '../../shops/notice.ts';
import { assertPackages, scopesOf } from '../../shops/packages.ts';
import { assertScopes, assertServerAllowed } from '../admission.ts';
import type { RestDeps, RestEnv } from '../context.ts';
import { validationHook } from '../problem.ts';
import { integrationApi, type integrationSchema, type lineSchema } from './integration-api.ts';

const lineView = (row: ShopLineRow): z.infer<typeof lineSchema> => ({
  id: row.id,
  transaction: row.transaction,
  package: row.package,
  number: row.number,
  serverId: row.serverId,
  name: row.name,
  params: row.params,
  buyer: row.buyer && { value: row.buyer.value, name: row.buyer.name },
  target: row.target,
  state: row.state,
  reason: row.reason,
  detail: row.detail,
  commandId: row.commandId,
  oppositeId: row.oppositeId,
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
});

/** A key gives away only what it has. @throws HubError insufficient_scope, server_not_allowed */
const assertWithin = (principal: Principal, serverId: string, packages: PackageMap): void => {
  assertServerAllowed(principal, serverId);
  assertScopes(principal, scopesOf(Object.values(packages).flat()));
};

const makerOf = ({ key }: Principal) => ({ keyId: key.id, name: key.name });

/** A change without the fields that were not sent. */
const sentFields = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };

/** Shops of the project, and what their orders leave to the staff. */
export const integrationRoutes = ({ store, shops, config }: RestDeps) => {
  const turns = createTurns();
  /** Packages take some 20 ms to check. One request of a project at a time, each in its own turn of the event loop. */
  const inTurn = <T>({ project }: Principal, work: () => Promise<T>): Promise<T> =>
    turns(project.id, () => nextTurn().then(work));

  const find = async (principal: Principal, id: string): Promise<IntegrationRow> => {
    const row = await shops.integrations.find(principal.project.id, id);
    if (row === undefined || principal.servers?.includes(row.serverId) === false) {
      throw new HubError('integration_not_found');
    }
    return row;
  };

  /** An integration that the key may change. */
  const findOwn = async (principal: Principal, id: string): Promise<IntegrationRow> => {
    const row = await find(principal, id);
    assertWithin(principal, row.serverId, row.packages);
    return row;
  };

  const assertServerExists = async ({ project }: Principal, serverId: string): Promise<void> => {
    const server = await store.servers.get(project.id, serverId);
    if (server === undefined || server.deletingAt !== null) throw invalidField('/serverId', 'there is no such server');
  };

  /** @throws HubError invalid_request, insufficient_scope, server_not_allowed */
  const assertChange = async (
    principal: Principal,
    row: IntegrationRow,
    { serverId, packages }: { serverId?: string | undefined; packages?: PackageMap | undefined },
  ): Promise<void> => {
    if (packages !== undefined) assertPackages(packages);
    assertWithin(principal, serverId ?? row.serverId, packages ?? row.packages);
    if (serverId !== undefined) await assertServerExists(principal, serverId);
  };

  const view = (row: IntegrationRow, unmatched: number): z.infer<typeof integrationSchema> => {
    const { count, lastAt } = shops.refusalsOf(row.id);
    const endsAt = row.secrets.find(({ expiresAt }) => expiresAt !== null && expiresAt > Date.now())?.expiresAt ?? null;
    return {
      id: row.id,
      kind: row.kind,
      name: row.name,
      serverId: row.serverId,
      url: `${config.PUBLIC_URL ?? ''}/api/v2/integrations/${row.id}/${row.kind}`,
      identifierKind: row.identifierKind,
      packages: row.packages,
      maxAmount: row.maxAmount,
      maxDaily: row.maxDaily,
      maker: row.maker,
      previousSecretEndsAt: endsAt === null ? null : isoTime(endsAt),
      unmatched,
      wrongSignatures: { count, lastAt: lastAt === null ? null : isoTime(lastAt) },
      createdAt: isoTime(row.createdAt),
      updatedAt: isoTime(row.updatedAt),
    };
  };

  const viewOne = async (row: IntegrationRow) =>
    view(row, (await store.shopLines.staffCounts([row.id])).get(row.id) ?? 0);

  return new OpenAPIHono<RestEnv>({ defaultHook: validationHook })
    .openapi(integrationApi.list, async (c) => {
      const { limit, cursor } = c.req.valid('query');
      const { project, servers } = c.var.principal;
      const { rows, next } = await store.integrations.page(project.id, { servers, limit, cursor });
      const counts = await store.shopLines.staffCounts(rows.map(({ id }) => id));
      return c.json({ data: rows.map((row) => view(row, counts.get(row.id) ?? 0)), pagination: { limit, next } }, 200);
    })
    .openapi(integrationApi.create, async (c) => {
      const { principal } = c.var;
      const wanted = c.req.valid('json');
      await inTurn(principal, async () => assertPackages(wanted.packages));
      assertWithin(principal, wanted.serverId, wanted.packages);
      await assertServerExists(principal, wanted.serverId);
      return c.json(await viewOne(await shops.integrations.create(principal.project, makerOf(principal), wanted)), 201);
    })
    .openapi(integrationApi.get, async (c) =>
      c.json(await viewOne(await find(c.var.principal, c.req.valid('param').id)), 200),
    )
    .openapi(integrationApi.update, async (c) => {
      const { principal } = c.var;
      const wanted = c.req.valid('json');
      const row = await findOwn(principal, c.req.valid('param').id);
      await inTurn(principal, () => assertChange(principal, row, wanted));
      const changed = await shops.integrations.change(row, makerOf(principal), sentFields(wanted));
      return c.json(await viewOne(changed), 200);
    })
    .openapi(integrationApi.remove, async (c) => {
      await shops.integrations.remove(await findOwn(c.var.principal, c.req.valid('param').id));
      return c.body(null, 204);
    })
    .openapi(integrationApi.test, async (c) => {
      const { principal } = c.var;
      const { buyer, packages, change } = c.req.valid('json');
      const row = await find(principal, c.req.valid('param').id);
      const who = buyer === null ? null : { value: shownText(buyer), name: shownText(buyer) };
      const bought = packages.map(({ id, quantity }) => ({ package: id, quantity, buyer: who }));
      const previews = await inTurn(principal, async () => {
        if (Object.keys(change).length > 0) await assertChange(principal, row, change);
        return shops.preview({ ...row, ...sentFields(change) }, principal.project, bought);
      });
      const isShown = principal.scopes.has('players:read');
      return c.json({ data: previews.map((each) => ({ ...each, target: isShown ? each.target : null })) }, 200);
    })
    .openapi(integrationApi.deliveries, async (c) => {
      const { id } = await find(c.var.principal, c.req.valid('param').id);
      const rows = await store.integrations.deliveries(id);
      const data = rows.map(({ receivedAt, type, transaction, outcome, detail }) => ({
        receivedAt: isoTime(receivedAt),
        type,
        transaction,
        outcome,
        detail,
      }));
      return c.json({ data }, 200);
    })
    .openapi(integrationApi.unmatched, async (c) => {
      const { limit, cursor } = c.req.valid('query');
      const { id } = await find(c.var.principal, c.req.valid('param').id);
      const { rows, next } = await store.shopLines.staffPage(id, { limit, cursor });
      return c.json({ data: rows.map(lineView), pagination: { limit, next } }, 200);
    })
    .openapi(integrationApi.decide, async (c) => {
      const { principal } = c.var;
      const { id, lineId } = c.req.valid('param');
      const { target } = c.req.valid('json');
      const integration = await find(principal, id);
      const line = await store.shopLines.get(integration.id, lineId.slice(0, 64));
      if (line === undefined || !isForStaff(line)) throw new HubError('line_not_found');
      if (target === undefined) return c.json(lineView(await shops.decisions.dismiss(line)), 200);
      assertServerAllowed(principal, line.serverId);
      if (line.name !== null) assertScopes(principal, scopesOf([{ name: line.name }]));
      const given = await shops.decisions.give(line, target);
      shops.start(integration.id);
      return c.json(lineView(given), 200);
    });
};
