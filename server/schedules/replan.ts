import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { SchedulePlan } from '../../db/queries/schedules.ts';
import type { Store } from '../../db/store.ts';
import { CLOCK_MS } from './looks.ts';
import type { Runs } from './runs.ts';
import { nextTimes, planFrom } from './times.ts';

const PAGE = 50;

/** True once after each jump of the wall clock, by which it drifts from the monotonic one. */
export const createDriftWatch = (now: () => number): (() => boolean) => {
  let offset = now() - performance.now();
  return () => {
    const current = now() - performance.now();
    if (Math.abs(current - offset) <= CLOCK_MS) return false;
    offset = current;
    return true;
  };
};

const isSame = (plan: SchedulePlan, { nextAt, nextTimes: times }: ReturnType<typeof planFrom>): boolean =>
  plan.nextAt === nextAt && isDeepStrictEqual(plan.nextTimes ?? [], times);

/** Computes the next times of all schedules again: a wrong clock, or older rules for time zones, may have set them. */
export const createReplan = ({ store, runs }: { store: Pick<Store, 'schedules'>; runs: Pick<Runs, 'pauseFaulty'> }) => {
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
    if (!isSame(plan, open)) await store.schedules.replan(plan, open);
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
