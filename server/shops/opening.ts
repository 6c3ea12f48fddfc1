import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NewShopLine } from '../../db/queries/shop-lines.ts';
import type { ShopOrderRow } from '../../db/queries/shop-orders.ts';
import type { Store } from '../../db/store.ts';
import { isForStaff } from './line-change.ts';
import type { Lines } from './lines.ts';
import { linesOf } from './plan.ts';

/** Lines that are read or written in one turn of the event loop. */
const LINES = 100;

type Deps = {
  store: Pick<Store, 'shopOrders' | 'shopLines'>;
  lines: Pick<Lines, 'refund'>;
  /** Told about a line that a member of the staff has to decide. */
  forStaff: (line: NewShopLine) => void;
  now: () => number;
};

/** Begins the work on orders, in steps: an order has up to 2,000 lines. */
export const createOpening = ({ store, lines, forStaff, now }: Deps) => {
  const write = async (order: ShopOrderRow): Promise<void> => {
    let some: NewShopLine[] = [];
    const flush = async (): Promise<void> => {
      await store.shopLines.add(some);
      for (const line of some) if (isForStaff(line)) forStaff(line);
      some = [];
      await nextTurn();
    };
    for (const line of linesOf(order, now())) {
      some.push(line);
      if (some.length === LINES) await flush();
    }
    await flush();
  };

  /** Whether all lines of a refunded order are blocked or taken back. */
  const refund = async (order: ShopOrderRow): Promise<boolean> => {
    let isDone = true;
    for (let after = 0; ; ) {
      const some = await store.shopLines.ofOrder(order, { after, limit: LINES });
      for (const line of some) isDone = (await lines.refund(line)) && isDone;
      if (some.length < LINES) return isDone;
      after = some.at(-1)?.seq ?? after;
      await nextTurn();
    }
  };

  /** Writes the lines of an order, and takes them back if it was refunded. */
  return async (order: ShopOrderRow): Promise<void> => {
    // Before its payment, an order knows only what was refunded.
    if (order.paidAt !== null) await write(order);
    const isDone = order.refundedAt === null || (await refund(order));
    if (isDone) await store.shopOrders.close(order);
  };
};
