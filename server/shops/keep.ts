import type { IntegrationRow } from '../../db/queries/integrations.ts';
import type { NewShopLine } from '../../db/queries/shop-lines.ts';
import type { ShopOrderRow } from '../../db/queries/shop-orders.ts';
import type { BoughtPackage, DeliveryOutcome, PackageMap } from '../../db/schema/shops.ts';
import type { Store } from '../../db/store.ts';
import { HubError } from '../platform/errors.ts';
import type { Change } from './line-change.ts';
import type { Notice } from './notice.ts';
import { lineCount, MAX_LINES, partialRefundOf, planOf, unknownOrderOf } from './plan.ts';

const unitsOf = (bought: readonly { package: string; quantity: number }[]): Map<string, number> => {
  const units = new Map<string, number>();
  for (const { package: id, quantity } of bought) units.set(id, (units.get(id) ?? 0) + quantity);
  return units;
};

type Sum = { packages: readonly { package: string; quantity: number }[] | null; paid: string | null };

/** Whether a refund is less than a payment. */
const isLess = (refund: Sum, { plan, paid }: Pick<ShopOrderRow, 'plan' | 'paid'>): boolean => {
  if (refund.paid !== null && paid !== null && refund.paid !== paid) return true;
  if (refund.packages === null || plan === null) return false;
  const refunded = unitsOf(refund.packages);
  return [...unitsOf(plan)].some(([id, quantity]) => (refunded.get(id) ?? 0) < quantity);
};

/** Whether a refund takes back less than the whole order. */
const isPartial = (known: ShopOrderRow | undefined, refund: Extract<Notice, { is: 'refunded' }>): boolean => {
  if (!refund.isWhole) return true;
  return known !== undefined && known.paidAt !== null && isLess(refund, known);
};

const tooLarge = (plan: readonly BoughtPackage[]): HubError | undefined =>
  lineCount(plan) <= MAX_LINES
    ? undefined
    : new HubError('invalid_request', `The order becomes ${lineCount(plan)} commands; at most ${MAX_LINES}.`);

const MAX_DETAIL = 500;
const BLOCKED = 'A part was refunded before the payment came, and nothing of it is given.';
const RESTORED =
  'A part was refunded before the payment came. A backup was restored, so the hub may have given it before: look what the player has.';

/** The detail of a note that is still on the staff's list, with one more refund. A repeated webhook adds nothing. */
const joined = (known: string | null, more: string | null): string => {
  const told = known ?? '';
  if (more === null || told.includes(more)) return told;
  return `${told} ${more}`.trim().slice(-MAX_DETAIL);
};

type Deps = {
  store: Pick<Store, 'shopOrders' | 'shopLines' | 'commands'>;
  change: Change;
  /** Told about a line that a member of the staff has to decide. */
  forStaff: (line: NewShopLine) => void;
  now: () => number;
};

/** Stores the notices of shops. When it returns, the rest survives a crash. */
export const createKeep = ({ store, change, forStaff, now }: Deps) => {
  /** Notes a refund for the staff. An order has one such line, which comes back after it was dismissed. */
  const noteRefund = async (line: NewShopLine): Promise<void> => {
    const known = await store.shopLines.get(line.integrationId, line.id);
    if (known === undefined) {
      await store.shopLines.add([line]);
      return forStaff(line);
    }
    const isTold = known.state === 'owed' && known.reason !== 'unknown_order';
    const detail = isTold ? joined(known.detail, line.detail) : line.detail;
    const noted = await change(known, { state: 'owed', reason: line.reason, detail });
    // The staff dismissed it meanwhile, so they have not seen this refund.
    if (noted === undefined) await noteRefund(line);
  };

  /** The order of a refund became known, so the staff need not look for it. */
  const forgetNote = (order: Order): Promise<void> =>
    store.shopLines.forgetNote(unknownOrderOf(order, now()).id, 'unknown_order');

  type Order = Omit<ShopOrderRow, 'plan' | 'paid' | 'paidAt' | 'refundedAt' | 'dispute' | 'isOpen' | 'createdAt'> & {
    at: number;
  };

  const keepPayment = async (
    order: Order,
    { packages: bought, paid }: Extract<Notice, { is: 'paid' }>,
    packages: PackageMap,
  ): Promise<DeliveryOutcome> => {
    const plan = planOf(bought, packages);
    const fault = tooLarge(plan);
    if (fault !== undefined) throw fault;
    const known = await store.shopOrders.get(order);
    const isRestored = (await store.commands.lastRestored()) !== undefined;
    // The refund of a part that came first blocks all of the payment.
    if (known !== undefined && known.paidAt === null && known.refundedAt !== null) {
      const refund = { packages: known.plan, paid: known.paid };
      const isPart = isLess(refund, { plan, paid });
      if (isPart) await noteRefund(partialRefundOf(order, isRestored ? RESTORED : BLOCKED, now()));
    }
    const stored = await store.shopOrders.pay({ ...order, plan, paid });
    if (stored?.refundedAt === null) return 'stored';
    // A hub that was never restored has given nothing of it. A crash may have come before, so a repeated payment does it, too.
    if (!isRestored) await forgetNote(order);
    return stored === undefined ? 'duplicate' : 'blocked';
  };

  const keepRefund = async (order: Order, notice: Extract<Notice, { is: 'refunded' }>): Promise<DeliveryOutcome> => {
    const known = await store.shopOrders.get(order);
    if (known !== undefined && known.refundedAt !== null) return 'duplicate';
    if (isPartial(known, notice)) {
      const paid = notice.paid === null ? '' : `: ${notice.paid}`;
      await noteRefund(partialRefundOf(order, `A part was refunded${paid}.`, now()));
      return 'partial_refund';
    }
    const plan =
      notice.packages &&
      planOf(
        notice.packages.map((each) => ({ ...each, buyer: null })),
        {},
      );
    const isPaid = known !== undefined && known.paidAt !== null;
    // First, so that a crash does not lose it: a restored hub may have forgotten what it gave.
    if (isPaid) await forgetNote(order);
    else await noteRefund(unknownOrderOf(order, now()));
    const refunded = await store.shopOrders.refund({ ...order, plan, paid: notice.paid }, { isPaid });
    // Undefined: the payment or the same refund came meanwhile.
    return refunded === undefined ? keepRefund(order, notice) : 'refunded';
  };

  return async (
    { id, projectId, serverId, packages }: IntegrationRow,
    notice: Extract<Notice, { transaction: string }>,
    requestId: string,
  ): Promise<DeliveryOutcome> => {
    const order = { integrationId: id, projectId, serverId, transaction: notice.transaction, requestId, at: now() };
    if (notice.is === 'paid') return keepPayment(order, notice, packages);
    if (notice.is === 'refunded') {
      if (notice.isDisputeLost) await store.shopOrders.dispute(order, 'lost');
      return keepRefund(order, notice);
    }
    await store.shopOrders.dispute(order, notice.dispute);
    return 'marked';
  };
};
