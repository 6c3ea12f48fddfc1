import { sqliteColumns } from './columns.ts';
import { defineTables } from './tables.ts';

export const {
  projects,
  apiKeys,
  servers,
  sessions,
  catalogues,
  nodes,
  players,
  commands,
  strayResults,
  batches,
  schedules,
  scheduleRuns,
  scheduleLooks,
  panelSessions,
  setupLinks,
  statistics,
  statisticsHours,
  integrations,
  deliveries,
  shopOrders,
  shopLines,
  events,
  webhooks,
  webhookAttempts,
} = defineTables(sqliteColumns);
