import { and, eq, getTableColumns, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../database.ts';
import { atMost, choose } from '../../expressions.ts';
import { playerSearch } from './search.ts';
import type { PlayerRow } from './write.ts';

/** Limit of players with one linked identifier. */
const MAX_SAME = 1000;

export type PlayerFindRequest = {
  projectId: string;
  identifier: string;
  /** Only of this server. */
  serverId?: string;
  /** Only of these servers. */
  servers?: readonly string[];
};

type Candidate = Pick<PlayerRow, 'id' | 'identifier' | 'name' | 'online' | 'lastSeenAt' | 'goneAt'> & {
  server: string;
};
/** Another player with the same linked identifier. */
export type Namesake = Pick<PlayerRow, 'identifier' | 'name' | 'serverId' | 'online'>;
export type FoundPlayer = { player: PlayerRow; alsoOn: string[]; alsoKnown: Namesake[] };

/** The most other players with the same linked identifier that are named. */
const MAX_NAMESAKES = 20;
const namesakeOf = ({ identifier, name, server, online }: Candidate): Namesake => ({
  identifier,
  name,
  serverId: server,
  online,
});

// Sorted here: with an ORDER BY, SQLite walks the index of that order through the whole project.
const byLastSeen = (a: Candidate, b: Candidate): number =>
  Number(b.online) - Number(a.online) ||
  Number(b.goneAt === null) - Number(a.goneAt === null) ||
  b.lastSeenAt - a.lastSeenAt ||
  b.id - a.id;

/** Finds a player by its own identifier, else by a linked one. The second way leaves out players who are gone. */
export const playerFind = (database: Database) => {
  const { handle, tables, prepare, read } = database;
  const { players, sessions } = tables;
  const search = playerSearch(database);
  const ofProject = eq(players.projectId, sql.placeholder('projectId'));
  const wanted = sql`${sql.placeholder('identifier')}`;
  const { id, identifier: own, name, serverId: server, online, lastSeenAt, goneAt } = players;
  const columns = { id, identifier: own, name, server, online, lastSeenAt, goneAt };
  const isThere = isNull(goneAt);

  const byOwn = prepare('players.own', () =>
    handle
      .select(columns)
      .from(players)
      .where(and(ofProject, eq(own, wanted)))
      .limit(atMost(MAX_SAME)),
  );
  const linkedUnder = (name: string, filters: SQL[], most: number) =>
    prepare(name, () =>
      handle
        .select(columns)
        .from(players)
        .where(sql`${players.id} in (select ${players.id} from ${search.linked.rows(filters, wanted)})`)
        .limit(atMost(most)),
    );
  const byLinked = linkedUnder('players.linked', [ofProject, isThere], MAX_SAME);
  const ofServer = eq(server, sql.placeholder('serverId'));
  const ownOnServer = prepare('players.ownOnServer', () =>
    handle
      .select({ id })
      .from(players)
      .where(and(ofProject, eq(own, wanted), ofServer)),
  );
  const linkedOnServer = linkedUnder('players.linkedOnServer', [ofProject, ofServer, isThere], MAX_NAMESAKES);
  const {
    searchMarks: _s,
    searchPlates: _p,
    contentHash: _h,
    outbox: _o,
    syncedAt: writtenAt,
    ...shown
  } = getTableColumns(players);
  // A snapshot confirms the players who are online, and writes only those that changed.
  const isOfServer = and(eq(sessions.projectId, players.projectId), eq(sessions.serverId, players.serverId));
  const confirmedAt = sql`(select ${sessions.playersSyncedAt} from ${sessions} where ${isOfServer})`;
  const isConfirmed = sql`${online} and ${confirmedAt} > ${writtenAt}`;
  const syncedAt = sql<number>`${choose(isConfirmed, confirmedAt, writtenAt)}`.mapWith(Number);
  const byId = prepare('players.byId', () =>
    handle
      .select({ ...shown, syncedAt })
      .from(players)
      .where(eq(players.id, sql.placeholder('id'))),
  );

  const find = async ({
    serverId,
    servers,
    projectId,
    identifier,
  }: PlayerFindRequest): Promise<FoundPlayer | undefined> => {
    const values = { projectId, identifier, linked: search.linked.term(identifier) };
    for (const candidates of [byOwn, byLinked]) {
      const found = (await read(() => candidates(values))).sort(byLastSeen);
      const allowed = servers === undefined ? found : found.filter((row) => servers.includes(row.server));
      const chosen = serverId === undefined ? allowed[0] : allowed.find((row) => row.server === serverId);
      if (chosen === undefined) continue;
      const [player] = await read(() => byId({ id: chosen.id }));
      if (player === undefined) continue;
      const there = allowed.filter((row) => row.goneAt === null);
      const others = there.map((row) => row.server).filter((each) => each !== player.serverId);
      const inReach = serverId === undefined ? allowed : allowed.filter((row) => row.server === serverId);
      const namesakes = inReach.filter((row) => row.identifier !== player.identifier).slice(0, MAX_NAMESAKES);
      return { player, alsoOn: [...new Set(others)], alsoKnown: namesakes.map(namesakeOf) };
    }
    return undefined;
  };

  return {
    /**
     * The most recently seen player, online ones first, unless `serverId` chooses. `alsoOn`: the other servers; `alsoKnown`:
     * other players who carry the linked identifier that was asked for, up to 20.
     */
    find,
    /**
     * The player that `identifier` means on one server: `own` if it is a player's own identifier, else the players that have
     * it as a linked one, up to 20.
     */
    meant: async (projectId: string, serverId: string, identifier: string): Promise<'own' | Namesake[]> => {
      const values = { projectId, serverId, identifier, linked: search.linked.term(identifier) };
      if ((await read(() => ownOnServer(values))).length > 0) return 'own';
      return (await read(() => linkedOnServer(values))).sort(byLastSeen).map(namesakeOf);
    },
  };
};

/** Names of players by their own identifiers, on whichever server. */
export const playerNames =
  ({ handle, tables: { players }, read }: Database) =>
  async (
    projectId: string,
    identifiers: readonly string[],
  ): Promise<Pick<PlayerRow, 'serverId' | 'identifier' | 'name'>[]> => {
    if (identifiers.length === 0) return [];
    const { serverId, identifier, name } = players;
    return read(() =>
      handle
        .select({ serverId, identifier, name })
        .from(players)
        .where(and(eq(players.projectId, projectId), inArray(identifier, [...identifiers]))),
    );
  };
