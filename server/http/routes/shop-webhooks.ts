import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { DELIVERY_OUTCOMES, type IntegrationKind } from '../../../db/schema/shops.ts';
import { type ErrorCode, HubError } from '../../platform/errors.ts';
import { orderSchema, SIGNATURE_HEADERS } from '../../shops/webhook.ts';
import { type RestDeps, type RestEnv, readBody } from '../request.ts';
import { at, body, json, problems } from '../schemas.ts';

/** The largest body of a webhook, bytes; it is checked before anything is computed. */
const MAX_WEBHOOK_BYTES = 256 * 1024;

const params = z.object({ id: z.string().openapi({ example: 'int_01j9z3k7v8' }) });
const receipt = z
  .object({
    outcome: z.enum(DELIVERY_OUTCOMES).optional().openapi({ description: 'What the hub did with it.' }),
    id: z.string().optional().openapi({ description: 'With a validation: the id that was sent.' }),
  })
  .openapi('Receipt');

const common = {
  tags: ['Integrations'],
  // The signature stands for the key.
  security: [],
  responses: {
    200: json(receipt, 'It is stored, or was before. Commands follow, also when the game server is away.'),
    ...problems(404, 413),
  },
};

const webhookApi: Record<IntegrationKind, Parameters<typeof createRoute>[0]> = {
  tebex: {
    ...common,
    ...at('post', '/api/v2/integrations/{id}/tebex', 'receiveTebex'),
    summary: 'Webhook of Tebex',
    description: 'Signed by Tebex in X-Signature. No API key.',
    request: { params, body: body(z.record(z.string(), z.unknown()).openapi('TebexWebhook', { type: 'object' })) },
  },
  orders: {
    ...common,
    ...at('post', '/api/v2/integrations/{id}/orders', 'receiveOrder'),
    summary: 'Webhook of any other shop',
    description:
      'Signed in X-Causeway-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body" with the secret>. No API key.',
    request: { params, body: body(orderSchema) },
  },
};

/** Refusals before the signature was found good. */
const UNSIGNED: readonly string[] = ['integration_not_found', 'invalid_signature'] satisfies ErrorCode[];

/** The addresses that shops send their webhooks to. They need no API key. */
export const shopWebhookRoutes = ({ shops }: Pick<RestDeps, 'shops'>) => {
  const receive = (kind: IntegrationKind) => async (c: Context<RestEnv, '/:id'>) => {
    const content = await readBody(c.env.incoming, MAX_WEBHOOK_BYTES);
    const received = shops.receive({
      integrationId: c.req.param('id'),
      kind,
      signature: c.req.header(SIGNATURE_HEADERS[kind]),
      body: content,
      requestId: c.get('requestId'),
    });
    const { outcome, id } = await received.catch((error: unknown) => {
      if (error instanceof HubError && !UNSIGNED.includes(error.code)) c.set('isSigned', true);
      throw error;
    });
    return c.json(id === undefined ? { outcome } : { id }, 200);
  };
  const routes = new OpenAPIHono<RestEnv>();
  for (const route of Object.values(webhookApi)) routes.openAPIRegistry.registerPath(createRoute(route));
  routes.post('/api/v2/integrations/:id/tebex', receive('tebex'));
  routes.post('/api/v2/integrations/:id/orders', receive('orders'));
  return routes;
};
