import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DatabaseError } from '../../../db/errors.ts';
import { shareHub, startHub } from '../../kit/hub.ts';
import { eventually, listen, rewrite } from '../../kit/stage.ts';
import {
  come,
  connect,
  DAILY,
  makeSchedule,
  openScheduleStage,
  PARAMS,
  readSchedule,
  runsOf,
  statusesOf,
  TASK,
} from './schedule-stage.ts';

const PLAYERS = ['char1:a', 'char1:b', 'char1:c'];
const BATCH = { name: 'money', params: PARAMS, targets: PLAYERS };
const POINTER = { status: 422, body: { errors: [{ pointer: '/task/targets' }] } };

it('a restart that was taken back does not stand for the next one', async () => {
  const { hub, bridge } = await openScheduleStage();
  const id = await makeSchedule(hub, { when: { before: 'restart', minutes: 5 } });
  const first = Date.now() + 299_000;
  bridge.send({ type: 'status', restartAt: first });
  await eventually(() => statusesOf(hub, id)).toEqual(['done']);
  bridge.send({ type: 'status', restartAt: 0 });
  // Its run would be 3.5 minutes after the first, if the clock could wait.
  bridge.send({ type: 'status', restartAt: first - 30_000 });
  await eventually(() => statusesOf(hub, id)).toEqual(['done', 'done']);
});

it('a taking back is remembered by the next process of the hub', async () => {
  const { hub, bridge } = await openScheduleStage();
  const id = await makeSchedule(hub, { when: { before: 'restart', minutes: 5 } });
  const first = Date.now() + 299_000;
  bridge.send({ type: 'status', restartAt: first });
  await eventually(() => statusesOf(hub, id)).toEqual(['done']);
  bridge.send({ type: 'status', restartAt: 0 });
  const runs = async () => (await hub.request(`/api/v2/schedules/${id}/runs`)).body['data'];
  await eventually(runs).toMatchObject([{ status: 'done', error: { code: 'restart_taken_back' } }]);
  await hub.crash();

  const next = await startHub({ folder: hub.folder });
  const again = await connect(next, hub.token);
  again.bridge.send({ type: 'status', restartAt: first - 20_000 });
  await eventually(() => statusesOf(next, id)).toEqual(['done', 'done']);
});

it('a restart that is announced too late for a run is told, and a later time of it counts', async () => {
  const { hub, bridge } = await openScheduleStage();
  const events = await listen(hub, 'schedule.refused');
  const when = { before: 'restart', minutes: 5 };
  const id = await makeSchedule(hub, { when });
  await rewrite(hub, 'UPDATE schedules SET updated_at = ?', 0);
  const young = await makeSchedule(hub, { when, label: 'Made after the time' });
  const restartAt = Date.now() + 120_000;
  bridge.send({ type: 'status', restartAt });
  const plannedAt = new Date(restartAt - 300_000).toISOString();
  await eventually(() => runsOf(hub, id)).toMatchObject([{ status: 'missed', plannedAt }]);
  await eventually(events).toMatchObject([{ id, status: 'missed', code: 'missed', plannedAt }]);
  bridge.send({ type: 'status', restartAt: Date.now() + 299_000 });
  await eventually(() => statusesOf(hub, id)).toEqual(['done', 'missed']);
  await eventually(() => statusesOf(hub, young)).toEqual(['done']);
  expect(events()).toHaveLength(1);
});

it('a planned time that has come is made, though the schedule is changed before the hub looks', async () => {
  const { hub, paid } = await openScheduleStage();
  const id = await makeSchedule(hub);
  const due = vi.spyOn(hub.hub.store.schedules, 'due').mockResolvedValue([]);
  const at = await come(hub, id);
  const patch = (json: object) => hub.request(`/api/v2/schedules/${id}`, { method: 'PATCH', json });
  const when = { cron: '0 4 * * *', timeZone: 'Europe/Berlin' };
  expect((await patch({ when })).status).toBe(200);
  expect((await patch({ label: 'Wages' })).status).toBe(200);
  due.mockRestore();
  await eventually(() => runsOf(hub, id)).toMatchObject([
    { plannedAt: new Date(at).toISOString(), status: 'done', error: null },
  ]);
  await eventually(paid).toBe(1);
  const wanted = { serverId: 'main', label: 'Wages', task: TASK, when, dryRun: true };
  const { next } = (await hub.request('/api/v2/schedules', { json: wanted })).body;
  await eventually(async () => (await readSchedule(hub, id))['next']).toEqual(next);
});

it('a schedule that is changed while it runs goes on with its new times, and runs once', async () => {
  const { hub, paid } = await openScheduleStage();
  const id = await makeSchedule(hub);
  const when = { cron: '0 4 * * *', timeZone: 'Europe/Berlin' };
  const { schedules } = hub.hub.store;
  const claim = schedules.claim;
  vi.spyOn(schedules, 'claim').mockImplementationOnce(async (run) => {
    const changed = await hub.request(`/api/v2/schedules/${id}`, { method: 'PATCH', json: { when } });
    expect(changed.status).toBe(200);
    return claim(run);
  });
  await come(hub, id);
  const wanted = { serverId: 'main', label: 'Wages', task: TASK, when, dryRun: true };
  const { next } = (await hub.request('/api/v2/schedules', { json: wanted })).body;
  await eventually(async () => (await readSchedule(hub, id))['next']).toEqual(next);
  await eventually(paid).toBe(1);
  expect(await statusesOf(hub, id)).toEqual(['done']);
});

it('a change that was read before a run does not bring its planned time back', async () => {
  const { hub, paid } = await openScheduleStage();
  const id = await makeSchedule(hub);
  const { schedules } = hub.hub.store;
  const { changeAsRead } = schedules;
  const spy = vi.spyOn(schedules, 'changeAsRead').mockImplementation(async (plan, patch) => {
    // The run changes the schedule, too.
    if (patch.when !== undefined) await eventually(() => statusesOf(hub, id)).toEqual(['done']);
    return changeAsRead(plan, patch);
  });
  onTestFinished(() => spy.mockRestore());
  await come(hub, id);
  const json = { when: { cron: '0 4 * * *', timeZone: 'Europe/Berlin' } };
  expect((await hub.request(`/api/v2/schedules/${id}`, { method: 'PATCH', json })).status).toBe(200);
  const { nextAt } = (await schedules.get(hub.project.id, id)) ?? {};
  expect(nextAt).toBeGreaterThan(Date.now());
  expect(paid()).toBe(1);
});

it('a failure in the planned runs does not stop those that were begun', async () => {
  const { hub, paid } = await openScheduleStage();
  const id = await makeSchedule(hub);
  const failure = new DatabaseError('failed', 'The database refused a statement.');
  vi.spyOn(hub.hub.store.schedules, 'due').mockRejectedValue(failure);
  const run = { scheduleId: id, plannedAt: Date.now(), projectId: hub.project.id, madeId: null, error: null };
  await hub.store.schedules.claim({ ...run, status: 'started', touchedAt: 0 });
  await eventually(() => statusesOf(hub, id)).toEqual(['done']);
  await eventually(paid).toBe(1);
});

describe('a schedule with more players than its key allows', () => {
  const stage = async () => {
    const { hub } = await openScheduleStage();
    const scopes = ['schedules:write', 'commands:batch', 'commands:money', 'commands:read'];
    const { body } = await hub.request('/api/v2/keys', { json: { name: 'events', scopes, maxBatchTargets: 2 } });
    const [key, keyId] = [String(body['key']), String(body['id'])];
    const ask = (path: string, options: object) => hub.request(path, { key, ...options });
    return { hub, ask, keyId };
  };
  const json = { serverId: 'main', label: 'Salary', task: BATCH, when: DAILY };

  it('is refused, and so is a change', async () => {
    const { ask } = await stage();
    expect(await ask('/api/v2/schedules', { json })).toMatchObject(POINTER);
    const fewer = { ...BATCH, targets: PLAYERS.slice(1) };
    const made = await ask('/api/v2/schedules', { json: { ...json, task: fewer } });
    expect(made).toMatchObject({ status: 201, body: { problem: null } });
    const path = `/api/v2/schedules/${String(made.body['id'])}`;
    expect(await ask(path, { method: 'PATCH', json: { task: BATCH } })).toMatchObject(POINTER);
  });

  it('shows the problem if the bound is lowered later', async () => {
    const { hub, ask, keyId } = await stage();
    const made = await ask('/api/v2/schedules', { json: { ...json, task: { ...BATCH, targets: PLAYERS.slice(1) } } });
    await hub.store.apiKeys.update(hub.project.id, keyId, { maxBatchTargets: 1 }, Date.now());
    const problem = { code: 'invalid_request', message: expect.stringContaining('the API key allows no more') };
    expect(await readSchedule(hub, String(made.body['id']))).toMatchObject({ problem });
    const { body } = await hub.request('/api/v2/schedules');
    expect(body['data']).toMatchObject([{ problem }]);
  });
});

it('is deleted only with the scopes with which it may be paused', async () => {
  const { hub } = await openScheduleStage();
  const id = await makeSchedule(hub);
  const path = `/api/v2/schedules/${id}`;
  const weak = await hub.newKey(['schedules:write', 'commands:read']);
  const refused = { status: 403, body: { code: 'insufficient_scope' } };
  expect(await hub.request(path, { key: weak, method: 'PATCH', json: { paused: true } })).toMatchObject(refused);
  expect(await hub.request(path, { key: weak, method: 'DELETE' })).toMatchObject(refused);
  const strong = await hub.newKey(['schedules:write', 'commands:money']);
  expect((await hub.request(path, { key: strong, method: 'DELETE' })).status).toBe(204);
});

const newTenant = shareHub();
it.each([
  '0 0 * * MON',
  '0 0 * JAN *',
  '@daily',
  '0 0 L * *',
  '0 0 15W * *',
  '0 0 * * 5#2',
  '0 0 ? * *',
  '+0 0 * * *',
  '5/15 * * * *',
  '*/0 * * * *',
  '9-8 * * * *',
  '0 24 * * *',
  '0 0 * * 8',
  '0 0 0 * *',
  '0,,5 * * * *',
])('the expression %s is refused', async (cron) => {
  const hub = await newTenant();
  const json = { serverId: 'main', label: 'Salary', task: TASK, when: { cron } };
  expect(await hub.request('/api/v2/schedules', { json })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/when/cron' }] },
  });
});

describe('a stored expression', () => {
  it('is not computed for a list', async () => {
    const { hub } = await openScheduleStage();
    const id = await makeSchedule(hub);
    const { next } = await readSchedule(hub, id);
    await rewrite(hub, 'UPDATE schedules SET runs_when = ?', JSON.stringify({ cron: '0 6 * * *', timeZone: 'UTC' }));
    const { body } = await hub.request('/api/v2/schedules');
    expect(body['data']).toMatchObject([{ id, next }]);
    expect(next).toHaveLength(5);
  });

  it('that a hub cannot read pauses its schedule when the hub starts', async () => {
    const { hub } = await openScheduleStage();
    const [id, other] = [await makeSchedule(hub), await makeSchedule(hub)];
    const when = JSON.stringify({ cron: '0 0 L * *', timeZone: 'UTC' });
    await rewrite(hub, 'UPDATE schedules SET runs_when = ? WHERE id = ?', when, id);
    await hub.crash();
    const next = await startHub({ folder: hub.folder });
    const pausedBy = expect.stringContaining('has a wrong day of the month');
    await eventually(() => readSchedule(next, id)).toMatchObject({ paused: true, pausedBy });
    expect(await readSchedule(next, other)).toMatchObject({ paused: false, pausedBy: null });
  });

  it.each([
    ['starts', true],
    ['comes to it', false],
  ])('with a time zone that a hub does not know pauses its schedule alone when the hub %s', async (_when, isStart) => {
    const { hub } = await openScheduleStage();
    const [id, other] = [
      await makeSchedule(hub),
      await makeSchedule(hub, { task: { ...TASK, deliver: 'when_online' } }),
    ];
    const unknown = JSON.stringify({ cron: '0 3 * * *', timeZone: 'Mars/Olympus' });
    if (isStart) await hub.crash();
    await rewrite(hub, 'UPDATE schedules SET runs_when = ?, next_times = NULL WHERE id = ?', unknown, id);
    const next = isStart ? await startHub({ folder: hub.folder }) : hub;
    if (!isStart) await come(hub, id);
    const pausedBy = expect.stringContaining('does not know Mars/Olympus');
    await eventually(() => readSchedule(next, id)).toMatchObject({ paused: true, pausedBy });
    await come(next, other);
    await eventually(() => statusesOf(next, other)).toEqual(['done']);
    expect(await statusesOf(next, id)).toEqual([]);
    const resume = { method: 'PATCH', json: { paused: false } };
    expect((await next.request(`/api/v2/schedules/${id}`, resume)).status).toBe(422);
  });

  it('has its next times computed again when the hub starts', async () => {
    const { hub } = await openScheduleStage();
    const id = await makeSchedule(hub);
    const { next } = await readSchedule(hub, id);
    await hub.crash();
    await rewrite(hub, 'UPDATE schedules SET next_at = next_at + ?, next_times = NULL', 3_600_000);
    const later = await startHub({ folder: hub.folder });
    await eventually(async () => (await later.store.schedules.get(hub.project.id, id))?.nextTimes).toHaveLength(5);
    expect((await readSchedule(later, id))['next']).toEqual(next);
  });
});
