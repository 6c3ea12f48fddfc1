import type { Gap } from '../../db/queries/schedule-runs.ts';
import type { ScheduleRow } from '../../db/queries/schedules.ts';
import type { Router } from '../cluster/router.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Phase } from '../platform/shutdown.ts';
import { createLooks } from './looks.ts';
import { createDriftWatch, createReplan } from './replan.ts';
import { createRestarts } from './restarts.ts';
import { createRuns, type RunsParts } from './runs.ts';
import { lastTime, planAfter, planFrom } from './times.ts';

const AT_ONCE = 50;
const RESTARTS_EVERY_MS = 5_000;
/** A backlog that is later than this is logged. */
const LATE_MS = 5_000;
const LOG_LATE_EVERY_MS = 60_000;

/** Runs schedules. */
export const createSchedules = (
  parts: RunsParts & {
    router: Pick<Router, 'all'>;
    metrics: Pick<Metrics, 'schedulesLate'>;
    phase: Readonly<Pick<Phase, 'isDraining'>>;
  },
) => {
  const { store, log, metrics, phase, now } = parts;
  const runs = createRuns(parts);
  const looks = createLooks({ store, log });
  const replan = createReplan({ store, runs });
  const runBeforeRestarts = createRestarts({ ...parts, runs });
  const hasDrifted = createDriftWatch(now);
  /** True from the start on. */
  let mustReplan = true;
  let restartsAt = 0;
  let logLateAt = 0;

  const gapOf = (at: number, gaps: readonly Gap[]): Gap | undefined =>
    gaps.find(({ from, to }) => from < at && at <= to);

  type Plan = ReturnType<typeof planFrom>;
  /** Sets the next times, by the schedule as it is now: a caller may have changed it since it was read. */
  const moveOn = async (read: ScheduleRow, planOf: (schedule: ScheduleRow) => Plan): Promise<void> => {
    let schedule: ScheduleRow | undefined = read;
    while (schedule !== undefined && schedule.nextAt === read.nextAt) {
      if (await store.schedules.advance(schedule, planOf(schedule), now())) return;
      schedule = await store.schedules.get(read.projectId, read.id);
    }
  };

  /** Makes the run of a planned time, however late it is. Its command comes last, so that other schedules need not wait. */
  const make = async (schedule: ScheduleRow, plannedAt: number): Promise<void> => {
    const planOf = ({ when, nextTimes }: ScheduleRow): Plan => planAfter(when, plannedAt, nextTimes);
    // A schedule whose next time cannot be computed is paused, and makes no run.
    planOf(schedule);
    const isOurs = await runs.claim(schedule, plannedAt, 'started');
    await moveOn(schedule, planOf);
    if (isOurs) await runs.carryOut(schedule, plannedAt);
  };

  /** After a gap, one run stands for all that were missed. Its key is the last one of them. */
  const catchUp = async (schedule: ScheduleRow, first: number, { to }: Gap): Promise<void> => {
    const { when, missed } = schedule;
    const last = lastTime(when, first, to);
    const isOurs = missed === 'run_once' && (await runs.claim(schedule, last, 'started'));
    if (missed === 'skip') await runs.miss(schedule, first, last);
    await moveOn(schedule, (latest) => planFrom(latest.when, to));
    if (isOurs) await runs.carryOut(schedule, last);
  };

  const runDue = async (schedule: ScheduleRow, gaps: readonly Gap[]): Promise<void> => {
    const { nextAt } = schedule;
    if (nextAt === null) return;
    const gap = gapOf(nextAt, gaps);
    try {
      await (gap === undefined ? make(schedule, nextAt) : catchUp(schedule, nextAt, gap));
    } catch (error) {
      await runs.pauseFaulty(schedule, error);
    }
    await store.schedules.prune(schedule.id);
  };

  /** A late run of one project must not delay those of others: they are taken in turn. */
  const runAllDue = async (): Promise<void> => {
    let lateMs = 0;
    while (!phase.isDraining) {
      const at = now();
      const gaps = await looks.look(at);
      const due = await store.schedules.due(at, AT_ONCE);
      if (due.length === 0) {
        await looks.close(gaps);
        break;
      }
      const late = due.map(({ nextAt }) => (gapOf(nextAt ?? at, gaps) === undefined ? at - (nextAt ?? at) : 0));
      lateMs = Math.max(lateMs, ...late);
      const ended = await Promise.allSettled(due.map((schedule) => runDue(schedule, gaps)));
      const failed = ended.find((end) => end.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    }
    metrics.schedulesLate.set(lateMs / 1_000);
    if (lateMs <= LATE_MS || performance.now() < logLateAt) return;
    logLateAt = performance.now() + LOG_LATE_EVERY_MS;
    log.warn({ lateMs }, 'planned runs are late');
  };

  const runPlanned = async (): Promise<void> => {
    if (hasDrifted()) mustReplan = true;
    if (mustReplan) {
      // Planned times that the clock has skipped are found before the next ones are computed.
      await looks.look(now());
      await replan(now());
      mustReplan = false;
    }
    await runAllDue();
  };

  const runOthers = async (): Promise<void> => {
    await runs.takeOver();
    if (performance.now() < restartsAt) return;
    restartsAt = performance.now() + RESTARTS_EVERY_MS;
    await runBeforeRestarts();
  };

  return {
    /** Once a second. A failure in the planned runs does not stop the others. */
    tick: async (): Promise<void> => {
      try {
        await runPlanned();
      } finally {
        await runOthers();
      }
    },
  };
};
export type Schedules = ReturnType<typeof createSchedules>;
