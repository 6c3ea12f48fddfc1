import { createRoute, z } from '@hono/zod-openapi';
import { DELIVERY_OUTCOMES, LINE_STATES } from '../../../db/schema/shops.ts';
import { identifierText, plainText } from '../../platform/text-fields.ts';
import { MAX_PACKAGES, packageId, quantity } from '../../shops/notice.ts';
import { packagesSchema } from '../../shops/packages.ts';
import { needs } from '../middleware.ts';
import { actor, body, instant, json, noQuery, pageQuery, pagination, problems, SLUG_PATTERN } from '../schemas.ts';

const kind = z.enum(['tebex', 'orders']);
const limit = z.int().min(1).nullable();

export const integrationSchema = z
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
const graceSeconds = z.int().min(0).max(604_800).default(0);

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

export const lineSchema = z
  .object({
    id: z.string(),
    transaction: z.string(),
    package: z.string().openapi({ description: 'Empty: the line is about the whole order.' }),
    number: z.int(),
    serverId: z.string(),
    name: z.string().nullable(),
    params: z.record(z.string(), z.unknown()).nullable(),
    buyer: z.object({ value: z.string(), name: z.string() }).nullable(),
    target: z.string().nullable(),
    state: z.enum(LINE_STATES),
    reason: z.string().nullable(),
    detail: z.string().nullable(),
    commandId: z.string().nullable(),
    oppositeId: z.string().nullable(),
    createdAt: instant,
    updatedAt: instant,
  })
  .openapi('OrderLine');

const params = z.object({ id: z.string().openapi({ example: 'int_01j9z3k7v8' }) });
const lineParams = params.extend({ lineId: z.string().openapi({ example: 'lin_5f3a9c' }) });
const own = 'Also needs the scopes of the mapped commands, and access to their server.';
const read = { tags: ['Integrations'], ...needs(['integrations:write']) };
const write = { tags: ['Integrations'], ...needs(['integrations:write'], own) };

export const integrationApi = {
  list: createRoute({
    ...read,
    method: 'get',
    path: '/integrations',
    operationId: 'listIntegrations',
    summary: 'Shops of the project',
    request: { query: pageQuery },
    responses: {
      200: json(z.object({ data: z.array(integrationSchema), pagination }), 'The integrations, oldest first.'),
      ...problems(),
    },
  }),
  create: createRoute({
    ...write,
    method: 'post',
    path: '/integrations',
    operationId: 'createIntegration',
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
    method: 'get',
    path: '/integrations/{id}',
    operationId: 'getIntegration',
    summary: 'One shop',
    request: { params, query: noQuery },
    responses: { 200: json(integrationSchema, 'The integration.'), ...problems(404) },
  }),
  update: createRoute({
    ...write,
    method: 'patch',
    path: '/integrations/{id}',
    operationId: 'updateIntegration',
    summary: 'Change a shop, or replace its secret',
    request: {
      params,
      query: noQuery,
      body: body(
        z
          .strictObject({
            name: name.optional(),
            serverId: serverId.optional(),
            packages: packagesSchema.optional(),
            identifierKind: identifierKind.optional(),
            maxAmount: limit.optional(),
            maxDaily: limit.optional(),
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
    method: 'delete',
    path: '/integrations/{id}',
    operationId: 'deleteIntegration',
    summary: 'Disconnect a shop; packages that were paid are still delivered',
    request: { params, query: noQuery },
    responses: { 204: { description: 'Its address takes no more webhooks.' }, ...problems(404, 413, 415) },
  }),
  test: createRoute({
    ...read,
    method: 'post',
    path: '/integrations/{id}/test',
    operationId: 'testIntegration',
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
              .strictObject({
                serverId: serverId.optional(),
                packages: packagesSchema.optional(),
                identifierKind: identifierKind.optional(),
                maxAmount: limit.optional(),
                maxDaily: limit.optional(),
              })
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
    method: 'get',
    path: '/integrations/{id}/deliveries',
    operationId: 'listDeliveries',
    summary: 'The last hundred webhooks of a shop',
    request: { params, query: noQuery },
    responses: { 200: json(z.object({ data: z.array(deliverySchema) }), 'The newest first.'), ...problems(404) },
  }),
  unmatched: createRoute({
    ...read,
    method: 'get',
    path: '/integrations/{id}/unmatched',
    operationId: 'listUnmatched',
    summary: 'What a member of the staff has to decide',
    request: { params, query: pageQuery },
    responses: {
      200: json(z.object({ data: z.array(lineSchema), pagination }), 'Lines of orders, oldest first.'),
      ...problems(404),
    },
  }),
  decide: createRoute({
    ...write,
    method: 'post',
    path: '/integrations/{id}/unmatched/{lineId}',
    operationId: 'decideUnmatched',
    summary: 'Give a line to a player, or take it off the list',
    request: {
      params: lineParams,
      query: noQuery,
      body: body(
        z
          .strictObject({ target: identifierText.optional(), dismiss: z.literal(true).optional() })
          .refine(({ target, dismiss }) => (target === undefined) === (dismiss === true), {
            path: ['target'],
            message: 'send either target or dismiss',
          })
          .openapi('Decision', { example: { dismiss: true } }),
      ),
    },
    responses: { 200: json(lineSchema, 'The line as it is now.'), ...problems(404, 409, 413, 415) },
  }),
};
