import type { Tables } from '../../schema/tables.ts';

/** A row of a player, without the columns that only searches read. */
export type PlayerRow = Omit<Tables['players']['$inferSelect'], 'searchMarks' | 'searchPlates'>;
