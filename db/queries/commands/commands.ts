import type { Database } from '../../port/database.ts';
import { commandAsks, commandEnds, commandRetention } from './ends.ts';
import { commandReads } from './read.ts';
import { commandTransitions } from './transitions.ts';
import { commandWaits } from './waiting.ts';

/** The hub's journal. Each transition is one compare-and-set; no row means that another transition was first. */
export const commandQueries = (database: Database) => ({
  ...commandReads(database),
  ...commandTransitions(database),
  ...commandWaits(database),
  ...commandEnds(database),
  ...commandAsks(database),
  ...commandRetention(database),
});
