import type { Database } from './database.ts';
import { apiKeyQueries } from './queries/api-keys.ts';
import { batchQueries } from './queries/commands/batches.ts';
import { commandAsks, commandEnds, commandRetention, strayResultQueries } from './queries/commands/ends.ts';
import { keepingQueries, owedQueries } from './queries/commands/outbox.ts';
import { commandReads } from './queries/commands/read.ts';
import { commandTransitions } from './queries/commands/transitions.ts';
import { commandWaits } from './queries/commands/waiting.ts';
import { eventQueries } from './queries/events.ts';
import { integrationQueries } from './queries/integrations.ts';
import { panelSessionQueries, setupLinkQueries } from './queries/panel.ts';
import { playerFind, playerNames } from './queries/players/find.ts';
import { playerLists } from './queries/players/list.ts';
import { playerPresence } from './queries/players/presence.ts';
import { playerUpsert } from './queries/players/write.ts';
import { projectQueries } from './queries/projects.ts';
import { scheduleQueries } from './queries/schedules.ts';
import { catalogueQueries, serverQueries } from './queries/servers.ts';
import { nodeQueries, sessionQueries } from './queries/sessions.ts';
import { shopLineQueries, shopOrderQueries } from './queries/shop-orders.ts';
import { statisticsQueries } from './queries/statistics.ts';
import { webhookQueries } from './queries/webhooks.ts';

/** Players of every server, as bridges reported them. */
const playerQueries = (database: Database) => ({
  ...playerUpsert(database),
  ...playerPresence(database),
  ...playerLists(database),
  ...playerFind(database),
  names: playerNames(database),
  /** Resolves when there is room for many more; between two slices of a snapshot. */
  calm: database.calm,
});

/** The hub's journal. Each transition is one compare-and-set; no row means that another transition was first. */
const commandQueries = (database: Database) => ({
  ...commandReads(database),
  ...commandTransitions(database),
  ...commandWaits(database),
  ...commandEnds(database),
  ...commandAsks(database),
  ...commandRetention(database),
});

/** All queries of the hub over one database. */
export const createStore = (database: Database) => ({
  projects: projectQueries(database),
  apiKeys: apiKeyQueries(database),
  servers: serverQueries(database),
  sessions: sessionQueries(database),
  catalogues: catalogueQueries(database),
  nodes: nodeQueries(database),
  players: playerQueries(database),
  commands: commandQueries(database),
  strayResults: strayResultQueries(database),
  batches: batchQueries(database),
  schedules: scheduleQueries(database),
  panelSessions: panelSessionQueries(database),
  setupLinks: setupLinkQueries(database),
  statistics: statisticsQueries(database),
  integrations: integrationQueries(database),
  shopOrders: shopOrderQueries(database),
  shopLines: shopLineQueries(database),
  events: { ...eventQueries(database), ...owedQueries(database), ...keepingQueries(database) },
  webhooks: webhookQueries(database),
  exclusively: database.exclusively,
});
export type Store = ReturnType<typeof createStore>;
