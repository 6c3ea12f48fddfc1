import type { Logger } from 'pino';
import { DatabaseError } from '../../db/port/errors.ts';
import type { ScheduleRun } from '../../db/queries/schedule-runs.ts';
import type { ScheduleRow } from '../../db/queries/schedules.ts';
import type { Store } from '../../db/store.ts';
import type { Events } from '../cluster/events.ts';
import type { Commands } from '../commands/commands.ts';
import { HubError } from '../platform/errors.ts';
import { isoTime } from '../platform/iso-time.ts';
import { createMakeRun } from './make-run.ts';
import { keyOrRefusal, type Problem } from './task.ts';
import { createTries } from './tries.ts';

/** A run that a node began and did not end for this long is begun again, with the same idempotency key. */
const UNFINISHED_MS = 30_000;
const NO_LOOK = 'No hub could look for it at its time, or the clock was set forward.';
/** Why the hub cannot know about a run that was planned before a backup took the place of its database. */
const RESTORED = {
  code: 'restored',
  message: 'A backup was restored since, so this run may have been made before: look in the game.',
};

type RunKey = Pick<ScheduleRun, 'scheduleId' | 'plannedAt'>;

export type RunsParts = {
  store: Pick<Store, 'schedules' | 'apiKeys' | 'projects' | 'commands' | 'batches' | 'sessions'>;
  commands: Pick<Commands, 'submit' | 'acceptBatch'>;
  events: Pick<Events, 'publish'>;
  log: Logger;
  now: () => number;
};

/** Claims and carries out runs. Two nodes never make one twice: the row of a run has the planned time as its key. */
export const createRuns = ({ store, commands, events, log, now }: RunsParts) => {
  const makeRun = createMakeRun({ store, commands, now });
  const tries = createTries({ store, now });

  /** Why a run did not happen, as far as the hub knows. */
  const known = async ({ plannedAt }: RunKey, why: Problem): Promise<Problem> => {
    const restoredAt = await store.commands.lastRestored();
    if (restoredAt === undefined || plannedAt > restoredAt) return why;
    return { ...RESTORED, message: `${RESTORED.message} ${why.message}` };
  };

  /** A planned run that does not happen is told, because a salary would be missed otherwise. */
  const tell = (schedule: ScheduleRow, run: Pick<ScheduleRun, 'plannedAt' | 'status'>, why: Problem, last?: number) => {
    const { id, projectId, serverId, label } = schedule;
    const plannedAt = isoTime(run.plannedAt);
    const until = last === undefined ? {} : { lastPlannedAt: isoTime(last) };
    const what = why.code === RESTORED.code ? 'is not known to have happened' : 'did not happen';
    log.warn({ projectId, scheduleId: id, serverId, plannedAt, ...until, ...why }, `a planned run ${what}`);
    const data = { id, label, plannedAt, ...until, status: run.status, ...why };
    events.publish(projectId, { type: 'schedule.refused', serverId, data });
  };

  const pause = async (schedule: ScheduleRow, reason: string): Promise<void> => {
    const { projectId, serverId, id, label } = schedule;
    await store.schedules.change(projectId, id, { paused: true, pausedBy: reason, updatedAt: now() });
    events.publish(projectId, { type: 'schedule.paused', serverId, data: { id, label, reason } });
  };

  /** Pauses a schedule whose times cannot be computed, so that it does not stop those of others. @throws DatabaseError */
  const pauseFaulty = async (schedule: ScheduleRow, error: unknown): Promise<void> => {
    if (error instanceof DatabaseError) throw error;
    log.error({ err: error, scheduleId: schedule.id }, 'a schedule cannot be planned; it is paused');
    await pause(schedule, error instanceof Error ? error.message : String(error));
  };

  const claim = (
    { id, projectId }: ScheduleRow,
    plannedAt: number,
    status: ScheduleRun['status'],
    error: Problem | null = null,
  ): Promise<boolean> =>
    store.schedules.claim({ scheduleId: id, plannedAt, projectId, status, madeId: null, error, touchedAt: now() });

  /** False: another node has ended it. */
  const end = (run: RunKey, changes: Partial<ScheduleRun>): Promise<boolean> => {
    tries.forget(run);
    return store.schedules.finish(run, { touchedAt: now(), ...changes });
  };

  const refuse = async (schedule: ScheduleRow, run: RunKey, why: Problem): Promise<void> => {
    const error = await known(run, why);
    if (await end(run, { status: 'refused', error })) tell(schedule, { ...run, status: 'refused' }, error);
  };

  const carryOut = async (schedule: ScheduleRow, plannedAt: number, earlier: Problem | null): Promise<void> => {
    const { id: scheduleId, projectId } = schedule;
    const run = { scheduleId, plannedAt, error: earlier };
    const [found, project] = await Promise.all([
      store.apiKeys.find(projectId, schedule.keyId),
      store.projects.byId(projectId),
    ]);
    if (project === undefined) return store.schedules.forget(run);
    const key = keyOrRefusal(found, schedule, now());
    if (typeof key === 'string') {
      await refuse(schedule, run, { code: 'insufficient_scope', message: key });
      return pause(schedule, key);
    }
    try {
      const mayBeLate = tries.mayBeLate(schedule, run);
      const madeId = await makeRun(schedule, { key, project }, { plannedAt, mayBeLate });
      await end(run, { status: 'done', madeId, error: null });
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      const latest = { code: error.code, message: error.message };
      const why = error.code === 'expired' ? (earlier ?? latest) : latest;
      if (!(await tries.isAgain(schedule, run, error))) return refuse(schedule, run, why);
      const triedAgainAt = now() + tries.delayMs(schedule, run, error);
      await store.schedules.finish(run, { error: why, touchedAt: triedAgainAt - UNFINISHED_MS });
    }
  };

  /** Carries out a claimed run. After a failure it is taken up again like one that another node has left. */
  const carryOutClaimed = async (
    schedule: ScheduleRow,
    plannedAt: number,
    earlier: Problem | null = null,
  ): Promise<void> => {
    try {
      await carryOut(schedule, plannedAt, earlier);
    } catch (error) {
      log.error({ err: error, scheduleId: schedule.id }, 'a run failed; it is begun again');
    }
  };

  return {
    claim,
    pauseFaulty,
    carryOut: carryOutClaimed,
    /** Books the planned times from `plannedAt` to `last` as missed. */
    miss: async (schedule: ScheduleRow, plannedAt: number, last: number, message = NO_LOOK): Promise<void> => {
      const why = await known({ scheduleId: schedule.id, plannedAt }, { code: 'missed', message });
      const error = why.code === RESTORED.code ? why : null;
      if (!(await claim(schedule, plannedAt, 'missed', error))) return;
      tell(schedule, { plannedAt, status: 'missed' }, why, last > plannedAt ? last : undefined);
    },
    /** Continues runs that were refused for the moment or that a node has left; those of deleted schedules are deleted. */
    takeOver: async (): Promise<void> => {
      const unfinished = await store.schedules.unfinished(now() - UNFINISHED_MS);
      const goOn = async (run: ScheduleRun): Promise<void> => {
        if (!(await store.schedules.takeUp(run, now()))) return;
        const schedule = await store.schedules.get(run.projectId, run.scheduleId);
        if (schedule === undefined) await store.schedules.forget(run);
        else await carryOutClaimed(schedule, run.plannedAt, run.error);
      };
      await Promise.all(unfinished.map(goOn));
    },
  };
};
export type Runs = ReturnType<typeof createRuns>;
