import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { shareHub, startHub, type TestHub } from '../../kit/hub.ts';
import { onPostgres } from '../../kit/hub-database.ts';
import { answerAll, playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { backUp, restoreBackup } from '../../kit/restore-hub.ts';
import { ANA, eventually, openStage, PAY, pay, rewrite } from '../../kit/stage.ts';

const GIVE = { target: ANA, type: 'bank', amount: 50, action: 'add' };
const COMMANDS = ['kick@1', 'money@1', 'items@1', 'vehicles@1', 'job@1'];

const undoOf = (hub: TestHub, id: unknown, body: object = {}, key = hub.key) =>
  hub.request(`/api/v2/commands/${id}/undo`, { json: body, key });

const newTenant = shareHub();
const open = async (start = newTenant) => {
  const hub = await start();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: COMMANDS });
  let refusal: string | undefined;
  const held: { id: string; data: object }[] = [];
  let isHeld = false;
  const applied: number[] = [];
  const reasons: unknown[] = [];
  answerAll(bridge, ({ id, name, params }) => {
    if (name === 'kick') return { status: 'done' };
    reasons.push(params['reason']);
    if (refusal !== undefined) return { status: 'rejected', error: { code: refusal, message: 'no' } };
    const delta = params['action'] === 'add' ? Number(params['amount']) : -Number(params['amount']);
    applied.push(delta);
    const data = { account: 'bank', before: 100, after: 100 + delta };
    if (isHeld) return void held.push({ id, data });
    return { status: 'done', data };
  });
  bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [playerFrame(ANA)] });
  const give = async (more: object = {}, headers: Record<string, string> = {}) =>
    (await hub.request('/api/v2/bridge/main/money', { json: { ...GIVE, ...more }, headers })).body;
  return {
    hub,
    bridge,
    applied,
    reasons,
    give,
    id: String((await give())['id']),
    refuse: (code: string | undefined) => {
      refusal = code;
    },
    hold: () => {
      isHeld = true;
    },
    letGo: () => {
      isHeld = false;
      for (const { id, data } of held.splice(0)) bridge.send({ type: 'result', id, status: 'done', data });
    },
    read: async (id: unknown) => (await hub.request(`/api/v2/commands/${id}`)).body,
  };
};

describe('an undo', () => {
  it('makes the opposite once, however often and with whatever reason it is asked for', async () => {
    const { hub, id, applied, reasons, read } = await open();
    const undone = await undoOf(hub, id, { reason: 'wrong player' });
    expect(undone).toMatchObject({ status: 200, body: { undoes: id, status: 'succeeded', params: { amount: 50 } } });
    const again = await undoOf(hub, id, { reason: 'another word' });
    expect(again).toMatchObject({ status: 200, body: { id: undone.body['id'] } });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(applied).toEqual([50, -50]);
    expect(reasons).toEqual([undefined, 'wrong player']);
    const undoneBy = { id: undone.body['id'], status: 'succeeded', executed: 'yes' };
    expect(await read(id)).toMatchObject({ undoneBy });
    const { data } = (await hub.request('/api/v2/commands')).body as { data: unknown[] };
    expect(data[1]).toMatchObject({ id, undoneBy });
    expect(data[0]).not.toHaveProperty('undoneBy');
  });

  it('without a reason names the command', async () => {
    const { hub, id, reasons } = await open();
    expect((await undoOf(hub, id)).status).toBe(200);
    expect(reasons.at(-1)).toBe(`Undo of ${id}`);
  });

  it('without effect can be made again, and the last try is told', async () => {
    const { hub, id, applied, refuse, read } = await open();
    refuse('insufficient_funds');
    const refused = await undoOf(hub, id);
    expect(refused).toMatchObject({ status: 409, body: { code: 'insufficient_funds', executed: 'no' } });
    expect(await read(id)).toMatchObject({ undoneBy: { status: 'rejected', executed: 'no' } });
    refuse(undefined);
    const done = await undoOf(hub, id);
    expect(done.status).toBe(200);
    expect(done.body['id']).not.toBe((refused.body['command'] as { id: string }).id);
    expect(await read(id)).toMatchObject({ undoneBy: { id: done.body['id'], executed: 'yes' } });
    expect((await undoOf(hub, id)).body['id']).toBe(done.body['id']);
    expect(applied).toEqual([50, -50]);
  });

  it('that the game server knows with other parameters is not tried with another key', async () => {
    const { hub, id, bridge, refuse } = await open();
    refuse('fingerprint_mismatch');
    expect((await undoOf(hub, id)).body.code).toBe('idempotency_mismatch');
    refuse(undefined);
    expect((await undoOf(hub, id)).body.code).toBe('idempotency_mismatch');
    expect(bridge.frames.filter(({ type }) => type === 'command')).toHaveLength(2);
  });

  it('of several at the same moment is one command', async () => {
    const { hub, id, applied, hold, letGo } = await open();
    hold();
    const asked = Promise.all(Array.from({ length: 12 }, (_, n) => undoOf(hub, id, { reason: `staff ${n}` })));
    await eventually(() => applied).toEqual([50, -50]);
    letGo();
    const answers = await asked;
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ body }) => body['id'])).size).toBe(1);
    expect(applied).toEqual([50, -50]);
  });

  it('in doubt is answered as such and not made again', async () => {
    const { hub, id, applied, hold, letGo } = await open();
    hold();
    const path = `/api/v2/commands/${id}/undo`;
    const first = await hub.request(path, { json: {}, headers: { Prefer: 'respond-async' } });
    expect(first).toMatchObject({ status: 202, body: { undoes: id } });
    await eventually(() => applied).toEqual([50, -50]);
    expect((await hub.request(path, { json: {}, headers: { Prefer: 'wait=1' } })).body).toMatchObject({
      id: first.body['id'],
      code: 'in_doubt',
      executed: 'unknown',
    });
    letGo();
    expect((await undoOf(hub, id)).status).toBe(200);
    expect(applied).toEqual([50, -50]);
  });
});

it.skipIf(onPostgres)('an undo that its node discards while another request waits for it is no outcome', async () => {
  const { hub, id, applied, hold } = await open(startHub);
  hold();
  const first = await hub.request(`/api/v2/commands/${id}/undo`, { json: {}, headers: { Prefer: 'respond-async' } });
  await eventually(() => applied).toEqual([50, -50]);
  const made = String(first.body['id']);
  const { commands } = hub.hub.store;
  const { get } = commands;
  const reads = vi.spyOn(commands, 'get').mockImplementation(async (project, asked) => {
    const row = await get(project, asked);
    if (asked === made) await rewrite(hub, 'DELETE FROM commands WHERE id = ?', made);
    return row;
  });
  onTestFinished(() => reads.mockRestore());
  expect(await undoOf(hub, id)).toMatchObject({ status: 503, body: { code: 'routing_unavailable', retryable: true } });
});

it.skipIf(onPostgres)('a restored hub does not make an undo twice whose first try was refused', async () => {
  const stage = await openStage();
  const hub = stage.hub();
  await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).status).toBe(200);
  const { id } = (await pay(hub))?.body ?? {};
  await backUp(hub);
  stage.economy.banks.set(ANA, 0);
  expect((await undoOf(hub, id)).body.code).toBe('insufficient_funds');
  stage.economy.banks.set(ANA, 500);
  expect((await undoOf(hub, id)).status).toBe(200);
  await restoreBackup(hub);
  const next = await stage.nextHub();
  const again = () => undoOf(next, id, {}, hub.key);
  await eventually(async () => (await again()).status).toBe(200);
  expect((await again()).body['executed']).toBe('yes');
  expect(stage.economy.applied.map(({ delta }) => delta)).toEqual([PAY, -PAY]);
  expect(stage.bank()).toBe(500 - PAY);
});

describe('no undo has', () => {
  it('an undo', async () => {
    const { hub, id, applied, read } = await open();
    const undo = (await undoOf(hub, id)).body['id'];
    const refused = await undoOf(hub, undo);
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'no_opposite', executed: 'no', command: { id: undo } },
    });
    expect(refused.body['detail']).toContain(id);
    expect(await read(undo)).not.toHaveProperty('opposite');
    await hub.store.commands.forgetKeys(Date.now() + 1, 100);
    expect((await undoOf(hub, undo)).body.code).toBe('no_opposite');
    expect((await undoOf(hub, id)).body['id']).toBe(undo);
    expect(applied).toEqual([50, -50]);
  });

  it('a command without effect, or one that is in doubt', async () => {
    const { hub, give, refuse, hold, applied, letGo } = await open();
    refuse('refused');
    const failed = (await give())['command'] as { id: string };
    expect(await undoOf(hub, failed.id)).toMatchObject({
      status: 409,
      body: { code: 'nothing_to_undo', executed: 'no', command: { id: failed.id, status: 'rejected' } },
    });
    refuse(undefined);
    hold();
    const sent = await give({}, { Prefer: 'respond-async' });
    await eventually(() => applied).toEqual([50, 50]);
    expect(await undoOf(hub, sent['id'])).toMatchObject({
      status: 409,
      body: { code: 'not_settled', executed: 'no', retryable: true, command: { id: sent['id'], status: 'dispatched' } },
    });
    letGo();
    await eventually(async () => (await undoOf(hub, sent['id'])).status).toBe(200);
    expect(applied).toEqual([50, 50, -50]);
  });

  it('a kick, or a command that does not exist', async () => {
    const { hub } = await open();
    const kick = await hub.request('/api/v2/bridge/main/kick', { json: { target: ANA } });
    expect((await undoOf(hub, kick.body['id'])).body.code).toBe('no_opposite');
    expect((await undoOf(hub, 'cmd_00000000000000000000')).body.code).toBe('command_not_found');
  });

  it('a job that the player has changed since', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: COMMANDS });
    const data = { before: { job: 'unemployed', grade: 0 }, after: { job: 'police', grade: 1 } };
    answerAll(bridge, () => ({ status: 'done', data }));
    const metadata = { job: 'taxi', jobGrade: 0 };
    const players = [{ ...playerFrame(ANA), metadata }];
    bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players });
    await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).body['metadata']).toMatchObject(
      metadata,
    );
    const given = await hub.request('/api/v2/bridge/main/job', { json: { target: ANA, job: 'police', grade: 1 } });
    expect(given.status, given.text).toBe(200);
    expect((await undoOf(hub, given.body['id'])).body).toMatchObject({
      code: 'no_opposite',
      detail: 'The player has another job by now.',
    });
  });
});

it('a waiting command is taken back instead, and has nothing to undo later', async () => {
  const { hub, give, bridge, read } = await open();
  bridge.send({
    type: 'players.snapshot',
    revision: 2,
    part: 0,
    last: true,
    players: [playerFrame(ANA, { online: false })],
  });
  await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).body['online']).toBe(false);
  const waiting = await give({ deliver: 'when_online' });
  expect(waiting['status']).toBe('waiting');
  const taken = await undoOf(hub, waiting['id'], { reason: 'mistake' });
  expect(taken).toMatchObject({ status: 200, body: { id: waiting['id'], status: 'voided', executed: 'no' } });
  expect((await undoOf(hub, waiting['id'])).body.code).toBe('nothing_to_undo');
  expect(await read(waiting['id'])).not.toHaveProperty('undoneBy');
});

it('takes a vehicle back whose plate the game writes with blanks, and only plain items from mixed ones', async () => {
  const hub = await startHub();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: COMMANDS });
  const sent: Record<string, unknown>[] = [];
  answerAll(bridge, ({ name, params }) => {
    sent.push(params);
    const isGift = params['action'] === 'add';
    const vehicle = { plate: 'GIFT 1 ', model: 'adder', garage: null };
    const data = name === 'vehicles' ? vehicle : { item: 'bread', before: isGift ? 0 : 2, after: isGift ? 2 : 0 };
    return { status: 'done', data };
  });
  const stack = { name: 'bread', label: 'Bread', count: 1 };
  const inventory = [
    { ...stack, slot: 1, metadata: {} },
    { ...stack, slot: 2, metadata: { baker: 'ben' } },
  ];
  bridge.send({
    type: 'players.snapshot',
    revision: 1,
    part: 0,
    last: true,
    players: [{ ...playerFrame(ANA), inventory }],
  });
  await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).body['inventory']).toHaveLength(2);
  for (const [name, given, taken] of [
    ['vehicles', { action: 'give', model: 'adder' }, { action: 'take', plate: 'GIFT 1' }],
    ['items', { action: 'add', item: 'bread', count: 2 }, { action: 'remove', item: 'bread', count: 2, metadata: {} }],
  ] as const) {
    const { body } = await hub.request(`/api/v2/bridge/main/${name}`, { json: { target: ANA, ...given } });
    const undone = await undoOf(hub, body['id']);
    expect(undone.status, undone.text).toBe(200);
    expect(sent.at(-1)).toMatchObject({ target: ANA, ...taken });
  }
});

it('needs the scope of the command and its server, and a bounded reason', async () => {
  const { hub, id, applied } = await open();
  await hub.newServer('second');
  const reader = await hub.newKey(['commands:read', 'commands:resolve']);
  expect((await undoOf(hub, id, {}, reader)).body).toMatchObject({ code: 'insufficient_scope' });
  const foreign = await hub.newKey(['commands:money'], ['second']);
  expect((await undoOf(hub, id, {}, foreign)).body.code).toBe('command_not_found');
  for (const reason of ['', 'x'.repeat(513), 7]) {
    expect((await undoOf(hub, id, { reason })).body).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/reason' }],
    });
  }
  expect((await undoOf(hub, id, { amount: 1 })).status).toBe(422);
  expect(applied).toEqual([50]);
  expect((await undoOf(hub, id, {}, await hub.newKey(['commands:money'], ['main']))).status).toBe(200);
});

it.each(['undo/x', 'undo/cmd_0000000000000000'])('callers cannot use the key %s', async (key) => {
  const { hub } = await open();
  const headers = { 'Idempotency-Key': key };
  const { target: _, ...params } = GIVE;
  for (const [path, json] of [
    ['/api/v2/bridge/main/money', GIVE],
    ['/api/v2/batches', { serverId: 'main', name: 'money', params, targets: [ANA] }],
    ['/api/v2/bridge/main/actions/revive', {}],
  ] as const) {
    const answer = await hub.request(path, { json, headers });
    expect(answer, path).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
    expect(answer.text).toContain('undo/');
  }
});
