import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type * as z from 'zod';
import { createTurns } from '../../db/port/turns.ts';
import type { IntegrationRow } from '../../db/queries/integrations.ts';
import type { DeliveryOutcome, IntegrationKind } from '../../db/schema/shops.ts';
import type { Store } from '../../db/store.ts';
import type { Events } from '../cluster/events.ts';
import { HubError } from '../platform/errors.ts';
import { faultsOf } from '../platform/faults.ts';
import { assertShallow, parseExact } from '../platform/json.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { createKeep } from './keep.ts';
import type { Notice } from './notice.ts';
import { readOrder } from './orders.ts';
import { type Seal, SealError } from './seal.ts';
import { isSigned } from './signatures.ts';
import { readTebex } from './tebex.ts';
import { createWebhookGate } from './webhook-gate.ts';

export type Webhook = {
  integrationId: string;
  kind: IntegrationKind;
  signature: string | undefined;
  body: Buffer;
  requestId: string;
};
/** `id` answers a validation. */
export type Receipt = { outcome: DeliveryOutcome; id?: string };

type Deps = {
  store: Pick<Store, 'integrations'>;
  seal: Seal;
  events: Events;
  metrics: Pick<Metrics, 'webhooks'>;
  log: Logger;
  keep: ReturnType<typeof createKeep>;
  /** There is something to do for this integration. */
  start: (integrationId: string) => void;
  now: () => number;
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

const invalid = ({ issues }: z.ZodError): HubError => {
  const errors = faultsOf(issues).map(({ path, detail: text }) => ({
    pointer: `/${path.map(String).join('/').slice(0, 200)}`,
    detail: text,
  }));
  const detail = errors.map(({ pointer, detail: text }) => `${pointer}: ${text}`).join('; ');
  return new HubError('invalid_request', detail.slice(0, 1000), { errors });
};

/** Receives the webhooks of shops: checks the signature, stores, and leaves the rest to the worker. */
export const createReceive = ({ store, keep, seal, events, metrics, log, start, now }: Deps) => {
  const pass = createWebhookGate();
  const inTurn = createTurns();
  /** Wrong signatures by integration, since the start of this node. */
  const refusals = new Map<string, { count: number; lastAt: number }>();

  const secretsOf = ({ id, secrets }: IntegrationRow): string[] => {
    const valid = secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now());
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
    refusals.set(id, { count: count + 1, lastAt: now() });
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
    const row = { projectId, integrationId, receivedAt: now(), ...delivery };
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
      if ('fault' in found) throw invalid(found.fault);
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
