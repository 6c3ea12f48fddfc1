import type { IntegrationRow } from '../../db/queries/integrations.ts';
import type { NewShopLine } from '../../db/queries/shop-lines.ts';
import type { ShopOrderRow } from '../../db/queries/shop-orders.ts';
import type { BoughtPackage, DeliveryOutcome } from '../../db/schema/shops.ts';
import type { Store } from '../../db/store.ts';
import { HubError } from '../platform/errors.ts';
import type { Notice } from './notice.ts';
import { lineCount, MAX_LINES, partialRefundOf, planOf } from './plan.ts';

const unitsOf = (bought: readonly { package: string; quantity: number }[]): Map<string, number> => {
  const units = new Map<string, number>();
  for (const { package: id, quantity } of bought) units.set(id, (units.get(id) ?? 0) + quantity);
  return units;
};

/** Whether a refund takes back less than the whole order. */
const isPartial = (known: ShopOrderRow | undefined, refund: Extract<Notice, { is: 'refunded' }>): boolean => {
  if (!refund.isWhole) return true;
  if (known === undefined) return false;
  const { plan, paid } = known;
  if (refund.paid !== null && paid !== null && refund.paid !== paid) return true;
  if (refund.packages === null || plan === null) return false;
  const refunded = unitsOf(refund.packages);
  return [...unitsOf(plan)].some(([id, quantity]) => (refunded.get(id) ?? 0) < quantity);
};

const tooLarge = (plan: readonly BoughtPackage[]): HubError | undefined =>
  lineCount(plan) <= MAX_LINES
    ? undefined
    : new HubError('invalid_request', `The order becomes ${lineCount(plan)} commands; at most ${MAX_LINES}.`);

type Deps = {
  store: Pick<Store, 'shopOrders' | 'shopLines'>;
  /** Told about a line that a member of the staff has to decide. */
  forStaff: (line: NewShopLine) => void;
  now: () => number;
};

/** Stores the notices of shops. When it returns, the rest survives a crash. */
export const createKeep = ({ store, forStaff, now }: Deps) => {
  return async (
    { id, projectId, serverId, packages }: IntegrationRow,
    notice: Extract<Notice, { transaction: string }>,
    requestId: string,
  ): Promise<DeliveryOutcome> => {
    const { transaction } = notice;
    const order = { integrationId: id, projectId, serverId, transaction, requestId, at: now() };
    if (notice.is === 'disputed') {
      await store.shopOrders.dispute(order, notice.dispute);
      return 'marked';
    }
    if (notice.is === 'paid') {
      const plan = planOf(notice.packages, packages);
      const fault = tooLarge(plan);
      if (fault !== undefined) throw fault;
      const paid = await store.shopOrders.pay({ ...order, plan, paid: notice.paid });
      if (paid === undefined) return 'duplicate';
      return paid.refundedAt === null ? 'stored' : 'blocked';
    }
    if (notice.isDisputeLost) await store.shopOrders.dispute(order, 'lost');
    const known = await store.shopOrders.get(order);
    if (known !== undefined && known.refundedAt !== null) return 'duplicate';
    if (isPartial(known, notice)) {
      const paid = notice.paid === null ? '' : `: ${notice.paid}`;
      const line = partialRefundOf(order, `A part was refunded${paid}.`, now());
      await store.shopLines.add([line]);
      forStaff(line);
      return 'partial_refund';
    }
    return (await store.shopOrders.refund(order)) ? 'refunded' : 'duplicate';
  };
};
