import type { Database } from '../../port/database.ts';
import { playerFind, playerNames } from './find.ts';
import { playerList } from './list.ts';
import { playerGone, playerPresence } from './presence.ts';
import { playerReindex } from './reindex.ts';
import { playerUpsert } from './write.ts';

/** Players of every server, as bridges reported them. */
export const playerQueries = (database: Database) => ({
  ...playerUpsert(database),
  ...playerPresence(database),
  ...playerGone(database),
  ...playerReindex(database),
  list: playerList(database),
  ...playerFind(database),
  names: playerNames(database),
  /** Resolves when there is room for many more; between two slices of a snapshot. */
  calm: database.calm,
});
