import { and, asc, eq, gte, inArray, lt, sql } from 'drizzle-orm';
import type { Database } from '../port/database.ts';
import type { Tables } from '../schema/tables.ts';
import { amongKeys, larger, plus } from './expressions.ts';

export type StatisticsRow = Tables['statistics']['$inferSelect'];
/** How many commands ended in which way, and how many players were online when the step was written. */
export type StatisticsPoint = Omit<StatisticsRow, 'projectId' | 'serverId'>;

const ROWS = 200;

/** A row for each server and step of five minutes. */
export const statisticsQueries = (database: Database) => {
  const { handle, tables, read, commit } = database;
  const { statistics: t } = tables;
  const total = (column: typeof t.online) => sql<number>`sum(${column})`.mapWith(Number);

  return {
    /** Adds counts to the stored ones. For players the maximum is stored, because only one node sees a player. */
    add: async (rows: readonly StatisticsRow[]): Promise<void> => {
      for (let start = 0; start < rows.length; start += ROWS) {
        const some = rows.slice(start, start + ROWS);
        await commit(
          () =>
            handle
              .insert(t)
              .values(some)
              .onConflictDoUpdate({
                target: [t.projectId, t.at, t.serverId],
                set: {
                  online: larger(t.online),
                  succeeded: plus(t.succeeded),
                  refused: plus(t.refused),
                  failed: plus(t.failed),
                  unknown: plus(t.unknown),
                },
              }),
          { rows: some.length },
        );
      }
    },
    /** The sums of a project's servers since (epoch milliseconds, inclusive), the oldest step first. */
    since: (projectId: string, servers: readonly string[] | undefined, at: number): Promise<StatisticsPoint[]> =>
      read(() =>
        handle
          .select({
            at: t.at,
            online: total(t.online),
            succeeded: total(t.succeeded),
            refused: total(t.refused),
            failed: total(t.failed),
            unknown: total(t.unknown),
          })
          .from(t)
          .where(
            and(
              eq(t.projectId, projectId),
              gte(t.at, at),
              servers === undefined ? undefined : inArray(t.serverId, [...servers]),
            ),
          )
          .groupBy(t.at)
          .orderBy(asc(t.at)),
      ),
    /** Deletes at most `limit` of before (epoch milliseconds); returns how many. */
    prune: async (before: number, limit: number): Promise<number> => {
      const keys = [t.projectId, t.at, t.serverId] as const;
      const oldest = handle
        .select({ projectId: keys[0], at: keys[1], serverId: keys[2] })
        .from(t)
        .where(lt(t.at, before))
        .orderBy(asc(t.at))
        .limit(limit);
      const remove = () => handle.delete(t).where(amongKeys(keys, oldest)).returning({ at: t.at });
      return (await commit(remove)).length;
    },
  };
};
