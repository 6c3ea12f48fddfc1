import { expect } from 'vitest';
import type { Answer, TestHub } from './hub.ts';
import { orderSignature, SECRET, tebexSignature } from './shop-signature.ts';
import { eventually } from './stage.ts';

export { orderSignature, SECRET, tebexSignature };

type Mapped = { name: string; params: Record<string, unknown> };
type Line = {
  id: string;
  state: string;
  reason: string | null;
  package: string;
  number: number;
  [field: string]: unknown;
};

/** A webhook of Tebex with the fields of its documentation. */
export const payment = (
  transaction: string,
  products: object[],
  changes: { type?: string; subject?: object } = {},
) => ({
  id: `hook-${transaction}`,
  type: changes.type ?? 'payment.completed',
  date: '2026-11-20T12:00:00+00:00',
  subject: {
    transaction_id: transaction,
    status: { id: 1, description: 'Complete' },
    payment_sequence: 'oneoff',
    created_at: '2026-11-20T12:00:00+00:00',
    price: { amount: 9.99, currency: 'EUR' },
    price_paid: { amount: 9.99, currency: 'EUR' },
    customer: { first_name: 'Ana', email: 'ana@example.com', username: { id: '1234567', username: 'ana' } },
    products: products.map((product) => ({ name: 'A package', quantity: 1, username: null, custom: null, ...product })),
    ...changes.subject,
  },
});

type Asked = Pick<TestHub, 'request'>;

/** Connects a shop to a hub; everything goes through the front door. */
export const connectShop = async (
  hub: Asked,
  kind: 'tebex' | 'orders',
  packages: Record<string, Mapped[]>,
  more: object = {},
) => {
  const made = await hub.request('/api/v2/integrations', {
    json: { kind, name: 'The shop', secret: SECRET, serverId: 'main', packages, ...more },
  });
  expect(made.status, made.text).toBe(201);
  const path = `/api/v2/integrations/${made.body.id}`;

  return {
    id: String(made.body.id),
    path,
    /** Sends a text with any signature. */
    post: (body: string, headers: Record<string, string>, at: Asked = hub): Promise<Answer> =>
      at.request(`${path}/${kind}`, { key: null, method: 'POST', body, headers }),
    /** Sends a signed webhook. */
    send: (content: object, { secret = SECRET, at = hub }: { secret?: string; at?: Asked } = {}): Promise<Answer> => {
      const body = JSON.stringify(content);
      const headers: Record<string, string> =
        kind === 'tebex'
          ? { 'X-Signature': tebexSignature(body, secret) }
          : { 'X-Causeway-Signature': orderSignature(body, secret) };
      return at.request(`${path}/${kind}`, { key: null, method: 'POST', body, headers });
    },
    staff: async (at: Asked = hub): Promise<Line[]> =>
      (await at.request(`${path}/unmatched?limit=200`)).body['data'] as Line[],
    deliveries: async (at: Asked = hub): Promise<{ outcome: string; type: string }[]> =>
      (await at.request(`${path}/deliveries`)).body['data'] as { outcome: string; type: string }[],
  };
};
export type Shop = Awaited<ReturnType<typeof connectShop>>;

/** The lines of all orders in the database, by package and number. */
export const linesIn = async (hub: TestHub, shop: Shop, transaction: string) =>
  hub.store.shopLines.ofOrder({ integrationId: shop.id, transaction }, { after: 0, limit: 10_000 });

/** The states of an order's lines, when they are these. */
export const becomes = (hub: TestHub, shop: Shop, transaction: string, states: string[]): Promise<void> =>
  eventually(async () => (await linesIn(hub, shop, transaction)).map(({ state }) => state)).toEqual(states);
