import { sql } from 'drizzle-orm';
import type { CommandClass, CustomRoles } from '../../bridge-protocol/wire/commands.ts';
import type { Columns } from './columns.ts';

/**
 * Status of a command, in the order of its life; an operator sets the last two. Only a command with `deliver` waits: for
 * its game server or its player.
 */
export const COMMAND_STATUSES = [
  'waiting',
  'accepted',
  'dispatched',
  'succeeded',
  'failed',
  'rejected',
  'voided',
  'expired',
  'indeterminate',
  'resolved_applied',
  'resolved_not_applied',
] as const;
export type CommandStatus = (typeof COMMAND_STATUSES)[number];

/** True if only an operator can change the status. */
export const isSettled = (status: CommandStatus): boolean =>
  status !== 'accepted' && status !== 'dispatched' && status !== 'waiting';

export type Actor = { keyId: string; name: string };
export type StoredError = { code: string; message: string; details?: Record<string, unknown> };
/** A command waits for its server, or also for its player. In a batch it may also leave once, `now`. */
export type Deliver = 'when_connected' | 'when_online';

/**
 * A command that may wait is in a round: one at a time of each server, target and `deliver`. Those that the hub only asks
 * about (`error`) are in none, because several of one player may be asked about at once.
 */
export const isInRound = sql`status in ('accepted', 'dispatched') and deliver is not null and error is null`;

/**
 * Bits of a command's `outbox`: the states that it has come to since its last event. Each change of state sets its bit in
 * its own statement; null stays null.
 */
export const OWED = { waiting: 1, ended: 2, indeterminate: 4 } as const;

/** A command that owes events. Of a batch, the events tell only a command that is in doubt. */
export const owesEvents = sql`outbox > 0 and (batch_id is null or outbox > 3)`;

/** The hub's journal of commands, and stray results. */
export const commandTables = (c: Columns) => {
  const commands = c.table(
    'commands',
    {
      seq: c.serial('seq'),
      id: c.text('id').notNull(),
      projectId: c.text('project_id').notNull(),
      serverId: c.text('server_id').notNull(),
      name: c.text('name').notNull(),
      class: c.text<CommandClass>('class').notNull(),
      target: c.text('target'),
      params: c.json<Record<string, unknown>>('params').notNull(),
      fingerprint: c.text('fingerprint').notNull(),
      status: c.text<CommandStatus>('status').notNull(),
      idempotencyKey: c.text('idempotency_key'),
      actor: c.json<Actor>('actor').notNull(),
      requestId: c.text('request_id').notNull(),
      attempts: c.int('attempts').notNull(),
      epoch: c.int('epoch'),
      sessionId: c.text('session_id'),
      voidRequested: c.flag('void_requested').notNull(),
      result: c.json<Record<string, unknown>>('result'),
      error: c.json<StoredError>('error'),
      createdAt: c.instant('created_at').notNull(),
      expiresAt: c.instant('expires_at').notNull(),
      dispatchedAt: c.instant('dispatched_at'),
      settledAt: c.instant('settled_at'),
      resolution: c.json<{ applied: boolean; note: string; actor: Actor; at: number }>('resolution'),
      /**
       * The journal of the bridge that has a sent command; no other one gets it. If the hub gave the command up, the bridge
       * with this journal may still report its end.
       */
      journalId: c.text('journal_id'),
      /** Null for a command that does not wait, like the next two columns. */
      deliver: c.text<Deliver | 'now'>('deliver'),
      /** When it ends as expired if it has not been delivered. `expiresAt` is the deadline of the round. */
      deliverUntil: c.instant('deliver_until'),
      /** The number of rounds; each one has an id of its own at the bridge. */
      round: c.int('round'),
      batchId: c.text('batch_id'),
      /** The length of its parameters: what waits is bounded. */
      bytes: c.int('bytes'),
      /** The number of rounds that a crash of the game server has ended; null: none. */
      crashes: c.int('crashes'),
      /** A waiting command does not leave before this, and none behind it; null: it may leave at once. */
      notBefore: c.instant('not_before'),
      /** When a backup with this open command was restored: the bridge may know more of it than this row. */
      restoredAt: c.instant('restored_at'),
      /** The meaning of a custom command's parameters when it was accepted. */
      roles: c.json<CustomRoles>('roles'),
      /** The command whose opposite this one is. */
      undoes: c.text('undoes'),
      /** The command without effect that this one does again: the first of all tries. */
      repeats: c.text('repeats'),
      /** The states that are owed to the project's events, see `OWED`; null: the project keeps none. */
      outbox: c.int('outbox'),
    },
    (t) => [
      c.uniqueIndex('commands_id').on(t.id),
      c
        .uniqueIndex('commands_idempotency_key')
        .on(t.projectId, t.idempotencyKey)
        .where(sql`idempotency_key is not null`),
      c.index('commands_project').on(t.projectId, t.seq),
      c.index('commands_created').on(t.projectId, t.createdAt, t.seq),
      c.index('commands_dispatched').on(t.projectId, t.serverId, t.seq).where(sql`status = 'dispatched'`),
      c.index('commands_accepted').on(t.projectId, t.expiresAt).where(sql`status = 'accepted'`),
      c
        .index('commands_waiting')
        .on(t.projectId, t.serverId, t.target, t.deliver, t.seq, t.bytes)
        .where(sql`status = 'waiting'`),
      // Two indexes, because a unique index takes one null for another value than the next.
      c.uniqueIndex('commands_round').on(t.projectId, t.serverId, t.target, t.deliver).where(isInRound),
      c
        .uniqueIndex('commands_round_untargeted')
        .on(t.projectId, t.serverId, t.deliver)
        .where(sql`${isInRound} and target is null`),
      c.index('commands_waiting_until').on(t.expiresAt).where(sql`status = 'waiting'`),
      c.index('commands_batch').on(t.batchId, t.seq, t.status).where(sql`batch_id is not null`),
      c.index('commands_indeterminate').on(t.projectId, t.seq).where(sql`status = 'indeterminate'`),
      c.index('commands_undoes').on(t.projectId, t.undoes).where(sql`undoes is not null`),
      c.index('commands_owed').on(t.projectId, t.seq).where(owesEvents),
      c.index('commands_keyed').on(t.settledAt).where(sql`idempotency_key is not null and settled_at is not null`),
    ],
  );
  const strayResults = c.table(
    'stray_results',
    {
      projectId: c.text('project_id').notNull(),
      serverId: c.text('server_id').notNull(),
      commandId: c.text('command_id').notNull(),
      status: c.text('status').notNull(),
      payload: c.json<unknown>('payload').notNull(),
      receivedAt: c.instant('received_at').notNull(),
    },
    (t) => [
      c.primaryKey({ name: 'stray_results_pk', columns: [t.projectId, t.serverId, t.commandId] }),
      c.index('stray_results_received').on(t.receivedAt),
    ],
  );
  return { commands, strayResults };
};
