import {
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  type SQL,
  sql,
} from 'drizzle-orm';
import { type Database, first, type Insertion, insertWithin } from '../database.ts';
import { atMost, larger, literally, outboxIn } from '../expressions.ts';
import type { Tables } from '../schema/tables.ts';
import { type Page, type PageRequest, readPage } from './cursor.ts';

export type ScheduleRow = Omit<Tables['schedules']['$inferSelect'], 'outbox'>;
export type SchedulePatch = Partial<Omit<ScheduleRow, 'id' | 'projectId' | 'createdAt'>>;
/** The times of a schedule, and what they are made of. */
export type SchedulePlan = Pick<ScheduleRow, 'id' | 'projectId' | 'when' | 'nextAt' | 'nextTimes' | 'updatedAt'>;

/** Schedules, and the queries of their runs. */
export const scheduleQueries = (database: Database) => {
  const { handle, tables, prepare, read, commit } = database;
  const { schedules, scheduleRuns } = tables;
  const durable = { durable: true };
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
  const due = prepare(
    'schedules.due',
    () => {
      const turn = sql`row_number() over (partition by ${schedules.projectId} order by ${schedules.nextAt}, ${schedules.id})`;
      return handle
        .select({ id: schedules.id })
        .from(schedules)
        .where(and(isNotNull(schedules.nextAt), isPaused(false), lte(schedules.nextAt, sql.placeholder('at'))))
        .orderBy(turn, asc(schedules.nextAt), asc(schedules.id))
        .limit(atMost(sql.placeholder('limit')));
    },
    'anew',
  );

  return {
    /** `exists`: there is one with this id. `full`: the project has `most` schedules. */
    create: (row: ScheduleRow, most = Infinity): Promise<Insertion> => {
      const { projectId } = row;
      const values = { ...row, outbox: outboxIn(tables, projectId, 0) };
      const insert = () =>
        handle.insert(schedules).values(values).onConflictDoNothing().returning({ id: schedules.id });
      return insertWithin(database, insert, { key: `schedules/${projectId}`, count: () => countOf(projectId), most });
    },
    get: (projectId: string, id: string): Promise<ScheduleRow | undefined> =>
      first(read(() => handle.select().from(schedules).where(isOf(projectId, id)).limit(1))),
    count: async (projectId: string): Promise<number> => (await first(read(() => countOf(projectId))))?.rows ?? 0,
    /** The newest first. @throws InvalidCursor */
    list: (projectId: string, page: PageRequest): Promise<Page<ScheduleRow>> => {
      const { createdAt, id } = schedules;
      const newest = { list: 'schedules', by: { createdAt, id }, direction: 'desc' } as const;
      return readPage(newest, page, ({ behind, order, rows }) =>
        read(() =>
          handle
            .select()
            .from(schedules)
            .where(and(eq(schedules.projectId, projectId), behind))
            .orderBy(...order)
            .limit(rows),
        ),
      );
    },
    change: (projectId: string, id: string, patch: SchedulePatch): Promise<ScheduleRow | undefined> =>
      first(commit(() => handle.update(schedules).set(patch).where(isOf(projectId, id)).returning(), durable)),
    /** Pauses a schedule for a reason of the hub's. */
    pause: (
      projectId: string,
      id: string,
      { by, at }: { by: string; at: number },
    ): Promise<ScheduleRow | undefined> => {
      // One more pause, which is owed.
      const outbox = sql`coalesce((${schedules.outbox} | 1) + 2, ${outboxIn(tables, projectId, 3)})`;
      const set = { paused: true, pausedBy: by, updatedAt: at, outbox };
      return first(commit(() => handle.update(schedules).set(set).where(isOf(projectId, id)).returning(), durable));
    },
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
      const found = await read(() => due({ at, limit }));
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
    ...scheduleRunQueries(database),
  };
};

export type ScheduleRun = Omit<Tables['scheduleRuns']['$inferSelect'], 'outbox'>;
type RunKey = Pick<ScheduleRun, 'scheduleId' | 'plannedAt'>;
/** No node looked for due schedules between these times (epoch milliseconds). `from` is outside, `to` inside. */
export type Gap = { from: number; to: number };
const KEPT_RUNS = 100;

/** Runs of schedules, and when the hub looked for them. The primary key of a run decides which node runs it. */
const scheduleRunQueries = (database: Database) => {
  const { handle, tables, prepare, read, commit } = database;
  const { schedules, scheduleRuns, scheduleLooks } = tables;
  const durable = { durable: true };

  const storeLook = async (
    id: (typeof scheduleLooks.$inferSelect)['id'],
    at: number,
    set: SQL | number,
  ): Promise<void> => {
    await commit(
      () =>
        handle
          .insert(scheduleLooks)
          .values({ id, at })
          .onConflictDoUpdate({ target: scheduleLooks.id, set: { at: set } }),
      durable,
    );
  };

  const allLooks = prepare('scheduleLooks.all', () => handle.select().from(scheduleLooks));
  const unfinished = prepare(
    'scheduleRuns.unfinished',
    () => {
      const isOld = lt(scheduleRuns.touchedAt, sql.placeholder('touchedBefore'));
      return handle
        .select()
        .from(scheduleRuns)
        .where(and(literally(eq(scheduleRuns.status, 'started')), isOld))
        .orderBy(asc(scheduleRuns.touchedAt))
        .limit(atMost(50));
    },
    'anew',
  );
  const looks = async (): Promise<{ last: number | undefined; gaps: Gap[] }> => {
    const rows = await read(() => allLooks());
    return {
      last: rows.find(({ id }) => id === 'last')?.at,
      gaps: rows.flatMap(({ id, at }) =>
        id.startsWith('gap/') ? [{ from: Number(id.slice('gap/'.length)), to: at }] : [],
      ),
    };
  };
  const closeGap = async ({ from }: Gap): Promise<void> => {
    await commit(() => handle.delete(scheduleLooks).where(eq(scheduleLooks.id, `gap/${from}`)), durable);
  };
  /** Unless the gap was closed meanwhile. */
  const endGap = async ({ from }: Gap, at: number): Promise<void> => {
    await commit(
      () =>
        handle
          .update(scheduleLooks)
          .set({ at })
          .where(eq(scheduleLooks.id, `gap/${from}`)),
      durable,
    );
  };

  const isRun = ({ scheduleId, plannedAt }: RunKey) =>
    and(eq(scheduleRuns.scheduleId, scheduleId), eq(scheduleRuns.plannedAt, plannedAt));

  const changeRun = async (run: RunKey, changes: Partial<ScheduleRun>, ...more: SQL[]): Promise<boolean> => {
    const isOpen = and(isRun(run), eq(scheduleRuns.status, 'started'), ...more);
    const isOver = changes.status !== undefined && changes.status !== 'started';
    const outbox = sql`coalesce(${scheduleRuns.outbox} | 1, ${outboxIn(tables, scheduleRuns.projectId, 1)})`;
    const owed = isOver ? { outbox } : {};
    const update = () =>
      handle
        .update(scheduleRuns)
        .set({ ...changes, ...owed })
        .where(isOpen)
        .returning();
    return (await commit(update, durable)).length > 0;
  };

  return {
    /** Claims a run. False: another node has it. */
    claim: async (
      run: Omit<ScheduleRun, 'lastPlannedAt'> & Partial<Pick<ScheduleRun, 'lastPlannedAt'>>,
    ): Promise<boolean> => {
      const outbox = outboxIn(tables, run.projectId, run.status === 'started' ? 0 : 1);
      const insert = () =>
        handle
          .insert(scheduleRuns)
          .values({ ...run, outbox })
          .onConflictDoNothing()
          .returning();
      return (await commit(insert, durable)).length > 0;
    },
    /** Takes an unfinished run up. False: another node has. */
    takeUp: (run: ScheduleRun, at: number): Promise<boolean> =>
      changeRun(run, { touchedAt: at }, eq(scheduleRuns.touchedAt, run.touchedAt)),
    /** Changes a run that has not ended. False: another node has ended it. */
    finish: (run: RunKey, changes: Partial<ScheduleRun>): Promise<boolean> => changeRun(run, changes),
    /** Notes something about a run that was made. */
    note: async (run: RunKey, error: NonNullable<ScheduleRun['error']>): Promise<void> => {
      await commit(() => handle.update(scheduleRuns).set({ error }).where(isRun(run)), durable);
    },
    /** Deletes a run whose schedule or project is gone. */
    forget: async (run: RunKey): Promise<void> => {
      await commit(() => handle.delete(scheduleRuns).where(isRun(run)), durable);
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
    unfinished: (touchedBefore: number): Promise<ScheduleRun[]> => read(() => unfinished({ touchedBefore })),
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
    /** Planned times after `at` that have a run. */
    plannedAfter: async (scheduleId: string, at: number): Promise<number[]> => {
      const isIt = and(eq(scheduleRuns.scheduleId, scheduleId), gt(scheduleRuns.plannedAt, at));
      const rows = await read(() => handle.select({ at: scheduleRuns.plannedAt }).from(scheduleRuns).where(isIt));
      return rows.map((row) => row.at);
    },
    /** Deletes runs that were booked as missed although their time is still to come. */
    forgetMissed: async (scheduleId: string, after: number): Promise<void> => {
      const isMissed = literally(eq(scheduleRuns.status, 'missed'));
      const isIt = and(eq(scheduleRuns.scheduleId, scheduleId), gt(scheduleRuns.plannedAt, after), isMissed);
      await commit(() => handle.delete(scheduleRuns).where(isIt), durable);
    },
    /** Counts the planned runs of a project, or of some servers, that did not happen since a time. */
    countNotMade: async (projectId: string, since: number, servers?: readonly string[]): Promise<number> => {
      const isNotMade = literally(inArray(scheduleRuns.status, ['refused', 'missed']));
      const isIt = and(eq(scheduleRuns.projectId, projectId), gte(scheduleRuns.touchedAt, since), isNotMade);
      const among = servers === undefined ? undefined : inArray(schedules.serverId, [...servers]);
      const [row] = await read(() =>
        handle
          .select({ rows: count() })
          .from(scheduleRuns)
          .innerJoin(schedules, eq(schedules.id, scheduleRuns.scheduleId))
          .where(and(isIt, among)),
      );
      return row?.rows ?? 0;
    },
    /** When any node last looked for due schedules, and the gaps whose missed times are not all booked. */
    looks,
    looked: (at: number): Promise<void> => storeLook('last', at, larger(scheduleLooks.at)),
    openGap: ({ from, to }: Gap): Promise<void> => storeLook(`gap/${from}`, to, larger(scheduleLooks.at)),
    closeGap,
    /** The clock was set back to `at`: what was looked at after it was a wrong time. A gap before it stays one. */
    setLooksBack: async (at: number): Promise<void> => {
      for (const gap of (await looks()).gaps.filter(({ to }) => to > at)) {
        await (gap.from < at ? endGap(gap, at) : closeGap(gap));
      }
      await storeLook('last', at, at);
    },
  };
};
