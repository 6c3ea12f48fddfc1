import { postgresColumns, sqliteColumns } from '../../db/schema/columns.ts';
import { defineTables } from '../../db/schema/tables.ts';

/** For `npm run db:generate`: the tables of the engine that DIALECT names, each by its name. */
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
} = defineTables(process.env['DIALECT'] === 'postgres' ? postgresColumns : sqliteColumns);
