import { sql } from 'drizzle-orm';
import type { JournalClass, MessageOf, BridgeMessage, Player } from '../bridge-protocol/messages.ts';
import type { CommandClass } from '../bridge-protocol/commands.ts';
import type { Columns } from './columns.ts';

export type CommandStatus =
  | 'accepted'
  | 'dispatched'
  | 'succeeded'
  | 'failed'
  | 'rejected'
  | 'voided'
  | 'expired'
  | 'indeterminate'
  | 'resolved_applied'
  | 'resolved_not_applied';
export type Actor = { keyId: string; name: string };
export type StoredError = { code: string; message: string; details?: Record<string, unknown> };
export type Resolution = { applied: boolean; note: string; actor: Actor; at: number };
type Software = MessageOf<BridgeMessage, 'hello'>['software'];

const projectTables = (c: Columns) => {
  const projects = c.table(
    'projects',
    {
      id: c.text('id').primaryKey(),
      slug: c.text('slug').notNull(),
      name: c.text('name').notNull(),
      /** Requests per minute. */
      rateLimit: c.int('rate_limit').notNull().default(100),
      /** The most one money command may move; null: no limit. */
      maxAmount: c.int('max_amount'),
      allowVolatile: c.flag('allow_volatile').notNull().default(false),
      disabled: c.flag('disabled').notNull().default(false),
      createdAt: c.instant('created_at').notNull(),
      updatedAt: c.instant('updated_at').notNull(),
    },
    (t) => [
      c.uniqueIndex('projects_slug').on(t.slug),
      c.index('projects_updated').on(t.updatedAt),
    ],
  );
  const apiKeys = c.table(
    'api_keys',
    {
      id: c.text('id').primaryKey(),
      projectId: c.text('project_id').notNull().references(() => projects.id),
      name: c.text('name').notNull(),
      scopes: c.json<string[]>('scopes').notNull(),
      /** Null: every server of the project. */
      servers: c.json<string[]>('servers'),
      prefix: c.text('prefix').notNull(),
      hash: c.text('hash').notNull(),
      previousHash: c.text('previous_hash'),
      previousExpiresAt: c.instant('previous_expires_at'),
      createdBy: c.text('created_by'),
      createdAt: c.instant('created_at').notNull(),
      updatedAt: c.instant('updated_at').notNull(),
      expiresAt: c.instant('expires_at'),
      revokedAt: c.instant('revoked_at'),
      lastUsedAt: c.instant('last_used_at'),
    },
    (t) => [
      c.uniqueIndex('api_keys_hash').on(t.hash),
      c.index('api_keys_previous_hash').on(t.previousHash),
      c.index('api_keys_project').on(t.projectId, t.createdAt),
      c.index('api_keys_updated').on(t.updatedAt),
    ],
  );
  return { projects, apiKeys };
};

const serverTables = (c: Columns, { projects }: ReturnType<typeof projectTables>) => {
  const servers = c.table(
    'servers',
    {
      projectId: c.text('project_id').notNull().references(() => projects.id),
      id: c.text('id').notNull(),
      name: c.text('name').notNull(),
      disabled: c.flag('disabled').notNull().default(false),
      tokenPrefix: c.text('token_prefix').notNull(),
      tokenHash: c.text('token_hash').notNull(),
      previousTokenHash: c.text('previous_token_hash'),
      previousTokenExpiresAt: c.instant('previous_token_expires_at'),
      journalId: c.text('journal_id'),
      journalSequence: c.int('journal_sequence'),
      createdAt: c.instant('created_at').notNull(),
      updatedAt: c.instant('updated_at').notNull(),
    },
    (t) => [
      c.primaryKey({ name: 'servers_pk', columns: [t.projectId, t.id] }),
      c.uniqueIndex('servers_token_hash').on(t.tokenHash),
      c.index('servers_previous_token_hash').on(t.previousTokenHash),
      c.index('servers_updated').on(t.updatedAt),
    ],
  );
  const sessions = c.table(
    'sessions',
    {
      projectId: c.text('project_id').notNull(),
      serverId: c.text('server_id').notNull(),
      id: c.text('id').notNull(),
      node: c.text('node').notNull(),
      epoch: c.int('epoch').notNull(),
      instance: c.text('instance').notNull(),
      connected: c.flag('connected').notNull(),
      software: c.json<Software>('software').notNull(),
      commands: c.json<string[]>('commands').notNull(),
      accounts: c.json<string[]>('accounts').notNull(),
      journalClass: c.text<JournalClass>('journal_class').notNull(),
      connectedAt: c.instant('connected_at').notNull(),
      disconnectedAt: c.instant('disconnected_at'),
      closeCode: c.int('close_code'),
    },
    (t) => [c.primaryKey({ name: 'sessions_pk', columns: [t.projectId, t.serverId] })],
  );
  return { servers, sessions };
};

const playerTables = (c: Columns) => {
  const players = c.table(
    'players',
    {
      id: c.serial('id'),
      projectId: c.text('project_id').notNull(),
      serverId: c.text('server_id').notNull(),
      identifier: c.text('identifier').notNull(),
      name: c.text('name').notNull(),
      searchText: c.text('search_text').notNull(),
      online: c.flag('online').notNull(),
      firstSeenAt: c.instant('first_seen_at').notNull(),
      lastSeenAt: c.instant('last_seen_at').notNull(),
      syncedAt: c.instant('synced_at').notNull(),
      identifiers: c.json<Player['identifiers']>('identifiers').notNull(),
      accounts: c.json<Player['accounts']>('accounts').notNull(),
      // Last, so that SQLite reads a list without their overflow pages.
      inventory: c.json<Player['inventory']>('inventory').notNull(),
      vehicles: c.json<Player['vehicles']>('vehicles').notNull(),
      metadata: c.json<Player['metadata']>('metadata').notNull(),
    },
    (t) => [
      c.uniqueIndex('players_identifier').on(t.projectId, t.identifier, t.serverId),
      c.index('players_online').on(t.projectId, t.online, t.lastSeenAt, t.id),
      c.index('players_last_seen').on(t.projectId, t.lastSeenAt, t.id),
      c.index('players_name').on(t.projectId, t.searchText, t.id),
      c.index('players_server_online').on(t.projectId, t.serverId, t.online, t.lastSeenAt, t.id),
      c.index('players_server_last_seen').on(t.projectId, t.serverId, t.lastSeenAt, t.id),
      c.index('players_server_name').on(t.projectId, t.serverId, t.searchText, t.id),
    ],
  );
  // Written by triggers of the migrations when a player's linked identifiers change.
  const playerIdentifiers = c.table(
    'player_identifiers',
    {
      projectId: c.text('project_id').notNull(),
      value: c.text('value').notNull(),
      playerId: c.int('player_id').notNull().references(() => players.id, { onDelete: 'cascade' }),
    },
    (t) => [
      c.primaryKey({ name: 'player_identifiers_pk', columns: [t.projectId, t.value, t.playerId] }),
      c.index('player_identifiers_player').on(t.playerId),
    ],
  );
  return { players, playerIdentifiers };
};

const commandTables = (c: Columns) => {
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
      resolution: c.json<Resolution>('resolution'),
    },
    (t) => [
      c.uniqueIndex('commands_id').on(t.id),
      c.uniqueIndex('commands_idempotency_key').on(t.projectId, t.idempotencyKey).where(sql`idempotency_key is not null`),
      c.index('commands_project').on(t.projectId, t.seq),
      c.index('commands_dispatched').on(t.projectId, t.serverId, t.seq).where(sql`status = 'dispatched'`),
      c.index('commands_accepted').on(t.expiresAt).where(sql`status = 'accepted'`),
      c.index('commands_indeterminate').on(t.projectId, t.seq).where(sql`status = 'indeterminate'`),
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

/** Every table of the hub, once, for whichever engine the column kit is of. */
export const defineTables = (c: Columns) => {
  const ofProjects = projectTables(c);
  return { ...ofProjects, ...serverTables(c, ofProjects), ...playerTables(c), ...commandTables(c) };
};
export type Tables = ReturnType<typeof defineTables>;
