import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import * as z from 'zod';
import type { IntegrationRow } from '../../db/queries/integrations.ts';
import type { DeliveryOutcome, IntegrationKind } from '../../db/schema/shops.ts';
import type { Store } from '../../db/store.ts';
import { createTurns } from '../../db/turns.ts';
import type { Events } from '../cluster/events.ts';
import { HubError, rateLimited } from '../platform/errors.ts';
import { assertShallow, invalidRequest, parseExact } from '../platform/fields.ts';
import type { Metrics } from '../platform/metrics.ts';
import { type Seal, SealError } from '../platform/seal.ts';
import { Tally, Windows } from '../platform/windows.ts';
import { idFault, packageId, shopId } from './integrations.ts';
import {
  MAX_PACKAGES,
  type Notice,
  type ordersOf,
  productOf,
  quantity,
  shownText,
  TRANSACTION_LENGTH,
} from './orders.ts';
import { readTebex } from './tebex.ts';

const productName = z
  .unknown()
  .optional()
  .meta({ description: 'A text for the staff, cut after 128 characters.', example: 'VIP' });

/** The body that any shop can send. */
export const orderSchema = z
  // Other fields are left out: an order that was paid must not be lost because its shop also sends a price.
  .object({
    id: z
      .union([z.int().nonnegative().transform(String), shopId(TRANSACTION_LENGTH)], {
        error: idFault(TRANSACTION_LENGTH),
      })
      .meta({ description: 'Of the order, the same in every repeat.', example: 'order-1001' }),
    type: z.enum(['paid', 'refunded']),
    buyer: z.string().min(1).max(128).nullable().default(null).meta({ example: 'fivem:1234567' }),
    packages: z
      .array(z.object({ id: packageId, quantity: quantity.default(1), name: productName }))
      .min(1)
      .max(MAX_PACKAGES)
      .optional()
      .meta({ description: 'Needed with paid. With refunded: what is refunded; absent: everything.' }),
  })
  .refine(({ type, packages }) => type === 'refunded' || packages !== undefined, {
    path: ['packages'],
    message: 'paid needs packages',
  })
  .meta({ id: 'ShopOrder' });

/** Reads an order whose signature fits. */
const readOrder = (body: unknown): { type: string; notice: Notice } | { fault: z.ZodError } => {
  const order = orderSchema.safeParse(body);
  if (!order.success) return { fault: order.error };
  const { id: transaction, type, buyer: value, packages = [] } = order.data;
  if (type === 'refunded') {
    const refunded = order.data.packages?.map((each) => ({ package: each.id, quantity: each.quantity })) ?? null;
    const notice: Notice = {
      is: 'refunded',
      transaction,
      packages: refunded,
      paid: null,
      isWhole: true,
      isDisputeLost: false,
    };
    return { type, notice };
  }
  const buyer = value === null ? null : { value: shownText(value), name: shownText(value) };
  const bought = packages.map(({ id, quantity, name }) => ({ package: id, quantity, ...productOf(name), buyer }));
  return { type, notice: { is: 'paid', transaction, packages: bought, paid: null } };
};

const HEX_SHA256 = /^[0-9a-f]{64}$/i;

/** Compares in constant time. */
const isSame = (given: string, expected: string): boolean =>
  HEX_SHA256.test(given) && timingSafeEqual(Buffer.from(given, 'hex'), Buffer.from(expected, 'hex'));

const hmac = (secret: string, text: string | Buffer, ...more: (string | Buffer)[]): string => {
  const maker = createHmac('sha256', secret).update(text);
  for (const part of more) maker.update(part);
  return maker.digest('hex');
};

/** Tebex signs the hexadecimal SHA-256 of the body. */
const isOfTebex = (header: string, body: Buffer, secrets: readonly string[]): boolean => {
  const digest = hash('sha256', body);
  return secrets.filter((secret) => isSame(header, hmac(secret, digest))).length > 0;
};

const STAMPED = /^t=(\d{1,15}),v1=([0-9a-fA-F]{64})$/;

/** Other shops sign the time of sending and the body: `t=<seconds>,v1=<signature of "t.body">`. */
const isOfOrders = (header: string, body: Buffer, secrets: readonly string[]): boolean => {
  const [, at, signature] = STAMPED.exec(header) ?? [];
  if (at === undefined || signature === undefined) return false;
  return secrets.filter((secret) => isSame(signature, hmac(secret, `${at}.`, body))).length > 0;
};

/** The header with the signature, by the kind of shop. */
export const SIGNATURE_HEADERS: Record<IntegrationKind, string> = {
  tebex: 'x-signature',
  orders: 'x-causeway-signature',
};

/** Whether one of the secrets made this signature. Every secret is tried, so the time does not tell which one fits. */
const isSigned = (
  kind: IntegrationKind,
  { header, body }: { header: string | undefined; body: Buffer },
  secrets: readonly string[],
): boolean => {
  if (header === undefined) return false;
  return kind === 'tebex' ? isOfTebex(header, body, secrets) : isOfOrders(header, body, secrets);
};

/** Signed webhooks of one integration in a minute, on each node. */
const WEBHOOKS_PER_MINUTE = 600;
/** Webhooks of one integration in work at the same time. */
const AT_ONCE = 100;

/**
 * Limits the webhooks of each integration. One that the hub could not store is not counted: the shop has to repeat it.
 */
export const createWebhookGate = () => {
  const counts = new Windows();
  const inWork = new Tally();

  const enter = (id: string): void => {
    const { count, resetMs } = counts.read(id);
    const atOnce = inWork.of(id);
    if (count + atOnce >= WEBHOOKS_PER_MINUTE) {
      const retryAfterS = Math.max(1, Math.ceil(resetMs / 1_000));
      throw rateLimited(`An integration takes ${WEBHOOKS_PER_MINUTE} webhooks in a minute.`, retryAfterS);
    }
    if (atOnce >= AT_ONCE) {
      throw rateLimited(`An integration takes ${AT_ONCE} webhooks at once.`, 1);
    }
    inWork.change(id, 1);
  };

  /** Does the work of a webhook, and counts it if it was stored or refused. @throws HubError rate_limited */
  return async <T>(integrationId: string, work: () => Promise<T>): Promise<T> => {
    enter(integrationId);
    try {
      const done = await work();
      counts.add(integrationId);
      return done;
    } catch (error) {
      if (error instanceof HubError) counts.add(integrationId);
      throw error;
    } finally {
      inWork.change(integrationId, -1);
    }
  };
};

type Webhook = {
  integrationId: string;
  kind: IntegrationKind;
  signature: string | undefined;
  body: Buffer;
  requestId: string;
};
/** `id` answers a validation. */
type Receipt = { outcome: DeliveryOutcome; id?: string };

type Deps = {
  store: Pick<Store, 'integrations'>;
  seal: Seal;
  events: Events;
  metrics: Pick<Metrics, 'webhooks'>;
  log: Logger;
  keep: ReturnType<typeof ordersOf>['keep'];
  /** There is something to do for this integration. */
  start: (integrationId: string) => void;
};

const ID = /^int_[a-z0-9]{10,60}$/;

const parse = (body: Buffer): unknown => {
  assertShallow(body.toString('latin1'));
  try {
    return parseExact(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new HubError('malformed_json');
  }
};

/** Receives the webhooks of shops: checks the signature, stores, and leaves the rest to the worker. */
export const createReceive = ({ store, keep, seal, events, metrics, log, start }: Deps) => {
  const pass = createWebhookGate();
  const inTurn = createTurns();
  /** Wrong signatures by integration, since the start of this node. */
  const refusals = new Map<string, { count: number; lastAt: number }>();

  const secretsOf = ({ id, secrets }: IntegrationRow): string[] => {
    const valid = secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > Date.now());
    try {
      return valid.map(({ sealed }) => seal.open(sealed, id));
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      log.error({ integrationId: id, reason: error.message }, 'the secret of an integration cannot be read');
      throw new HubError('store_unavailable', 'The hub cannot read the secret of this integration.', {
        retryAfterS: 60,
      });
    }
  };

  const refuse = ({ id, kind }: IntegrationRow): never => {
    const { count = 0 } = refusals.get(id) ?? {};
    refusals.set(id, { count: count + 1, lastAt: Date.now() });
    metrics.webhooks.inc({ kind, outcome: 'wrong_signature' });
    throw new HubError('invalid_signature');
  };

  /** The integration of a signed webhook. @throws HubError */
  const authenticate = async ({ integrationId, kind, signature, body }: Webhook): Promise<IntegrationRow> => {
    const found = ID.test(integrationId) ? await store.integrations.byId(integrationId) : undefined;
    if (found === undefined || found.deletedAt !== null || found.kind !== kind) {
      throw new HubError('integration_not_found');
    }
    return isSigned(kind, { header: signature, body }, secretsOf(found)) ? found : refuse(found);
  };

  /** Notes a delivery for people. Its loss changes nothing, so a failure is only logged. */
  const note = async (
    { id: integrationId, projectId, serverId, kind }: IntegrationRow,
    delivery: { type: string; transaction: string | null; outcome: DeliveryOutcome; detail: string | null },
  ): Promise<void> => {
    metrics.webhooks.inc({ kind, outcome: delivery.outcome });
    const row = { projectId, integrationId, receivedAt: Date.now(), ...delivery };
    await store.integrations.addDelivery(row).catch((error: unknown) => {
      log.error({ err: error, integrationId }, 'a delivery could not be noted');
    });
    const { detail: _, ...data } = delivery;
    events.publish(projectId, { type: 'integration.delivery', serverId, data: { integrationId, ...data } });
  };

  /** One body of a project in a turn of the event loop: a large one takes some 20 ms. */
  const read = ({ projectId, kind }: IntegrationRow, body: Buffer): Promise<{ type: string; notice: Notice }> =>
    inTurn(projectId, async () => {
      await nextTurn();
      const found = (kind === 'tebex' ? readTebex : readOrder)(parse(body));
      if ('fault' in found) throw invalidRequest(found.fault.issues);
      return found;
    });

  const take = async (integration: IntegrationRow, webhook: Webhook): Promise<Receipt> => {
    let type = 'unknown';
    try {
      const found = await read(integration, webhook.body);
      const { notice } = found;
      type = found.type;
      if (!('transaction' in notice)) {
        const outcome = notice.is === 'validation' ? 'validated' : 'ignored';
        await note(integration, { type, transaction: null, outcome, detail: null });
        return notice.is === 'validation' ? { outcome, id: notice.id } : { outcome };
      }
      const outcome = await keep(integration, notice, webhook.requestId);
      await note(integration, { type, transaction: notice.transaction, outcome, detail: null });
      if (outcome !== 'duplicate') start(integration.id);
      return { outcome };
    } catch (error) {
      if (error instanceof HubError) {
        await note(integration, { type, transaction: null, outcome: 'invalid', detail: error.message.slice(0, 500) });
      }
      throw error;
    }
  };

  return {
    /** @throws HubError integration_not_found, invalid_signature, rate_limited, invalid_request; DatabaseError */
    receive: async (webhook: Webhook): Promise<Receipt> => {
      const integration = await authenticate(webhook);
      return pass(integration.id, () => take(integration, webhook));
    },
    /** Wrong signatures for an integration, since the start of this node. */
    refusalsOf: (integrationId: string): { count: number; lastAt: number | null } =>
      refusals.get(integrationId) ?? { count: 0, lastAt: null },
  };
};
