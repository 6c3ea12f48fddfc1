import { setTimeout as pause } from 'node:timers/promises';
import { createRandom, type Random } from '../simulator/random.ts';
import { orderSignature, SECRET } from '../tests/kit/shop-signature.ts';
import { BASE, type Call, type Goods, POWERS } from './calls.ts';

/** Amounts of money that packages give: enough for each payment of a run to have its own. */
const MONEY_POWERS = 20;
const SENT_AGAIN_MS = 50;
/** A shop sends a webhook again for days; longer than this, the hub is not well. */
const STORED_WITHIN_MS = 90_000;
const DEADLINE_MS = 6_000;
const REASON = 'shop';

/** A command without its player. */
type Sold = Pick<Call, 'name' | 'body'>;

/** All commands that an order may ask for; the place of each is the id of its package. */
const soldWith = (goods: Goods | undefined): Sold[] => [
  ...Array.from({ length: MONEY_POWERS }, (_, n): Sold => {
    return { name: 'money', body: { type: 'bank', action: 'add', amount: BASE ** n } };
  }),
  ...(goods?.items ?? []).flatMap((quantity) =>
    Array.from({ length: POWERS }, (_, n): Sold => {
      return { name: 'items', body: { ...quantity, action: 'add', count: BASE ** n } };
    }),
  ),
];
const textOf = ({ name, body }: Sold): string => JSON.stringify([name, body]);

const shuffled = <T>(random: Random, items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, place: random.int(0, 1_000) }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);

/** A shop that sends everything twice and in any order, and each webhook until the hub has stored it. */
export const createShop = ({ address, key }: { address: () => string; key: string }) => {
  let path = '';
  let packages = new Map<string, string>();

  const post = async (to: string, body: string, headers: Record<string, string>): Promise<Response | undefined> => {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const request = { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers }, signal };
    return fetch(`${address()}${to}`, request).catch(() => undefined);
  };

  const send = async (hook: object): Promise<void> => {
    const body = JSON.stringify(hook);
    const until = performance.now() + STORED_WITHIN_MS;
    let last = '';
    while (performance.now() < until) {
      const answer = await post(`${path}/orders`, body, { 'X-Causeway-Signature': orderSignature(body) });
      if (answer?.status === 200) return;
      last = answer === undefined ? 'no answer' : `${answer.status} ${await answer.text().catch(() => '')}`;
      const isTooMuch = answer?.status === 429;
      await pause(isTooMuch ? Number(answer.headers.get('Retry-After')) * 1_000 : SENT_AGAIN_MS);
    }
    throw new Error(`the webhook ${body} was not stored: ${last}`);
  };

  return {
    /** Connects the shop to the hub. */
    open: async (goods: Goods | undefined): Promise<void> => {
      const sold = soldWith(goods);
      packages = new Map(sold.map((each, nth) => [textOf(each), String(nth)]));
      const mapped = sold.map(({ name, body }) => [{ name, params: { ...body, reason: REASON } }]);
      const made = { kind: 'orders', name: 'Chaos', secret: SECRET, serverId: 'main', packages: { ...mapped } };
      const answer = await post('/api/v2/integrations', JSON.stringify(made), { 'X-API-Key': key });
      if (answer?.status !== 201) throw new Error(`the hub refused the shop: ${await answer?.text()}`);
      path = `/api/v2/integrations/${((await answer.json()) as { id: string }).id}`;
    },
    /** Sends the webhooks of an order. */
    sell: async ({ label: id, targets: [buyer], isRefunded, afterMs, ...sold }: Call): Promise<void> => {
      const random = createRandom(afterMs);
      const paid = { id, type: 'paid', buyer, packages: [{ id: packages.get(textOf(sold)) }] };
      const refunded = { id, type: 'refunded' };
      const hooks = isRefunded ? [paid, refunded, paid, refunded] : [paid, paid];
      await Promise.all(
        shuffled(random, hooks).map(async (hook, nth) => {
          await pause(nth * random.int(0, SENT_AGAIN_MS));
          await send(hook);
        }),
      );
    },
  };
};
export type Shop = ReturnType<typeof createShop>;
