import type { Store } from './store.ts';

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
    await servers.recordJournal(projectId, serverId, { journalId: id, sequence: 0, instance: id });
    await apiKeys.byHash(id, 0);
    await commands.byIdempotencyKey(projectId, id);
    await sessions.place(projectId, serverId);
    await commands.dispatch({ projectId, serverId, id, epoch: 0, sessionId: id, at: 0, durable: false });
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
