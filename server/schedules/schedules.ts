import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { Gap, SchedulePlan, ScheduleRow, ScheduleRun } from '../../db/queries/schedules.ts';
import type { Store } from '../../db/store.ts';
import type { Router, Session } from '../cluster/router.ts';
import type { Phase } from '../platform/background.ts';
import type { Metrics } from '../platform/metrics.ts';
import { createRuns, type Runs, type RunsParts } from './runs.ts';
import { lastTime, nextTimes, planAfter, planFrom } from './times.ts';

/** Between two looks that are further apart is a gap: no hub could look, or the clock was set forward. */
const GAP_MS = 60_000;
/** The stored look may be so much older than the last one. */
const STORE_EVERY_MS = 10_000;
/** Clocks of nodes differ by less. */
const CLOCK_MS = 5_000;

/** Tells in which gaps planned times were missed. A late run is not missed: a node was there at its time. */
const createLooks = ({ store, log }: { store: Pick<Store, 'schedules'>; log: Logger }) => {
  let storeAt = 0;

  /** Stores the gap between the last stored look and this one. Only what is stored counts: a look that failed is none. */
  const openGap = async (from: number | undefined, to: number): Promise<void> => {
    if (from === undefined) {
      // The first look with this database, which may be older than the table of looks.
      await store.schedules.openGap({ from: 0, to: to - GAP_MS });
    } else {
      await store.schedules.openGap({ from, to });
      log.warn(
        { from: new Date(from), to: new Date(to) },
        'no hub looked for planned runs; those in between are missed',
      );
    }
    // At once: a gap that was stored without this look would be found again.
    await store.schedules.looked(to);
  };

  return {
    /** Looks at the clock. The gaps are those whose planned times are not all booked yet. */
    look: async (at: number): Promise<Gap[]> => {
      let { last, gaps } = await store.schedules.looks();
      if (Math.max(last ?? 0, ...gaps.map(({ to }) => to)) > at + CLOCK_MS) {
        await store.schedules.setLooksBack(at);
        ({ last, gaps } = await store.schedules.looks());
      }
      if (last === undefined || at - last > GAP_MS + STORE_EVERY_MS) {
        await openGap(last, at);
        ({ gaps } = await store.schedules.looks());
      }
      if (performance.now() >= storeAt) {
        await store.schedules.looked(at);
        storeAt = performance.now() + STORE_EVERY_MS;
      }
      return gaps;
    },
    /** All planned times in these gaps are booked. */
    close: async (gaps: readonly Gap[]): Promise<void> => {
      for (const gap of gaps) await store.schedules.closeGap(gap);
    },
  };
};

const PAGE = 50;

/** True once after each jump of the wall clock, by which it drifts from the monotonic one. */
const createDriftWatch = (): (() => boolean) => {
  let offset = Date.now() - performance.now();
  return () => {
    const current = Date.now() - performance.now();
    if (Math.abs(current - offset) <= CLOCK_MS) return false;
    offset = current;
    return true;
  };
};

const isSame = (plan: SchedulePlan, { nextAt, nextTimes: times }: ReturnType<typeof planFrom>): boolean =>
  plan.nextAt === nextAt && isDeepStrictEqual(plan.nextTimes ?? [], times);

/** Computes the next times of all schedules again: a wrong clock, or older rules for time zones, may have set them. */
const createReplan = ({ store, runs }: { store: Pick<Store, 'schedules'>; runs: Pick<Runs, 'pauseFaulty'> }) => {
  /** The next times that have no run: what was run under a clock that was ahead is not run again. */
  const openTimes = async ({ id, when }: SchedulePlan, at: number): Promise<ReturnType<typeof planFrom>> => {
    const taken = new Set(await store.schedules.plannedAfter(id, at));
    const shown = planFrom(when, at).nextTimes.length;
    const open = nextTimes(when, at, shown + taken.size).filter((time) => !taken.has(time));
    return { nextAt: open[0] ?? null, nextTimes: open.slice(0, shown) };
  };

  const replanOne = async (plan: SchedulePlan, at: number): Promise<void> => {
    // A time that has come is run or booked as missed first.
    if ((plan.nextAt !== null && plan.nextAt <= at) || isSame(plan, planFrom(plan.when, at))) return;
    await store.schedules.forgetMissed(plan.id, at + CLOCK_MS);
    const open = await openTimes(plan, at);
    if (!isSame(plan, open)) await store.schedules.changeAsRead(plan, open);
  };

  /** A time that this hub cannot read pauses its schedule. */
  const pauseUnread = async ({ id, projectId }: SchedulePlan, error: unknown): Promise<void> => {
    const schedule = await store.schedules.get(projectId, id);
    if (schedule !== undefined) await runs.pauseFaulty(schedule, error);
  };

  return async (at: number): Promise<void> => {
    let page: SchedulePlan[] = [];
    do {
      page = await store.schedules.plans(page.at(-1)?.id ?? '', PAGE);
      for (const plan of page) await replanOne(plan, at).catch((error: unknown) => pauseUnread(plan, error));
      await nextTurn();
    } while (page.length === PAGE);
  };
};

/** A run before a restart that is later than this is missed. */
const LATEST_MS = 60_000;
const TOO_LATE = 'The restart was announced too late for it, or no hub ran at its time.';
/** Two restarts are further apart. */
const SAME_RESTART_MS = 300_000;
const MINUTE_MS = 60_000;
/** Marks runs before a restart that was taken back, also for later processes of the hub. */
const TAKEN_BACK = { code: 'restart_taken_back', message: 'The restart was taken back after the run.' };

/** Runs schedules before restarts that a bridge of this node has announced. */
const createRestarts = ({
  store,
  router,
  runs,
}: {
  store: Pick<Store, 'schedules'>;
  router: Pick<Router, 'all'>;
  runs: Pick<Runs, 'claim' | 'carryOut' | 'miss'>;
}) => {
  /** When the taking back was marked that a session told last. */
  const marked = new WeakMap<Session, number>();

  const schedulesOf = async ({ projectId, serverId }: Session) =>
    (await store.schedules.beforeRestarts(projectId, serverId)).flatMap((schedule) =>
      'before' in schedule.when ? [{ schedule, aheadMs: schedule.when.minutes * MINUTE_MS }] : [],
    );

  const markTakenBack = async (session: Session, takenBackAt: number): Promise<void> => {
    for (const { schedule, aheadMs } of await schedulesOf(session)) {
      const isBefore = ({ plannedAt, touchedAt, status }: ScheduleRun): boolean =>
        status === 'done' && touchedAt <= takenBackAt && plannedAt + aheadMs > takenBackAt;
      const before = (await store.schedules.runs(schedule.id)).filter(isBefore);
      for (const run of before) await store.schedules.note(run, TAKEN_BACK);
    }
    marked.set(session, takenBackAt);
  };

  const runBefore = async (
    { schedule, aheadMs }: { schedule: ScheduleRow; aheadMs: number },
    plannedAt: number,
    takenBackAt: number,
  ): Promise<void> => {
    const isMissed = Date.now() - plannedAt > LATEST_MS;
    // It was made, changed or resumed after the time.
    if (isMissed && schedule.updatedAt > plannedAt) return;
    // Announcements of one restart differ by seconds. One that was put off after its run has not missed it.
    const apartMs = isMissed ? Math.max(SAME_RESTART_MS, aheadMs) : SAME_RESTART_MS;
    const isSame = (run: ScheduleRun): boolean =>
      Math.abs(run.plannedAt - plannedAt) < apartMs &&
      run.error?.code !== TAKEN_BACK.code &&
      run.touchedAt > takenBackAt &&
      (isMissed || run.status !== 'missed');
    if ((await store.schedules.runs(schedule.id)).some(isSame)) return;
    if (isMissed) await runs.miss(schedule, plannedAt, plannedAt, TOO_LATE);
    else if (await runs.claim(schedule, plannedAt, 'started')) await runs.carryOut(schedule, plannedAt);
    await store.schedules.prune(schedule.id);
  };

  return async (): Promise<void> => {
    const at = Date.now();
    for (const session of router.all()) {
      const { restartAt = 0, takenBackAt = 0 } = session.state;
      if (takenBackAt > (marked.get(session) ?? 0)) await markTakenBack(session, takenBackAt);
      if (restartAt <= at) continue;
      for (const before of await schedulesOf(session)) {
        const plannedAt = restartAt - before.aheadMs;
        if (plannedAt <= at) await runBefore(before, plannedAt, takenBackAt);
      }
    }
  };
};

const AT_ONCE = 50;
/** Announced restarts are looked at each fifth time. */
const RESTARTS_EVERY = 5;
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
  const { store, log, metrics, phase } = parts;
  const runs = createRuns(parts);
  const looks = createLooks({ store, log });
  const replan = createReplan({ store, runs });
  const runBeforeRestarts = createRestarts({ ...parts, runs });
  const hasDrifted = createDriftWatch();
  /** True from the start on. */
  let mustReplan = true;
  let ticks = 0;
  let logLateAt = 0;

  const gapOf = (at: number, gaps: readonly Gap[]): Gap | undefined =>
    gaps.find(({ from, to }) => from < at && at <= to);

  type Plan = ReturnType<typeof planFrom>;
  /** Sets the next times, by the schedule as it is now: a caller may have changed it since it was read. */
  const moveOn = async (read: ScheduleRow, planOf: (schedule: ScheduleRow) => Plan): Promise<void> => {
    let schedule: ScheduleRow | undefined = read;
    while (schedule !== undefined && schedule.nextAt === read.nextAt) {
      const patch = { ...planOf(schedule), updatedAt: Date.now() };
      if ((await store.schedules.changeAsRead(schedule, patch)) !== undefined) return;
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
      const at = Date.now();
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
      await looks.look(Date.now());
      await replan(Date.now());
      mustReplan = false;
    }
    await runAllDue();
  };

  const runOthers = async (): Promise<void> => {
    await runs.takeOver();
    if (ticks % RESTARTS_EVERY === 0) await runBeforeRestarts();
    ticks += 1;
  };

  return {
    /** A failure in the planned runs does not stop the others. */
    tick: async (): Promise<void> => {
      try {
        await runPlanned();
      } finally {
        await runOthers();
      }
    },
  };
};
