import { and, asc, eq, inArray, isNull, notExists, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../database.ts';
import { after, atMost, bound, literally, storedTotals } from '../../expressions.ts';
import type { PlayerRow } from './write.ts';

/** A player in the order of a list. */
type ListedRow = Pick<PlayerRow, 'identifier' | 'lastSeenAt' | 'id'>;

const BEFORE_ALL = { lastSeenAt: Number.MIN_SAFE_INTEGER, id: 0 };

/** Online state of players. */
export const playerPresence = ({ handle, tables: { players, sessions }, prepare, read, commit }: Database) => {
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
        .set({ online: false, lastSeenAt: bound(players.lastSeenAt, 'at') })
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
  const online = prepare('players.online', () => {
    const server = ofServer(sql.placeholder('projectId'), sql.placeholder('serverId'));
    return handle
      .select({ identifier, lastSeenAt, id })
      .from(players)
      .where(and(...server, isOnline, after([lastSeenAt, id], 'asc', ['lastSeenAt', 'id'])))
      .orderBy(asc(lastSeenAt), asc(id))
      .limit(atMost(sql.placeholder('limit')));
  });

  return {
    /** Marks these players online or offline where they were not. */
    setOnline: async (
      projectId: string,
      serverId: string,
      identifiers: readonly string[],
      { online: to, at }: { online: boolean; at: number },
    ): Promise<void> => {
      if (identifiers.length === 0) return;
      const isOther = literally(eq(players.online, !to));
      await commit(() =>
        handle
          .update(players)
          .set({ online: to, lastSeenAt: at })
          .where(and(...among(projectId, serverId, identifiers), isOther)),
      );
    },
    /** Deletes players. */
    remove: async (projectId: string, serverId: string, identifiers: readonly string[]): Promise<void> => {
      if (identifiers.length === 0) return;
      await commit(() => handle.delete(players).where(and(...among(projectId, serverId, identifiers))));
    },
    /** A page of online players; `after` is the last one of the previous page. */
    online: (
      projectId: string,
      serverId: string,
      { after: last = BEFORE_ALL, limit }: { after?: Omit<ListedRow, 'identifier'> | undefined; limit: number },
    ): Promise<ListedRow[]> =>
      read(() => online({ projectId, serverId, limit, lastSeenAt: last.lastSeenAt, id: last.id })),
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
    /** Marks at most `limit` players of a server offline; returns how many: call until 0. */
    allOffline: async (
      projectId: string,
      serverId: string,
      { limit, at }: { limit: number; at: number },
    ): Promise<number> => (await commit(() => allOffline({ projectId, serverId, limit, at }))).length,
    /** The same, unless a bridge of the server is connected. */
    abandoned: async (
      projectId: string,
      serverId: string,
      { limit, at }: { limit: number; at: number },
    ): Promise<number> => (await commit(() => abandoned({ projectId, serverId, limit, at }))).length,
    /** The same for all servers, keeping when they were last seen. */
    allServersOffline: async ({ limit }: { limit: number }): Promise<number> => {
      const update = () =>
        handle
          .update(players)
          .set({ online: false })
          .where(inArray(players.id, idsOnline().limit(limit)))
          .returning({ id: players.id });
      return (await commit(update)).length;
    },
  };
};

/** Players that their game server has deleted. Their rows stay, and are only found by their own identifier. */
export const playerGone = ({ handle, tables, prepare, read, commit }: Database) => {
  const { players } = tables;
  const totals = storedTotals(tables);
  const { identifier, lastSeenAt, id } = players;
  const ofServer = [
    eq(players.projectId, sql.placeholder('projectId')),
    eq(players.serverId, sql.placeholder('serverId')),
  ];
  const known = prepare('players.known', () =>
    handle
      .select({ rows: totals.count })
      .from(totals.from)
      .where(and(...ofServer)),
  );
  const absent = prepare('players.absent', () =>
    handle
      .select({ identifier, lastSeenAt, id })
      .from(players)
      .where(
        and(
          ...ofServer,
          literally(eq(players.online, false)),
          isNull(players.goneAt),
          after([lastSeenAt, id], 'asc', ['lastSeenAt', 'id']),
        ),
      )
      .orderBy(asc(lastSeenAt), asc(id))
      .limit(atMost(sql.placeholder('limit'))),
  );

  const first = prepare('players.first', () =>
    handle
      .select({ id })
      .from(players)
      .where(and(...ofServer))
      .limit(atMost(1)),
  );

  return {
    /** Whether no player of a server was ever reported. */
    isNew: async (projectId: string, serverId: string): Promise<boolean> =>
      (await read(() => first({ projectId, serverId }))).length === 0,
    /** How many players of a server are not gone. */
    known: async (projectId: string, serverId: string): Promise<number> => {
      const [row] = await read(() => known({ projectId, serverId }));
      return Number(row?.rows ?? 0);
    },
    /** A page of offline players who are not gone; `last` is the last one of the previous page. */
    absent: (
      projectId: string,
      serverId: string,
      { after: last = BEFORE_ALL, limit }: { after?: Omit<ListedRow, 'identifier'> | undefined; limit: number },
    ): Promise<ListedRow[]> =>
      read(() => absent({ projectId, serverId, limit, lastSeenAt: last.lastSeenAt, id: last.id })),
    /** Marks players as gone who are not. The next report of one takes it back. */
    setGone: async (projectId: string, serverId: string, identifiers: readonly string[], at: number): Promise<void> => {
      if (identifiers.length === 0) return;
      await commit(() =>
        handle
          .update(players)
          .set({ online: false, goneAt: at })
          .where(
            and(
              eq(players.projectId, projectId),
              eq(players.serverId, serverId),
              inArray(identifier, [...identifiers]),
              isNull(players.goneAt),
            ),
          ),
      );
    },
  };
};
