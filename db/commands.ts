import { commandReads } from './commands-read.ts';
import { commandRetention } from './commands-retention.ts';
import { commandTransitions } from './commands-write.ts';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';

export type { CommandStatus } from './command-status.ts';
export type CommandRow = Tables['commands']['$inferSelect'];
/** A row but for the place in the journal that it gets. */
export type NewCommand = Omit<CommandRow, 'seq'>;

/** The journal of the hub. Every transition is one compare-and-set; no row means that somebody was first. */
export const commandQueries = (database: Database) => ({
  ...commandReads(database),
  ...commandTransitions(database),
  ...commandRetention(database),
});
