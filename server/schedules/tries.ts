import type { ScheduleRun } from '../../db/queries/schedule-runs.ts';
import type { ScheduleRow } from '../../db/queries/schedules.ts';
import type { Store } from '../../db/store.ts';
import type { HubError } from '../platform/errors.ts';
import { secondsOf } from './task.ts';

/** Refusals for a reason of the moment: the run is tried again with its key. */
const PASSING: ReadonlySet<string> = new Set([
  'store_unavailable',
  'draining',
  'routing_unavailable',
  'rate_limited',
  'waiting_full',
  'commands_not_known_yet',
]);
/** After its start, a hub waits so long for the bridges that it had before, and for what they announce. */
const BACK_WITHIN_MS = 60_000;
const AWAITED: ReadonlySet<string> = new Set(['bridge_offline', 'commands_not_known_yet']);
const RETRY_MS = { first: 1_000, most: 60_000, mostForBridge: 5_000 };
/** Forgotten tries only begin again with the first one. */
const MAX_RUNS = 10_000;

type RunKey = Pick<ScheduleRun, 'scheduleId' | 'plannedAt'>;
type Run = RunKey & Pick<ScheduleRun, 'error'>;
/** `since`: by `performance.now()`. `isLate`: it had no time any more when it was tried first. */
type Try = { since: number; isLate: boolean; delayMs: number };

/** Tells for how long a refused run is tried again, and when. */
export const createTries = ({ store, now }: { store: Pick<Store, 'sessions'>; now: () => number }) => {
  const startedAt = now();
  const backBy = performance.now() + BACK_WITHIN_MS;
  const tries = new Map<string, Try>();
  const nameOf = ({ scheduleId, plannedAt }: RunKey): string => `${scheduleId}/${plannedAt}`;

  const isInTime = ({ task }: ScheduleRow, { plannedAt }: RunKey): boolean =>
    now() < plannedAt + secondsOf(task) * 1_000;

  const tryOf = (schedule: ScheduleRow, run: Run): Try => {
    const known = tries.get(nameOf(run));
    if (known !== undefined) return known;
    if (tries.size >= MAX_RUNS) tries.clear();
    const isLate = run.error === null && !isInTime(schedule, run);
    const first = { since: performance.now(), isLate, delayMs: RETRY_MS.first };
    tries.set(nameOf(run), first);
    return first;
  };

  /** Whether the bridge of a server is about to report its players, or expected back since the start of this hub. */
  const isComing = async ({ projectId, serverId }: ScheduleRow, { plannedAt, error }: Run): Promise<boolean> => {
    // Another node, which has just started, may have tried it first.
    if (AWAITED.has(error?.code ?? '') && now() < plannedAt + BACK_WITHIN_MS) return true;
    const last = await store.sessions.get(projectId, serverId);
    if (last === undefined) return false;
    return last.connected || (performance.now() < backBy && last.connectedAt < startedAt);
  };
  const isPassing = async (schedule: ScheduleRow, run: Run, { code }: HubError): Promise<boolean> =>
    PASSING.has(code) || (code === 'bridge_offline' && (await isComing(schedule, run)));

  /** Whether a run may be made after its time: at its first try, or because a bridge or a limit kept it from its time. */
  const mayBeLate = (schedule: ScheduleRow, run: Run): boolean => {
    const { task } = schedule;
    if (task.expiresInSeconds !== undefined) return false;
    const { since, isLate } = tryOf(schedule, run);
    if (run.error === null) return true;
    const isAwaited = AWAITED.has(run.error.code) && performance.now() < backBy;
    return isAwaited || (isLate && performance.now() < since + secondsOf(task) * 1_000);
  };

  return {
    mayBeLate,
    /** Whether a refused run is tried again. */
    isAgain: async (schedule: ScheduleRow, run: Run, error: HubError): Promise<boolean> => {
      // While the command may be stored, the hub must not say that the run did not happen.
      const isOpen = error.extras.executed === 'unknown' || isInTime(schedule, run) || mayBeLate(schedule, run);
      return isOpen && (await isPassing(schedule, run, error));
    },
    /** The time until a refused run is tried again: doubled with each try. A bridge that came back must not be missed. */
    delayMs: (schedule: ScheduleRow, run: Run, { code }: HubError): number => {
      const current = tryOf(schedule, run);
      const ms = current.delayMs;
      const most = code === 'bridge_offline' ? RETRY_MS.mostForBridge : RETRY_MS.most;
      tries.set(nameOf(run), { ...current, delayMs: Math.min(2 * ms, most) });
      return Math.min(ms, most);
    },
    forget: (run: RunKey): void => void tries.delete(nameOf(run)),
  };
};
