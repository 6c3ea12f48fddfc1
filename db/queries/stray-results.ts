import { and, asc, eq, lt } from 'drizzle-orm';
import type { Database } from '../port/database.ts';
import type { Tables } from '../schema/tables.ts';
import { amongKeys } from './expressions.ts';

export type StrayResultRow = Tables['strayResults']['$inferSelect'];
export type NewStrayResult = Tables['strayResults']['$inferInsert'];

/** Stray results, whose commands are unknown, for operators. */
export const strayResultQueries = (database: Database) => {
  const { handle, tables, read, commit } = database;
  const { strayResults } = tables;

  return {
    /** Keeps the first result of an id; durable, so that it may be acknowledged. */
    keep: async (row: NewStrayResult): Promise<void> => {
      await commit(() => handle.insert(strayResults).values(row).onConflictDoNothing(), { durable: true });
    },
    /** Deletes at most `limit` that came before (epoch milliseconds); returns how many. */
    prune: async (before: number, limit: number): Promise<number> => {
      const keys = [strayResults.projectId, strayResults.serverId, strayResults.commandId] as const;
      const oldest = handle
        .select({ projectId: keys[0], serverId: keys[1], commandId: keys[2] })
        .from(strayResults)
        .where(lt(strayResults.receivedAt, before))
        .orderBy(asc(strayResults.receivedAt))
        .limit(limit);
      const remove = () =>
        handle.delete(strayResults).where(amongKeys(keys, oldest)).returning({ commandId: strayResults.commandId });
      return (await commit(remove)).length;
    },
    list: (projectId: string, serverId: string, limit = 200): Promise<StrayResultRow[]> =>
      read(() =>
        handle
          .select()
          .from(strayResults)
          .where(and(eq(strayResults.projectId, projectId), eq(strayResults.serverId, serverId)))
          .orderBy(asc(strayResults.receivedAt))
          .limit(limit),
      ),
  };
};
