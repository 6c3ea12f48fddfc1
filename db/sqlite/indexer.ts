import type { Database as Client, Statement as Compiled } from 'better-sqlite3';
import type { Database } from '../port/database.ts';

/** New players that may wait for the search index while more of them are written; a search looks at each of these. */
const INDEXED_AT_ONCE = 512;
/** The last write of a series indexes the waiting players too. */
const MOST_AT_ONCE = 2 * INDEXED_AT_ONCE;

// A trigger indexes the rows of this range.
const FORWARD = `UPDATE player_indexed
  SET last_id = (SELECT max(id) FROM (SELECT id FROM players WHERE id > last_id ORDER BY id LIMIT ${MOST_AT_ONCE}))
  WHERE EXISTS (SELECT 1 FROM players WHERE id > last_id)`;

/**
 * Adds the next players to the search index, many at once: each statement adds a segment, which has to be merged
 * later. Returns whether there were any players.
 */
export const sqliteIndexer = (client: Client): NonNullable<Database['late']> => {
  let forward: Compiled | undefined;
  const some = () => ({
    sync: () => {
      forward ??= client.prepare(FORWARD);
      return forward.run().changes > 0;
    },
  });
  return { some, atOnce: INDEXED_AT_ONCE };
};
