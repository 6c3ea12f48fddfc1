import type { Tables } from '../../schema/tables.ts';

/** A row of a player, without the columns that only searches and writes read. */
export type PlayerRow = Omit<Tables['players']['$inferSelect'], 'searchMarks' | 'searchPlates' | 'contentHash'>;
