import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as z from 'zod';
import type { IntegrationRow } from '../../db/queries/integrations.ts';
import type { NewShopLine, ShopOrderRow } from '../../db/queries/shop-orders.ts';
import type { BoughtPackage, Buyer, DeliveryOutcome, PackageMap } from '../../db/schema/shops.ts';
import type { Store } from '../../db/store.ts';
import type { InTurn } from '../../db/turns.ts';
import { HubError } from '../platform/errors.ts';
import { amountOf } from './integrations.ts';
import { KEPT_FOR_MS, type LineKey, type Lines } from './order-lines.ts';

/** A package of an order, for one buyer. */
export type Bought = {
  package: string;
  quantity: number;
  buyer: Buyer | null;
  /** The buyer's id as it was sent: a number that is rounded on its way, so that it may be another player's. */
  tooLarge?: string;
  /** Its name in the shop, for people. */
  product?: string;
};
/** A shop's message in the hub's words. */
export type Notice =
  | { is: 'paid'; transaction: string; packages: Bought[]; paid: string | null }
  /** `packages` and `paid` are what is refunded; null: the shop does not say, so it is everything. */
  | {
      is: 'refunded';
      transaction: string;
      packages: Pick<Bought, 'package' | 'quantity'>[] | null;
      paid: string | null;
      /** False: the shop says that a part is refunded. */
      isWhole: boolean;
      isDisputeLost: boolean;
    }
  | { is: 'disputed'; transaction: string; dispute: string }
  /** The shop asks whether this address is one for its webhooks. */
  | { is: 'validation'; id: string }
  | { is: 'ignored' };

type Refund = Extract<Notice, { is: 'refunded' }>;

/** Units of a package in one order, and packages of one order. */
const MAX_QUANTITY = 1_000;
export const MAX_PACKAGES = 100;

export const TRANSACTION_LENGTH = 100;
export const quantity = z.int().min(1).max(MAX_QUANTITY);

const NAME_LENGTH = 128;
/** A text from a shop for people: cut, without NUL and lone surrogates, which PostgreSQL does not take. */
export const shownText = (text: string, most = NAME_LENGTH): string =>
  [...text.toWellFormed().replaceAll('\0', '')].slice(0, most).join('');

/** The name of a bought package, if the shop sends one. What is no text must not stop an order that was paid. */
export const productOf = (name: unknown): Pick<Bought, 'product'> => {
  const product = typeof name === 'string' ? shownText(name.trim()) : '';
  return product === '' ? {} : { product };
};

/** Lines that are read or written in one turn of the event loop. */
const LINES_AT_ONCE = 100;
/** Commands of one order. */
const MAX_LINES = 2_000;

/** The packages of an order with the commands that they stand for now. */
export const planOf = (bought: readonly Bought[], packages: PackageMap): BoughtPackage[] => {
  const counts = new Map<string, number>();
  return bought.map(({ package: id, quantity, ...who }) => {
    const from = (counts.get(id) ?? 0) + 1;
    counts.set(id, from + quantity - 1);
    const commands = Object.hasOwn(packages, id) ? (packages[id] ?? null) : null;
    return { package: id, from, quantity, ...who, commands };
  });
};

/** The number of lines of a plan; a package without a mapping is one line. */
const lineCount = (plan: readonly BoughtPackage[]): number =>
  plan.reduce((total, { quantity, commands }) => total + (commands === null ? 1 : quantity * commands.length), 0);

const lineId = ({ integrationId, transaction, package: id, number, step }: LineKey): string =>
  `lin_${hash('sha256', JSON.stringify([integrationId, transaction, id, number, step]), 'hex').slice(0, 32)}`;

type OrderKey = Pick<ShopOrderRow, 'integrationId' | 'transaction' | 'projectId' | 'serverId'>;

/** A line in its first state; without a command it is for the staff. */
const lineOf = (order: OrderKey, key: Omit<LineKey, 'integrationId' | 'transaction'>, at: number): NewShopLine => {
  const { integrationId, transaction, projectId, serverId } = order;
  return {
    id: lineId({ integrationId, transaction, ...key }),
    projectId,
    integrationId,
    transaction,
    ...key,
    serverId,
    name: null,
    params: null,
    buyer: null,
    product: null,
    target: null,
    unbound: null,
    state: 'unmatched',
    reason: null,
    detail: null,
    commandId: null,
    oppositeId: null,
    attempt: 1,
    amount: 0,
    dueAt: null,
    expiresAt: at + KEPT_FOR_MS,
    placedAt: null,
    decision: null,
    decidedAt: null,
    createdAt: at,
    updatedAt: at,
  };
};

/** A line with a command: it is placed, unless its buyer cannot be known. */
const commandLine = (line: NewShopLine, tooLarge: string | undefined): NewShopLine => {
  if (tooLarge === undefined) return { ...line, state: 'pending', dueAt: line.createdAt };
  const detail = `The shop sent the number ${tooLarge} as the id of the buyer. JSON rounds such a number.`;
  return { ...line, reason: 'number_too_large', detail };
};

/** The lines of a paid order, one by one: one for each command of each package. */
export const linesOf = function* (order: ShopOrderRow, at: number): Generator<NewShopLine> {
  for (const { package: id, from, quantity, buyer, tooLarge, product = null, commands } of order.plan ?? []) {
    if (commands === null) {
      const line = lineOf(order, { package: id, number: from, step: 0 }, at);
      yield { ...line, buyer, product, reason: 'unmapped_package', detail: `Bought ${quantity} times.` };
      continue;
    }
    if (commands.length === 0) continue;
    for (let number = from; number < from + quantity; number += 1) {
      for (const [place, { name, params }] of commands.entries()) {
        const line = lineOf(order, { package: id, number, step: place + 1 }, at);
        yield commandLine({ ...line, name, params, buyer, product, amount: amountOf({ name, params }) }, tooLarge);
      }
    }
  }
};

/** A note that a part of an order was refunded: the staff decides what to take back. */
export const partialRefundOf = (order: OrderKey, detail: string, at: number): NewShopLine => ({
  ...lineOf(order, { package: '', number: 0, step: 0 }, at),
  state: 'owed',
  reason: 'partial_refund',
  detail,
});

const UNKNOWN =
  'The hub does not know the payment of this refund: it came before a restored backup, or never. Look whether the player has what was bought.';

/** A note that an order was refunded that the hub does not know: a restored hub may have given it, and forgotten it. */
const unknownOrderOf = (order: OrderKey, at: number): NewShopLine => ({
  ...partialRefundOf(order, UNKNOWN, at),
  reason: 'unknown_order',
});

const unitsOf = (bought: readonly { package: string; quantity: number }[]): Map<string, number> => {
  const units = new Map<string, number>();
  for (const { package: id, quantity } of bought) units.set(id, (units.get(id) ?? 0) + quantity);
  return units;
};

/** Whether a refund is less than a payment. */
const isLess = (
  refund: Pick<Refund, 'packages' | 'paid'>,
  { plan, paid }: Pick<ShopOrderRow, 'plan' | 'paid'>,
): boolean => {
  if (refund.paid !== null && paid !== null && refund.paid !== paid) return true;
  if (refund.packages === null || plan === null) return false;
  const refunded = unitsOf(refund.packages);
  return [...unitsOf(plan)].some(([id, quantity]) => (refunded.get(id) ?? 0) < quantity);
};

/** Whether a refund takes back less than the whole order. */
const isPartial = (known: ShopOrderRow | undefined, refund: Refund): boolean => {
  if (!refund.isWhole) return true;
  return known !== undefined && known.paidAt !== null && isLess(refund, known);
};

const MAX_DETAIL = 500;
const BLOCKED = 'A part was refunded before the payment came, and nothing of it is given.';
const RESTORED =
  'A part was refunded before the payment came. A backup was restored, so the hub may have given it before: look what the player has.';

/** Whether a note has a sentence. One may begin with another: 2 and 2.5 euros. */
const tells = (told: string, sentence: string): boolean => ` ${told} `.includes(` ${sentence} `);

/** The detail of a note that is still on the staff's list, with one more refund; `again` is for one that it names already. */
const joined = (known: string | null, more: string | null, again: string | undefined): string => {
  const told = known ?? '';
  const next = more !== null && tells(told, more) ? again : more;
  if (next == null || tells(told, next)) return told;
  return `${told} ${next}`.trim().slice(-MAX_DETAIL);
};

/** The order that a webhook names, and when the hub heard of it. */
type Order = OrderKey & Pick<ShopOrderRow, 'requestId'> & { at: number };

/** Keeps the orders of shops, and turns them into lines. */
export const ordersOf = (
  store: Pick<Store, 'shopOrders' | 'shopLines' | 'commands'>,
  lines: Pick<Lines, 'add' | 'change' | 'refund'>,
  /** Nothing of a project is given meanwhile. */
  inTurn: InTurn,
) => {
  /** Notes a refund for the staff. An order has one such line, which comes back after it was dismissed. */
  const noteRefund = async (line: NewShopLine, again?: string): Promise<void> => {
    const known = await store.shopLines.get(line.integrationId, line.id);
    if (known === undefined) {
      if (await lines.add([line])) return;
      // Another refund was noted meanwhile.
      return noteRefund(line, again);
    }
    const isTold = known.state === 'owed' && known.reason !== 'unknown_order';
    const detail = isTold ? joined(known.detail, line.detail, again) : line.detail;
    // The attempt counts the changes, so that of two at once none is lost.
    const next = { state: 'owed', reason: line.reason, detail, attempt: known.attempt + 1 } as const;
    const noted = await lines.change(known, next);
    // The staff dismissed it meanwhile and has not seen this refund, or another one was noted.
    if (noted === undefined) await noteRefund(line, again);
  };

  /** The order of a refund became known, so the staff need not look for it. */
  const forgetNote = (order: Order): Promise<void> =>
    store.shopLines.forgetNote(unknownOrderOf(order, Date.now()).id, 'unknown_order');

  const keepPayment = async (
    order: Order,
    { packages: bought, paid }: Extract<Notice, { is: 'paid' }>,
    packages: PackageMap,
  ): Promise<DeliveryOutcome> => {
    const plan = planOf(bought, packages);
    const count = lineCount(plan);
    if (count > MAX_LINES) {
      throw new HubError('invalid_request', `The order becomes ${count} commands; at most ${MAX_LINES}.`);
    }
    const known = await store.shopOrders.get(order);
    const isRestored = (await store.commands.lastRestored()) !== undefined;
    // The refund of a part that came first blocks all of the payment.
    if (known !== undefined && known.paidAt === null && known.refundedAt !== null) {
      const refund = { packages: known.plan, paid: known.paid };
      const isPart = isLess(refund, { plan, paid });
      if (isPart) await noteRefund(partialRefundOf(order, isRestored ? RESTORED : BLOCKED, Date.now()));
    }
    const stored = await store.shopOrders.pay({ ...order, plan, paid });
    if (stored?.refundedAt === null) return 'stored';
    // A hub that was never restored has given nothing of it. A crash may have come before, so a repeated payment does it, too.
    if (!isRestored) await forgetNote(order);
    return stored === undefined ? 'duplicate' : 'blocked';
  };

  const keepRefund = async (order: Order, notice: Refund): Promise<DeliveryOutcome> => {
    const known = await store.shopOrders.get(order);
    if (known !== undefined && known.refundedAt !== null) {
      // Another node stored the payment and the same refund, while this one noted that it does not know the payment.
      const isRestored = (await store.commands.lastRestored()) !== undefined;
      if (known.paidAt !== null && !isRestored) await forgetNote(order);
      return 'duplicate';
    }
    if (isPartial(known, notice)) {
      const paid = notice.paid === null ? '' : `: ${notice.paid}`;
      // Shops do not say whether they repeat a webhook, or refund the same sum once more.
      const again = `This came again, repeated or as one more refund${paid}.`;
      await noteRefund(partialRefundOf(order, `A part was refunded${paid}.`, Date.now()), again);
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
    else await noteRefund(unknownOrderOf(order, Date.now()));
    const refunded = await inTurn(order.projectId, () =>
      store.shopOrders.refund({ ...order, plan, paid: notice.paid }, { isPaid }),
    );
    // Undefined: the payment or the same refund came meanwhile.
    return refunded === undefined ? keepRefund(order, notice) : 'refunded';
  };

  const write = async (order: ShopOrderRow): Promise<void> => {
    let some: NewShopLine[] = [];
    const flush = async (): Promise<void> => {
      await lines.add(some);
      some = [];
      await nextTurn();
    };
    for (const line of linesOf(order, Date.now())) {
      some.push(line);
      if (some.length === LINES_AT_ONCE) await flush();
    }
    await flush();
  };

  /** Whether all lines of a refunded order are blocked or taken back. */
  const refund = async (order: ShopOrderRow, mayGoOn: () => Promise<boolean>): Promise<boolean> => {
    let isDone = true;
    for (let after = 0; ; ) {
      const some = await store.shopLines.ofOrder(order, { after, limit: LINES_AT_ONCE });
      for (const line of some) {
        if (!(await mayGoOn())) return false;
        isDone = (await lines.refund(line)) && isDone;
      }
      if (some.length < LINES_AT_ONCE) return isDone;
      after = some.at(-1)?.seq ?? after;
      await nextTurn();
    }
  };

  return {
    /** Stores the notice of a shop. When it returns, the rest survives a crash. */
    keep: async (
      { id, projectId, serverId, packages }: IntegrationRow,
      notice: Extract<Notice, { transaction: string }>,
      requestId: string,
    ): Promise<DeliveryOutcome> => {
      const order = {
        integrationId: id,
        projectId,
        serverId,
        transaction: notice.transaction,
        requestId,
        at: Date.now(),
      };
      if (notice.is === 'paid') return keepPayment(order, notice, packages);
      if (notice.is === 'refunded') {
        if (notice.isDisputeLost) await store.shopOrders.dispute(order, 'lost');
        return keepRefund(order, notice);
      }
      await store.shopOrders.dispute(order, notice.dispute);
      return 'marked';
    },
    /**
     * Writes the lines of an order, and takes them back if it was refunded, as long as it may go on: the order of many lines
     * takes longer than a node has the work of its shop.
     */
    open: async (order: ShopOrderRow, mayGoOn: () => Promise<boolean>): Promise<void> => {
      // Before its payment, an order knows only what was refunded.
      if (order.paidAt !== null) await write(order);
      const isDone = order.refundedAt === null || (await refund(order, mayGoOn));
      if (isDone) await store.shopOrders.close(order);
    },
  };
};
