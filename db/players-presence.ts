import { and, asc, eq, gt, inArray, type SQL, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { atMost, bound, literally } from './expressions.ts';
import type { PlayerRow } from './players.ts';

/** Who is online, and who is not any more. */
export const playerPresence = ({ handle, tables: { players }, prepare, read, commit }: Database) => {
  const isOnline = literally(eq(players.online, true));
  const ofServer = (projectId: string, serverId: string): SQL[] => [
    eq(players.projectId, projectId),
    eq(players.serverId, serverId),
  ];
  const among = (projectId: string, serverId: string, identifiers: readonly string[]): SQL[] => [
    ...ofServer(projectId, serverId),
    inArray(players.identifier, [...identifiers]),
  ];

  const online = (...filters: SQL[]) =>
    handle
      .select({ id: players.id })
      .from(players)
      .where(and(...filters, isOnline));
  const allOffline = prepare('players.allOffline', () => {
    const ofThis = [
      eq(players.projectId, sql.placeholder('projectId')),
      eq(players.serverId, sql.placeholder('serverId')),
    ];
    return handle
      .update(players)
      .set({ online: false, lastSeenAt: bound(players.lastSeenAt, 'at') })
      .where(inArray(players.id, online(...ofThis).limit(atMost(sql.placeholder('limit')))))
      .returning({ id: players.id });
  });

  return {
    /** Marks those of these players offline who were online. */
    setOffline: async (
      projectId: string,
      serverId: string,
      identifiers: readonly string[],
      at: number,
    ): Promise<void> => {
      if (identifiers.length === 0) return;
      await commit(() =>
        handle
          .update(players)
          .set({ online: false, lastSeenAt: at })
          .where(and(...among(projectId, serverId, identifiers), isOnline)),
      );
    },
    /** Deletes players. */
    remove: async (projectId: string, serverId: string, identifiers: readonly string[]): Promise<void> => {
      if (identifiers.length === 0) return;
      await commit(() => handle.delete(players).where(and(...among(projectId, serverId, identifiers))));
    },
    /** A page of who is online, in the order of their identifiers. */
    onlineIdentifiers: async (
      projectId: string,
      serverId: string,
      { after, limit }: { after?: string; limit: number },
    ): Promise<string[]> => {
      // By id, so that SQLite reads the players online and not all of the project in the order of their identifiers.
      const filters = [inArray(players.id, online(...ofServer(projectId, serverId)))];
      if (after !== undefined) filters.push(gt(players.identifier, after));
      const rows = await read(() =>
        handle
          .select({ identifier: players.identifier })
          .from(players)
          .where(and(...filters))
          .orderBy(asc(players.identifier))
          .limit(limit),
      );
      return rows.map((row) => row.identifier);
    },
    /** What is known of these players that a change may be compared with. */
    states: async (
      projectId: string,
      serverId: string,
      identifiers: readonly string[],
    ): Promise<Pick<PlayerRow, 'identifier' | 'online' | 'accounts'>[]> => {
      if (identifiers.length === 0) return [];
      return read(() =>
        handle
          .select({ identifier: players.identifier, online: players.online, accounts: players.accounts })
          .from(players)
          .where(and(...among(projectId, serverId, identifiers))),
      );
    },
    /** Marks at most `limit` players of a server offline; returns how many: call until 0. */
    allOffline: async (
      projectId: string,
      serverId: string,
      { limit, at }: { limit: number; at: number },
    ): Promise<number> => (await commit(() => allOffline({ projectId, serverId, limit, at }))).length,
    /** The same for all servers, keeping when they were last seen. */
    everybodyOffline: async ({ limit }: { limit: number }): Promise<number> => {
      const update = () =>
        handle
          .update(players)
          .set({ online: false })
          .where(inArray(players.id, online().limit(limit)))
          .returning({ id: players.id });
      return (await commit(update)).length;
    },
  };
};
