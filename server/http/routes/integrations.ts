import { setImmediate as nextTurn } from 'node:timers/promises';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { IntegrationRow } from '../../../db/queries/integrations.ts';
import { DELIVERY_OUTCOMES, type PackageMap } from '../../../db/schema/shops.ts';
import { createTurns } from '../../../db/turns.ts';
import type { Principal } from '../../auth/credentials.ts';
import { invalidField } from '../../platform/errors.ts';
import { plainText, SLUG_PATTERN, sentFields } from '../../platform/fields.ts';
import { isoTime, optionalTime } from '../../platform/time.ts';
import { assertPackages, packageId, packagesSchema, scopesOf } from '../../shops/integrations.ts';
import { MAX_PACKAGES, quantity, shownText } from '../../shops/orders.ts';
import { validationHook } from '../answer.ts';
import { actorOf, assertScopes, assertServerAllowed, visibleRow } from '../identify.ts';
import { needs } from '../middleware.ts';
import type { RestDeps, RestEnv } from '../request.ts';
import { actor, at, body, graceSeconds, instant, json, noQuery, pageJson, pageQuery, problems } from '../schemas.ts';

const kind = z.enum(['tebex', 'orders']);
const limit = z.int().min(1).nullable();

const integrationSchema = z
  .object({
    id: z.string().openapi({ example: 'int_01j9z3k7v8' }),
    kind,
    name: z.string(),
    serverId: z.string(),
    url: z.string().openapi({ description: 'The address for the webhooks of the shop.' }),
    identifierKind: z.string().nullable(),
    packages: packagesSchema,
    maxAmount: z.int().nullable(),
    maxDaily: z.int().nullable(),
    maker: actor.openapi({ description: 'The key that chose the commands.' }),
    previousSecretEndsAt: instant.nullable().openapi({ description: 'null: only one secret is valid.' }),
    unmatched: z.int().openapi({ description: 'Lines that a member of the staff has to decide.' }),
    wrongSignatures: z
      .object({ count: z.int(), lastAt: instant.nullable() })
      .openapi({ description: 'Refused webhooks of this node since its start.' }),
    createdAt: instant,
    updatedAt: instant,
  })
  .openapi('Integration');

const secret = z
  .string()
  .regex(/^[\x21-\x7e]{16,256}$/, 'must be 16 to 256 printable ASCII characters')
  .openapi({ description: 'Never shown again.', example: 'a-long-secret-of-the-shop' });
const identifierKind = z
  .string()
  .regex(/^[a-z][a-z0-9]{0,31}$/, 'must be a kind such as fivem, steam or license')
  .nullable()
  .openapi({
    example: 'fivem',
    description: 'The kind of identifier that the shop sends. null: the hub tries all kinds.',
  });
const name = plainText(128);
const serverId = z.string().regex(SLUG_PATTERN).openapi({ example: 'main' });

/** The fields that a change of an integration may have, and so may the trial of one. */
const changeable = {
  serverId: serverId.optional(),
  packages: packagesSchema.optional(),
  identifierKind: identifierKind.optional(),
  maxAmount: limit.optional(),
  maxDaily: limit.optional(),
};

const previewSchema = z
  .object({
    package: z.string(),
    number: z.int(),
    name: z.string().nullable(),
    params: z.record(z.string(), z.unknown()).nullable(),
    target: z.string().nullable().openapi({ description: 'Shown to keys with players:read.' }),
    problem: z.string().nullable().openapi({
      description: 'null: the command would be made now. bridge_offline: it would wait.',
    }),
    detail: z.string().nullable(),
    hints: z
      .array(z.object({ code: z.string().openapi({ example: 'unknown_item' }), detail: z.string() }))
      .openapi({ description: 'Doubts that do not stop the order: the game server decides.' }),
  })
  .openapi('OrderPreview');

const deliverySchema = z
  .object({
    receivedAt: instant,
    type: z.string().openapi({ example: 'payment.completed' }),
    transaction: z.string().nullable(),
    outcome: z.enum(DELIVERY_OUTCOMES),
    detail: z.string().nullable(),
  })
  .openapi('Delivery');

const params = z.object({ id: z.string().openapi({ example: 'int_01j9z3k7v8' }) });
const own = 'Also needs the scopes of the mapped commands, and access to their server.';
const read = { tags: ['Integrations'], ...needs(['integrations:write']) };
const write = { tags: ['Integrations'], ...needs(['integrations:write'], own) };

const integrationApi = {
  list: createRoute({
    ...read,
    ...at('get', '/integrations', 'listIntegrations'),
    summary: 'Shops of the project',
    request: { query: pageQuery },
    responses: {
      200: pageJson(integrationSchema, 'The integrations, oldest first.'),
      ...problems(),
    },
  }),
  create: createRoute({
    ...write,
    ...at('post', '/integrations', 'createIntegration'),
    summary: 'Connect a shop',
    request: {
      query: noQuery,
      body: body(
        z
          .strictObject({
            kind,
            name,
            secret,
            serverId,
            packages: packagesSchema,
            identifierKind: identifierKind.default(null),
            maxAmount: limit.default(null).openapi({ description: 'Largest amount of one money command.' }),
            maxDaily: limit.default(null).openapi({ description: 'Money that it may give in one day (UTC).' }),
          })
          .openapi('NewIntegration', {
            example: {
              kind: 'orders',
              name: 'Web shop',
              secret: 'a-long-secret-of-the-shop',
              serverId: 'main',
              packages: {},
            },
          }),
      ),
    },
    responses: {
      201: json(integrationSchema, 'The integration, without its secret.'),
      ...problems(404, 409, 413, 415),
    },
  }),
  get: createRoute({
    ...read,
    ...at('get', '/integrations/{id}', 'getIntegration'),
    summary: 'One shop',
    request: { params, query: noQuery },
    responses: { 200: json(integrationSchema, 'The integration.'), ...problems(404) },
  }),
  update: createRoute({
    ...write,
    ...at('patch', '/integrations/{id}', 'updateIntegration'),
    summary: 'Change a shop, or replace its secret',
    request: {
      params,
      query: noQuery,
      body: body(
        z
          .strictObject({
            name: name.optional(),
            ...changeable,
            secret: secret.optional(),
            graceSeconds: graceSeconds.openapi({ description: 'How long the secret before stays valid.' }),
          })
          .openapi('IntegrationChange', { example: { name: 'Web shop' } }),
      ),
    },
    responses: { 200: json(integrationSchema, 'The integration as it is now.'), ...problems(404, 413, 415) },
  }),
  remove: createRoute({
    ...write,
    ...at('delete', '/integrations/{id}', 'deleteIntegration'),
    summary: 'Disconnect a shop; packages that were paid are still delivered',
    request: { params, query: noQuery },
    responses: { 204: { description: 'Its address takes no more webhooks.' }, ...problems(404, 413, 415) },
  }),
  test: createRoute({
    ...read,
    ...at('post', '/integrations/{id}/test', 'testIntegration'),
    summary: 'What an order would do; stores and sends nothing',
    request: {
      params,
      query: noQuery,
      body: body(
        z
          .strictObject({
            buyer: z.string().min(1).max(128).nullable().default(null),
            packages: z
              .array(z.strictObject({ id: packageId, quantity: quantity.default(1) }))
              .min(1)
              .max(MAX_PACKAGES),
            change: z
              .strictObject(changeable)
              .default({})
              .openapi({ description: 'Tried instead of what is stored; as in a change of the integration.' }),
          })
          .openapi('OrderTest', { example: { buyer: 'fivem:1234567', packages: [{ id: 'vip', quantity: 1 }] } }),
      ),
    },
    responses: {
      200: json(z.object({ data: z.array(previewSchema) }), 'The first 200 commands of the order.'),
      ...problems(404, 413, 415),
    },
  }),
  deliveries: createRoute({
    ...read,
    ...at('get', '/integrations/{id}/deliveries', 'listDeliveries'),
    summary: 'The last hundred webhooks of a shop',
    request: { params, query: noQuery },
    responses: { 200: json(z.object({ data: z.array(deliverySchema) }), 'The newest first.'), ...problems(404) },
  }),
};

/** A key gives away only what it has. @throws HubError insufficient_scope, server_not_allowed */
const assertWithin = (principal: Principal, serverId: string, packages: PackageMap): void => {
  assertServerAllowed(principal, serverId);
  assertScopes(principal, scopesOf(Object.values(packages).flat()));
};

/** Shops of the project, and what their orders leave to the staff. */
export const integrationRoutes = ({ store, shops, config }: RestDeps) => {
  const turns = createTurns();
  /** Packages take some 20 ms to check. One request of a project at a time, each in its own turn of the event loop. */
  const inTurn = <T>({ project }: Principal, work: () => Promise<T>): Promise<T> =>
    turns(project.id, () => nextTurn().then(work));

  const find = async (principal: Principal, id: string): Promise<IntegrationRow> =>
    visibleRow(principal, await shops.integrations.find(principal.project.id, id), 'integration_not_found');

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
    if (packages !== undefined) assertPackages(packages, principal.project, row.packages);
    assertWithin(principal, serverId ?? row.serverId, packages ?? row.packages);
    if (serverId !== undefined) await assertServerExists(principal, serverId);
  };

  const view = (row: IntegrationRow, unmatched: number): z.infer<typeof integrationSchema> => {
    const { count, lastAt } = shops.refusalsOf(row.id);
    const endsAt = row.secrets.find(({ expiresAt }) => expiresAt !== null && expiresAt > Date.now())?.expiresAt;
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
      previousSecretEndsAt: optionalTime(endsAt),
      unmatched,
      wrongSignatures: { count, lastAt: optionalTime(lastAt) },
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
      await inTurn(principal, async () => assertPackages(wanted.packages, principal.project));
      assertWithin(principal, wanted.serverId, wanted.packages);
      await assertServerExists(principal, wanted.serverId);
      return c.json(await viewOne(await shops.integrations.create(principal.project, actorOf(principal), wanted)), 201);
    })
    .openapi(integrationApi.get, async (c) =>
      c.json(await viewOne(await find(c.var.principal, c.req.valid('param').id)), 200),
    )
    .openapi(integrationApi.update, async (c) => {
      const { principal } = c.var;
      const wanted = c.req.valid('json');
      const row = await findOwn(principal, c.req.valid('param').id);
      await inTurn(principal, () => assertChange(principal, row, wanted));
      const changed = await shops.integrations.change(row, actorOf(principal), sentFields(wanted));
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
    });
};
