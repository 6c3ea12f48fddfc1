import { sql } from 'drizzle-orm';
import type { CustomRoles } from '../../bridge-protocol/wire/commands.ts';
import type { Columns } from './columns.ts';
import type { Actor, Deliver } from './commands.ts';

/**
 * `writing`: its commands are being stored. `running`: all are stored, and some have not ended. `settled`: all have ended.
 */
export const BATCH_STATUSES = ['writing', 'running', 'settled'] as const;
/** Ends a batch early: over `failedPercent` of its first commands (at least `after`) had no effect. */
export type Abort = { failedPercent: number; after: number };

/** All players of a server who match, as they are when the batch is made. At least one is given. */
export type Matching = { online?: true | undefined; job?: string | undefined; group?: string | undefined };

/** A player's own identifier, or another one with the player whom it meant when the batch was made: itself for none. */
export type BatchTarget = string | readonly [linked: string, player: string];

/** One command for many players. */
export const batchTables = (c: Columns) => {
  const batches = c.table(
    'batches',
    {
      id: c.text('id').primaryKey(),
      projectId: c.text('project_id').notNull(),
      serverId: c.text('server_id').notNull(),
      name: c.text('name').notNull(),
      params: c.json<Record<string, unknown>>('params').notNull(),
      /** The roles of a custom command, as the rows of its commands have them. */
      roles: c.json<CustomRoles>('roles'),
      label: c.text('label'),
      fingerprint: c.text('fingerprint').notNull(),
      idempotencyKey: c.text('idempotency_key').notNull(),
      actor: c.json<Actor>('actor').notNull(),
      requestId: c.text('request_id').notNull(),
      /** `now`: each command leaves once, when its turn comes. */
      deliver: c.text<Deliver | 'now'>('deliver').notNull(),
      abort: c.json<Abort>('abort'),
      status: c.text<(typeof BATCH_STATUSES)[number]>('status').notNull(),
      /** Why it ended before its commands did. */
      endedBy: c.text<'voided' | 'aborted'>('ended_by'),
      total: c.int('total').notNull(),
      duplicates: c.int('duplicates').notNull(),
      /** The number of stored commands. */
      written: c.int('written').notNull(),
      createdAt: c.instant('created_at').notNull(),
      expiresAt: c.instant('expires_at').notNull(),
      /** When a node last worked on it. */
      touchedAt: c.instant('touched_at').notNull(),
      /** When a node last stored commands of it; null: none has yet. */
      writtenAt: c.instant('written_at'),
      settledAt: c.instant('settled_at'),
      /** 1: its end is owed to the project's events. Null: the project keeps none. */
      outbox: c.int('outbox'),
      // Last, so that the other columns are read without it.
      targets: c.json<BatchTarget[]>('targets').notNull(),
    },
    (t) => [
      c.uniqueIndex('batches_idempotency_key').on(t.projectId, t.idempotencyKey),
      c.index('batches_project').on(t.projectId, t.createdAt, t.id),
      c.index('batches_owed').on(t.projectId, t.id).where(sql`outbox > 0`),
      c.index('batches_open').on(t.touchedAt).where(sql`status <> 'settled'`),
    ],
  );
  return { batches };
};
