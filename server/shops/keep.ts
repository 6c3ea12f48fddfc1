import type { IntegrationRow } from '../../db/queries/integrations.ts';
import type { NewShopLine } from '../../db/queries/shop-lines.ts';
import type { ShopOrderRow } from '../../db/queries/shop-orders.ts';
import type { BoughtPackage, DeliveryOutcome } from '../../db/schema/shops.ts';
import type { Store } from '../../db/store.ts';
import { HubError } from '../platform/errors.ts';
import type { Change } from './line-change.ts';
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

const MAX_DETAIL = 500;

/** The detail of a note that is still on the staff's list, with one more refund. A repeated webhook adds nothing. */
const joined = (known: string | null, more: string | null): string => {
  const told = known ?? '';
  if (more === null || told.includes(more)) return told;
  return `${told} ${more}`.trim().slice(-MAX_DETAIL);
};

type Deps = {
  store: Pick<Store, 'shopOrders' | 'shopLines'>;
  change: Change;
  /** Told about a line that a member of the staff has to decide. */
  forStaff: (line: NewShopLine) => void;
  now: () => number;
};

/** Stores the notices of shops. When it returns, the rest survives a crash. */
export const createKeep = ({ store, change, forStaff, now }: Deps) => {
  /** Notes a partial refund for the staff. An order has one such line, which comes back after it was dismissed. */
  const noteRefund = async (line: NewShopLine): Promise<void> => {
    const known = await store.shopLines.get(line.integrationId, line.id);
    if (known === undefined) {
      await store.shopLines.add([line]);
      return forStaff(line);
    }
    const detail = known.state === 'owed' ? joined(known.detail, line.detail) : line.detail;
    const noted = await change(known, { state: 'owed', reason: line.reason, detail });
    // The staff dismissed it meanwhile, so they have not seen this refund.
    if (noted === undefined) await noteRefund(line);
  };

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
      await noteRefund(partialRefundOf(order, `A part was refunded${paid}.`, now()));
      return 'partial_refund';
    }
    return (await store.shopOrders.refund(order)) ? 'refunded' : 'duplicate';
  };
};
