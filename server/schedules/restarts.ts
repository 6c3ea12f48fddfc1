import type { ScheduleRun } from '../../db/queries/schedule-runs.ts';
import type { ScheduleRow } from '../../db/queries/schedules.ts';
import type { Store } from '../../db/store.ts';
import type { Router, Session } from '../cluster/router.ts';
import type { Runs } from './runs.ts';

/** A run before a restart that is later than this is not made: the restart was announced too late. */
const LATEST_MS = 60_000;
/** Two restarts are further apart. */
const SAME_RESTART_MS = 300_000;
const MINUTE_MS = 60_000;
/** Marks runs before a restart that was taken back, also for later processes of the hub. */
const TAKEN_BACK = { code: 'restart_taken_back', message: 'The restart was taken back after the run.' };

/** Runs schedules before restarts that a bridge of this node has announced. */
export const createRestarts = ({
  store,
  router,
  runs,
  now,
}: {
  store: Pick<Store, 'schedules'>;
  router: Pick<Router, 'all'>;
  runs: Pick<Runs, 'claim' | 'carryOut'>;
  now: () => number;
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
      for (const run of before) await store.schedules.finish(run, { error: TAKEN_BACK });
    }
    marked.set(session, takenBackAt);
  };

  const runBefore = async (schedule: ScheduleRow, plannedAt: number, takenBackAt: number): Promise<void> => {
    // Announcements of one restart differ by seconds.
    const isSame = (run: ScheduleRun): boolean =>
      Math.abs(run.plannedAt - plannedAt) < SAME_RESTART_MS &&
      run.error?.code !== TAKEN_BACK.code &&
      run.touchedAt > takenBackAt;
    if ((await store.schedules.runs(schedule.id)).some(isSame)) return;
    if (await runs.claim(schedule, plannedAt, 'started')) await runs.carryOut(schedule, plannedAt);
    await store.schedules.prune(schedule.id);
  };

  return async (): Promise<void> => {
    const at = now();
    for (const session of router.all()) {
      const { restartAt = 0, takenBackAt = 0 } = session.state;
      if (takenBackAt > (marked.get(session) ?? 0)) await markTakenBack(session, takenBackAt);
      if (restartAt <= at) continue;
      for (const { schedule, aheadMs } of await schedulesOf(session)) {
        const plannedAt = restartAt - aheadMs;
        if (plannedAt <= at && at - plannedAt <= LATEST_MS) await runBefore(schedule, plannedAt, takenBackAt);
      }
    }
  };
};
