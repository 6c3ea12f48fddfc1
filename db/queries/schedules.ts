import { and, asc, count, desc, eq, gt, inArray, isNotNull, isNull, lte, type SQL, sql } from 'drizzle-orm';
import type { Database, Insertion } from '../port/database.ts';
import type { Tables } from '../schema/tables.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { literally } from './expressions.ts';
import { scheduleRunQueries } from './schedule-runs.ts';

export type ScheduleRow = Tables['schedules']['$inferSelect'];
export type SchedulePatch = Partial<Omit<ScheduleRow, 'id' | 'projectId' | 'createdAt'>>;
/** The times of a schedule, and what they are made of. */
export type SchedulePlan = Pick<ScheduleRow, 'id' | 'projectId' | 'when' | 'nextAt' | 'nextTimes' | 'updatedAt'>;
type Plan = Pick<ScheduleRow, 'nextAt' | 'nextTimes'>;
type Page = { limit: number; cursor?: string | undefined };

/** Schedules, and the queries of their runs. */
export const scheduleQueries = (database: Database) => {
  const { handle, tables, read, commit, insertWithin } = database;
  const { schedules, scheduleRuns } = tables;
  const durable = { durable: true };
  const first = async <T>(rows: Promise<T[]>): Promise<T | undefined> => (await rows)[0];
  const isOf = (projectId: string, id: string): SQL | undefined =>
    and(eq(schedules.projectId, projectId), eq(schedules.id, id));
  const countOf = (projectId: string) =>
    handle.select({ rows: count() }).from(schedules).where(eq(schedules.projectId, projectId));
  const isAsRead = ({ id, nextAt, updatedAt }: SchedulePlan): SQL | undefined =>
    and(
      eq(schedules.id, id),
      nextAt === null ? isNull(schedules.nextAt) : eq(schedules.nextAt, nextAt),
      eq(schedules.updatedAt, updatedAt),
    );
  const isPaused = (paused: boolean): SQL => literally(eq(schedules.paused, paused));

  return {
    /** `exists`: there is one with this id. `full`: the project has `most` schedules. */
    create: (row: ScheduleRow, most = Infinity): Promise<Insertion> => {
      const { projectId } = row;
      const insert = () => handle.insert(schedules).values(row).onConflictDoNothing().returning({ id: schedules.id });
      return insertWithin(insert, { key: `schedules/${projectId}`, count: () => countOf(projectId), most });
    },
    get: (projectId: string, id: string): Promise<ScheduleRow | undefined> =>
      first(read(() => handle.select().from(schedules).where(isOf(projectId, id)).limit(1))),
    count: async (projectId: string): Promise<number> => (await first(read(() => countOf(projectId))))?.rows ?? 0,
    /** The newest first. @throws InvalidCursor */
    list: async (projectId: string, { limit, cursor }: Page): Promise<{ rows: ScheduleRow[]; next: string | null }> => {
      const [at, id] = cursor === undefined ? [] : decodeCursor('schedules', cursor, ['number', 'string']);
      const before = at === undefined ? undefined : sql`(${schedules.createdAt}, ${schedules.id}) < (${at}, ${id})`;
      const rows = await read(() =>
        handle
          .select()
          .from(schedules)
          .where(and(eq(schedules.projectId, projectId), before))
          .orderBy(desc(schedules.createdAt), desc(schedules.id))
          .limit(limit + 1),
      );
      const last = rows.length > limit ? rows[limit - 1] : undefined;
      return {
        rows: rows.slice(0, limit),
        next: last === undefined ? null : encodeCursor('schedules', [last.createdAt, last.id]),
      };
    },
    change: (projectId: string, id: string, patch: SchedulePatch): Promise<ScheduleRow | undefined> =>
      first(commit(() => handle.update(schedules).set(patch).where(isOf(projectId, id)).returning(), durable)),
    /** Changes a schedule that is as it was read; undefined: it was changed, has run or was deleted meanwhile. */
    changeAsRead: (plan: SchedulePlan, patch: SchedulePatch): Promise<ScheduleRow | undefined> =>
      first(commit(() => handle.update(schedules).set(patch).where(isAsRead(plan)).returning(), durable)),
    remove: async (projectId: string, id: string): Promise<boolean> => {
      await commit(() => handle.delete(scheduleRuns).where(eq(scheduleRuns.scheduleId, id)), durable);
      const gone = await commit(() => handle.delete(schedules).where(isOf(projectId, id)).returning(), durable);
      return gone.length > 0;
    },
    /** Schedules whose time has come: of each project its earliest, then of each its second, and so on. */
    due: async (at: number, limit: number): Promise<ScheduleRow[]> => {
      const turn = sql`row_number() over (partition by ${schedules.projectId} order by ${schedules.nextAt}, ${schedules.id})`;
      const found = await read(() =>
        handle
          .select({ id: schedules.id })
          .from(schedules)
          .where(and(isNotNull(schedules.nextAt), isPaused(false), lte(schedules.nextAt, at)))
          .orderBy(turn, asc(schedules.nextAt), asc(schedules.id))
          .limit(limit),
      );
      const ids = found.map(({ id }) => id);
      if (ids.length === 0) return [];
      const rows = await read(() => handle.select().from(schedules).where(inArray(schedules.id, ids)));
      return rows.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
    },
    /** Schedules of a server without a time of their own: they run before its restarts. */
    beforeRestarts: (projectId: string, serverId: string): Promise<ScheduleRow[]> =>
      read(() =>
        handle
          .select()
          .from(schedules)
          .where(
            and(
              eq(schedules.projectId, projectId),
              eq(schedules.serverId, serverId),
              isPaused(false),
              sql`next_at is null`,
            ),
          ),
      ),
    /** Sets the next times. False: another node has, or the schedule was changed since it was read. */
    advance: async (plan: SchedulePlan, to: Plan, at: number): Promise<boolean> => {
      const update = () =>
        handle
          .update(schedules)
          .set({ ...to, updatedAt: at })
          .where(isAsRead(plan))
          .returning();
      return (await commit(update, durable)).length > 0;
    },
    /** The times of schedules that are not paused, in the order of their ids. */
    plans: (afterId: string, limit: number): Promise<SchedulePlan[]> => {
      const { id, projectId, when, nextAt, nextTimes, updatedAt } = schedules;
      return read(() =>
        handle
          .select({ id, projectId, when, nextAt, nextTimes, updatedAt })
          .from(schedules)
          .where(and(gt(id, afterId), isPaused(false)))
          .orderBy(asc(id))
          .limit(limit),
      );
    },
    /** Sets other times for the same plan, unless it was changed or has run since it was read. */
    replan: async (plan: SchedulePlan, to: Plan): Promise<boolean> => {
      const isSame = and(isAsRead(plan), isPaused(false));
      return (await commit(() => handle.update(schedules).set(to).where(isSame).returning(), durable)).length > 0;
    },
    ...scheduleRunQueries(database),
  };
};
