import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { lentTo, startHub, type TestHub } from '../../kit/hub.ts';
import { eventually, listen, rewrite } from '../../kit/stage.ts';
import {
  ANA,
  come,
  connect,
  HOURLY,
  lastHourly,
  leave,
  makeSchedule,
  openScheduleStage,
  PARAMS,
  readSchedule,
  runsOf,
  statusesOf,
  TASK,
} from './schedule-stage.ts';

const DAY_MS = 86_400_000;
const WAITS = { ...TASK, deliver: 'when_online' };

/** The only command that waits, which takes the only place of the project. */
const fillUp = async (hub: TestHub): Promise<string> => {
  await hub.store.projects.update(hub.project.id, { maxWaiting: 1 }, Date.now());
  const { body } = await hub.request('/api/v2/bridge/main/money', {
    json: { target: ANA, ...PARAMS, deliver: 'when_online' },
  });
  return String(body['id']);
};

describe('a run of a schedule that the hub refuses for the moment', () => {
  it('is tried again with its key, and its command ends as if it had been made at its time', async () => {
    const hub = await startHub();
    await leave(hub, await connect(hub));
    const inTheWay = await fillUp(hub);
    const id = await makeSchedule(hub, { task: { ...WAITS, expiresInSeconds: 600 } });
    const plannedAt = await come(hub, id);
    await eventually(async () => runsOf(hub, id)).toMatchObject([
      { status: 'started', error: { code: 'waiting_full' } },
    ]);
    expect((await hub.request(`/api/v2/commands/${inTheWay}/void`, { json: {} })).status).toBe(200);
    await eventually(async () => runsOf(hub, id)).toMatchObject([{ status: 'done', error: null }]);
    const [run] = await runsOf(hub, id);
    const { body } = await hub.request(`/api/v2/commands/${String(run?.made)}`);
    expect(body).toMatchObject({ status: 'waiting', expiresAt: new Date(plannedAt + 600_000).toISOString() });
  });

  it('does not happen once its schedule is paused, and that is told', async () => {
    const hub = await startHub();
    await leave(hub, await connect(hub));
    const inTheWay = await fillUp(hub);
    const events = await listen(hub, 'schedule.refused');
    const id = await makeSchedule(hub, { task: { ...WAITS, expiresInSeconds: 600 } });
    await come(hub, id);
    await eventually(async () => runsOf(hub, id)).toMatchObject([
      { status: 'started', error: { code: 'waiting_full' } },
    ]);
    await hub.request(`/api/v2/schedules/${id}`, { method: 'PATCH', json: { paused: true } });
    await hub.request(`/api/v2/commands/${inTheWay}/void`, { json: {} });
    await eventually(async () => runsOf(hub, id)).toMatchObject([{ status: 'refused', made: null }]);
    await eventually(events).toMatchObject([{ id, status: 'refused', code: 'invalid_state' }]);
  });

  it('is told when its time is over: by an event, in the log, in the project and in the list of runs', async () => {
    const logTo: string[] = [];
    const hub = await startHub({ logTo });
    await leave(hub, await connect(hub));
    await fillUp(hub);
    const events = await listen(hub, 'schedule.refused');
    const id = await makeSchedule(hub, { task: { ...WAITS, expiresInSeconds: 2 } });
    const plannedAt = new Date(await come(hub, id)).toISOString();
    await eventually(async () => runsOf(hub, id)).toMatchObject([
      { status: 'refused', error: { code: 'waiting_full' } },
    ]);
    const told = { id, label: 'Salary', serverId: 'main', plannedAt, status: 'refused', code: 'waiting_full' };
    await eventually(events).toMatchObject([told]);
    expect((await hub.request('/api/v2/project')).body['schedules']).toEqual({ notMade: 1 });
    const logged = logTo.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'a planned run did not happen');
    expect(logged).toMatchObject([{ scheduleId: id, plannedAt, code: 'waiting_full' }]);
  });

  it('is not made after its end, however late it is tried again', async () => {
    const { hub, paid } = await openScheduleStage();
    const events = await listen(hub, 'schedule.refused');
    const id = await makeSchedule(hub);
    const error = { code: 'rate_limited', message: 'Too many requests.' };
    const run = { scheduleId: id, plannedAt: Date.now() - 31_000, projectId: hub.project.id, madeId: null, error };
    await hub.store.schedules.claim({ ...run, status: 'started', touchedAt: 0 });
    await eventually(() => runsOf(hub, id)).toMatchObject([{ status: 'refused', made: null, error }]);
    await eventually(events).toMatchObject([{ id, status: 'refused', code: 'rate_limited' }]);
    expect(paid()).toBe(0);
  });

  it('stays refused if the game server is away and the command does not wait', async () => {
    const { hub, bridge } = await openScheduleStage();
    await leave(hub, { bridge });
    const events = await listen(hub, 'schedule.refused');
    const id = await makeSchedule(hub);
    await come(hub, id);
    await eventually(async () => runsOf(hub, id)).toMatchObject([
      { status: 'refused', error: { code: 'bridge_offline' } },
    ]);
    await eventually(events).toMatchObject([{ id, code: 'bridge_offline' }]);
  });

  it('has five minutes if it is a text', async () => {
    const { hub, bridge } = await openScheduleStage({ commands: ['kick@1', 'money@1', 'announce@1'] });
    const id = await makeSchedule(hub, { task: { name: 'announce', params: { message: 'Race' } } });
    const plannedAt = await come(hub, id);
    const { expiresAt } = await bridge.command();
    expect(expiresAt).toBe(plannedAt + 300_000);
  });
});

describe('a planned time', () => {
  it('is made however late it is, if a hub was there all the time, and so are those after it', async () => {
    const { hub, paid } = await openScheduleStage();
    const id = await makeSchedule(hub, { when: { cron: '* * * * *', timeZone: 'UTC' } });
    const first = Math.floor(Date.now() / 60_000) * 60_000 - 180_000;
    await rewrite(hub, 'UPDATE schedules SET next_at = ? WHERE id = ?', first, id);
    await eventually(async () => (await runsOf(hub, id)).length).toBeGreaterThanOrEqual(4);
    await eventually(paid).toBeGreaterThanOrEqual(4);
    const planned = (await runsOf(hub, id)).map(({ plannedAt }) => Date.parse(plannedAt)).toReversed();
    expect(planned.slice(0, 4)).toEqual([0, 1, 2, 3].map((n) => first + n * 60_000));
    expect(new Set(await statusesOf(hub, id))).toEqual(new Set(['done']));
  });

  it.each([
    ['skip', ['missed'], 0],
    ['run_once', ['done'], 1],
  ])('in a gap without a hub is missed, and does what the schedule says: %s', async (missed, statuses, payments) => {
    const { hub } = await openScheduleStage();
    const task = { ...TASK, deliver: 'when_connected' };
    const [id, other] = [await makeSchedule(hub, { missed, task, when: HOURLY }), await makeSchedule(hub, { task })];
    await hub.crash();
    const last = lastHourly();
    const first = last - 2 * DAY_MS;
    await rewrite(hub, 'UPDATE schedules SET next_at = ? WHERE id = ?', first, id);
    // Planned before the gap: the hub was there, and had not come to it.
    const before = await come(hub, other, 3 * DAY_MS + 1);
    await rewrite(hub, "UPDATE schedule_looks SET at = ? WHERE id = 'last'", Date.now() - 3 * DAY_MS);

    const next = await startHub({ folder: hub.folder });
    const events = await listen(next, 'schedule.refused');
    await eventually(() => statusesOf(next, id)).toEqual(statuses);
    const [run] = await runsOf(next, id);
    expect(Date.parse(run?.plannedAt ?? '')).toBe(missed === 'skip' ? first : last);
    const [plannedAt, lastPlannedAt] = [first, last].map((at) => new Date(at).toISOString());
    const told = [{ id, status: 'missed', plannedAt, lastPlannedAt }];
    await eventually(() => events().filter((event) => event['id'] === id)).toMatchObject(payments === 0 ? told : []);
    await eventually(async () =>
      (await runsOf(next, other)).map((one) => [Date.parse(one.plannedAt), one.status]),
    ).toContainEqual([before, 'done']);
    const { paid } = await connect(next, hub.token);
    await eventually(paid).toBe(payments + 1);
  });

  it('is missed while the database was away, although the hub ran', async () => {
    const { hub } = await openScheduleStage();
    const id = await makeSchedule(hub, { when: HOURLY });
    hub.breakDatabase('everything');
    const looks = vi.spyOn(hub.hub.store.schedules, 'looks');
    await eventually(() => looks.mock.calls.length).toBeGreaterThan(1);
    // The hub goes on to look in vain, for hours.
    const last = lastHourly();
    await rewrite(hub, 'UPDATE schedules SET next_at = ? WHERE id = ?', last - 7_200_000, id);
    await rewrite(hub, "UPDATE schedule_looks SET at = ? WHERE id = 'last'", last - 7_300_000);
    hub.breakDatabase('none');
    await eventually(async () => runsOf(hub, id)).toMatchObject([
      { status: 'missed', plannedAt: new Date(last - 7_200_000).toISOString() },
    ]);
    const [next] = (await readSchedule(hub, id))['next'] as string[];
    expect(next).toBe(new Date(last + 3_600_000).toISOString());
  });

  it('of one project is not late because of those of another', async () => {
    const { hub } = await openScheduleStage();
    const neighbour = await lentTo(hub, 'neighbour');
    await connect(neighbour);
    const crowd: string[] = [];
    for (let n = 0; n < 120; n += 1) crowd.push(await makeSchedule(hub));
    const alone = await makeSchedule(neighbour);
    // The crowd was planned first.
    await rewrite(hub, 'UPDATE schedules SET next_at = ?', Date.now() - 3_000);
    await come(hub, alone);
    await eventually(() => statusesOf(neighbour, alone)).toEqual(['done']);
    for (const id of crowd) await eventually(() => statusesOf(hub, id)).toEqual(['done']);
    const madeAt = async (of: TestHub, id: string): Promise<number> => {
      const [run] = await runsOf(of, id);
      return Date.parse(String((await of.request(`/api/v2/commands/${run?.made}`)).body['createdAt']));
    };
    const own = await madeAt(neighbour, alone);
    const times = await Promise.all(crowd.map((id) => madeAt(hub, id)));
    expect(times.filter((at) => at < own).length).toBeLessThan(60);
  });
});

describe('a schedule while the clock of the hub is wrong', () => {
  const wrongClock = () => {
    const rightNow = Date.now.bind(Date);
    let offMs = 0;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => rightNow() + offMs);
    onTestFinished(() => clock.mockRestore());
    return (ms: number): void => {
      offMs = ms;
    };
  };

  it.each([
    ['skip', 'missed', 0],
    ['run_once', 'done', 1],
  ])('runs at its right time, once: %s', async (missed, status, paidEarly) => {
    const set = wrongClock();
    const { hub, bridge } = await openScheduleStage();
    await leave(hub, { bridge });
    const task = { ...TASK, deliver: 'when_connected' };
    const at = new Date(Date.now() + 50_000).toISOString();
    const id = await makeSchedule(hub, { missed, task, when: { at } });
    // An hour ahead of now, its time has not come.
    const hour = (new Date().getUTCHours() + 12) % 24;
    const daily = await makeSchedule(hub, { missed, when: { cron: `0 ${hour} * * *`, timeZone: 'UTC' } });
    const next = (await readSchedule(hub, daily))['next'];
    set(3_600_000);
    await eventually(() => statusesOf(hub, id)).toEqual([status]);
    set(0);
    await eventually(async () => (await readSchedule(hub, id))['next']).toEqual(paidEarly === 0 ? [at] : []);
    expect((await readSchedule(hub, daily))['next']).toEqual(next);
    // Less than a gap.
    set(52_000);
    const other = await makeSchedule(hub, { task, label: 'Other' });
    await come(hub, other);
    await eventually(() => statusesOf(hub, other)).toEqual(['done']);
    await eventually(() => statusesOf(hub, id)).toEqual(['done']);
    // Each has one command, which waits for the game server.
    expect((await hub.request('/api/v2/commands')).body['data']).toHaveLength(2);
  });
});
