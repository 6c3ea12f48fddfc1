import { and, eq, inArray } from 'drizzle-orm';
import type { Database } from '../../port/database.ts';
import type { PlayerRow } from './players.ts';

type Named = Pick<PlayerRow, 'serverId' | 'identifier' | 'name'>;

/** Names of players by their own identifiers, on whichever server. */
export const playerNames =
  ({ handle, tables: { players }, read }: Database) =>
  async (projectId: string, identifiers: readonly string[]): Promise<Named[]> => {
    if (identifiers.length === 0) return [];
    const { serverId, identifier, name } = players;
    return read(() =>
      handle
        .select({ serverId, identifier, name })
        .from(players)
        .where(and(eq(players.projectId, projectId), inArray(identifier, [...identifiers]))),
    );
  };
