import { describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { answerAll, helloFrame, openRaw, playerFrame, type RawBridge, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually } from '../../kit/stage.ts';

const done = { status: 'done', data: { account: 'bank', before: 0, after: 5 } };

/** The answer comes within so many seconds, without an outcome if there is none. */
const money = (hub: TestHub, wait = 10) =>
  hub.request('/api/v2/bridge/main/money', {
    json: { target: 'char1:ana', type: 'bank', amount: 5, action: 'add' },
    headers: { Prefer: `wait=${wait}` },
  });

/** The answers of this statement come late from now on, until they are let go. */
const holdBack = (hub: TestHub, statement: string) => {
  let answer = (): void => undefined;
  const until = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const held = hub.holdAnswersOf(statement, until);
  return {
    /** Waits for the first one; the next ones come at once. */
    first: async (): Promise<void> => {
      await held;
      void hub.holdAnswersOf('none', until);
    },
    answer,
  };
};

const connect = (hub: TestHub, instance: string, id: string, sequence: number): Promise<RawBridge> =>
  welcomeRaw(hub.bridgeUrl, hub.token, { instance, journal: { class: 'durable', id, sequence } });

/** A hub that has seen sequence 7 of journal `j` and has one money command with the bridge. */
const leftOpen = async () => {
  const hub = await startHub();
  const bridge = await connect(hub, 'one', 'j', 3);
  const first = money(hub);
  const { id } = await bridge.command();
  bridge.send({ type: 'result', id, ...done, sequence: 7 });
  expect((await first).status).toBe(200);
  const second = await money(hub, 1);
  expect(second).toMatchObject({ status: 202, body: { code: 'in_doubt' } });
  bridge.kill();
  const state = async () => (await hub.request(`/api/v2/commands/${second.body.id}`)).body;
  return { hub, state };
};

/** The returning bridge gets new commands and answers them. */
const worksOn = async (hub: TestHub, bridge: RawBridge): Promise<void> => {
  answerAll(bridge, () => ({ ...done, sequence: 20 }));
  expect((await money(hub)).status).toBe(200);
};

describe('the journal of a bridge that comes back', () => {
  it.each([
    ['is another one', 'other', 9],
    ['went back in time', 'j', 6],
  ])('%s: what was open is indeterminate, and never sent again', async (_name, journalId, sequence) => {
    const { hub, state } = await leftOpen();
    const bridge = await connect(hub, 'two', journalId, sequence);
    await expect.poll(async () => (await state())['status']).toBe('indeterminate');
    expect(await state()).toMatchObject({ executed: 'unknown', error: { code: 'indeterminate' } });
    await worksOn(hub, bridge);
    expect(bridge.frames.filter(({ type }) => type === 'command')).toHaveLength(1);
  });

  it('is judged once: after a restored backup the next process starts from there', async () => {
    const { hub } = await leftOpen();
    (await connect(hub, 'two', 'j', 2)).kill();
    const third = await connect(hub, 'three', 'j', 2);
    const answer = await money(hub, 1);
    expect(answer.status).toBe(202);
    third.kill();
    const fourth = await connect(hub, 'four', 'j', 2);
    const { id } = await fourth.command();
    expect(id).toBe(answer.body.id);
  });

  it('of a server that was deleted and created again has no open commands', async () => {
    const { hub, state } = await leftOpen();
    await hub.request('/api/v2/servers/main', { method: 'DELETE' });
    const made = await hub.request('/api/v2/servers', { json: { serverId: 'main' } });
    const hello = { instance: 'two', journal: { class: 'durable', id: 'new', sequence: 0 } };
    const bridge = await welcomeRaw(hub.bridgeUrl, String(made.body['token']), hello);
    await expect.poll(async () => (await state())['status']).toBe('indeterminate');
    await worksOn(hub, bridge);
    expect(bridge.frames.filter(({ type }) => type === 'command' || type === 'void')).toHaveLength(1);
  });

  it('of the same process is the same, whatever its sequence says', async () => {
    const { hub, state } = await leftOpen();
    const bridge = await connect(hub, 'one', 'j', 3);
    const { id, attempt } = await bridge.command();
    expect(attempt).toBe(2);
    bridge.send({ type: 'result', id, ...done, sequence: 8 });
    await expect.poll(async () => (await state())['status']).toBe('succeeded');
  });

  it.each([
    [{ status: 'rejected', error: { code: 'player_offline', message: 'They left.' } }, 'rejected'],
    [{ status: 'voided' }, 'voided'],
  ])('is back later, and says that the round of a command that waits had no effect: %j', async (result, ended) => {
    const hub = await startHub();
    const first = await connect(hub, 'one', 'j', 3);
    first.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [playerFrame('char1:ana')] });
    const json = { target: 'char1:ana', type: 'bank', amount: 5, action: 'add', deliver: 'when_online' };
    await eventually(async () => (await hub.request('/api/v2/players/char1:ana')).status).toBe(200);
    const { body } = await hub.request('/api/v2/bridge/main/money', { json, headers: { Prefer: 'respond-async' } });
    const { id } = await first.command();
    first.kill();
    const state = async () => (await hub.request(`/api/v2/commands/${String(body['id'])}`)).body;
    const other = await connect(hub, 'two', 'other', 9);
    await eventually(state).toMatchObject({ status: 'indeterminate', executed: 'unknown' });
    other.kill();
    const again = await connect(hub, 'three', 'j', 4);
    again.send({ type: 'result', id, ...result, sequence: 5 });
    await eventually(state).toMatchObject({ status: ended, executed: 'no' });
  });
});

describe('two game servers with one token that take turns while the database is slow', () => {
  const stateOf = (hub: TestHub, id: unknown) => async () => (await hub.request(`/api/v2/commands/${String(id)}`)).body;
  const sentTo = (bridge: RawBridge) => bridge.frames.filter(({ type }) => type === 'command' || type === 'void');
  const IN_DOUBT = { status: 'indeterminate', executed: 'unknown' };

  it('never both get a command, though the journal of the one that was replaced is written late', async () => {
    const hub = await startHub();
    const first = await connect(hub, 'one', 'one', 3);
    const open = holdBack(hub, 'commands.openFor');
    const second = await connect(hub, 'two', 'two', 3);
    await open.first();
    const again = await connect(hub, 'one', 'one', 3);
    open.answer();
    const { body } = await money(hub, 1);
    expect(await again.command()).toMatchObject({ id: body['id'] });
    for (const bridge of [first, second, again]) bridge.kill();
    const other = await connect(hub, 'two', 'two', 3);
    await worksOn(hub, other);
    expect(sentTo(other)).toHaveLength(1);
    const state = stateOf(hub, body['id']);
    expect(await state()).toMatchObject(IN_DOUBT);
    const back = await connect(hub, 'one', 'one', 3);
    back.send({ type: 'result', id: body['id'], ...done, sequence: 4 });
    await eventually(state).toMatchObject({ status: 'succeeded', executed: 'yes' });
  });

  it('never both get a command, though one of them came between the hello and the session of the other', async () => {
    const hub = await startHub();
    await connect(hub, 'one', 'one', 3);
    const known = holdBack(hub, 'servers.get');
    const late = openRaw(hub.bridgeUrl, hub.token);
    await late.opened();
    late.send(helloFrame({ instance: 'one', journal: { class: 'durable', id: 'one', sequence: 3 } }));
    await known.first();
    const between = await connect(hub, 'two', 'two', 3);
    const { body } = await money(hub, 1);
    expect(await between.command()).toMatchObject({ id: body['id'] });
    known.answer();
    await late.frame('welcome');
    await worksOn(hub, late);
    expect(sentTo(late)).toHaveLength(1);
    expect(await stateOf(hub, body['id'])()).toMatchObject(IN_DOUBT);
  });

  it('cannot take back what the other one has, nor say how it ended', async () => {
    const hub = await startHub();
    const first = await connect(hub, 'one', 'one', 3);
    const { body } = await money(hub, 1);
    const { id } = await first.command();
    const open = holdBack(hub, 'commands.openFor');
    const second = await connect(hub, 'two', 'two', 3);
    await open.first();
    const told = hub.request(`/api/v2/commands/${String(body['id'])}/void`, { method: 'POST' });
    await second.frame('void');
    second.send({ type: 'result', id, status: 'voided' });
    await second.frame('ack');
    open.answer();
    expect((await told).body).toMatchObject({ executed: 'unknown' });
    const back = await connect(hub, 'one', 'one', 3);
    back.send({ type: 'result', id, ...done, sequence: 4 });
    await eventually(stateOf(hub, id)).toMatchObject({ status: 'succeeded', executed: 'yes' });
  });
});
