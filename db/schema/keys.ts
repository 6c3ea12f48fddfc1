import type { Tables } from './tables.ts';

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
  panelSessions: ['hash'],
  setupLinks: ['hash'],
  integrations: ['id'],
  deliveries: ['seq'],
  shopOrders: ['integrationId', 'transaction'],
  shopLines: ['seq'],
  nodes: ['id'],
};
export const TABLE_NAMES = Object.keys(KEYS) as TableName[];
