import { apiKeyQueries } from './api-keys.ts';
import { commandQueries } from './commands.ts';
import type { Database } from './database.ts';
import { panelSessionQueries } from './panel-sessions.ts';
import { playerQueries } from './players.ts';
import { projectQueries } from './projects.ts';
import { serverQueries } from './servers.ts';
import { sessionQueries } from './sessions.ts';
import { statisticsQueries } from './statistics.ts';
import { strayResultQueries } from './stray-results.ts';

/** Every query of the hub, over one database. */
export const createStore = (database: Database) => ({
  projects: projectQueries(database),
  apiKeys: apiKeyQueries(database),
  servers: serverQueries(database),
  sessions: sessionQueries(database),
  players: playerQueries(database),
  commands: commandQueries(database),
  strayResults: strayResultQueries(database),
  panelSessions: panelSessionQueries(database),
  statistics: statisticsQueries(database),
});
export type Store = ReturnType<typeof createStore>;
