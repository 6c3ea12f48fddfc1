import { commandEnds } from './commands-end.ts';
import { commandReads } from './commands-read.ts';
import { commandRetention } from './commands-retention.ts';
import { commandTransitions } from './commands-write.ts';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';

export type { CommandStatus } from './command-status.ts';
/** Without its place in the journal, by which nobody but a list needs to know it. */
export type CommandRow = Omit<Tables['commands']['$inferSelect'], 'seq'>;

/** The journal of the hub. Every transition is one compare-and-set; no row means that somebody was first. */
export const commandQueries = (database: Database) => ({
  ...commandReads(database),
  ...commandTransitions(database),
  ...commandEnds(database),
  ...commandRetention(database),
});
