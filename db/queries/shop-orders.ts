import { and, asc, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Database } from '../port/database.ts';
import type { Tables } from '../schema/tables.ts';
import { incoming } from './expressions.ts';

export type ShopOrderRow = Tables['shopOrders']['$inferSelect'];

type OrderKey = Pick<ShopOrderRow, 'integrationId' | 'transaction'>;
type Payment = OrderKey & Pick<ShopOrderRow, 'projectId' | 'serverId' | 'plan' | 'paid' | 'requestId'> & { at: number };
type Note = OrderKey & Pick<ShopOrderRow, 'projectId' | 'serverId' | 'requestId'> & { at: number };

/** Orders of shops. Each change is one compare-and-set, so a webhook that comes twice changes nothing. */
export const shopOrderQueries = (database: Database) => {
  const { handle, tables, read, commit } = database;
  const { shopOrders } = tables;
  const ofKey = ({ integrationId, transaction }: OrderKey) =>
    and(eq(shopOrders.integrationId, integrationId), eq(shopOrders.transaction, transaction));
  const target = [shopOrders.integrationId, shopOrders.transaction];

  /** Inserts an order that has not been paid, if there is none. */
  const insertNote = async (row: Omit<ShopOrderRow, 'plan' | 'paid' | 'paidAt'>): Promise<boolean> => {
    const insert = () =>
      handle
        .insert(shopOrders)
        .values({ ...row, plan: null, paid: null, paidAt: null })
        .onConflictDoNothing({ target })
        .returning({ transaction: shopOrders.transaction });
    return (await commit(insert, { durable: true })).length > 0;
  };

  return {
    get: async (key: OrderKey): Promise<ShopOrderRow | undefined> =>
      (await read(() => handle.select().from(shopOrders).where(ofKey(key)).limit(1)))[0],
    /** Fixes the order at its first payment; undefined: it was paid before. */
    pay: async ({ at, ...order }: Payment): Promise<ShopOrderRow | undefined> => {
      const insert = () =>
        handle
          .insert(shopOrders)
          .values({ ...order, isOpen: true, createdAt: at, paidAt: at, refundedAt: null, dispute: null })
          .onConflictDoUpdate({
            target,
            set: {
              plan: incoming(shopOrders.plan),
              paid: incoming(shopOrders.paid),
              serverId: incoming(shopOrders.serverId),
              requestId: incoming(shopOrders.requestId),
              paidAt: incoming(shopOrders.paidAt),
              isOpen: incoming(shopOrders.isOpen),
            },
            setWhere: isNull(shopOrders.paidAt),
          })
          .returning();
      return (await commit(insert, { durable: true }))[0];
    },
    /**
     * Marks the order as refunded. Undefined: it was before, or it is not paid or unpaid any more as `isPaid` says. A
     * refund that comes first blocks the payment; `plan` and `paid` then say what is refunded.
     */
    refund: async (
      { at, ...order }: Note & Pick<ShopOrderRow, 'plan' | 'paid'>,
      { isPaid }: { isPaid: boolean },
    ): Promise<ShopOrderRow | undefined> => {
      const row = { ...order, isOpen: true, createdAt: at, paidAt: null, refundedAt: at, dispute: null };
      const claimed = isPaid ? {} : { plan: incoming(shopOrders.plan), paid: incoming(shopOrders.paid) };
      const isAsRead = isPaid ? isNotNull(shopOrders.paidAt) : isNull(shopOrders.paidAt);
      const upsert = () =>
        handle
          .insert(shopOrders)
          .values(row)
          .onConflictDoUpdate({
            target,
            set: { ...claimed, refundedAt: incoming(shopOrders.refundedAt), isOpen: incoming(shopOrders.isOpen) },
            setWhere: sql`${isNull(shopOrders.refundedAt)} and ${isAsRead}`,
          })
          .returning();
      return (await commit(upsert, { durable: true }))[0];
    },
    /** Notes the last event of a dispute. */
    dispute: async ({ at, ...order }: Note, dispute: string): Promise<void> => {
      const row = { ...order, isOpen: false, createdAt: at, refundedAt: null, dispute };
      if (await insertNote(row)) return;
      await commit(() => handle.update(shopOrders).set({ dispute }).where(ofKey(order)), { durable: true });
    },
    /** Orders whose lines are not written or not refunded yet, the oldest first. */
    open: (integrationId: string, limit: number): Promise<ShopOrderRow[]> =>
      read(() =>
        handle
          .select()
          .from(shopOrders)
          .where(and(eq(shopOrders.integrationId, integrationId), sql`is_open`))
          .orderBy(asc(shopOrders.createdAt))
          .limit(limit),
      ),
    /** Ends the work on an order as it was read: a payment or a refund that came since keeps it open. */
    close: async ({ paidAt, refundedAt, ...order }: ShopOrderRow): Promise<void> => {
      const isAsRead = and(
        paidAt === null ? isNull(shopOrders.paidAt) : isNotNull(shopOrders.paidAt),
        refundedAt === null ? isNull(shopOrders.refundedAt) : isNotNull(shopOrders.refundedAt),
      );
      await commit(() =>
        handle
          .update(shopOrders)
          .set({ isOpen: false })
          .where(and(ofKey(order), isAsRead)),
      );
    },
    /** Integrations with open orders. */
    integrationsWithOpen: async (): Promise<string[]> => {
      const open = handle
        .select({ id: shopOrders.integrationId })
        .from(shopOrders)
        .where(sql`is_open`)
        .groupBy(shopOrders.integrationId);
      return (await read(() => open)).map(({ id }) => id);
    },
  };
};
