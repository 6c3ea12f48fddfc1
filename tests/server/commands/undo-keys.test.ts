import { expect, it } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';

const ANA = 'char1:ana';
const GIVE = { target: ANA, type: 'bank', amount: 50, action: 'add' };
const BACK = { ...GIVE, action: 'remove', reason: 'Undone' };

const open = async () => {
  const hub = await startHub();
  await hub.newServer('second');
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: ['money@1', 'items@1'] });
  let isPoor = false;
  const applied: number[] = [];
  answerAll(bridge, ({ params }) => {
    if (isPoor)
      return { status: 'rejected', error: { code: 'insufficient_funds', message: 'no', details: { balance: 0 } } };
    const delta = params['action'] === 'add' ? Number(params['amount']) : -Number(params['amount']);
    applied.push(delta);
    return { status: 'done', data: { account: 'bank', before: 100, after: 100 + delta } };
  });
  bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [playerFrame(ANA)] });
  const send = (json: object, key?: string, server = 'main') =>
    hub.request(`/api/v2/bridge/${server}/money`, {
      json,
      headers: key === undefined ? {} : { 'Idempotency-Key': key },
    });
  const given = await send(GIVE);
  expect(given.status, given.text).toBe(200);
  return {
    hub,
    send,
    applied,
    id: String(given.body['id']),
    become: (poor: boolean) => {
      isPoor = poor;
    },
  };
};

it('undoes a command with its opposite, once', async () => {
  const { send, id, applied } = await open();
  expect((await send(BACK, `undo/${id}`)).status).toBe(200);
  const again = await send(BACK, `undo/${id}`);
  expect(again.status).toBe(200);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(await send(BACK, `undo/${id}/2`)).toMatchObject({ status: 422, body: { executed: 'no' } });
  expect(applied).toEqual([50, -50]);
});

it('undoes it at the next try if the first had no effect', async () => {
  const { send, id, applied, become } = await open();
  become(true);
  expect((await send(BACK, `undo/${id}`)).body.code).toBe('insufficient_funds');
  become(false);
  expect((await send(BACK, `undo/${id}/3`)).status).toBe(422);
  expect((await send(BACK, `undo/${id}/2`)).status).toBe(200);
  expect((await send(BACK, `undo/${id}/3`)).status).toBe(422);
  expect(applied).toEqual([50, -50]);
});

it.each([
  ['another amount', { amount: 1 }],
  ['the same direction', { action: 'add' }],
  ['another account', { type: 'cash' }],
  ['another player', { target: 'char1:bob' }],
  ['a negative balance allowed', { allowNegative: true }],
])('does not take a key of an undo for %s', async (_what, change) => {
  const { send, id, applied } = await open();
  const answer = await send({ ...BACK, ...change }, `undo/${id}`);
  expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_request', executed: 'no' } });
  expect(answer.body['errors']).toMatchObject([{ pointer: '/Idempotency-Key' }]);
  expect((await send(BACK, `undo/${id}`)).status).toBe(200);
  expect(applied).toEqual([50, -50]);
});

it.each(['undo/cmd_0000000000000000', 'undo/', 'undo/x', 'undo/cmd_0000000000000000/1'])(
  'does not take %s, which names no command that was done',
  async (key) => {
    const { send } = await open();
    expect(await send(BACK, key)).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
  },
);

it('takes back a vehicle whose plate the game writes with blanks, and items without properties', async () => {
  const hub = await startHub();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: ['items@1', 'vehicles@1'] });
  answerAll(bridge, ({ name, params }) => {
    const isGift = params['action'] === 'add';
    const vehicle = { plate: 'GIFT 1 ', model: 'adder', garage: null };
    const data = name === 'vehicles' ? vehicle : { item: 'bread', before: isGift ? 0 : 2, after: isGift ? 2 : 0 };
    return { status: 'done', data };
  });
  const gifts = [
    ['vehicles', { action: 'give', model: 'adder' }, { action: 'take', plate: 'GIFT 1 ' }],
    ['items', { action: 'add', item: 'bread', count: 2 }, { action: 'remove', item: 'bread', count: 2, metadata: {} }],
  ] as const;
  for (const [name, given, taken] of gifts) {
    const path = `/api/v2/bridge/main/${name}`;
    const { body } = await hub.request(path, { json: { target: ANA, ...given } });
    const headers = { 'Idempotency-Key': `undo/${body['id']}` };
    const undone = await hub.request(path, { json: { target: ANA, ...taken, reason: 'Undone' }, headers });
    expect(undone.status, undone.text).toBe(200);
  }
});

it('belongs to one server, and to single commands', async () => {
  const { hub, send, id } = await open();
  expect((await send(BACK, `undo/${id}`, 'second')).status).toBe(422);
  const headers = { 'Idempotency-Key': `undo/${id}` };
  const { target: _, ...params } = BACK;
  for (const [path, json] of [
    ['/api/v2/batches', { serverId: 'main', name: 'money', params, targets: [ANA] }],
    ['/api/v2/bridge/main/actions/revive', {}],
  ] as const) {
    const answer = await hub.request(path, { json, headers });
    expect(answer, path).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
    expect(answer.text).toContain('undo/');
  }
});
