import { apiKeyQueries } from './api-keys.ts';
import { commandQueries } from './commands.ts';
import type { Database } from './database.ts';
import { nodeQueries } from './nodes.ts';
import { panelSessionQueries } from './panel-sessions.ts';
import { playerReads } from './player-reads.ts';
import { playerQueries } from './players.ts';
import { projectQueries } from './projects.ts';
import { serverQueries } from './servers.ts';
import { sessionQueries } from './sessions.ts';
import { statisticsQueries } from './statistics.ts';
import { strayResultQueries } from './stray-results.ts';

/** Every query of the hub, over one database; players may be read from a replica of it. */
export const createStore = (database: Database, replica?: Database) => ({
  projects: projectQueries(database),
  apiKeys: apiKeyQueries(database),
  servers: serverQueries(database),
  sessions: sessionQueries(database),
  nodes: nodeQueries(database),
  players: playerQueries(database),
  playerReads: playerReads(database, replica),
  commands: commandQueries(database),
  strayResults: strayResultQueries(database),
  panelSessions: panelSessionQueries(database),
  statistics: statisticsQueries(database),
});
export type Store = ReturnType<typeof createStore>;
