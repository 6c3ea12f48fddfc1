import { type SQL, sql } from 'drizzle-orm';
import type { Player } from '../bridge-protocol/player.ts';
import type { Database } from './database.ts';
import { choose, incoming } from './expressions.ts';
import { searchText } from './text.ts';

const WRITTEN = [
  'projectId',
  'serverId',
  'identifier',
  'name',
  'searchText',
  'online',
  'firstSeenAt',
  'lastSeenAt',
  'syncedAt',
  'identifiers',
  'accounts',
  'inventory',
  'vehicles',
  'metadata',
] as const;
const REPLACED = [
  'name',
  'searchText',
  'online',
  'syncedAt',
  'identifiers',
  'accounts',
  'inventory',
  'vehicles',
  'metadata',
] as const;

/** Writes players as a bridge reports them. */
export const playerUpsert = ({ handle, tables: { players }, prepareChange, commit }: Database) => {
  const upsert = prepareChange('players.upsert', () => {
    const placeholders = Object.fromEntries(WRITTEN.map((name) => [name, sql.placeholder(name)]));
    const replaced = Object.fromEntries(REPLACED.map((name): [string, SQL] => [name, incoming(players[name])]));
    // Who was offline and still is has not been seen now.
    const isSeen = sql`${incoming(players.online)} or ${players.online}`;
    const lastSeenAt = choose(isSeen, incoming(players.lastSeenAt), players.lastSeenAt);
    return (
      handle
        .insert(players)
        // One placeholder for every column, by its name.
        .values(placeholders as Record<(typeof WRITTEN)[number], ReturnType<typeof sql.placeholder>>)
        .onConflictDoUpdate({
          target: [players.projectId, players.identifier, players.serverId],
          set: { ...replaced, lastSeenAt },
        })
    );
  });

  return {
    /**
     * Inserts or replaces players of one server; of two with the same identifier the later one counts. The first
     * time seen stays; a player who was and is offline keeps the last time seen. At most 100 at once.
     */
    upsert: async (projectId: string, serverId: string, list: readonly Player[], at: number): Promise<void> => {
      const distinct = new Map(list.map((player) => [player.identifier, player]));
      // Each value by its name: to copy a player and add to it takes V8 longer than to store one of its columns.
      const write = ({ identifier, name, online, identifiers, accounts, inventory, vehicles, metadata }: Player) => {
        const values = {
          projectId,
          serverId,
          identifier,
          name,
          searchText: searchText(name, identifier),
          online,
          firstSeenAt: at,
          lastSeenAt: at,
          syncedAt: at,
          identifiers,
          accounts,
          inventory,
          vehicles,
          metadata,
        };
        return commit(() => upsert(values));
      };
      await Promise.all(Array.from(distinct.values(), write));
    },
  };
};
