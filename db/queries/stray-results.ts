import { and, asc, count, eq, inArray, isNotNull, isNull, lt, min } from 'drizzle-orm';
import type { Database } from '../port/database.ts';
import type { Tables } from '../schema/tables.ts';
import { amongKeys } from './expressions.ts';

export type StrayResultRow = Tables['strayResults']['$inferSelect'];
export type NewStrayResult = Tables['strayResults']['$inferInsert'];

/** Commands of a project that the database has lost, as far as bridges have told. */
export type Losses = { projectId: string; commands: number; since: number };

/** Stray results, whose commands are unknown, for operators. */
export const strayResultQueries = (database: Database) => {
  const { handle, tables, read, commit } = database;
  const { strayResults } = tables;

  return {
    /** Keeps the first result of an id; durable, so that it may be acknowledged. */
    keep: async (row: NewStrayResult): Promise<void> => {
      await commit(() => handle.insert(strayResults).values(row).onConflictDoNothing(), { durable: true });
    },
    /** Deletes at most `limit` that came before (epoch milliseconds) and prove no loss; returns how many. */
    prune: async (before: number, limit: number): Promise<number> => {
      const keys = [strayResults.projectId, strayResults.serverId, strayResults.commandId] as const;
      const oldest = handle
        .select({ projectId: keys[0], serverId: keys[1], commandId: keys[2] })
        .from(strayResults)
        .where(and(lt(strayResults.receivedAt, before), isNull(strayResults.lostSince)))
        .orderBy(asc(strayResults.receivedAt))
        .limit(limit);
      const remove = () =>
        handle.delete(strayResults).where(amongKeys(keys, oldest)).returning({ commandId: strayResults.commandId });
      return (await commit(remove)).length;
    },
    /** The numbers of results that were not stored, by project: for one project, for some of its servers, or for all. */
    losses: async (projectId?: string, servers?: readonly string[]): Promise<Losses[]> => {
      const found = await read(() =>
        handle
          .select({ projectId: strayResults.projectId, commands: count(), since: min(strayResults.lostSince) })
          .from(strayResults)
          .where(
            and(
              isNotNull(strayResults.lostSince),
              projectId === undefined ? undefined : eq(strayResults.projectId, projectId),
              servers === undefined ? undefined : inArray(strayResults.serverId, [...servers]),
            ),
          )
          .groupBy(strayResults.projectId),
      );
      return found.map(({ since, ...rest }) => ({ ...rest, since: since ?? 0 }));
    },
    /** Results of commands that were lost, in the order in which they came. */
    lost: (projectId: string, limit: number): Promise<StrayResultRow[]> =>
      read(() =>
        handle
          .select()
          .from(strayResults)
          .where(and(eq(strayResults.projectId, projectId), isNotNull(strayResults.lostSince)))
          .orderBy(asc(strayResults.receivedAt), asc(strayResults.commandId))
          .limit(limit),
      ),
    /** Acknowledges lost commands, so that health no longer reports them. Returns how many there were. */
    acknowledgeLosses: async (projectId: string): Promise<number> => {
      const acknowledge = () =>
        handle
          .update(strayResults)
          .set({ lostSince: null })
          .where(and(eq(strayResults.projectId, projectId), isNotNull(strayResults.lostSince)))
          .returning({ commandId: strayResults.commandId });
      return (await commit(acknowledge, { durable: true })).length;
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
