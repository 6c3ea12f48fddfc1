import { describe, expect, it } from 'vitest';
import { runOf, scheduleOf } from '../../kit/batch-rows.ts';
import { shareHub, type TestHub } from '../../kit/hub.ts';
import { playerFrame, reportPlayers, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually, rewrite } from '../../kit/stage.ts';
import { ANA, connect, DAILY, runsOf, statusesOf, TASK } from './schedule-stage.ts';

const make = (hub: TestHub, changes: object = {}, headers: Record<string, string> = {}) =>
  hub.request('/api/v2/schedules', {
    json: { serverId: 'main', label: 'Salary', task: TASK, when: DAILY, ...changes },
    headers,
  });

const newTenant = shareHub();
const stage = async () => {
  const hub = await newTenant();
  return { hub, ...(await connect(hub)) };
};

/** Lets the time of each schedule come. */
const come = (hub: TestHub): Promise<void> =>
  rewrite(hub, 'UPDATE schedules SET next_at = ? WHERE project_id = ?', Date.now(), hub.project.id);

describe('a schedule', () => {
  it('runs once at an instant', async () => {
    const { hub, paid } = await stage();
    const at = new Date(Date.now() + 1_200).toISOString();
    const made = await make(hub, { when: { at } });
    expect(made).toMatchObject({ status: 201, body: { next: [at], paused: false } });
    await eventually(() => statusesOf(hub, made.body['id'])).toEqual(['done']);
    await eventually(paid).toBe(1);
    expect((await hub.request(`/api/v2/schedules/${String(made.body['id'])}`)).body).toMatchObject({ next: [] });
    const [run] = await runsOf(hub, made.body['id']);
    expect((await hub.request(`/api/v2/commands/${String(run?.made)}`)).body).toMatchObject({ status: 'succeeded' });
  });

  it('runs by a cron expression, and shows its next five times', async () => {
    const { hub, paid } = await stage();
    const made = await make(hub);
    expect(made.body['next']).toHaveLength(5);
    await come(hub);
    await eventually(paid).toBe(1);
    await eventually(() => runsOf(hub, made.body['id'])).toMatchObject([{ status: 'done' }]);
    expect((await hub.request(`/api/v2/schedules/${String(made.body['id'])}`)).body['next']).toHaveLength(5);
  });

  it('makes a batch if it has targets', async () => {
    const { hub, paid } = await stage();
    const { target: _, ...params } = TASK.params;
    const made = await make(hub, { task: { ...TASK, params, targets: [ANA] } });
    await come(hub);
    await eventually(paid).toBe(1);
    await eventually(async () => (await runsOf(hub, made.body['id']))[0]?.made).toMatch(/^bat_/);
  });

  it('makes no batch over the bounds of its key', async () => {
    const { hub, paid } = await stage();
    const scopes = ['schedules:write', 'commands:batch', 'commands:money'];
    const { body } = await hub.request('/api/v2/keys', { json: { name: 'events', scopes, maxBatchTotal: 4 } });
    const { target: _, ...params } = TASK.params;
    const made = await hub.request('/api/v2/schedules', {
      key: String(body['key']),
      json: { serverId: 'main', label: 'Salary', task: { ...TASK, params, targets: [ANA] }, when: DAILY },
    });
    await come(hub);
    await eventually(async () => runsOf(hub, made.body['id'])).toMatchObject([
      { status: 'refused', error: { message: expect.stringContaining('the API key allows 4 in a batch') } },
    ]);
    expect(paid()).toBe(0);
  });

  it('pays who has a job at the run, online or not, and nobody over the bound of its key', async () => {
    const { hub, bridge, paid } = await stage();
    const { target: _, ...params } = TASK.params;
    const police = (identifier: string, online = true) =>
      playerFrame(identifier, { online, metadata: { job: 'police', group: 'vip' } });
    await reportPlayers(hub, bridge, police(ANA), police('char1:bob', false), playerFrame('char1:cid'));
    const task = { ...TASK, params, targets: { job: 'police' }, deliver: 'when_connected' };
    const { body } = await make(hub, { task });
    await come(hub);
    await eventually(paid).toBe(2);
    const batchOf = async (): Promise<unknown[]> => {
      const [run] = await runsOf(hub, body['id']);
      const { data } = (await hub.request(`/api/v2/batches/${run?.made}/commands`)).body;
      return (data as { target: string }[]).map(({ target }) => target).toSorted();
    };
    await eventually(async () => (await runsOf(hub, body['id']))[0]?.made).toMatch(/^bat_/);
    expect(await batchOf()).toEqual([ANA, 'char1:bob']);

    bridge.send({
      ...{ type: 'players.changed', revision: 2, offline: [], removed: [] },
      players: [police('char1:cid'), playerFrame(ANA)],
    });
    const now = async () => (await hub.request('/api/v2/players?job=police&online=true')).body['data'];
    await eventually(now).toMatchObject([{ identifier: 'char1:cid' }]);
    await hub.request(`/api/v2/schedules/${String(body['id'])}`, {
      ...{ method: 'PATCH', json: { task: { ...task, targets: { group: 'vip', online: true } } } },
    });
    await come(hub);
    await eventually(async () => (await runsOf(hub, body['id'])).length).toBe(2);
    await eventually(batchOf).toEqual(['char1:cid']);

    const scopes = ['schedules:write', 'commands:batch', 'commands:money'];
    const bounded = await hub.request('/api/v2/keys', { json: { name: 'events', scopes, maxBatchTargets: 1 } });
    const other = await hub.request('/api/v2/schedules', {
      key: String(bounded.body['key']),
      json: { serverId: 'main', label: 'Salary', task, when: DAILY },
    });
    await come(hub);
    await eventually(async () => runsOf(hub, other.body['id'])).toMatchObject([
      { status: 'refused', error: { message: '/targets: has over 1 players: the API key allows no more in a batch' } },
    ]);
    await eventually(paid).toBe(4);
    expect((await make(hub, { task: { ...task, targets: {} } })).body['errors']).toMatchObject([
      { pointer: '/task/targets', detail: expect.stringContaining('must have online, job or group') },
    ]);
  });

  it('by job needs no report of a game server that fell again, and pays nobody where nobody has the job', async () => {
    const { hub, bridge, paid } = await stage();
    bridge.socket.close();
    const isAway = async () => (await hub.request('/api/v2/servers/main')).body['connected'] === false;
    await eventually(isAway).toBe(true);
    const fallen = await welcomeRaw(hub.bridgeUrl, hub.token);
    fallen.socket.close();
    await eventually(isAway).toBe(true);
    const { target: _, ...params } = TASK.params;
    const { body } = await make(hub, { task: { ...TASK, params, targets: { job: 'nobody' } } });
    await come(hub);
    await eventually(() => runsOf(hub, body['id'])).toMatchObject([{ status: 'done', error: null }]);
    const [run] = await runsOf(hub, body['id']);
    const look = async () => (await hub.request(`/api/v2/batches/${run?.made}`)).body;
    await eventually(look).toMatchObject({ status: 'settled', total: 0, counts: {} });
    expect(paid()).toBe(0);
  });

  it('does not run while it is paused', async () => {
    const { hub, paid } = await stage();
    const made = await make(hub);
    const path = `/api/v2/schedules/${String(made.body['id'])}`;
    expect(await hub.request(path, { method: 'PATCH', json: { paused: true } })).toMatchObject({ body: { next: [] } });
    const other = await make(hub, { label: 'Other' });
    await come(hub);
    await eventually(async () => (await runsOf(hub, other.body['id'])).length).toBe(1);
    expect(await runsOf(hub, made.body['id'])).toEqual([]);
    expect((await hub.request(path, { method: 'PATCH', json: { paused: false } })).body['next']).toHaveLength(5);
    await eventually(paid).toBe(1);
  });

  it('is paused when the key that made it was revoked', async () => {
    const { hub, paid } = await stage();
    const { body } = await hub.request('/api/v2/keys', {
      json: { name: 'short', scopes: ['schedules:write', 'commands:money', 'commands:read'] },
    });
    const made = await hub.request('/api/v2/schedules', {
      key: String(body['key']),
      json: { serverId: 'main', label: 'Salary', task: TASK, when: DAILY },
    });
    expect(made.status).toBe(201);
    await hub.request(`/api/v2/keys/${String(body['id'])}`, { method: 'DELETE' });
    await come(hub);
    await eventually(() => statusesOf(hub, made.body['id'])).toEqual(['refused']);
    const read = async () => (await hub.request(`/api/v2/schedules/${String(made.body['id'])}`)).body;
    await eventually(read).toMatchObject({ paused: true, pausedBy: 'The key that made it was revoked.' });
    expect(paid()).toBe(0);
  });

  it('runs once before each announced restart of the game server', async () => {
    const { hub, bridge } = await stage();
    const made = await make(hub, { when: { before: 'restart', minutes: 5 } });
    bridge.send({ type: 'status', restartAt: Date.now() + 299_000 });
    await eventually(() => statusesOf(hub, made.body['id'])).toEqual(['done']);
  });

  it('does not run before a restart that is announced over a minute too late', async () => {
    const { hub, bridge } = await stage();
    const before = (minutes: number) => make(hub, { when: { before: 'restart', minutes } });
    // The hub takes them one after another, so the middle one is not the last.
    const [first, late, last] = [await before(4), await before(5), await before(4)];
    bridge.send({ type: 'status', restartAt: Date.now() + 200_000 });
    for (const { body } of [first, last]) await eventually(() => statusesOf(hub, body['id'])).toEqual(['done']);
    expect(await runsOf(hub, late.body['id'])).toEqual([]);
  });

  it('keeps its newest 100 runs', async () => {
    const { hub } = await stage();
    const scheduleId = String((await make(hub)).body['id']);
    for (let n = 1; n <= 101; n += 1) await hub.store.schedules.claim(runOf(n, { scheduleId }));
    await come(hub);
    await eventually(async () => (await runsOf(hub, scheduleId))[0]).toMatchObject({ status: 'done' });
    // A run that was deleted can be claimed.
    await eventually(() => hub.store.schedules.claim(runOf(2, { scheduleId }))).toBe(true);
    expect(await hub.store.schedules.claim(runOf(3, { scheduleId }))).toBe(false);
  });

  it('that is gone, or whose project is, has no run that goes on', async () => {
    const { hub } = await stage();
    const { schedules } = hub.store;
    await schedules.create(scheduleOf('sch_1', { projectId: 'gone', paused: true }));
    await schedules.claim(runOf(1, { scheduleId: 'sch_1', projectId: 'gone', status: 'started' }));
    await schedules.claim(runOf(1, { scheduleId: 'sch_2', projectId: hub.project.id, status: 'started' }));
    await eventually(async () => [...(await schedules.runs('sch_1')), ...(await schedules.runs('sch_2'))]).toEqual([]);
  });

  it('is made once, however often the request comes with its key', async () => {
    const { hub } = await stage();
    const again = (changes: object = {}, key = 'salary') => make(hub, changes, { 'Idempotency-Key': key });
    const [first, second] = await Promise.all([again(), again()]);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body['id']).toBe(first.body['id']);
    expect((await again()).headers.get('idempotency-replayed')).toBe('true');
    expect(await again({ label: 'Another' })).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
    expect((await again({}, 'bonus')).body['id']).not.toBe(first.body['id']);
    const path = `/api/v2/schedules/${String(first.body['id'])}`;
    await hub.request(path, { method: 'PATCH', json: { paused: true } });
    expect(await again()).toMatchObject({ status: 201, body: { id: first.body['id'], paused: true } });
  });

  it('is deleted with its history', async () => {
    const { hub } = await stage();
    const made = await make(hub);
    const path = `/api/v2/schedules/${String(made.body['id'])}`;
    expect((await hub.request(path, { method: 'DELETE' })).status).toBe(204);
    expect(await hub.request(path)).toMatchObject({ status: 404, body: { code: 'schedule_not_found' } });
  });

  it.each([
    ['that never comes', { when: { cron: '0 0 30 2 *' } }, '/when/cron'],
    ['that cannot be read', { when: { cron: '99 0 * * *' } }, '/when/cron'],
    ['with seconds', { when: { cron: '* * * * * *' } }, '/when/cron'],
    ['in a zone that does not exist', { when: { cron: '0 0 * * *', timeZone: 'Mars/Base' } }, '/when/timeZone'],
    ['at an offset', { when: { cron: '0 0 * * *', timeZone: '+01:00' } }, '/when/timeZone'],
    ['in the past', { when: { at: '2020-01-01T00:00:00Z' } }, '/when/at'],
    ['of a kick', { task: { name: 'kick', params: { target: ANA } } }, '/task/name'],
    ['with wrong parameters', { task: { ...TASK, params: { ...TASK.params, amount: 0 } } }, '/task/params/amount'],
    ['with deliver inside', { task: { ...TASK, params: { ...TASK.params, deliver: 'now' } } }, '/task/params/deliver'],
    ['that may be sent for hours', { task: { ...TASK, expiresInSeconds: 3_601 } }, '/task/expiresInSeconds'],
    [
      'with too much for a custom one',
      { task: { name: 'custom:x', params: { a: 'x'.repeat(17_000) } } },
      '/task/params',
    ],
  ])('%s is refused', async (_, changes, pointer) => {
    expect(await make(await newTenant(), changes)).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
  });

  it('is tried out without being stored: its next times, and why a run would be refused', async () => {
    const { hub, bridge } = await stage();
    const attempt = async (changes: object = {}) => make(hub, { dryRun: true, ...changes });
    const { target: _, ...params } = TASK.params;
    const daily = await attempt();
    expect(daily).toMatchObject({ status: 200, body: { dryRun: true, problem: null } });
    expect(Object.keys(daily.body)).toEqual(['dryRun', 'next', 'problem']);
    const next = daily.body['next'] as string[];
    expect(next).toHaveLength(5);
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', timeStyle: 'medium' });
    expect(next.map((at) => clock.format(new Date(at)))).toEqual(next.map(() => '03:00:00'));
    expect((await attempt({ when: { before: 'restart', minutes: 5 } })).body).toMatchObject({
      next: [],
      problem: null,
    });
    const wrongAccount = { ...TASK, params: { ...TASK.params, type: 'gold' } };
    expect((await attempt({ task: wrongAccount })).body).toMatchObject({ problem: { code: 'invalid_request' } });
    const items = { name: 'items', params: { target: ANA, item: 'bread', count: 1, action: 'add' } };
    expect((await attempt({ task: items })).body).toMatchObject({ problem: { code: 'unsupported' } });
    const { target: __, ...bread } = items.params;
    const batch = { name: 'items', params: bread, targets: [ANA] };
    expect((await attempt({ task: batch })).body).toMatchObject({ problem: { code: 'unsupported' } });
    expect((await attempt({ task: { ...TASK, params, targets: [ANA] } })).body).toMatchObject({ problem: null });
    bridge.socket.close();
    await eventually(async () => (await hub.request('/api/v2/servers/main')).body['connected']).toBe(false);
    expect((await attempt()).body).toMatchObject({ problem: null });
    expect((await attempt({ task: items })).body).toMatchObject({ problem: { code: 'unsupported' } });
    expect((await attempt({ when: { cron: 'x' } })).status).toBe(422);
    expect((await attempt({ serverId: 'ghost' })).body.code).toBe('server_not_found');
    const weak = await hub.newKey(['schedules:write']);
    const json = { serverId: 'main', label: 'Salary', task: TASK, when: DAILY, dryRun: true };
    expect((await hub.request('/api/v2/schedules', { key: weak, json })).body.code).toBe('insufficient_scope');
    expect((await hub.request('/api/v2/schedules')).body['data']).toEqual([]);
    const made = await make(hub);
    expect((await hub.request(`/api/v2/schedules/${String(made.body['id'])}`)).body['next']).toEqual(next);
  });

  it('needs the scope of its command', async () => {
    const { hub } = await stage();
    const { body } = await hub.request('/api/v2/keys', { json: { name: 'k', scopes: ['schedules:write'] } });
    const answer = await hub.request('/api/v2/schedules', {
      key: String(body['key']),
      json: { serverId: 'main', label: 'Salary', task: TASK, when: DAILY },
    });
    expect(answer).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
  });
});
