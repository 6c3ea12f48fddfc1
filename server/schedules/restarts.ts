import type { ScheduleRun } from '../../db/queries/schedule-runs.ts';
import type { ScheduleRow } from '../../db/queries/schedules.ts';
import type { Store } from '../../db/store.ts';
import type { Router, Session } from '../cluster/router.ts';
import type { Runs } from './runs.ts';

/** A run before a restart that is later than this is missed. */
const LATEST_MS = 60_000;
const TOO_LATE = 'The restart was announced too late for it, or no hub ran at its time.';
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
  runs: Pick<Runs, 'claim' | 'carryOut' | 'miss'>;
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
      for (const run of before) await store.schedules.note(run, TAKEN_BACK);
    }
    marked.set(session, takenBackAt);
  };

  const runBefore = async (
    { schedule, aheadMs }: { schedule: ScheduleRow; aheadMs: number },
    plannedAt: number,
    takenBackAt: number,
  ): Promise<void> => {
    const isMissed = now() - plannedAt > LATEST_MS;
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
    const at = now();
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
