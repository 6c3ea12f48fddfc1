import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Database } from '../../port/database.ts';
import { after, atMost, literally } from '../expressions.ts';
import type { PlayerRow } from './row.ts';

type AbsentRow = Pick<PlayerRow, 'identifier' | 'lastSeenAt' | 'id'>;

const BEFORE_ALL = { lastSeenAt: Number.MIN_SAFE_INTEGER, id: 0 };

/** Players that their game server has deleted. Their rows stay, and are only found by their own identifier. */
export const playerGone = ({ handle, tables: { players }, search, prepare, read, commit }: Database) => {
  const { identifier, lastSeenAt, id } = players;
  const ofServer = [
    eq(players.projectId, sql.placeholder('projectId')),
    eq(players.serverId, sql.placeholder('serverId')),
  ];
  const known = prepare('players.known', () =>
    handle
      .select({ rows: search.totals.count })
      .from(search.totals.from)
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
      { after: last = BEFORE_ALL, limit }: { after?: Omit<AbsentRow, 'identifier'> | undefined; limit: number },
    ): Promise<AbsentRow[]> =>
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
