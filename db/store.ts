import type { Database } from './port/database.ts';
import { apiKeyQueries } from './queries/api-keys.ts';
import { catalogueQueries } from './queries/catalogues.ts';
import { batchQueries } from './queries/commands/batches.ts';
import { commandQueries } from './queries/commands/commands.ts';
import { integrationQueries } from './queries/integrations.ts';
import { nodeQueries } from './queries/nodes.ts';
import { panelSessionQueries } from './queries/panel-sessions.ts';
import { playerFind, playerNames } from './queries/players/find.ts';
import { playerList } from './queries/players/list.ts';
import { playerGone, playerPresence } from './queries/players/presence.ts';
import { playerReindex } from './queries/players/reindex.ts';
import { playerUpsert } from './queries/players/write.ts';
import { projectQueries } from './queries/projects.ts';
import { scheduleQueries } from './queries/schedules.ts';
import { serverQueries } from './queries/servers.ts';
import { sessionQueries } from './queries/sessions.ts';
import { setupLinkQueries } from './queries/setup-links.ts';
import { shopLineQueries } from './queries/shop-lines.ts';
import { shopOrderQueries } from './queries/shop-orders.ts';
import { statisticsQueries } from './queries/statistics.ts';
import { strayResultQueries } from './queries/stray-results.ts';

/** Players of every server, as bridges reported them. */
const playerQueries = (database: Database) => ({
  ...playerUpsert(database),
  ...playerPresence(database),
  ...playerGone(database),
  ...playerReindex(database),
  list: playerList(database),
  ...playerFind(database),
  names: playerNames(database),
  /** Resolves when there is room for many more; between two slices of a snapshot. */
  calm: database.calm,
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
  exclusively: database.exclusively,
});
export type Store = ReturnType<typeof createStore>;
