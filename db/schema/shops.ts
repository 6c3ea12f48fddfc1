import { sql } from 'drizzle-orm';
import type { Columns } from './columns.ts';
import type { Actor } from './commands.ts';

export type IntegrationKind = 'tebex' | 'orders';
/** A secret in the form in which it is stored; `expiresAt` (epoch milliseconds) of one that was replaced. */
export type StoredSecret = { sealed: string; expiresAt: number | null };
/** A command that a package stands for, without its target. */
export type MappedCommand = { name: string; params: Record<string, unknown> };
/** The commands of each package, by the shop's id of the package. */
export type PackageMap = Record<string, MappedCommand[]>;
/**
 * The recipient as the shop names them: `value` is looked up, `name` is for people. `isReplaced`: a member of the staff has
 * chosen the player instead.
 */
export type Buyer = { value: string; name: string; isReplaced?: boolean };
/** One package as many times as it was bought for one buyer; `commands` is null for a package without a mapping. */
export type BoughtPackage = {
  package: string;
  /** Number of the first one among all of this package in the order. */
  from: number;
  quantity: number;
  buyer: Buyer | null;
  /** The digits of a buyer's id that a JSON number does not keep; then there is no buyer. */
  tooLarge?: string;
  /** Its name in the shop, for people; absent: the shop sends none. */
  product?: string;
  commands: MappedCommand[] | null;
};

/**
 * The decision of a member of the staff about a line, and when (epoch milliseconds). `note`: why it was dismissed; `from`:
 * how it then was. `undo`: who took the decision back, or wants to.
 */
export type LineDecision = {
  is: 'given' | 'dismissed';
  by: Actor;
  at: number;
  note?: string;
  from?: { state: LineState; unbound: string | null; isDue: boolean };
  undo?: { by: Actor; at: number };
};

/** Outcomes of a webhook. */
export const DELIVERY_OUTCOMES = [
  'stored',
  'duplicate',
  'blocked',
  'refunded',
  'partial_refund',
  'marked',
  'validated',
  'ignored',
  'invalid',
] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/** States of a shop line, in the order of its life. */
export const LINE_STATES = [
  /** No command yet: it is placed as soon as that is possible. */
  'pending',
  /** There is a command, and its outcome is not known yet. */
  'placed',
  'delivered',
  /** The payment was refunded before there was a command, or before the command took effect. */
  'blocked',
  /** The payment was refunded; the opposite command is made when the outcome of the command is known. */
  'refunding',
  /** There is an opposite command. */
  'reversing',
  'reversed',
  /** A member of the staff takes back what they gave: the line then is for the staff again. */
  'undoing',
  /** A member of the staff has to decide. */
  'unmatched',
  'refused',
  'failed',
  'owed',
  /** A member of the staff took it off the list. */
  'dismissed',
] as const;
export type LineState = (typeof LINE_STATES)[number];
/** States of lines that a member of the staff has to decide. */
export const STAFF: readonly LineState[] = ['unmatched', 'refused', 'failed', 'owed'];
/** Whether a member of the staff has to decide a line, or may: one whose buyer is unknown also waits for them. */
export const isForStaff = ({ state, unbound }: { state: LineState; unbound: string | null }): boolean =>
  STAFF.includes(state) || unbound !== null;

/** Shops: integrations, their latest deliveries, orders, and the lines of orders. Orders and lines are never pruned. */
export const shopTables = (c: Columns) => {
  const integrations = c.table(
    'integrations',
    {
      id: c.text('id').primaryKey(),
      projectId: c.text('project_id').notNull(),
      kind: c.text<IntegrationKind>('kind').notNull(),
      name: c.text('name').notNull(),
      serverId: c.text('server_id').notNull(),
      /** Such as `fivem`; null: the kind of the buyer's identifier is not known. */
      identifierKind: c.text('identifier_kind'),
      secrets: c.json<StoredSecret[]>('secrets').notNull(),
      packages: c.json<PackageMap>('packages').notNull(),
      /** The key that made it. */
      maker: c.json<Actor>('maker').notNull(),
      /** Largest amount of one money command; null: no limit but the project's. */
      maxAmount: c.int('max_amount'),
      /** Money of one day (UTC); null: no limit. */
      maxDaily: c.int('max_daily'),
      /** The node that places its lines, and until when (in the database's own time). */
      workNode: c.text('work_node'),
      workUntil: c.instant('work_until'),
      createdAt: c.instant('created_at').notNull(),
      updatedAt: c.instant('updated_at').notNull(),
      /** Paid lines of a deleted integration are still delivered. */
      deletedAt: c.instant('deleted_at'),
    },
    (t) => [c.index('integrations_project').on(t.projectId, t.createdAt, t.id)],
  );
  const deliveries = c.table(
    'deliveries',
    {
      seq: c.serial('seq'),
      projectId: c.text('project_id').notNull(),
      integrationId: c.text('integration_id').notNull(),
      receivedAt: c.instant('received_at').notNull(),
      type: c.text('type').notNull(),
      transaction: c.text('transaction'),
      outcome: c.text<DeliveryOutcome>('outcome').notNull(),
      detail: c.text('detail'),
    },
    (t) => [c.index('deliveries_integration').on(t.integrationId, t.seq)],
  );
  const shopOrders = c.table(
    'shop_orders',
    {
      projectId: c.text('project_id').notNull(),
      integrationId: c.text('integration_id').notNull(),
      transaction: c.text('transaction').notNull(),
      /** Fixed when the payment comes; null: only a refund or a dispute has come. */
      plan: c.json<BoughtPackage[]>('plan'),
      serverId: c.text('server_id').notNull(),
      /** The sum that was paid, as the shop writes it. */
      paid: c.text('paid'),
      requestId: c.text('request_id').notNull(),
      /** Whether its lines have yet to be written or to be refunded. */
      isOpen: c.flag('is_open').notNull(),
      createdAt: c.instant('created_at').notNull(),
      paidAt: c.instant('paid_at'),
      refundedAt: c.instant('refunded_at'),
      /** The last dispute event: opened, won, lost or closed. */
      dispute: c.text('dispute'),
    },
    (t) => [
      c.primaryKey({ name: 'shop_orders_pk', columns: [t.integrationId, t.transaction] }),
      c.index('shop_orders_open').on(t.integrationId, t.createdAt).where(sql`is_open`),
    ],
  );
  const shopLines = c.table(
    'shop_lines',
    {
      seq: c.serial('seq'),
      id: c.text('id').notNull(),
      projectId: c.text('project_id').notNull(),
      integrationId: c.text('integration_id').notNull(),
      transaction: c.text('transaction').notNull(),
      package: c.text('package').notNull(),
      /** The number of this package in the order, from 1. */
      number: c.int('number').notNull(),
      /** The number of the command among those of the package, from 1. */
      step: c.int('step').notNull(),
      serverId: c.text('server_id').notNull(),
      /** Null: the package has no mapping, or the line is a note for the staff. */
      name: c.text('name'),
      params: c.json<Record<string, unknown>>('params'),
      /** The name of the package in the shop. */
      product: c.text('product'),
      buyer: c.json<Buyer>('buyer'),
      target: c.text('target'),
      /** The identifier that a player must bring to become the target, while the buyer of a pending line is unknown. */
      unbound: c.text('unbound'),
      state: c.text<LineState>('state').notNull(),
      /** Why it waits, or why a member of the staff has to decide. */
      reason: c.text('reason'),
      detail: c.text('detail'),
      commandId: c.text('command_id'),
      oppositeId: c.text('opposite_id'),
      /** A command that ended without effect and is given again has another idempotency key. */
      attempt: c.int('attempt').notNull(),
      /** Money that it gives. */
      amount: c.int('amount').notNull(),
      /** When it is looked at next; null: there is nothing to do. */
      dueAt: c.instant('due_at'),
      expiresAt: c.instant('expires_at').notNull(),
      decision: c.json<LineDecision>('decision'),
      /** When the staff decided; null: nobody has, or it is on their list again. */
      decidedAt: c.instant('decided_at'),
      /** Since when its money counts against the limit of a day: set before its command is made. */
      placedAt: c.instant('placed_at'),
      createdAt: c.instant('created_at').notNull(),
      updatedAt: c.instant('updated_at').notNull(),
      /** Odd: its state is owed to the project's events. Half of it counts the states. Null: the project keeps none. */
      outbox: c.int('outbox'),
    },
    (t) => [
      c.uniqueIndex('shop_lines_id').on(t.id),
      c.uniqueIndex('shop_lines_line').on(t.integrationId, t.transaction, t.package, t.number, t.step),
      c.index('shop_lines_due').on(t.dueAt, t.integrationId).where(sql`due_at is not null`),
      c
        .index('shop_lines_staff')
        .on(t.integrationId, t.seq)
        .where(sql`(state in ('unmatched', 'refused', 'failed', 'owed') or unbound is not null)`),
      c.index('shop_lines_owed').on(t.projectId, t.seq).where(sql`outbox % 2 = 1`),
      c.index('shop_lines_decided').on(t.integrationId, t.decidedAt).where(sql`decided_at is not null`),
      c.index('shop_lines_unbound').on(t.projectId, t.serverId, t.unbound).where(sql`unbound is not null`),
      c.index('shop_lines_job').on(t.projectId, t.serverId, t.target).where(sql`name = 'job'`),
      c.index('shop_lines_command').on(t.commandId).where(sql`command_id is not null`),
      c.index('shop_lines_opposite').on(t.oppositeId).where(sql`opposite_id is not null`),
      c.index('shop_lines_paid').on(t.integrationId, t.placedAt).where(sql`amount > 0 and placed_at is not null`),
    ],
  );
  return { integrations, deliveries, shopOrders, shopLines };
};
