import { and, asc, eq, inArray, isNull, notExists, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../database.ts';
import { after, atMost, bound, literally, storedTotals } from '../../expressions.ts';
import type { PlayerRow } from './write.ts';

/** A player in the order of a list. */
type ListedRow = Pick<PlayerRow, 'identifier' | 'lastSeenAt' | 'id'>;

const BEFORE_ALL = { lastSeenAt: Number.MIN_SAFE_INTEGER, id: 0 };

/**
 * Online state of players, and who is gone: their game server has deleted them. The rows of these stay, and are only found
 * by their own identifier.
 */
export const playerPresence = ({ handle, tables, prepare, read, commit }: Database) => {
  const { players, sessions } = tables;
  const totals = storedTotals(tables);
  const isOnline = literally(eq(players.online, true));
  const ofServer = (projectId: string | Placeholder, serverId: string | Placeholder): SQL[] => [
    eq(players.projectId, projectId),
    eq(players.serverId, serverId),
  ];
  const among = (projectId: string, serverId: string, identifiers: readonly string[]): SQL[] => [
    ...ofServer(projectId, serverId),
    inArray(players.identifier, [...identifiers]),
  ];

  const idsOnline = (...filters: SQL[]) =>
    handle
      .select({ id: players.id })
      .from(players)
      .where(and(...filters, isOnline));
  const ofThis = ofServer(sql.placeholder('projectId'), sql.placeholder('serverId'));
  const offlineUnder = (name: string, guard: () => SQL[]) =>
    prepare(name, () =>
      handle
        .update(players)
        .set({ online: false, lastSeenAt: bound(players.lastSeenAt, 'at'), gameId: null })
        .where(and(inArray(players.id, idsOnline(...ofThis).limit(atMost(sql.placeholder('limit')))), ...guard()))
        .returning({ id: players.id }),
    );
  const allOffline = offlineUnder('players.allOffline', () => []);
  const abandoned = offlineUnder('players.abandoned', () => {
    const isOfServer = [eq(sessions.projectId, players.projectId), eq(sessions.serverId, players.serverId)];
    const isConnected = literally(eq(sessions.connected, true));
    return [
      notExists(
        handle
          .select({ id: sessions.id })
          .from(sessions)
          .where(and(...isOfServer, isConnected)),
      ),
    ];
  });

  const { identifier, lastSeenAt, id } = players;
  const state = { identifier, online: players.online, accounts: players.accounts };
  const stateOf = prepare('players.stateOf', () =>
    handle
      .select(state)
      .from(players)
      .where(and(...ofThis, eq(identifier, sql.placeholder('identifier')))),
  );
  /** A page of some players of a server; `after` is the last one of the previous page. */
  const pageWhere = (name: string, ...filters: SQL[]) => {
    const page = prepare(name, () =>
      handle
        .select({ identifier, lastSeenAt, id })
        .from(players)
        .where(and(...ofThis, ...filters, after([lastSeenAt, id], 'asc', ['lastSeenAt', 'id'])))
        .orderBy(asc(lastSeenAt), asc(id))
        .limit(atMost(sql.placeholder('limit'))),
    );
    return (
      projectId: string,
      serverId: string,
      { after: last = BEFORE_ALL, limit }: { after?: Omit<ListedRow, 'identifier'> | undefined; limit: number },
    ): Promise<ListedRow[]> =>
      read(() => page({ projectId, serverId, limit, lastSeenAt: last.lastSeenAt, id: last.id }));
  };
  const isNotGone = isNull(players.goneAt);

  const known = prepare('players.known', () =>
    handle
      .select({ rows: totals.count })
      .from(totals.from)
      .where(and(...ofThis)),
  );
  const first = prepare('players.first', () =>
    handle
      .select({ id })
      .from(players)
      .where(and(...ofThis))
      .limit(atMost(1)),
  );

  return {
    /** Marks these players online or offline where they were not. `gameIds`: the numbers of those who are online. */
    setOnline: async (
      projectId: string,
      serverId: string,
      identifiers: readonly string[],
      { online: to, at, gameIds }: { online: boolean; at: number; gameIds?: ReadonlyMap<string, number> },
    ): Promise<void> => {
      if (identifiers.length === 0) return;
      const isOther = literally(eq(players.online, !to));
      const numbered = to ? identifiers.filter((each) => gameIds?.has(each)) : [];
      const branches = numbered.map((each) => sql`when ${each} then cast(${gameIds?.get(each)} as bigint)`);
      const gameId = numbered.length === 0 ? null : sql`case ${identifier} ${sql.join(branches, sql` `)} end`;
      await commit(() =>
        handle
          .update(players)
          .set({ online: to, lastSeenAt: at, gameId })
          .where(and(...among(projectId, serverId, identifiers), isOther)),
      );
    },
    /** Deletes players. */
    remove: async (projectId: string, serverId: string, identifiers: readonly string[]): Promise<void> => {
      if (identifiers.length === 0) return;
      await commit(() => handle.delete(players).where(and(...among(projectId, serverId, identifiers))));
    },
    /** A page of online players. */
    online: pageWhere('players.online', isOnline),
    /** A page of offline players who are not gone. */
    absent: pageWhere('players.absent', literally(eq(players.online, false)), isNotGone),
    /** The stored fields of these players that changes are compared with. */
    states: async (
      projectId: string,
      serverId: string,
      identifiers: readonly string[],
    ): Promise<Pick<PlayerRow, 'identifier' | 'online' | 'accounts'>[]> => {
      const [only, ...more] = identifiers;
      if (only === undefined) return [];
      if (more.length === 0) return read(() => stateOf({ projectId, serverId, identifier: only }));
      return read(() =>
        handle
          .select(state)
          .from(players)
          .where(and(...among(projectId, serverId, identifiers))),
      );
    },
    /**
     * Marks at most `limit` players of a server offline; returns how many: call until 0. `unlessConnected`: only while no
     * bridge of the server is connected.
     */
    allOffline: async (
      projectId: string,
      serverId: string,
      { limit, at, unlessConnected = false }: { limit: number; at: number; unlessConnected?: boolean },
    ): Promise<number> => {
      const offline = unlessConnected ? abandoned : allOffline;
      return (await commit(() => offline({ projectId, serverId, limit, at }))).length;
    },
    /** Marks players of all servers as offline, and keeps the time when they were last seen. */
    allServersOffline: async ({ limit }: { limit: number }): Promise<number> => {
      const update = () =>
        handle
          .update(players)
          .set({ online: false, gameId: null })
          .where(inArray(players.id, idsOnline().limit(limit)))
          .returning({ id: players.id });
      return (await commit(update)).length;
    },
    /** Whether no player of a server was ever reported. */
    isNew: async (projectId: string, serverId: string): Promise<boolean> =>
      (await read(() => first({ projectId, serverId }))).length === 0,
    /** Counts the players of a server that are not gone. */
    known: async (projectId: string, serverId: string): Promise<number> => {
      const [row] = await read(() => known({ projectId, serverId }));
      return Number(row?.rows ?? 0);
    },
    /** Marks players as gone who are not. The next report of one takes it back. */
    setGone: async (projectId: string, serverId: string, identifiers: readonly string[], at: number): Promise<void> => {
      if (identifiers.length === 0) return;
      await commit(() =>
        handle
          .update(players)
          .set({ online: false, gameId: null, goneAt: at })
          .where(and(...among(projectId, serverId, identifiers), isNotGone)),
      );
    },
  };
};
