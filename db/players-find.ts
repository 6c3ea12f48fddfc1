import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { atMost } from './expressions.ts';
import type { PlayerRow } from './players.ts';

/** Of one identifier; a linked one may be carried by many. */
const MAX_SAME = 1000;

export type PlayerFindRequest = {
  projectId: string;
  identifier: string;
  /** The one of this server. */
  serverId?: string;
  /** Only of these servers. */
  servers?: readonly string[];
};

type Candidate = Pick<PlayerRow, 'id' | 'online' | 'lastSeenAt'> & { server: string };

// Sorted here: with an ORDER BY, SQLite walks the index of that order through the whole project.
const byLastSeen = (a: Candidate, b: Candidate): number =>
  Number(b.online) - Number(a.online) || b.lastSeenAt - a.lastSeenAt || b.id - a.id;

/** Finds a player by its own identifier, else by a linked one. */
export const playerFind = ({ handle, tables: { players }, prepare, read, search }: Database) => {
  const ofProject = eq(players.projectId, sql.placeholder('projectId'));
  const wanted = sql`${sql.placeholder('identifier')}`;
  const { id, serverId: server, online, lastSeenAt } = players;
  const columns = { id, server, online, lastSeenAt };

  const own = prepare('players.own', () =>
    handle
      .select(columns)
      .from(players)
      .where(and(ofProject, eq(players.identifier, wanted)))
      .limit(atMost(MAX_SAME)),
  );
  const linked = prepare('players.linked', () =>
    handle
      .select(columns)
      .from(players)
      .where(sql`${players.id} in (select ${players.id} from ${search.linked.rows([ofProject], wanted)})`)
      .limit(atMost(MAX_SAME)),
  );
  const { searchMarks: _s, searchPlates: _p, ...shown } = getTableColumns(players);
  const byId = prepare('players.byId', () =>
    handle
      .select(shown)
      .from(players)
      .where(eq(players.id, sql.placeholder('id'))),
  );

  /** The most recently seen, those online first, unless `serverId` chooses; `alsoOn` are the other servers. */
  return async ({
    serverId,
    servers,
    projectId,
    identifier,
  }: PlayerFindRequest): Promise<{ player: PlayerRow; alsoOn: string[] } | undefined> => {
    const values = { projectId, identifier, linked: search.linked.term(identifier) };
    for (const candidates of [own, linked]) {
      const found = (await read(() => candidates(values))).sort(byLastSeen);
      const allowed = servers === undefined ? found : found.filter((row) => servers.includes(row.server));
      const chosen = serverId === undefined ? allowed[0] : allowed.find((row) => row.server === serverId);
      if (chosen === undefined) continue;
      const [player] = await read(() => byId({ id: chosen.id }));
      if (player === undefined) continue;
      const others = allowed.map((row) => row.server).filter((each) => each !== player.serverId);
      return { player, alsoOn: [...new Set(others)] };
    }
    return undefined;
  };
};
