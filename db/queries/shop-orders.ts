import {
  and,
  asc,
  count,
  eq,
  getTableColumns,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lte,
  or,
  type SQL,
  sql,
  sum,
} from 'drizzle-orm';
import { type Database, first } from '../database.ts';
import { incoming, outboxIn } from '../expressions.ts';
import { isForStaff, type LineState } from '../schema/shops.ts';
import type { Tables } from '../schema/tables.ts';
import { type Page, type PageRequest, readPage } from './cursor.ts';

export type ShopOrderRow = Tables['shopOrders']['$inferSelect'];

type OrderKey = Pick<ShopOrderRow, 'integrationId' | 'transaction'>;
type Note = OrderKey & Pick<ShopOrderRow, 'projectId' | 'serverId' | 'requestId'> & { at: number };

/** Orders of shops. Each change is one compare-and-set, so a webhook that comes twice changes nothing. */
export const shopOrderQueries = (database: Database) => {
  const { handle, tables, read, commit } = database;
  const { shopOrders } = tables;
  const ofKey = ({ integrationId, transaction }: OrderKey) =>
    and(eq(shopOrders.integrationId, integrationId), eq(shopOrders.transaction, transaction));
  const target = [shopOrders.integrationId, shopOrders.transaction];

  const withOpen = database.prepare('shopOrders.integrationsWithOpen', () =>
    handle
      .select({ id: shopOrders.integrationId })
      .from(shopOrders)
      .where(sql`is_open`)
      .groupBy(shopOrders.integrationId),
  );

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
    get: (key: OrderKey): Promise<ShopOrderRow | undefined> =>
      first(read(() => handle.select().from(shopOrders).where(ofKey(key)).limit(1))),
    /** Fixes the order at its first payment; undefined: it was paid before. */
    pay: ({ at, ...order }: Note & Pick<ShopOrderRow, 'plan' | 'paid'>): Promise<ShopOrderRow | undefined> => {
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
      return first(commit(insert, { durable: true }));
    },
    /**
     * Marks the order as refunded. Undefined: it was before, or it is not paid or unpaid any more as `isPaid` says. A
     * refund that comes first blocks the payment; `plan` and `paid` then say what is refunded.
     */
    refund: (
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
      return first(commit(upsert, { durable: true }));
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
    integrationsWithOpen: async (): Promise<string[]> => (await read(() => withOpen())).map(({ id }) => id),
  };
};

export type ShopLineRow = Omit<Tables['shopLines']['$inferSelect'], 'outbox'>;
export type NewShopLine = Omit<ShopLineRow, 'seq'>;
export type ShopLinePatch = Partial<
  Pick<
    ShopLineRow,
    | 'state'
    | 'reason'
    | 'detail'
    | 'buyer'
    | 'target'
    | 'unbound'
    | 'commandId'
    | 'oppositeId'
    | 'attempt'
    | 'dueAt'
    | 'expiresAt'
    | 'placedAt'
    | 'decision'
    | 'decidedAt'
  >
>;

const ROWS = 200;

type Told = Pick<ShopLineRow, 'state' | 'unbound'>;
/** Whether the project's events tell that a line came to this state. */
const isTold = (line: Told): boolean => line.state === 'delivered' || isForStaff(line);
/** Whether two states of a line are one to the project's events. */
const isSameState = (one: Told, other: Told): boolean =>
  (one.state === 'delivered') === (other.state === 'delivered') && isForStaff(one) === isForStaff(other);

/** States of lines that may wait for their server or their player. */
const WAITING: LineState[] = ['pending', 'refunding', 'undoing'];
/** States of lines that wait for the end of a command. */
const FOLLOWING: LineState[] = ['placed', 'refunding', 'reversing', 'undoing'];

/** Lines of shop orders: one for each command of each package. They are written once and never deleted, except notes without a command. */
export const shopLineQueries = (database: Database) => {
  const { handle, tables, read, commit, reader } = database;
  const { shopLines, commands } = tables;
  // The index has the same condition.
  const isOnList = sql`(state in ('unmatched', 'refused', 'failed', 'owed') or unbound is not null)`;
  const isDue = sql`due_at is not null`;
  const isUnknown = sql`unbound is not null`;
  const isKnown = isNull(shopLines.unbound);
  const ofOrder = ({
    integrationId,
    transaction,
  }: Pick<ShopLineRow, 'integrationId' | 'transaction'>): SQL | undefined =>
    and(eq(shopLines.integrationId, integrationId), eq(shopLines.transaction, transaction));

  const withDue = database.prepare(
    'shopLines.integrationsWithDue',
    () =>
      handle
        .select({ id: shopLines.integrationId })
        .from(shopLines)
        .where(and(isDue, lte(shopLines.dueAt, sql.placeholder('now'))))
        .groupBy(shopLines.integrationId),
    'anew',
  );

  const jobsOf = ({ projectId, serverId, target }: Pick<ShopLineRow, 'projectId' | 'serverId' | 'target'>): SQL[] => [
    sql`name = 'job'`,
    eq(shopLines.projectId, projectId),
    eq(shopLines.serverId, serverId),
    eq(shopLines.target, target ?? ''),
  ];

  return {
    /** Writes lines that do not exist. Returns how many. */
    add: async (rows: readonly NewShopLine[]): Promise<number> => {
      let added = 0;
      for (let start = 0; start < rows.length; start += ROWS) {
        const some = rows.slice(start, start + ROWS);
        const owed = some.map((row) => ({ ...row, outbox: outboxIn(tables, row.projectId, isTold(row) ? 3 : 0) }));
        const insert = () =>
          handle.insert(shopLines).values(owed).onConflictDoNothing().returning({ seq: shopLines.seq });
        added += (await commit(insert, { durable: true, rows: some.length })).length;
      }
      return added;
    },
    get: (integrationId: string, id: string): Promise<ShopLineRow | undefined> => {
      const find = handle
        .select()
        .from(shopLines)
        .where(and(eq(shopLines.id, id), eq(shopLines.integrationId, integrationId)))
        .limit(1);
      return first(read(() => find));
    },
    byIds: (integrationId: string, ids: readonly string[]): Promise<ShopLineRow[]> =>
      read(() =>
        handle
          .select()
          .from(shopLines)
          .where(and(inArray(shopLines.id, [...ids]), eq(shopLines.integrationId, integrationId))),
      ),
    /** In the order in which they were written. */
    ofOrder: (
      order: Pick<ShopLineRow, 'integrationId' | 'transaction'>,
      { after, limit }: { after: number; limit: number },
    ): Promise<ShopLineRow[]> =>
      read(() =>
        handle
          .select()
          .from(shopLines)
          .where(and(ofOrder(order), gt(shopLines.seq, after)))
          .orderBy(asc(shopLines.seq))
          .limit(limit),
      ),
    /** Changes a line whose state, attempt, buyer and opposite are still as they were read; undefined: they are not. */
    change: (
      line: Pick<ShopLineRow, 'id' | 'state' | 'attempt' | 'unbound' | 'oppositeId'>,
      patch: ShopLinePatch,
      at: number,
    ): Promise<ShopLineRow | undefined> => {
      const { id, state, attempt, unbound, oppositeId } = line;
      const next = { ...line, ...patch };
      // One more state, which is owed. A line that is older than the project's events has none yet.
      const outbox = sql`coalesce((${shopLines.outbox} | 1) + 2, ${outboxIn(tables, shopLines.projectId, 3)})`;
      const owed = isTold(next) && !isSameState(line, next) ? { outbox } : {};
      const update = () =>
        handle
          .update(shopLines)
          .set({ ...patch, ...owed, updatedAt: at })
          .where(
            and(
              eq(shopLines.id, id),
              eq(shopLines.state, state),
              eq(shopLines.attempt, attempt),
              unbound === null ? isNull(shopLines.unbound) : eq(shopLines.unbound, unbound),
              oppositeId === null ? isNull(shopLines.oppositeId) : eq(shopLines.oppositeId, oppositeId),
            ),
          )
          .returning();
      return first(commit(update, { durable: true }));
    },
    /** Deletes a note that is on the staff's list for this reason. */
    forgetNote: async (id: string, reason: string): Promise<void> => {
      const isIt = and(eq(shopLines.id, id), eq(shopLines.state, 'owed'), eq(shopLines.reason, reason));
      await commit(() => handle.delete(shopLines).where(and(isIt, isNull(shopLines.name))), { durable: true });
    },
    /** Lines to be looked at by now, in the order in which they were bought. */
    due: (integrationId: string, now: number, limit: number): Promise<ShopLineRow[]> =>
      read(() =>
        handle
          .select()
          .from(shopLines)
          .where(and(eq(shopLines.integrationId, integrationId), isDue, lte(shopLines.dueAt, now)))
          .orderBy(asc(shopLines.dueAt), asc(shopLines.seq))
          .limit(limit),
      ),
    /** Whether a line has something left to do. */
    isAnyOpen: async (): Promise<boolean> => {
      const open = handle.select({ seq: shopLines.seq }).from(shopLines).where(isDue).limit(1);
      return (await read(() => open)).length > 0;
    },
    /** Integrations with lines that are due. */
    integrationsWithDue: async (now: number): Promise<string[]> =>
      (await read(() => withDue({ now }))).map(({ id }) => id),
    /** The servers whose lines wait for a later time. */
    serversThatWait: (at: number): Promise<Pick<ShopLineRow, 'projectId' | 'serverId'>[]> =>
      reader.read(() =>
        reader.handle
          .select({ projectId: shopLines.projectId, serverId: shopLines.serverId })
          .from(shopLines)
          .where(and(isDue, gt(shopLines.dueAt, at), isKnown, inArray(shopLines.state, WAITING)))
          .groupBy(shopLines.projectId, shopLines.serverId),
      ),
    /** Lets the waiting lines of a server be looked at now. */
    wake: async (projectId: string, serverId: string, at: number): Promise<void> => {
      const update = () =>
        handle
          .update(shopLines)
          .set({ dueAt: at })
          .where(
            and(
              isDue,
              gt(shopLines.dueAt, at),
              isKnown,
              eq(shopLines.projectId, projectId),
              eq(shopLines.serverId, serverId),
              inArray(shopLines.state, WAITING),
            ),
          );
      await commit(update);
    },
    /** Whether lines of a server wait for a player with an identifier. */
    hasUnknown: async ({ projectId, serverId }: Pick<ShopLineRow, 'projectId' | 'serverId'>): Promise<boolean> => {
      const any = handle
        .select({ id: shopLines.id })
        .from(shopLines)
        .where(and(isUnknown, eq(shopLines.projectId, projectId), eq(shopLines.serverId, serverId)))
        .limit(1);
      return (await read(() => any)).length > 0;
    },
    /** Lets the lines of a server that wait for one of these identifiers be looked at now. Returns their integrations. */
    wakeUnknown: async (
      { projectId, serverId }: Pick<ShopLineRow, 'projectId' | 'serverId'>,
      identifiers: readonly string[],
      at: number,
    ): Promise<string[]> => {
      const update = () =>
        handle
          .update(shopLines)
          .set({ dueAt: at })
          .where(
            and(
              isUnknown,
              eq(shopLines.projectId, projectId),
              eq(shopLines.serverId, serverId),
              inArray(shopLines.unbound, [...identifiers]),
            ),
          )
          .returning({ id: shopLines.integrationId });
      return [...new Set((await commit(update)).map(({ id }) => id))];
    },
    /** Lets all lines of an integration whose buyer is unknown be looked at now. */
    wakeAllUnknown: async (integrationId: string, at: number): Promise<void> => {
      await commit(() =>
        handle
          .update(shopLines)
          .set({ dueAt: at })
          .where(and(isOnList, isUnknown, eq(shopLines.integrationId, integrationId))),
      );
    },
    /** Lines that set a job of a player. */
    jobsOf: (line: Pick<ShopLineRow, 'projectId' | 'serverId' | 'target'>): Promise<ShopLineRow[]> =>
      read(() =>
        handle
          .select()
          .from(shopLines)
          .where(and(...jobsOf(line))),
      ),
    /** Lets the lines that were to take a job from a player be looked at now, if another line had given it as well. */
    wakeClaimed: async (line: ShopLineRow, at: number): Promise<void> => {
      const isClaimed = and(eq(shopLines.state, 'owed'), eq(shopLines.reason, 'still_claimed'));
      await commit(() =>
        handle
          .update(shopLines)
          .set({ dueAt: at })
          .where(and(...jobsOf(line), isClaimed)),
      );
    },
    /** The lines with one of these commands, or with one of them as the opposite. */
    withCommands: (ids: readonly string[]): Promise<ShopLineRow[]> =>
      read(() =>
        handle
          .select()
          .from(shopLines)
          .where(
            or(
              and(isNotNull(shopLines.commandId), inArray(shopLines.commandId, [...ids])),
              and(isNotNull(shopLines.oppositeId), inArray(shopLines.oppositeId, [...ids])),
            ),
          ),
      ),
    /** Lines after this one whose command has ended without a notice of it: the hub was not there. */
    missed: (after: number, limit: number): Promise<ShopLineRow[]> => {
      const ofCommand = and(
        eq(commands.id, sql`coalesce(${shopLines.oppositeId}, ${shopLines.commandId})`),
        eq(commands.projectId, shopLines.projectId),
      );
      return reader.read(() =>
        reader.handle
          .select(getTableColumns(shopLines))
          .from(shopLines)
          .innerJoin(commands, ofCommand)
          .where(
            and(isDue, gt(shopLines.seq, after), inArray(shopLines.state, FOLLOWING), isNotNull(commands.settledAt)),
          )
          .orderBy(asc(shopLines.seq))
          .limit(limit),
      );
    },
    /** Commands of lines that wait for their outcome. */
    openCommands: async (limit: number): Promise<string[]> => {
      const open = reader.handle
        .select({ id: sql<string>`coalesce(${shopLines.oppositeId}, ${shopLines.commandId})` })
        .from(shopLines)
        .where(and(isDue, inArray(shopLines.state, FOLLOWING)))
        .limit(limit);
      return (await reader.read(() => open)).map(({ id }) => id);
    },
    /** The money that an integration has given since (epoch milliseconds, inclusive). */
    paidSince: async (integrationId: string, at: number): Promise<number> => {
      const total = handle
        .select({ amount: sum(shopLines.amount) })
        .from(shopLines)
        .where(
          and(
            eq(shopLines.integrationId, integrationId),
            sql`amount > 0 and placed_at is not null`,
            gte(shopLines.placedAt, at),
          ),
        );
      const [row] = await read(() => total);
      return Number(row?.amount ?? 0);
    },
    /** Counts the lines of each integration that a member of the staff has to decide. */
    staffCounts: async (integrationIds: readonly string[]): Promise<Map<string, number>> => {
      if (integrationIds.length === 0) return new Map();
      const counts = handle
        .select({ id: shopLines.integrationId, rows: count() })
        .from(shopLines)
        .where(and(inArray(shopLines.integrationId, [...integrationIds]), isOnList))
        .groupBy(shopLines.integrationId);
      return new Map((await read(() => counts)).map(({ id, rows }) => [id, rows]));
    },
    /** Lines that a member of the staff has to decide, the oldest first. @throws InvalidCursor */
    staffPage: (integrationId: string, page: PageRequest): Promise<Page<ShopLineRow>> =>
      readPage({ list: 'unmatched', by: { seq: shopLines.seq } }, page, ({ behind, order, rows }) =>
        read(() =>
          handle
            .select()
            .from(shopLines)
            .where(and(eq(shopLines.integrationId, integrationId), isOnList, behind))
            .orderBy(...order)
            .limit(rows),
        ),
      ),
    /** Lines that the staff has decided since (epoch milliseconds), the latest first. @throws InvalidCursor */
    decidedPage: (integrationId: string, since: number, page: PageRequest): Promise<Page<ShopLineRow>> => {
      const { decidedAt, seq } = shopLines;
      const isRecent = and(sql`decided_at is not null`, gte(decidedAt, since));
      const latest = { list: 'decided', by: { decidedAt, seq }, direction: 'desc' } as const;
      return readPage(latest, page, ({ behind, order, rows }) =>
        read(() =>
          handle
            .select()
            .from(shopLines)
            .where(and(eq(shopLines.integrationId, integrationId), isRecent, behind))
            .orderBy(...order)
            .limit(rows),
        ),
      );
    },
  };
};
