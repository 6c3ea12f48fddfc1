import { and, asc, eq, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { increment, literally } from './expressions.ts';
import type { Tables } from './schema.ts';

export type SessionRow = Tables['sessions']['$inferSelect'];
export type NewSession = Pick<
  SessionRow,
  'projectId' | 'serverId' | 'id' | 'node' | 'instance' | 'software' | 'commands' | 'accounts' | 'journalClass'
> & { at: number };

/** The current or the last session of every server. */
export const sessionQueries = (database: Database) => {
  const { handle, tables, read, commit } = database;
  const { sessions } = tables;
  const ofServer = (projectId: string, serverId: string) =>
    and(eq(sessions.projectId, projectId), eq(sessions.serverId, serverId));
  const isConnected = literally(eq(sessions.connected, true));

  const get = database.prepare('sessions.get', () =>
    handle
      .select()
      .from(sessions)
      .where(
        and(eq(sessions.projectId, sql.placeholder('projectId')), eq(sessions.serverId, sql.placeholder('serverId'))),
      ),
  );

  return {
    /** Records an accepted connection and returns its epoch: one more than the server's last. */
    open: async ({ projectId, serverId, at, ...session }: NewSession): Promise<number> => {
      const row = { ...session, connected: true, connectedAt: at, disconnectedAt: null, closeCode: null };
      const upsert = () =>
        handle
          .insert(sessions)
          .values({ projectId, serverId, epoch: 1, ...row })
          .onConflictDoUpdate({
            target: [sessions.projectId, sessions.serverId],
            set: { ...row, epoch: increment(sessions.epoch) },
          })
          .returning({ epoch: sessions.epoch });
      const [opened] = await commit(upsert, { durable: true });
      if (opened === undefined) throw new Error('An upsert gave no row.');
      return opened.epoch;
    },
    /** Records the end of this very session; undefined if another one has taken its place or it has ended. */
    close: async ({
      projectId,
      serverId,
      epoch,
      at,
      closeCode,
    }: {
      projectId: string;
      serverId: string;
      epoch: number;
      at: number;
      closeCode: number | null;
    }): Promise<SessionRow | undefined> => {
      const [row] = await commit(() =>
        handle
          .update(sessions)
          .set({ connected: false, disconnectedAt: at, closeCode })
          .where(and(ofServer(projectId, serverId), eq(sessions.epoch, epoch), isConnected))
          .returning(),
      );
      return row;
    },
    get: async (projectId: string, serverId: string): Promise<SessionRow | undefined> => {
      const [row] = await read(() => get({ projectId, serverId }));
      return row;
    },
    list: (projectId: string): Promise<SessionRow[]> =>
      read(() =>
        handle.select().from(sessions).where(eq(sessions.projectId, projectId)).orderBy(asc(sessions.serverId)),
      ),
    /** Ends every session of a node (all nodes without one); returns how many there were. */
    disconnectAll: async (node: string | undefined, at: number): Promise<number> => {
      const rows = await commit(() =>
        handle
          .update(sessions)
          .set({ connected: false, disconnectedAt: at })
          .where(node === undefined ? isConnected : and(eq(sessions.node, node), isConnected))
          .returning({ id: sessions.id }),
      );
      return rows.length;
    },
  };
};
