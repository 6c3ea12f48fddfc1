import { describe, expect, it } from 'vitest';
import type { ScheduleRun } from '../../../db/queries/schedules.ts';
import { runOf, scheduleOf } from '../../kit/batch-rows.ts';
import { engines, useStore } from '../../kit/databases.ts';

const ID = 'sch_1';

describe.each(engines)('schedules on $name', ({ open }) => {
  const db = useStore(open);
  const claimAll = async (runs: readonly ScheduleRun[]): Promise<void> => {
    for (const run of runs) await db.store.schedules.claim(run);
  };

  it('are stored, changed, counted and deleted with their runs', async () => {
    const { schedules } = db.store;
    expect(await schedules.create(scheduleOf(ID))).toBe('inserted');
    expect(await schedules.create(scheduleOf(ID))).toBe('exists');
    expect(await schedules.get('p', ID)).toEqual(scheduleOf(ID));
    expect(await schedules.get('q', ID)).toBeUndefined();
    expect(await schedules.change('p', ID, { paused: true, pausedBy: 'Why' })).toMatchObject({ pausedBy: 'Why' });
    expect(await schedules.change('q', ID, { paused: false })).toBeUndefined();
    expect([await schedules.count('p'), await schedules.count('q')]).toEqual([1, 0]);
    await claimAll([runOf(1), runOf(2, { scheduleId: 'sch_2' })]);
    expect(await schedules.remove('p', ID)).toBe(true);
    expect(await schedules.remove('p', ID)).toBe(false);
    expect(await schedules.runs(ID)).toEqual([]);
    expect(await schedules.runs('sch_2')).toHaveLength(1);
  });

  it('are listed from the newest on, in pages', async () => {
    const { schedules } = db.store;
    for (const n of [1, 2, 3]) await schedules.create(scheduleOf(`sch_${n}`, { createdAt: n }));
    await schedules.create(scheduleOf('sch_4', { projectId: 'q' }));
    const { rows, next } = await schedules.list('p', { limit: 2 });
    expect(rows.map(({ id }) => id)).toEqual(['sch_3', 'sch_2']);
    const rest = await schedules.list('p', { limit: 2, cursor: next ?? '' });
    expect(rest).toMatchObject({ rows: [{ id: 'sch_1' }], next: null });
  });

  it('are due when their time has come, the earliest first, unless they are paused', async () => {
    const { schedules } = db.store;
    await schedules.create(scheduleOf('sch_1', { nextAt: 20 }));
    await schedules.create(scheduleOf('sch_2', { nextAt: 10 }));
    await schedules.create(scheduleOf('sch_3', { nextAt: 10, paused: true }));
    await schedules.create(scheduleOf('sch_4', { nextAt: 21 }));
    await schedules.create(scheduleOf('sch_5', { nextAt: null }));
    const due = async (at: number, limit: number) => (await schedules.due(at, limit)).map(({ id }) => id);
    expect(await due(20, 10)).toEqual(['sch_2', 'sch_1']);
    expect(await due(20, 1)).toEqual(['sch_2']);
    const ofServer = await schedules.beforeRestarts('p', 'main');
    expect(ofServer.map(({ id }) => id)).toEqual(['sch_5']);
    expect(await schedules.beforeRestarts('p', 'other')).toEqual([]);
  });

  it('go on to their next time once, unless they were changed meanwhile', async () => {
    const { schedules } = db.store;
    const first = scheduleOf(ID, { nextAt: 10 });
    await schedules.create(first);
    const to = (updatedAt: number, ...times: number[]) => ({ nextAt: times[0] ?? null, nextTimes: times, updatedAt });
    const second = await schedules.changeAsRead(first, to(11, 20, 30));
    expect(second).toMatchObject(to(11, 20, 30));
    expect(await schedules.changeAsRead(first, to(12, 30))).toBeUndefined();
    const third = await schedules.change('p', ID, { label: 'Wages', updatedAt: 13 });
    if (second === undefined || third === undefined) throw new Error('it is there');
    expect(await schedules.changeAsRead(second, to(14, 30))).toBeUndefined();
    expect(await schedules.get('p', ID)).toMatchObject(to(13, 20, 30));
    expect(await schedules.changeAsRead(third, to(21))).toMatchObject({ nextAt: null, nextTimes: [] });
  });

  it('are due in turn by project', async () => {
    const { schedules } = db.store;
    for (const n of [1, 2, 3]) await schedules.create(scheduleOf(`sch_${n}`, { nextAt: n }));
    await schedules.create(scheduleOf('sch_4', { nextAt: 9, projectId: 'q' }));
    await schedules.create(scheduleOf('sch_5', { nextAt: 8, projectId: 'q' }));
    const due = async (limit: number) => (await schedules.due(10, limit)).map(({ id }) => id);
    expect(await due(10)).toEqual(['sch_1', 'sch_5', 'sch_2', 'sch_4', 'sch_3']);
    expect(await due(2)).toEqual(['sch_1', 'sch_5']);
    expect(await schedules.due(0, 5)).toEqual([]);
  });

  it('have their times computed again, unless they have moved or stopped meanwhile', async () => {
    const { schedules } = db.store;
    const plan = { nextAt: 7, nextTimes: [7, 8] };
    for (const n of [1, 2, 3]) await schedules.create(scheduleOf(`sch_${n}`, { nextAt: n === 2 ? null : 10 }));
    await schedules.create(scheduleOf('sch_4', { paused: true }));
    const [first, second] = await schedules.plans('', 2);
    const [third, ...none] = await schedules.plans(second?.id ?? '', 2);
    if (first === undefined || second === undefined || third === undefined) throw new Error('there are three');
    expect([first.id, second.id, third.id, ...none]).toEqual(['sch_1', 'sch_2', 'sch_3']);
    expect(await schedules.changeAsRead(first, plan)).toMatchObject(plan);
    expect(await schedules.changeAsRead(second, plan)).toMatchObject(plan);
    expect(await schedules.changeAsRead(first, plan)).toBeUndefined();
    await schedules.change('p', 'sch_3', { paused: true, updatedAt: third.updatedAt + 1 });
    expect(await schedules.changeAsRead(third, plan)).toBeUndefined();
  });

  it('remember the last look and the gaps', async () => {
    const { schedules } = db.store;
    expect(await schedules.looks()).toEqual({ last: undefined, gaps: [] });
    await schedules.looked(50);
    await schedules.looked(40);
    await schedules.openGap({ from: 50, to: 200 });
    await schedules.openGap({ from: 300, to: 400 });
    await schedules.openGap({ from: 300, to: 500 });
    const gaps = async () => (await schedules.looks()).gaps.toSorted((a, b) => a.from - b.from);
    expect((await schedules.looks()).last).toBe(50);
    expect(await gaps()).toEqual([
      { from: 50, to: 200 },
      { from: 300, to: 500 },
    ]);
    await schedules.closeGap({ from: 50, to: 200 });
    expect(await gaps()).toEqual([{ from: 300, to: 500 }]);
    await schedules.openGap({ from: 5, to: 20 });
    await schedules.openGap({ from: 10, to: 500 });
    await schedules.setLooksBack(30);
    expect((await schedules.looks()).last).toBe(30);
    // A time that was missed before the right time is still missed.
    expect(await gaps()).toEqual([
      { from: 5, to: 20 },
      { from: 10, to: 30 },
    ]);
  });

  it('count the runs that did not happen, and forget those that were booked too early', async () => {
    const { schedules } = db.store;
    await schedules.create(scheduleOf(ID));
    await schedules.create(scheduleOf('sch_2', { serverId: 'other' }));
    await schedules.create(scheduleOf('sch_3', { projectId: 'q' }));
    await claimAll([
      runOf(1, { status: 'refused', touchedAt: 9 }),
      runOf(2, { status: 'refused', touchedAt: 10 }),
      runOf(3, { status: 'missed', touchedAt: 11 }),
      runOf(4, { touchedAt: 11 }),
      runOf(5, { scheduleId: 'sch_2', status: 'missed', touchedAt: 11 }),
      runOf(6, { scheduleId: 'sch_3', projectId: 'q', status: 'missed', touchedAt: 11 }),
    ]);
    expect([await schedules.countNotMade('p', 10), await schedules.countNotMade('p', 10, ['main'])]).toEqual([3, 2]);
    expect(await schedules.countNotMade('p', 10, [])).toBe(0);
    expect((await schedules.plannedAfter(ID, 2)).toSorted()).toEqual([3, 4]);
    await schedules.forgetMissed(ID, 3);
    expect(await schedules.plannedAfter(ID, 2)).toHaveLength(2);
    await schedules.forgetMissed(ID, 2);
    expect(await schedules.plannedAfter(ID, 2)).toEqual([4]);
  });

  it('have each run once, and its end', async () => {
    const { schedules } = db.store;
    expect(await schedules.claim(runOf(1, { status: 'started' }))).toBe(true);
    expect(await schedules.claim(runOf(1, { status: 'missed' }))).toBe(false);
    await schedules.finish({ scheduleId: ID, plannedAt: 1 }, { status: 'done', madeId: 'cmd_1', touchedAt: 5 });
    await schedules.claim(runOf(2));
    const ended = runOf(1, { madeId: 'cmd_1', touchedAt: 5 });
    expect(await schedules.runs(ID)).toEqual([runOf(2), ended]);
    await schedules.forget(ended);
    expect(await schedules.runs(ID)).toEqual([runOf(2)]);
  });

  it('find runs that no node has worked on, the longest untouched first', async () => {
    const { schedules } = db.store;
    const started = (plannedAt: number, touchedAt: number) => runOf(plannedAt, { status: 'started', touchedAt });
    await claimAll([started(1, 30), started(2, 10), started(3, 20), started(4, 40), runOf(5, { touchedAt: 1 })]);
    const unfinished = await schedules.unfinished(40);
    expect(unfinished.map(({ touchedAt }) => touchedAt)).toEqual([10, 20, 30]);
  });

  it('keep their newest 100 runs, and those that have not ended', async () => {
    const { schedules } = db.store;
    const runs = Array.from({ length: 103 }, (_, n) => runOf(n + 1));
    const [first = runOf(1), ...others] = runs;
    await claimAll([{ ...first, status: 'started' }, ...others]);
    await claimAll([runOf(1, { scheduleId: 'sch_2' })]);
    await schedules.prune(ID);
    const stored = await db.store.schedules.unfinished(2);
    expect(stored.map(({ plannedAt }) => plannedAt)).toEqual([1]);
    expect((await schedules.runs(ID)).map(({ plannedAt }) => plannedAt)).toEqual(
      Array.from({ length: 100 }, (_, n) => 103 - n),
    );
    await schedules.prune('sch_2');
    expect(await schedules.runs('sch_2')).toHaveLength(1);
    // The runs between the one that has not ended and the newest are gone.
    for (const { plannedAt } of others.slice(2)) await schedules.forget({ scheduleId: ID, plannedAt });
    expect((await schedules.runs(ID)).map(({ plannedAt }) => plannedAt)).toEqual([1]);
  });
});
