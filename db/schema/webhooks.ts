import { sql } from 'drizzle-orm';
import type { Columns } from './columns.ts';
import type { Actor } from './commands.ts';
import type { StoredSecret } from './shops.ts';

export const WEBHOOK_FORMATS = ['json', 'discord'] as const;

/** Why a webhook is off. */
export const WEBHOOK_OFFS = [
  /** A person switched it off. */
  'paused',
  /** Its receiver says that it is gone for good. */
  'gone',
  /** Nothing has arrived for five days. */
  'failing',
] as const;
export type WebhookOff = (typeof WEBHOOK_OFFS)[number];

export const ATTEMPT_STATES = ['delivered', 'waiting', 'given_up'] as const;
export type AttemptState = (typeof ATTEMPT_STATES)[number];

/** Webhooks to others: where the events of a project go, and the attempts to bring them there. */
export const webhookTables = (c: Columns) => {
  const webhooks = c.table(
    'webhooks',
    {
      id: c.text('id').primaryKey(),
      projectId: c.text('project_id').notNull(),
      /** For people; null: its address stands for it. */
      name: c.text('name'),
      format: c.text<(typeof WEBHOOK_FORMATS)[number]>('format').notNull(),
      /** The address, sealed: those of Discord are secrets, and others may have a token in them. */
      url: c.text('url').notNull(),
      /** The types of events that it gets; null: all. */
      types: c.json<string[]>('types'),
      /** The servers whose events it gets; null: all, also those of no server. */
      servers: c.json<string[]>('servers'),
      /** Whether it gets the names of players. */
      names: c.flag('names').notNull(),
      /** The newest first. Empty for Discord. */
      secrets: c.json<StoredSecret[]>('secrets').notNull(),
      /** The key that made it, or last changed what it gets. */
      maker: c.json<Actor>('maker').notNull(),
      /** Null: it is on. */
      off: c.text<WebhookOff>('off'),
      offAt: c.instant('off_at'),
      /** The place in the project's events up to which each one was sent, at least once. */
      cursor: c.int('cursor').notNull(),
      /** Failed attempts since the last good one. */
      failures: c.int('failures').notNull(),
      failingSince: c.instant('failing_since'),
      /** The day (UTC, since 1970) of the last failure, and on how many days it has failed since `failingSince`. */
      failedDay: c.int('failed_day'),
      failedDays: c.int('failed_days').notNull(),
      /** The last failure, in words; null: the last attempt was good. */
      fault: c.text('fault'),
      /** Nothing is sent before. */
      restUntil: c.instant('rest_until'),
      /** The node that sends, and until when (in the database's own time). */
      workNode: c.text('work_node'),
      workUntil: c.instant('work_until'),
      createdAt: c.instant('created_at').notNull(),
      updatedAt: c.instant('updated_at').notNull(),
    },
    (t) => [c.index('webhooks_project').on(t.projectId, t.createdAt, t.id)],
  );
  const webhookAttempts = c.table(
    'webhook_attempts',
    {
      projectId: c.text('project_id').notNull(),
      webhookId: c.text('webhook_id').notNull(),
      eventId: c.text('event_id').notNull(),
      /** The place of the event. */
      eventSeq: c.int('event_seq').notNull(),
      type: c.text('type').notNull(),
      state: c.text<AttemptState>('state').notNull(),
      attempts: c.int('attempts').notNull(),
      /** The status of the last answer; null: there was none. */
      status: c.int('status'),
      /** The fault of the last attempt. */
      detail: c.text('detail'),
      /** The beginning of the last answer. */
      answer: c.text('answer').notNull(),
      /** How long the last attempt took, in ms. */
      tookMs: c.int('took_ms').notNull(),
      at: c.instant('at').notNull(),
      /** When it is sent again; null: not by itself. */
      dueAt: c.instant('due_at'),
      /** Events that this stands for: 1, or more in a summary, which has the id of its newest event. */
      events: c.int('events').notNull().default(1),
    },
    (t) => [
      c.primaryKey({ name: 'webhook_attempts_pk', columns: [t.webhookId, t.eventId] }),
      c.index('webhook_attempts_newest').on(t.webhookId, t.at, t.eventId),
      c.index('webhook_attempts_due').on(t.webhookId, t.dueAt, t.eventSeq).where(sql`due_at is not null`),
      c.index('webhook_attempts_at').on(t.at),
    ],
  );
  return { webhooks, webhookAttempts };
};
