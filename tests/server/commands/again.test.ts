import { describe, expect, it } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, reportPlayers, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually } from '../../kit/stage.ts';

const ANA = 'char1:ana';
const TAKE = { target: 'discord:1', type: 'bank', amount: 50, action: 'deduct', reason: 'Fine' };

/** A hub whose game server refuses everything, until it is told to do it. */
const open = async () => {
  const hub = await startHub();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: ['kick@1', 'money@1'] });
  let mood: 'refuses' | 'does it' | 'is silent' = 'refuses';
  const sent: { id: string; params: Record<string, unknown> }[] = [];
  answerAll(bridge, ({ id, params }) => {
    sent.push({ id, params });
    if (mood === 'refuses') return { status: 'rejected', error: { code: 'insufficient_funds', message: 'no' } };
    const delta = params['action'] === 'add' ? 50 : -50;
    if (mood === 'does it') return { status: 'done', data: { account: 'bank', before: 100, after: 100 + delta } };
    return undefined;
  });
  await reportPlayers(hub, bridge, playerFrame(ANA, { identifiers: ['discord:1'] }));
  const pay = (json: object = TAKE, headers = {}) => hub.request('/api/v2/bridge/main/money', { json, headers });
  const failed = await pay();
  expect(failed.body).toMatchObject({ code: 'insufficient_funds', executed: 'no' });
  return {
    hub,
    bridge,
    sent,
    pay,
    id: (failed.body['command'] as { id: string }).id,
    become: (next: typeof mood) => {
      mood = next;
    },
    again: (id: unknown, headers: Record<string, string> = {}, key = hub.key) =>
      hub.request(`/api/v2/commands/${id}/again`, { json: {}, headers, key }),
    settle: (n: number) =>
      bridge.send({
        type: 'result',
        id: sent[n]?.id,
        status: 'done',
        data: { account: 'bank', before: 100, after: 50 },
      }),
  };
};

describe('a command without effect', () => {
  it('is sent again with the same body for the same player, until it has effect', async () => {
    const { hub, id, again, become, sent } = await open();
    const refused = await again(id);
    expect(refused.body).toMatchObject({ code: 'insufficient_funds', executed: 'no' });
    const second = (refused.body['command'] as { id: string }).id;
    expect(second).not.toBe(id);
    become('does it');
    const done = await again(second);
    expect(done).toMatchObject({
      status: 200,
      body: { status: 'succeeded', repeats: id, target: ANA, params: { amount: 50, action: 'deduct', reason: 'Fine' } },
    });
    const effect = { target: ANA, amount: 50, action: 'remove', reason: 'Fine' };
    expect(sent.map(({ params }) => params)).toMatchObject([effect, effect, effect]);
    expect(new Set(sent.map((each) => each.id)).size).toBe(3);
    for (const each of [id, second, done.body['id']]) {
      expect(await again(each)).toMatchObject({
        status: 409,
        body: { code: 'already_sent', executed: 'no', command: { id: done.body['id'], status: 'succeeded' } },
      });
    }
    await hub.store.commands.forgetKeys(Date.now() + 1, 100);
    expect((await again(second)).body.code).toBe('already_sent');
    expect(sent).toHaveLength(3);
  });

  it('is sent once by several requests at the same moment', async () => {
    const { id, again, become, sent } = await open();
    become('does it');
    const answers = await Promise.all(Array.from({ length: 12 }, () => again(id)));
    const made = answers.filter(({ status }) => status === 200).map(({ body }) => body['id']);
    expect(new Set(made).size).toBe(1);
    for (const { status, body } of answers) {
      if (status !== 200) expect(body).toMatchObject({ code: 'already_sent', command: { id: made[0] } });
    }
    expect(sent).toHaveLength(2);
  });

  it('is not sent again while a try is in doubt, which the answer names', async () => {
    const { id, again, become, sent, settle } = await open();
    become('is silent');
    const first = await again(id, { Prefer: 'respond-async' });
    expect(first).toMatchObject({ status: 202, body: { repeats: id } });
    await eventually(() => sent).toHaveLength(2);
    expect((await again(id)).body).toMatchObject({ code: 'already_sent', command: { id: first.body['id'] } });
    settle(1);
    await eventually(async () => (await again(id)).body).toMatchObject({ command: { status: 'succeeded' } });
    expect(sent).toHaveLength(2);
  });

  it('that waited waits again', async () => {
    const { hub, id: _, pay, again, bridge } = await open();
    const away = playerFrame(ANA, { identifiers: ['discord:1'], online: false });
    bridge.send({ type: 'players.snapshot', revision: 2, part: 0, last: true, players: [away] });
    await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).body['online']).toBe(false);
    const waiting = await pay({ ...TAKE, deliver: 'when_online', expiresInSeconds: 5_000 });
    expect((await again(waiting.body['id'])).body).toMatchObject({
      code: 'already_sent',
      command: { status: 'waiting' },
    });
    await hub.request(`/api/v2/commands/${waiting.body['id']}/void`, { json: {} });
    const repeated = await again(waiting.body['id']);
    expect(repeated).toMatchObject({ status: 202, body: { status: 'waiting', repeats: waiting.body['id'] } });
    const { createdAt, expiresAt } = repeated.body as { createdAt: string; expiresAt: string };
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBeGreaterThan(4_900_000);
  });
});

describe('what is never sent again is', () => {
  it('a command of a batch, an undo, and one that the game server knows with other parameters', async () => {
    const { hub, pay, again, become, bridge } = await open();
    const { target: _, ...params } = TAKE;
    const batch = await hub.request('/api/v2/batches', {
      json: { serverId: 'main', name: 'money', params, targets: [ANA] },
      headers: { 'Idempotency-Key': 'fines' },
    });
    const path = `/api/v2/batches/${batch.body['id']}/commands`;
    await eventually(async () => (await hub.request(path)).body['data']).toMatchObject([{ status: 'rejected' }]);
    const [row] = (await hub.request(path)).body['data'] as { id: string }[];
    const isRefused = { status: 409, body: { code: 'not_repeatable', executed: 'no' } };
    expect(await again(row?.id)).toMatchObject(isRefused);

    become('does it');
    const paid = await pay();
    become('refuses');
    const undo = await hub.request(`/api/v2/commands/${paid.body['id']}/undo`, { json: {} });
    const answer = await again((undo.body['command'] as { id: string }).id);
    expect(answer).toMatchObject(isRefused);
    expect(answer.text).toContain(String(paid.body['id']));

    become('is silent');
    const sent = await pay(TAKE, { 'Idempotency-Key': 'old', Prefer: 'respond-async' });
    const mismatch = { status: 'rejected', error: { code: 'fingerprint_mismatch', message: 'no' } };
    await bridge.until(() => bridge.frames.find(({ id }) => id === sent.body['id']), 'the command');
    bridge.send({ type: 'result', id: sent.body['id'], ...mismatch });
    const look = async () => (await hub.request(`/api/v2/commands/${sent.body['id']}`)).body['status'];
    await eventually(look).toBe('rejected');
    expect(await again(sent.body['id'])).toMatchObject(isRefused);
  });
});

it('needs the scope of the command and its server', async () => {
  const { hub, id, again, become, sent } = await open();
  await hub.newServer('second');
  expect((await again(id, {}, await hub.newKey(['commands:read']))).body.code).toBe('insufficient_scope');
  expect((await again(id, {}, await hub.newKey(['commands:money'], ['second']))).body.code).toBe('command_not_found');
  become('does it');
  expect((await again(id, {}, await hub.newKey(['commands:money']))).status).toBe(200);
  expect(sent).toHaveLength(2);
  const headers = { 'Idempotency-Key': `again/${id}/2` };
  expect((await hub.request('/api/v2/bridge/main/money', { json: TAKE, headers })).status).toBe(422);
});
