import { commandEnds } from './ends.ts';
import { commandReads } from './read.ts';
import { commandRetention } from './retention.ts';
import { commandTransitions } from './transitions.ts';
import type { Database } from '../../port/database.ts';
import type { Tables } from '../../schema/tables.ts';

export type { CommandStatus } from '../../schema/command-status.ts';
/** Without its place in the journal, by which nobody but a list needs to know it. */
export type CommandRow = Omit<Tables['commands']['$inferSelect'], 'seq'>;

/** The journal of the hub. Every transition is one compare-and-set; no row means that somebody was first. */
export const commandQueries = (database: Database) => ({
  ...commandReads(database),
  ...commandTransitions(database),
  ...commandEnds(database),
  ...commandRetention(database),
});
