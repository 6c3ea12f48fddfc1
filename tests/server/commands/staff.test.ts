import { describe, expect, it } from 'vitest';
import { COMMAND_NAMES, commandTag } from '../../../bridge-protocol/index.ts';
import { shareHub, startHub, type TestHub } from '../../kit/hub.ts';
import { answerAll, type Frame, welcomeRaw } from '../../kit/raw-bridge.ts';

const TARGET = { target: 'char1:ana' };

const newTenant = shareHub();

const connected = async (reply?: Parameters<typeof answerAll>[1], open = newTenant) => {
  const hub = await open();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: COMMAND_NAMES.map(commandTag) });
  if (reply !== undefined) answerAll(bridge, reply);
  return { hub, bridge };
};
const did = (data: object) => () => ({ status: 'done', data, sequence: 1 });
const send = (hub: TestHub, name: string, json: object, headers: Record<string, string> = {}) =>
  hub.request(`/api/v2/bridge/main/${name}`, { json, headers });

const POSITION = { x: 1, y: 2.5, z: -3 };

describe('a command of staff', () => {
  it.each([
    [
      'vehicles',
      { action: 'give', model: 'adder', plate: ' gift 1' },
      { plate: 'GIFT 1 ', model: 'adder', garage: null },
    ],
    ['vehicles', { action: 'take', plate: 'A' }, { plate: 'A', model: 'adder', garage: 'pier', metadata: { fuel: 1 } }],
    ['job', { job: 'police', grade: 0 }, { before: { job: 'taxi', grade: 1 }, after: { job: 'police', grade: 0 } }],
    ['message', { message: 'hi' }, { confirmedBy: 'client' }],
    ['revive', {}, { confirmedBy: 'server' }],
    ['heal', { reason: 'event' }, { confirmedBy: 'server' }],
    ['freeze', { frozen: true }, { confirmedBy: 'server', frozen: true }],
    ['teleport', { to: { player: 'char1:bob' } }, { confirmedBy: 'server', position: POSITION }],
    ['teleport', { to: POSITION }, { confirmedBy: 'server', position: POSITION }],
  ])('%s with %j is done', async (name, body, data) => {
    const { hub, bridge } = await connected(did(data));
    const answer = await send(hub, name, { ...TARGET, ...body });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ name, target: 'char1:ana', executed: 'yes', result: data });
    expect((await bridge.command()).params['target']).toBe('char1:ana');
  });

  it('announce is for no player', async () => {
    const { hub, bridge } = await connected(did({ confirmedBy: 'server', players: 7 }));
    const { body } = await send(hub, 'announce', { message: 'hi' });
    expect(body).toMatchObject({ target: null, executed: 'yes', result: { players: 7 } });
    expect((await bridge.command()).params).toEqual({ message: 'hi' });
  });

  it.each([
    ['vehicles', { action: 'give', model: 'adder' }, { plate: 'A', model: 'futo', garage: null }],
    ['vehicles', { action: 'take', plate: 'A' }, { plate: 'B', model: 'futo', garage: null }],
    ['job', { job: 'police', grade: 1 }, { before: { job: 'a', grade: 0 }, after: { job: 'police', grade: 2 } }],
    ['job', { job: 'police', grade: 1 }, { after: { job: 'police', grade: 1 } }],
    ['freeze', { frozen: true }, { confirmedBy: 'server', frozen: false }],
    ['heal', {}, { confirmedBy: 'nobody' }],
    ['heal', {}, {}],
    ['vehicles', { action: 'store', plate: 'A' }, { plate: 'A', model: 'futo', garage: null }],
    ['vehicles', { action: 'store', plate: 'A', garage: 'pier' }, { plate: 'A', model: 'futo', garage: 'legion' }],
  ])('%s with %j is indeterminate when the result is %j', async (name, body, data) => {
    const { hub } = await connected(did(data));
    const answer = await send(hub, name, { ...TARGET, ...body });
    expect(answer.body).toMatchObject({
      code: 'bridge_error',
      executed: 'unknown',
      command: { status: 'indeterminate' },
    });
  });

  it.each([
    ['vehicles', 'unknown_model', 422],
    ['vehicles', 'plate_taken', 409],
    ['vehicles', 'vehicle_not_found', 409],
    ['vehicles', 'vehicle_out', 409],
    ['job', 'unknown_job', 422],
    ['job', 'unknown_grade', 422],
  ])('%s is refused with %s', async (name, code, status) => {
    const { hub } = await connected(() => ({
      status: 'rejected',
      error: { code, message: 'said the game' },
      sequence: 1,
    }));
    const body = name === 'job' ? { job: 'police', grade: 1 } : { action: 'take', plate: 'A' };
    const answer = await send(hub, name, { ...TARGET, ...body });
    expect([answer.status, answer.body['code'], answer.body['executed']]).toEqual([status, code, 'no']);
  });

  it.each([
    ['vehicles', { action: 'give' }, '/model'],
    ['vehicles', { action: 'take' }, '/plate'],
    ['vehicles', { action: 'store', plate: '  ' }, '/plate'],
    ['vehicles', { action: 'take', plate: 'A', model: 'adder' }, '/model'],
    ['vehicles', { action: 'take', plate: 'A', metadata: { a: 1 } }, '/metadata'],
    ['vehicles', { action: 'give', model: 'adder', metadata: { constructor: 1 } }, '/metadata/constructor'],
    ['job', { job: 'police', grade: -1 }, '/grade'],
    ['job', { job: '', grade: 1 }, '/job'],
    ['vehicles', { action: 'take', plate: 'ß'.repeat(17) }, '/plate'],
    ['vehicles', { action: 'give', model: '🚓'.repeat(65) }, '/model'],
    ['vehicles', { action: 'give', model: 'adder', plate: 'A\0' }, '/plate'],
    ['job', { job: 'police', grade: 1.5 }, '/grade'],
    ['job', { job: 'x'.repeat(129), grade: 1 }, '/job'],
    ['message', { message: '🚓'.repeat(513) }, '/message'],
    ['message', { message: '' }, '/message'],
    ['message', { message: 'x'.repeat(1025) }, '/message'],
    ['freeze', {}, '/frozen'],
    ['teleport', { to: { x: 1, y: 2 } }, '/to'],
    ['teleport', { to: { x: 1, y: 2, z: 1e9 } }, '/to/z'],
  ])('%s refuses %j', async (name, body, pointer) => {
    const { hub } = await connected();
    const answer = await send(hub, name, { ...TARGET, ...body });
    expect(answer.status).toBe(422);
    expect(answer.body['errors']).toMatchObject([{ pointer }]);
  });

  it('is counted under its name', async () => {
    const { hub } = await connected(did({ confirmedBy: 'server', frozen: true }), startHub);
    await send(hub, 'freeze', { ...TARGET, frozen: true });
    const { text } = await hub.request('/metrics', { key: null });
    const counted = (name: string, status: string) =>
      new RegExp(`^causeway_commands_settled_total\\{name="${name}",status="${status}"\\} (\\d+)$`, 'm').exec(
        text,
      )?.[1];
    expect(counted('freeze', 'succeeded')).toBe('1');
    expect(text).toContain('causeway_command_duration_seconds_count{name="freeze"} 1');
    // An alert on the first of them needs a nought before it.
    const others = COMMAND_NAMES.filter((name) => name !== 'freeze');
    expect(others.map((name) => counted(name, 'succeeded'))).toEqual(others.map(() => '0'));
    expect(COMMAND_NAMES.map((name) => counted(name, 'indeterminate'))).toEqual(COMMAND_NAMES.map(() => '0'));
  });

  it('without a lasting effect needs its data', async () => {
    const { hub } = await connected(() => ({ status: 'done' }));
    const answer = await send(hub, 'heal', TARGET);
    expect(answer.body).toMatchObject({ code: 'bridge_error', executed: 'unknown' });
  });

  it('without a lasting effect leaves payments their places in the queue', async () => {
    const { hub, bridge } = await connected();
    // The hub closes a socket that confirms nothing for five seconds.
    bridge.socket.on('message', (data) => {
      const frame = JSON.parse(data.toString()) as Frame;
      if (frame.type === 'command') bridge.send({ type: 'received', ids: [frame['id']] });
    });
    const open = Array.from({ length: 300 }, (_, n) =>
      send(hub, 'message', { target: `char1:p${n}`, message: 'hi' }, { Prefer: 'respond-async' }),
    );
    const answers = await Promise.all(open);
    expect(answers.some(({ body }) => body['code'] === 'bridge_busy')).toBe(true);
    const pay = { target: 'char1:ana', type: 'bank', amount: 1, action: 'add' };
    expect(await send(hub, 'money', pay, { Prefer: 'respond-async' })).toMatchObject({ status: 202 });
  });

  it('without a lasting effect is sent once: 504 without an outcome, and never again', async () => {
    const { hub, bridge } = await connected();
    const answer = await send(hub, 'revive', TARGET, { Prefer: 'wait=1' });
    expect([answer.status, answer.body['code']]).toEqual([504, 'bridge_timeout']);
    bridge.socket.terminate();
    const again = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: COMMAND_NAMES.map(commandTag) });
    await again.frame('welcome');
    again.send({ type: 'status' });
    expect(again.frames.filter(({ type }) => type === 'command')).toEqual([]);
  });
});
