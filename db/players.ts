import type { Database } from './database.ts';
import { playerFind } from './players-find.ts';
import { playerList } from './players-list.ts';
import { playerNames } from './players-names.ts';
import { playerPresence } from './players-presence.ts';
import { playerReindex } from './players-reindex.ts';
import { playerUpsert } from './players-upsert.ts';
import type { Tables } from './schema.ts';

export type { PlayerListRow } from './players-list.ts';
/** Without what only searches read. */
export type PlayerRow = Omit<Tables['players']['$inferSelect'], 'searchMarks' | 'searchPlates'>;

/** Players of every server, as bridges reported them. */
export const playerQueries = (database: Database) => ({
  ...playerUpsert(database),
  ...playerPresence(database),
  ...playerReindex(database),
  list: playerList(database),
  ...playerFind(database),
  names: playerNames(database),
  /** Resolves when there is room for many more; between two slices of a snapshot. */
  calm: database.calm,
});
