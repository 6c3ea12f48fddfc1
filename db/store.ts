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

/** A server plans a statement anew for the first five times. */
const ROUNDS = 6;

/**
 * Warms up: opens every connection and plans the hot statements on it, with ids that do not exist, because a node that
 * has just started gets as many requests as the others. It never rejects.
 */
export const warmUp = async (
  { apiKeys, commands, servers, sessions }: Pick<Store, 'apiKeys' | 'commands' | 'servers' | 'sessions'>,
  connections: number,
): Promise<void> => {
  const goThrough = async (id: string): Promise<void> => {
    const [projectId, serverId] = ['rehearsal', 'rehearsal'];
    await servers.byTokenHash(id, 0);
    await servers.get(projectId, serverId);
    await sessions.get(projectId, serverId);
    await servers.recordJournal(projectId, serverId, { journalId: id, sequence: 0, instance: id, epoch: 0 });
    await apiKeys.byHash(id, 0);
    await commands.byIdempotencyKey(projectId, id);
    await sessions.place(projectId, serverId);
    const session = { epoch: 0, sessionId: id, journalId: id };
    await commands.dispatch({ projectId, serverId, id, ...session, at: 0, durable: false });
    await commands.get(projectId, id);
  };
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.all(Array.from({ length: connections }, (_, n) => goThrough(`rehearsal ${n}`)));
    }
  } catch {
    // A server that refuses so many connections now may accept them later; statements report the error then.
  }
};
