import { expect, it } from 'vitest';
import type { TestHub } from '../../kit/hub.ts';
import { eventually } from '../../kit/stage.ts';
import { ANA, connect, makeSchedule, openScheduleStage, PARAMS, readSchedule, runsOf } from './schedule-stage.ts';

const run = (hub: TestHub, id: string, key: string | undefined, apiKey = hub.key) =>
  hub.request(`/api/v2/schedules/${id}/run`, {
    method: 'POST',
    key: apiKey,
    headers: key === undefined ? {} : { 'Idempotency-Key': key },
  });

it('a schedule that is run now pays once for each key, as its caller, and keeps its planned times', async () => {
  const { hub, paid } = await openScheduleStage();
  const id = await makeSchedule(hub);
  const { next } = await readSchedule(hub, id);
  const caller = await hub.newKey(['schedules:write', 'commands:money', 'commands:read']);
  const made = await run(hub, id, 'tonight', caller);
  expect(made).toMatchObject({ status: 202, body: { made: expect.stringMatching(/^cmd_/) } });
  const path = String(made.headers.get('location'));
  await eventually(async () => (await hub.request(path)).body).toMatchObject({
    status: 'succeeded',
    actor: { name: 'other key' },
  });
  const again = await run(hub, id, 'tonight', caller);
  expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([made.body, 'true']);
  expect(await runsOf(hub, id)).toMatchObject([{ status: 'done', made: made.body['made'] }]);
  expect((await readSchedule(hub, id))['next']).toEqual(next);
  expect(paid()).toBe(1);
  await run(hub, id, 'tomorrow', caller);
  await eventually(paid).toBe(2);
});

it('a paused schedule with many players is run as a batch', async () => {
  const { hub, paid } = await openScheduleStage();
  const id = await makeSchedule(hub, { task: { name: 'money', params: PARAMS, targets: [ANA] } });
  await hub.request(`/api/v2/schedules/${id}`, { method: 'PATCH', json: { paused: true } });
  const made = await run(hub, id, 'now');
  const path = String(made.headers.get('location'));
  expect(path).toBe(`/api/v2/batches/${made.body['made']}`);
  await eventually(async () => (await hub.request(path)).body).toMatchObject({ status: 'settled', label: 'Salary' });
  expect([paid(), (await readSchedule(hub, id))['paused']]).toEqual([1, true]);
});

it('a run now needs a key of its own, and the scopes of the command', async () => {
  const { hub, paid } = await openScheduleStage();
  const id = await makeSchedule(hub);
  expect(await run(hub, id, undefined)).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
  expect(await run(hub, id, 'now', await hub.newKey(['schedules:write', 'commands:read']))).toMatchObject({
    status: 403,
    body: { code: 'insufficient_scope' },
  });
  expect(await run(hub, 'sch_none', 'now')).toMatchObject({ status: 404 });
  expect(paid()).toBe(0);
});

it('one schedule names its players, for keys that may read players', async () => {
  const { hub } = await openScheduleStage();
  await connect(hub);
  const id = await makeSchedule(hub, { task: { name: 'money', params: PARAMS, targets: [ANA, 'char1:none'] } });
  const { name } = (await hub.request(`/api/v2/players/${ANA}`)).body;
  expect((await readSchedule(hub, id))['targetNames']).toEqual({ [ANA]: name });
  const other = await hub.newKey(['commands:read']);
  expect((await hub.request(`/api/v2/schedules/${id}`, { key: other })).body).not.toHaveProperty('targetNames');
});
