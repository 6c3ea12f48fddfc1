import { describe, expect, it } from 'vitest';
import { createEconomy, startGameServer } from '../../kit/game-server.ts';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { connectShop } from '../../kit/shop.ts';
import { eventually, rewrite } from '../../kit/stage.ts';
import { come, connect, leave, makeSchedule, openScheduleStage, statusesOf } from '../waiting/schedule-stage.ts';

const ANA = 'char1:ana';
const GIVE = { target: ANA, type: 'bank', amount: 5, action: 'add' };

const change = (hub: TestHub, json: object, key?: string) =>
  hub.request('/api/v2/project', { method: 'PATCH', json, ...(key !== undefined && { key }) });
const pay = (hub: TestHub, json: object, key?: string) =>
  hub.request('/api/v2/bridge/main/money', { json, headers: key === undefined ? {} : { 'Idempotency-Key': key } });
const payAll = (hub: TestHub, { target: _, ...params }: Partial<typeof GIVE> & { reason?: string }, key: string) =>
  hub.request('/api/v2/batches', {
    json: { serverId: 'main', name: 'money', params, targets: [ANA] },
    headers: { 'Idempotency-Key': key },
  });

/** Sets the operator's bound, as `causeway project set` does. */
const setCeiling = async (hub: TestHub, maxAmount: number | null): Promise<void> => {
  await hub.store.projects.update(hub.project.id, { maxAmount }, Date.now());
  await eventually(async () => (await hub.request('/api/v2/project')).body).toMatchObject({ ceilings: { maxAmount } });
};

describe('a change of the project', () => {
  it('is seen at once, keeps what it does not name, and is logged with its actor', async () => {
    const logTo: string[] = [];
    const hub = await startHub({ logTo });
    expect((await hub.request('/api/v2/project')).body).toMatchObject({
      language: null,
      confirmAbove: 1_000_000,
      reasonFor: [],
      maxAmount: null,
      ceilings: { maxAmount: null, maxBatchTotal: null },
    });
    const changed = await change(hub, { name: 'Los Santos', language: 'pt', confirmAbove: 500, reasonFor: ['kick'] });
    const expected = { name: 'Los Santos', language: 'pt', confirmAbove: 500, reasonFor: ['kick'], maxAmount: null };
    expect(changed).toMatchObject({ status: 200, body: expected });
    expect(await change(hub, { maxAmount: 70, language: null })).toMatchObject({
      body: { ...expected, maxAmount: 70, language: null },
    });
    expect((await hub.request('/api/v2/project')).body).toMatchObject({ ...expected, maxAmount: 70, language: null });
    const lines = logTo.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.filter(({ msg }) => msg === 'project changed')).toMatchObject([
      { project: 'test', actor: { keyId: hub.keyId, name: 'test key' }, changed: { name: 'Los Santos' } },
      { changed: { ownMaxAmount: 70 } },
    ]);
  });

  it.each([
    [{ name: '' }, '/name'],
    [{ language: 'xx' }, '/language'],
    [{ confirmAbove: 0 }, '/confirmAbove'],
    [{ reasonFor: ['announce'] }, '/reasonFor/0'],
    [{ maxAmount: 1.5 }, '/maxAmount'],
    [{ maxBatchTotal: -1 }, '/maxBatchTotal'],
    [{ rateLimit: 5 }, '/rateLimit'],
  ])('is refused with %j, and the answer names the field', async (json, pointer) => {
    const hub = await startHub();
    expect(await change(hub, json)).toMatchObject({
      status: 422,
      body: { code: 'invalid_request', errors: [{ pointer }] },
    });
  });

  it('needs project:write and all servers of the project', async () => {
    const hub = await startHub();
    expect(await change(hub, { name: 'x' }, await hub.newKey(['keys:write']))).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope' },
    });
    expect(await change(hub, { name: 'x' }, await hub.newKey(['project:write'], ['main']))).toMatchObject({
      status: 403,
      body: { code: 'server_not_allowed' },
    });
    expect((await change(hub, { name: 'x' }, await hub.newKey(['project:write']))).status).toBe(200);
  });
});

describe('the bounds that a project sets for itself', () => {
  it('hold at once for a payment and a batch, and lie below those of the operator', async () => {
    const hub = await startHub();
    await connect(hub);
    await setCeiling(hub, 100);
    expect(await change(hub, { maxAmount: 101 })).toMatchObject({ status: 403, body: { code: 'above_ceiling' } });
    expect((await change(hub, { maxAmount: 4, maxBatchTotal: 3 })).body).toMatchObject({
      maxAmount: 4,
      maxBatchTotal: 3,
      ceilings: { maxAmount: 100, maxBatchTotal: null },
    });
    expect(await pay(hub, GIVE)).toMatchObject({ status: 422, body: { errors: [{ pointer: '/amount' }] } });
    expect(await payAll(hub, { ...GIVE, amount: 4 }, 'b')).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/params/amount' }] },
    });
    await change(hub, { maxAmount: null });
    expect((await pay(hub, GIVE)).status).toBe(200);
    expect((await pay(hub, { ...GIVE, amount: 101 })).status).toBe(422);
  });

  it('end where the operator allows less', async () => {
    const hub = await startHub();
    await change(hub, { maxAmount: 50 });
    await setCeiling(hub, 10);
    expect((await hub.request('/api/v2/project')).body).toMatchObject({ maxAmount: 10 });
    await setCeiling(hub, null);
    expect((await hub.request('/api/v2/project')).body).toMatchObject({ maxAmount: 50 });
  });
});

describe('a command that needs a reason', () => {
  const needReason = async (hub: TestHub): Promise<void> =>
    void expect((await change(hub, { reasonFor: ['money', 'kick'] })).status).toBe(200);

  it('is refused without one, alone and in a batch, and nothing is stored', async () => {
    const hub = await startHub();
    await connect(hub);
    await needReason(hub);
    const refused = {
      status: 422,
      body: { code: 'reason_required', executed: 'no', errors: [{ pointer: '/reason' }] },
    };
    expect(await pay(hub, GIVE)).toMatchObject(refused);
    expect(await pay(hub, { ...GIVE, reason: '', deliver: 'when_online' })).toMatchObject(refused);
    expect(await pay(hub, { ...GIVE, reason: ' \u00a0' })).toMatchObject(refused);
    expect(await hub.request('/api/v2/bridge/main/kick', { json: { target: ANA } })).toMatchObject(refused);
    expect(await payAll(hub, GIVE, 'b')).toMatchObject({
      status: 422,
      body: { code: 'reason_required', errors: [{ pointer: '/params/reason' }] },
    });
    expect((await hub.request('/api/v2/commands')).body['data']).toEqual([]);
    expect((await pay(hub, { ...GIVE, reason: 'Lottery' })).status).toBe(200);
    expect((await payAll(hub, { ...GIVE, reason: 'Lottery' }, 'b')).status).toBe(202);
  });

  it('is answered as before when it is repeated, and its opposite needs none', async () => {
    const hub = await startHub();
    const economy = createEconomy({ [ANA]: 100 });
    startGameServer({ url: () => hub.bridgeUrl, token: hub.token, folder: hub.folder, economy });
    await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).status).toBe(200);
    const given = await pay(hub, GIVE, 'key');
    await needReason(hub);
    expect(await pay(hub, GIVE, 'key')).toMatchObject({ status: 200, body: { id: given.body['id'] } });
    expect((await hub.request(`/api/v2/commands/${given.body['id']}/undo`, { json: {} })).status).toBe(200);
    expect(economy.applied).toMatchObject([{ delta: 5 }, { delta: -5 }]);
  });

  it('is checked when a schedule is made or changed, not when it runs', async () => {
    const { hub, paid } = await openScheduleStage();
    const id = await makeSchedule(hub);
    await needReason(hub);
    const task = { name: 'money', params: GIVE };
    const refused = { status: 422, body: { code: 'reason_required', errors: [{ pointer: '/task/params/reason' }] } };
    const json = { serverId: 'main', label: 'Second', task, when: { cron: '0 3 * * *', timeZone: 'Europe/Berlin' } };
    expect(await hub.request('/api/v2/schedules', { json })).toMatchObject(refused);
    const patch = (body: object) => hub.request(`/api/v2/schedules/${id}`, { method: 'PATCH', json: body });
    expect(await patch({ task })).toMatchObject(refused);
    expect((await patch({ label: 'Wages' })).status).toBe(200);
    await come(hub, id);
    await eventually(() => statusesOf(hub, id)).toEqual(['done']);
    await eventually(paid).toBe(1);
  });

  it('is checked in the packages of a shop that are made or changed', async () => {
    const hub = await startHub();
    const { target: _, ...params } = GIVE;
    const shop = { kind: 'orders', name: 'Shop', serverId: 'main', secret: 'a-secret-of-a-shop-1234567890' };
    const coins = (more: object = {}) => [{ name: 'money', params: { ...params, ...more } }];
    const make = (more?: object) =>
      hub.request('/api/v2/integrations', { json: { ...shop, packages: { coins: coins(more) } } });
    const { id } = (await make()).body;
    await needReason(hub);
    expect(await make()).toMatchObject({
      status: 422,
      body: { code: 'reason_required', errors: [{ pointer: '/packages/coins/0/params/reason' }] },
    });
    expect((await make({ reason: 'Bought' })).status).toBe(201);
    const set = (packages: object) =>
      hub.request(`/api/v2/integrations/${id}`, { method: 'PATCH', json: { packages } });
    const refused = (place: string) => ({
      status: 422,
      body: { code: 'reason_required', errors: [{ pointer: `/packages/${place}/0/params/reason` }] },
    });
    expect((await set({ coins: coins(), gold: coins({ reason: 'Bought' }) })).status).toBe(200);
    expect(await set({ coins: coins({ amount: 6 }) })).toMatchObject(refused('coins'));
    expect(await set({ coins: coins(), other: coins() })).toMatchObject(refused('other'));
    expect(await set({ coins: [...coins(), ...coins()] })).toMatchObject(refused('coins'));
  });
});

describe('what waits for a person', () => {
  const attention = async (hub: TestHub, key = hub.key) =>
    (await hub.request('/api/v2/project', { key })).body['attention'];

  it('is counted: unknown commands, orders, runs, and servers that are away', async () => {
    const { hub, bridge } = await openScheduleStage();
    await hub.newServer('never-connected');
    expect(await attention(hub)).toEqual({ unknown: 0, orders: 0, runs: 0, servers: 0, webhooks: 0 });
    await pay(hub, GIVE);
    await rewrite(hub, "UPDATE commands SET status = 'indeterminate'");
    expect(await attention(hub)).toMatchObject({ unknown: 1 });
    const shop = await connectShop(hub, 'orders', {});
    await shop.send({ id: 'order-1', type: 'paid', buyer: 'nobody', packages: [{ id: 'unmapped', quantity: 2 }] });
    await eventually(() => attention(hub)).toMatchObject({ orders: 1 });
    const id = await makeSchedule(hub, {
      task: { name: 'items', params: { target: ANA, item: 'bread', count: 1, action: 'add' } },
    });
    await come(hub, id);
    await eventually(() => attention(hub)).toMatchObject({ runs: 1 });
    await leave(hub, { bridge });
    await eventually(() => attention(hub)).toMatchObject({ servers: 1 });
    expect(await attention(hub, await hub.newKey([], ['never-connected']))).toEqual({
      unknown: 0,
      orders: 0,
      runs: 0,
      servers: 0,
      webhooks: 0,
    });
    await hub.request('/api/v2/servers/main', { method: 'PATCH', json: { disabled: true } });
    expect(await attention(hub)).toMatchObject({ servers: 0 });
  });
});

describe('a key', () => {
  it('is told what it may do, and what its project asks', async () => {
    const hub = await startHub();
    await change(hub, { maxAmount: 9, reasonFor: ['kick'] });
    const key = await hub.newKey(['players:read'], ['main']);
    const { status, body } = await hub.request('/api/v2/me', { key });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'other key',
      scopes: ['players:read'],
      servers: ['main'],
      expiresAt: null,
      project: { slug: 'test', confirmAbove: 1_000_000, reasonFor: ['kick'], maxAmount: 9, maxBatchTotal: null },
    });
    expect(JSON.stringify(body)).not.toContain('hash');
  });

  it('can be given another end, within that of the key that gives it', async () => {
    const hub = await startHub();
    const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
    const json = { name: 'helper', scopes: ['keys:write'], expiresAt: inHours(30) };
    const { body } = await hub.request('/api/v2/keys', { json });
    const [path, key] = [`/api/v2/keys/${body['id']}`, String(body['key'])];
    const end = (expiresAt: string | null, by = hub.key) =>
      hub.request(path, { method: 'PATCH', json: { expiresAt }, key: by });
    const sooner = inHours(2);
    expect(await end(sooner)).toMatchObject({ status: 200, body: { expiresAt: sooner } });
    expect(await end(inHours(3), key)).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
    expect(await end(inHours(-1))).toMatchObject({ status: 422, body: { errors: [{ pointer: '/expiresAt' }] } });
    expect(await end(null)).toMatchObject({ status: 200, body: { expiresAt: null } });
    expect((await hub.request('/api/v2/me', { key })).status).toBe(200);
  });
});
