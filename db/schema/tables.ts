import { type Column, getTableColumns, sql } from 'drizzle-orm';
import type {
  BridgeMessage,
  CatalogueEntry,
  CatalogueKind,
  JournalClass,
  MessageOf,
} from '../../bridge-protocol/wire/messages.ts';
import { batchTables } from './batches.ts';
import type { Columns } from './columns.ts';
import { commandTables } from './commands.ts';
import { eventTables } from './events.ts';
import { panelTables } from './panel.ts';
import { playerTables } from './players.ts';
import { scheduleTables } from './schedules.ts';
import { shopTables } from './shops.ts';
import { webhookTables } from './webhooks.ts';

const projectTables = (c: Columns) => {
  const projects = c.table(
    'projects',
    {
      id: c.text('id').primaryKey(),
      slug: c.text('slug').notNull(),
      name: c.text('name').notNull(),
      /** Requests per minute. */
      rateLimit: c.int('rate_limit').notNull().default(100),
      /** Largest amount of one money command; null: no limit. */
      maxAmount: c.int('max_amount'),
      maxServers: c.int('max_servers').notNull().default(100),
      /** API keys that have not ended. */
      maxKeys: c.int('max_keys').notNull().default(1_000),
      maxBatchTargets: c.int('max_batch_targets').notNull().default(10_000),
      /** The most money that one batch may move. */
      maxBatchTotal: c.int('max_batch_total'),
      maxWaiting: c.int('max_waiting').notNull().default(50_000),
      allowVolatile: c.flag('allow_volatile').notNull().default(false),
      disabled: c.flag('disabled').notNull().default(false),
      createdAt: c.instant('created_at').notNull(),
      updatedAt: c.instant('updated_at').notNull(),
      /** Bounds that the project sets for itself, within those of the operator above; null: none. */
      ownMaxAmount: c.int('own_max_amount'),
      ownMaxBatchTotal: c.int('own_max_batch_total'),
      /** Above this amount, the panel asks a person to type it. */
      confirmAbove: c.int('confirm_above').notNull().default(1_000_000),
      /** Names of commands that need a reason; null: none. */
      reasonFor: c.json<string[]>('reason_for'),
      /** The language of the panel for people who have chosen none; null: that of their browser. */
      language: c.text('language'),
      /** Whether what happens is kept as events (`events`). */
      keepEvents: c.flag('keep_events').notNull().default(false),
      /** Since when all of it is kept; null: rows from before are still being marked, or no events are kept. */
      eventsSince: c.instant('events_since'),
    },
    (t) => [c.uniqueIndex('projects_slug').on(t.slug), c.index('projects_updated').on(t.updatedAt)],
  );
  const apiKeys = c.table(
    'api_keys',
    {
      id: c.text('id').primaryKey(),
      projectId: c
        .text('project_id')
        .notNull()
        .references(() => projects.id),
      name: c.text('name').notNull(),
      scopes: c.json<string[]>('scopes').notNull(),
      /** Null: every server of the project. */
      servers: c.json<string[]>('servers'),
      /** Bounds of one batch; null: only those of the project. */
      maxBatchTargets: c.int('max_batch_targets'),
      maxBatchTotal: c.int('max_batch_total'),
      prefix: c.text('prefix').notNull(),
      hash: c.text('hash').notNull(),
      previousHash: c.text('previous_hash'),
      /** Null: the previous secret works until the new one is used for the first time. */
      previousExpiresAt: c.instant('previous_expires_at'),
      /** Requests per minute of this key; null: only the project's limit counts. */
      rateLimit: c.int('rate_limit'),
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
      projectId: c
        .text('project_id')
        .notNull()
        .references(() => projects.id),
      id: c.text('id').notNull(),
      name: c.text('name').notNull(),
      disabled: c.flag('disabled').notNull().default(false),
      tokenPrefix: c.text('token_prefix').notNull(),
      tokenHash: c.text('token_hash').notNull(),
      previousTokenHash: c.text('previous_token_hash'),
      previousTokenExpiresAt: c.instant('previous_token_expires_at'),
      journalId: c.text('journal_id'),
      journalSequence: c.int('journal_sequence'),
      /** The process of the bridge that it was recorded of. */
      journalInstance: c.text('journal_instance'),
      /** When its deletion began. */
      deletingAt: c.instant('deleting_at'),
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
      software: c.json<MessageOf<BridgeMessage, 'hello'>['software']>('software').notNull(),
      commands: c.json<string[]>('commands').notNull(),
      accounts: c.json<string[]>('accounts').notNull(),
      journalClass: c.text<JournalClass>('journal_class').notNull(),
      // The classes of single commands, by tag, where they differ from `journalClass`.
      classes: c.json<Record<string, JournalClass>>('classes'),
      connectedAt: c.instant('connected_at').notNull(),
      disconnectedAt: c.instant('disconnected_at'),
      closeCode: c.int('close_code'),
      // Begin of the last complete snapshot: it confirmed every player who is online. A new session keeps it.
      playersSyncedAt: c.instant('players_synced_at'),
      // When a complete snapshot first lacked so many known players that none was taken for gone; null: it did not.
      missingSince: c.instant('missing_since'),
      missingPlayers: c.int('missing_players'),
      // Odd: it came or went since the project's events were told. 2: they were told that it is online. Null: there are none.
      outbox: c.int('outbox'),
    },
    (t) => [
      c.primaryKey({ name: 'sessions_pk', columns: [t.projectId, t.serverId] }),
      c.index('sessions_owed').on(t.projectId, t.serverId).where(sql`outbox % 2 = 1`),
      c.index('sessions_node').on(t.node, t.projectId, t.serverId).where(sql`connected`),
    ],
  );
  /** Items, vehicle models and jobs of game servers, as their bridges sent them last. */
  const catalogues = c.table(
    'catalogues',
    {
      projectId: c.text('project_id').notNull(),
      serverId: c.text('server_id').notNull(),
      kind: c.text<CatalogueKind>('kind').notNull(),
      hash: c.text('hash').notNull(),
      syncedAt: c.instant('synced_at').notNull(),
      // Last, so that the other columns are read without it.
      entries: c.json<CatalogueEntry[]>('entries').notNull(),
    },
    (t) => [c.primaryKey({ name: 'catalogues_pk', columns: [t.projectId, t.serverId, t.kind] })],
  );
  return { servers, sessions, catalogues };
};

const nodeTables = (c: Columns) => {
  /**
   * Processes of the hub over this database; `leaseEndsAt` is in the database's own time. A process that ends cleanly
   * deletes its row. Of an SQLite file there is one process and no lease: `leaseEndsAt` is its last sign of life.
   */
  const nodes = c.table('nodes', {
    id: c.text('id').primaryKey(),
    name: c.text('name').notNull(),
    host: c.text('host').notNull(),
    pid: c.int('pid').notNull(),
    bus: c.text<'local' | 'nats'>('bus').notNull(),
    startedAt: c.instant('started_at').notNull(),
    leaseEndsAt: c.instant('lease_ends_at').notNull(),
  });
  return { nodes };
};

/** All tables of the hub, for the engine of the column kit. */
export const defineTables = (c: Columns) => {
  const ofProjects = projectTables(c);
  return {
    ...ofProjects,
    ...serverTables(c, ofProjects),
    ...nodeTables(c),
    ...playerTables(c),
    ...commandTables(c),
    ...batchTables(c),
    ...scheduleTables(c),
    ...panelTables(c),
    ...shopTables(c),
    ...eventTables(c),
    ...webhookTables(c),
  };
};
export type Tables = ReturnType<typeof defineTables>;

export type TableName = keyof Tables;

/** The key columns of each table. Rows are written in this order of tables: referenced tables first. */
export const KEYS: Record<TableName, readonly string[]> = {
  projects: ['id'],
  apiKeys: ['id'],
  servers: ['projectId', 'id'],
  sessions: ['projectId', 'serverId'],
  catalogues: ['projectId', 'serverId', 'kind'],
  strayResults: ['projectId', 'serverId', 'commandId'],
  commands: ['seq'],
  batches: ['id'],
  schedules: ['id'],
  scheduleRuns: ['scheduleId', 'plannedAt'],
  scheduleLooks: ['id'],
  players: ['id'],
  statistics: ['projectId', 'at', 'serverId'],
  statisticsHours: ['projectId', 'at', 'serverId'],
  panelSessions: ['hash'],
  setupLinks: ['hash'],
  integrations: ['id'],
  deliveries: ['seq'],
  shopOrders: ['integrationId', 'transaction'],
  shopLines: ['seq'],
  events: ['seq'],
  webhooks: ['id'],
  webhookAttempts: ['webhookId', 'eventId'],
  nodes: ['id'],
};
export const TABLE_NAMES = Object.keys(KEYS) as TableName[];

export const keyColumns = (tables: Tables, name: TableName): Column[] => {
  const columns: Record<string, Column> = getTableColumns(tables[name]);
  return KEYS[name].flatMap((column) => columns[column] ?? []);
};
