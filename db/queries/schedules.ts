import { and, asc, count, desc, eq, isNotNull, lt, lte, ne, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../port/database.ts';
import type { Tables } from '../schema/tables.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { literally } from './expressions.ts';

export type ScheduleRow = Tables['schedules']['$inferSelect'];
export type ScheduleRun = Tables['scheduleRuns']['$inferSelect'];
export type SchedulePatch = Partial<Omit<ScheduleRow, 'id' | 'projectId' | 'createdAt'>>;
type Page = { limit: number; cursor?: string | undefined };
const KEPT_RUNS = 100;

/** Schedules and their runs. The primary key of a run decides which node runs it. */
export const scheduleQueries = (database: Database) => {
  const { handle, tables, read, commit } = database;
  const { schedules, scheduleRuns } = tables;
  const durable = { durable: true };
  const first = async <T>(rows: Promise<T[]>): Promise<T | undefined> => (await rows)[0];
  const isOf = (projectId: string, id: string): SQL | undefined =>
    and(eq(schedules.projectId, projectId), eq(schedules.id, id));
  const isPaused = (paused: boolean): SQL => literally(eq(schedules.paused, paused));

  return {
    /** Undefined: there is one with this id. */
    create: (row: ScheduleRow): Promise<ScheduleRow | undefined> =>
      first(commit(() => handle.insert(schedules).values(row).onConflictDoNothing().returning(), durable)),
    get: (projectId: string, id: string): Promise<ScheduleRow | undefined> =>
      first(read(() => handle.select().from(schedules).where(isOf(projectId, id)).limit(1))),
    count: async (projectId: string): Promise<number> => {
      const rows = () => handle.select({ rows: count() }).from(schedules).where(eq(schedules.projectId, projectId));
      return (await first(read(rows)))?.rows ?? 0;
    },
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
    remove: async (projectId: string, id: string): Promise<boolean> => {
      await commit(() => handle.delete(scheduleRuns).where(eq(scheduleRuns.scheduleId, id)), durable);
      const gone = await commit(() => handle.delete(schedules).where(isOf(projectId, id)).returning(), durable);
      return gone.length > 0;
    },
    /** Schedules whose time has come, the earliest first. */
    due: (at: number, limit: number): Promise<ScheduleRow[]> =>
      read(() =>
        handle
          .select()
          .from(schedules)
          .where(and(isNotNull(schedules.nextAt), isPaused(false), lte(schedules.nextAt, at)))
          .orderBy(asc(schedules.nextAt))
          .limit(limit),
      ),
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
    /** Sets the next time, unless another node has. */
    advance: (id: string, from: number, to: number | null, at: number): Promise<ScheduleRow | undefined> =>
      first(
        commit(
          () =>
            handle
              .update(schedules)
              .set({ nextAt: to, updatedAt: at })
              .where(and(eq(schedules.id, id), eq(schedules.nextAt, from)))
              .returning(),
          durable,
        ),
      ),
    /** Claims a run. False: another node has it. */
    claim: async (run: ScheduleRun): Promise<boolean> => {
      const insert = () => handle.insert(scheduleRuns).values(run).onConflictDoNothing().returning();
      return (await commit(insert, durable)).length > 0;
    },
    finish: async (
      run: Pick<ScheduleRun, 'scheduleId' | 'plannedAt'>,
      changes: Partial<ScheduleRun>,
    ): Promise<void> => {
      const { scheduleId, plannedAt } = run;
      await commit(
        () =>
          handle
            .update(scheduleRuns)
            .set(changes)
            .where(and(eq(scheduleRuns.scheduleId, scheduleId), eq(scheduleRuns.plannedAt, plannedAt))),
        durable,
      );
    },
    /** Deletes a run whose schedule or project is gone. */
    forget: async ({ scheduleId, plannedAt }: Pick<ScheduleRun, 'scheduleId' | 'plannedAt'>): Promise<void> => {
      const isIt = and(eq(scheduleRuns.scheduleId, scheduleId), eq(scheduleRuns.plannedAt, plannedAt));
      await commit(() => handle.delete(scheduleRuns).where(isIt), durable);
    },
    /** Keeps the newest runs of a schedule, and all that have not ended. */
    prune: async (scheduleId: string): Promise<void> => {
      const isOfIt = eq(scheduleRuns.scheduleId, scheduleId);
      const oldestKept = handle
        .select({ at: scheduleRuns.plannedAt })
        .from(scheduleRuns)
        .where(isOfIt)
        .orderBy(desc(scheduleRuns.plannedAt))
        .limit(1)
        .offset(KEPT_RUNS - 1);
      const isOld = sql`${scheduleRuns.plannedAt} < ${oldestKept}`;
      await commit(() => handle.delete(scheduleRuns).where(and(isOfIt, isOld, ne(scheduleRuns.status, 'started'))));
    },
    /** Runs that a node began and did not end since (epoch milliseconds), the longest untouched first. */
    unfinished: (touchedBefore: number): Promise<ScheduleRun[]> =>
      read(() =>
        handle
          .select()
          .from(scheduleRuns)
          .where(and(literally(eq(scheduleRuns.status, 'started')), lt(scheduleRuns.touchedAt, touchedBefore)))
          .orderBy(asc(scheduleRuns.touchedAt))
          .limit(50),
      ),
    /** The last runs, the newest first. */
    runs: (scheduleId: string): Promise<ScheduleRun[]> =>
      read(() =>
        handle
          .select()
          .from(scheduleRuns)
          .where(eq(scheduleRuns.scheduleId, scheduleId))
          .orderBy(desc(scheduleRuns.plannedAt))
          .limit(KEPT_RUNS),
      ),
  };
};
