import { sql } from 'drizzle-orm';
import type { Abort, Matching } from './batches.ts';
import type { Columns } from './columns.ts';
import type { Actor, Deliver } from './commands.ts';

/** A command, or with `targets` a batch. `params` of a command have the target. */
export type Task = {
  name: string;
  params: Record<string, unknown>;
  targets?: string[] | Matching | undefined;
  deliver?: Deliver | 'now' | undefined;
  expiresInSeconds?: number | undefined;
  abort?: Abort | undefined;
};
/** Once at an instant; by a cron expression in a time zone; or so many minutes before each announced restart. */
export type When = { at: string } | { cron: string; timeZone: string } | { before: 'restart'; minutes: number };
/** `started` with an error: it is tried again. `missed`: no hub could begin it in time. `refused`: see the error. */
export const RUN_STATUSES = ['started', 'done', 'refused', 'missed'] as const;

/** Commands and batches that run at a time, and their runs. */
export const scheduleTables = (c: Columns) => {
  const schedules = c.table(
    'schedules',
    {
      id: c.text('id').primaryKey(),
      projectId: c.text('project_id').notNull(),
      serverId: c.text('server_id').notNull(),
      label: c.text('label').notNull(),
      task: c.json<Task>('task').notNull(),
      when: c.json<When>('runs_when').notNull(),
      missed: c.text<'skip' | 'run_once'>('missed').notNull(),
      /** The key that made it: the key's rights at each run decide. */
      keyId: c.text('key_id').notNull(),
      actor: c.json<Actor>('actor').notNull(),
      paused: c.flag('paused').notNull(),
      /** Why the hub paused it. */
      pausedBy: c.text('paused_by'),
      /** Null: it has no further run, or runs before restarts. */
      nextAt: c.instant('next_at'),
      /** The next five times from `nextAt` on; null: they have to be computed. */
      nextTimes: c.json<number[]>('next_times'),
      createdAt: c.instant('created_at').notNull(),
      updatedAt: c.instant('updated_at').notNull(),
      /** Odd: its pause is owed to the project's events. Half of it counts the pauses. Null: the project keeps none. */
      outbox: c.int('outbox'),
    },
    (t) => [
      c.index('schedules_project').on(t.projectId, t.createdAt, t.id),
      c.index('schedules_owed').on(t.projectId, t.id).where(sql`outbox % 2 = 1`),
      c.index('schedules_next').on(t.nextAt).where(sql`next_at is not null and not paused`),
    ],
  );
  const scheduleRuns = c.table(
    'schedule_runs',
    {
      scheduleId: c.text('schedule_id').notNull(),
      /** The planned time, which is also its identity: it runs once. */
      plannedAt: c.instant('planned_at').notNull(),
      projectId: c.text('project_id').notNull(),
      status: c.text<(typeof RUN_STATUSES)[number]>('status').notNull(),
      /** The command or the batch. */
      madeId: c.text('made_id'),
      error: c.json<{ code: string; message: string }>('error'),
      /** When a node last worked on it. */
      touchedAt: c.instant('touched_at').notNull(),
      /** Of a missed run that stands for several: the last planned time among them. */
      lastPlannedAt: c.instant('last_planned_at'),
      /** 1: its end is owed to the project's events. Null: the project keeps none. */
      outbox: c.int('outbox'),
    },
    (t) => [
      c.primaryKey({ name: 'schedule_runs_pk', columns: [t.scheduleId, t.plannedAt] }),
      c.index('schedule_runs_open').on(t.touchedAt).where(sql`status = 'started'`),
      c.index('schedule_runs_owed').on(t.projectId, t.plannedAt).where(sql`outbox > 0`),
      c.index('schedule_runs_refused').on(t.projectId, t.touchedAt).where(sql`status in ('refused', 'missed')`),
    ],
  );
  /**
   * When any node last looked for due schedules, and each gap between two looks: planned times in it were missed. A gap
   * has its begin in the id and its end in `at`. `restored`: when a backup took the place of the database.
   */
  const scheduleLooks = c.table('schedule_looks', {
    id: c.text<'last' | 'restored' | `gap/${number}`>('id').primaryKey(),
    at: c.instant('at').notNull(),
  });
  return { schedules, scheduleRuns, scheduleLooks };
};
