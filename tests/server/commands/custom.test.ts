import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { customOf } from '../../../server/commands/catalogue.ts';
import { shareHub, startHub, type TestHub } from '../../kit/hub.ts';
import { answerAll, type RawBridge, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually } from '../../kit/stage.ts';

const GIVE = {
  name: 'give_item',
  description: 'Puts items into the inventory of a player',
  params: {
    type: 'object',
    properties: {
      target: { type: 'string' },
      item: { type: 'string', minLength: 1, maxLength: 32 },
      count: { type: 'integer', minimum: 1, maximum: 100 },
    },
    required: ['target', 'item'],
    additionalProperties: false,
  },
};
const ANNOUNCE = { name: 'announce', description: '', params: { type: 'object' } };
const BREAD = { target: 'char1:ana', item: 'bread', count: 3 };
const PATH = '/api/v2/bridge/main/actions';

const announce = async (bridge: RawBridge, ...commands: object[]): Promise<void> => {
  const before = bridge.frames.length;
  bridge.send({ type: 'commands.custom', commands });
  // Frames take effect in their order.
  bridge.send({ type: 'after' });
  await bridge.until(() => bridge.frames.slice(before).find(({ re }) => re === 'after'), 'the answer');
};

const newTenant = shareHub();

const open = async (hello: Record<string, unknown> = {}, start = newTenant) => {
  const hub = await start();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, hello);
  await announce(bridge, GIVE, ANNOUNCE);
  return { hub, bridge };
};
const run = (hub: TestHub, json: unknown, headers: Record<string, string> = {}, name = 'give_item', key = hub.key) =>
  hub.request(`${PATH}/${name}`, { json, headers, key });
const names = async (hub: TestHub): Promise<string[]> => {
  const { body } = await hub.request(PATH);
  return (body['data'] as { name: string }[]).map(({ name }) => name);
};

/** The test and its hub are later at once: a bridge is asked for its commands for five seconds after its welcome. */
const skipSeconds = (count: number): void => {
  const rightNow = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => rightNow() + count * 1_000);
  onTestFinished(() => clock.mockRestore());
};

describe('a custom command', () => {
  it('is listed with its schema, and by name under its server', async () => {
    const { hub } = await open();
    expect((await hub.request(PATH)).body['data']).toEqual([GIVE, ANNOUNCE]);
    const { body } = await hub.request('/api/v2/servers/main');
    expect(body['bridge']).toMatchObject({
      customCommands: ['give_item', 'announce'],
      commands: ['kick@1', 'money@1'],
    });
  });

  it('is run once, and its result is that of the game server', async () => {
    const { hub, bridge } = await open({}, startHub);
    answerAll(bridge, () => ({ status: 'done', data: { slots: [1, 2], label: 'Bread' } }));
    const { status, body } = await run(hub, BREAD);
    expect([status, body]).toMatchObject([
      200,
      {
        name: 'custom:give_item',
        target: 'char1:ana',
        status: 'succeeded',
        executed: 'yes',
        params: BREAD,
        result: { slots: [1, 2], label: 'Bread' },
      },
    ]);
    expect(await bridge.command()).toMatchObject({ name: 'custom:give_item', params: BREAD });
    expect((await hub.request('/api/v2/commands?name=custom:give_item')).body['data']).toMatchObject([{ id: body.id }]);
    const { text } = await hub.request('/metrics', { key: null });
    expect(text).toContain('causeway_commands_settled_total{name="custom",status="succeeded"} 1');
    // An alert on the first of them needs a nought before it.
    expect(text).toContain('causeway_commands_settled_total{name="money",status="indeterminate"} 0');
    expect(text).not.toContain('give_item');
  });

  it.each([
    [{ ...BREAD, item: 'b'.repeat(33) }, '/item', 'must have at most 32 characters'],
    [{ ...BREAD, count: 0 }, '/count', 'must be at least 1'],
    [{ ...BREAD, count: 1.5 }, '/count', 'must be integer'],
    [{ ...BREAD, amount: 2 }, '/amount', 'this field does not exist here'],
    [{ item: 'bread' }, '/target', 'is required'],
    [{ ...BREAD, item: 'a\0' }, '/item', 'must be valid text without NUL'],
    [[], '/', undefined],
  ])('names the field that its schema does not allow, and is not sent: %#', async (json, pointer, detail) => {
    const { hub, bridge } = await open();
    const { status, body } = await run(hub, json);
    expect([status, body]).toMatchObject([422, { code: 'invalid_request', executed: 'no' }]);
    expect(body['errors']).toEqual([{ pointer, detail: detail ?? expect.any(String) }]);
    expect(bridge.frames.filter(({ type }) => type === 'command')).toEqual([]);
    expect((await hub.request('/api/v2/commands')).body['data']).toEqual([]);
  });

  it('is replayed under its key, whatever the order of the fields, even when its server is gone', async () => {
    const { hub, bridge } = await open();
    answerAll(bridge, () => ({ status: 'done', data: { given: 3 } }));
    const once = { 'Idempotency-Key': 'order-1' };
    const first = await run(hub, BREAD, once);
    const again = await run(hub, { count: 3, item: 'bread', target: 'char1:ana' }, once);
    expect([again.status, again.body.id]).toEqual([200, first.body.id]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await run(hub, { ...BREAD, count: 4 }, once)).body.code).toBe('idempotency_mismatch');
    bridge.kill();
    await eventually(async () => (await hub.request(PATH)).status).toBe(503);
    expect((await run(hub, BREAD, once)).body).toMatchObject({ id: first.body.id, status: 'succeeded' });
    expect(bridge.frames.filter(({ type }) => type === 'command')).toHaveLength(1);
  });

  it('is in doubt when no outcome comes in time, and is delivered again after a reconnect', async () => {
    const instance = 'one';
    const { hub, bridge } = await open({ instance });
    const { status, body, headers } = await run(hub, BREAD, { Prefer: 'wait=1' });
    expect([status, body]).toMatchObject([202, { code: 'in_doubt', executed: 'unknown' }]);
    bridge.kill();
    const next = await welcomeRaw(hub.bridgeUrl, hub.token, { instance });
    expect(await next.command()).toMatchObject({ id: body.id, attempt: 2, params: BREAD });
    next.send({ type: 'result', id: body.id, status: 'indeterminate', error: { code: 'internal_error', message: '' } });
    const path = headers.get('location') ?? '';
    await eventually(async () => (await hub.request(path)).body['status']).toBe('indeterminate');
  });

  it('may be asked for without waiting', async () => {
    const { hub, bridge } = await open();
    const { status, body } = await run(hub, BREAD, { Prefer: 'respond-async' });
    expect([status, body]).toMatchObject([202, { code: 'accepted' }]);
    const { id } = await bridge.command();
    bridge.send({ type: 'result', id, status: 'done', data: [] });
    await eventually(async () => (await hub.request(`/api/v2/commands/${id}`)).body).toMatchObject({
      status: 'succeeded',
      result: {},
    });
  });

  it.each([
    ['refused', 409, 'refused'],
    ['player_offline', 409, 'player_offline'],
    ['invalid_params', 422, 'invalid_request'],
    ['unsupported', 404, 'action_not_found'],
    ['made_up', 502, 'bridge_error'],
  ])('says why the game server refused: %s', async (given, wanted, code) => {
    const { hub, bridge } = await open();
    const error = { code: given, message: 'Dead men carry nothing.', details: { pointer: '/item', detail: 'no' } };
    answerAll(bridge, () => ({ status: 'rejected', error }));
    const { status, body } = await run(hub, BREAD);
    expect([status, body]).toMatchObject([wanted, { code, executed: 'no', command: { status: 'rejected' } }]);
    expect(body['detail']).toContain('Dead men carry nothing.');
    if (code === 'invalid_request') expect(body['errors']).toEqual([{ pointer: '/item', detail: 'no' }]);
  });

  it('keeps no more of a result than it may have', async () => {
    const { hub, bridge } = await open();
    answerAll(bridge, () => ({ status: 'done', data: { text: 'x'.repeat(20_000) } }));
    expect((await run(hub, BREAD)).body).toMatchObject({ status: 'succeeded', result: { omitted: true } });
  });

  it('needs a journal, as money does', async () => {
    const { hub } = await open({ journal: { class: 'volatile', id: 'j', sequence: 0 } });
    expect((await run(hub, BREAD)).body).toMatchObject({ status: 501, code: 'journal_required' });
  });

  it('waits only for commands of its player, and only these wait for it', async () => {
    const { hub, bridge } = await open();
    const slow = run(hub, BREAD);
    const { id } = await bridge.command();
    const other = run(hub, { text: 'hello' }, {}, 'announce');
    const second = await bridge.command(2);
    expect(second.name).toBe('custom:announce');
    const behind = run(hub, { ...BREAD, count: 1 });
    bridge.send({ type: 'result', id: second.id, status: 'done' });
    expect((await other).status).toBe(200);
    bridge.send({ type: 'result', id, status: 'done' });
    const third = await bridge.command(3);
    bridge.send({ type: 'result', id: third.id, status: 'done' });
    expect([(await slow).status, (await behind).status, third.params]).toEqual([200, 200, { ...BREAD, count: 1 }]);
  });

  it('needs its own scope', async () => {
    const { hub } = await open();
    const key = await hub.newKey(['commands:money', 'commands:kick', 'servers:read']);
    expect((await run(hub, BREAD, {}, 'give_item', key)).body).toMatchObject({
      code: 'insufficient_scope',
      detail: expect.stringContaining('commands:custom'),
    });
    expect((await hub.request(PATH, { key })).body.code).toBe('insufficient_scope');
  });

  it('belongs to one server only', async () => {
    const { hub } = await open();
    const rival = await hub.newProject('rival');
    expect((await run(hub, BREAD, {}, 'give_item', rival.key)).body.code).toBe('server_not_found');
    expect((await hub.request(PATH, { key: rival.key })).body.code).toBe('server_not_found');
    await hub.newServer('other');
    const limited = await hub.newKey(['commands:custom'], ['other']);
    expect((await run(hub, BREAD, {}, 'give_item', limited)).body.code).toBe('server_not_allowed');
    expect((await hub.request('/api/v2/bridge/other/actions', { key: limited })).body.code).toBe('bridge_offline');
  });
});

/** Reading their schemas takes many turns of the event loop. */
const HEAVY = Array.from({ length: 50 }, (_, n) => ({
  name: `heavy${n}`,
  params: { type: 'object', anyOf: Array.from({ length: 1_300 }, () => ({})) },
}));

describe('an announcement of a bridge', () => {
  it('is read in parts: a snapshot behind it does not undo it, and a newer announcement does', {
    timeout: 110_000,
  }, async () => {
    const hub = await newTenant();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    bridge.send({ type: 'commands.custom', commands: HEAVY });
    bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [] });
    const lists: unknown[] = [];
    // Until it is read, callers are told to come again: the list is never empty.
    const isListed = async (): Promise<boolean> => {
      const { status, body } = await hub.request(PATH);
      if (status === 200) lists.push(body['data']);
      return status === 200;
    };
    await expect.poll(isListed, { timeout: 50_000 }).toBe(true);
    expect(lists).toEqual([HEAVY.map((command) => ({ description: '', ...command }))]);
    bridge.send({ type: 'commands.custom', commands: [...HEAVY].reverse() });
    bridge.send({ type: 'commands.custom', commands: [GIVE] });
    // It is over its budget of parsing now, and not read for a while.
    await expect.poll(() => names(hub), { timeout: 50_000 }).toEqual(['give_item']);
    expect(bridge.isClosed()).toBe(false);
  });

  it('is not taken for an empty one while it is being read, however long that takes', () => {
    const longAgo = { custom: undefined, connectedAt: 0 };
    expect(() => customOf({ ...longAgo, announcement: {} })).toThrow('just connected');
    expect(customOf(longAgo).size).toBe(0);
  });

  it('is nothing once its snapshot begins without an announcement', async () => {
    const hub = await newTenant();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [] });
    skipSeconds(5);
    await expect.poll(async () => (await run(hub, BREAD)).body.code).toBe('action_not_found');
    expect((await hub.request(PATH)).body['data']).toEqual([]);
  });

  it('replaces the announcement before', async () => {
    const { hub, bridge } = await open();
    await announce(bridge, ANNOUNCE);
    expect(await names(hub)).toEqual(['announce']);
    expect((await run(hub, BREAD)).body).toMatchObject({ code: 'commands_not_known_yet', executed: 'no' });
    skipSeconds(5);
    const { status, body } = await run(hub, BREAD);
    expect([status, body]).toMatchObject([404, { code: 'action_not_found', executed: 'no' }]);
    expect(body['detail']).toBe('The server has no custom command "give_item" now; it has: announce.');
    await announce(bridge);
    expect(await names(hub)).toEqual([]);
  });

  it('is not asked for in vain: right after a welcome callers are told to come again', async () => {
    const hub = await newTenant();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const { status, body, headers } = await run(hub, BREAD);
    expect([status, body]).toMatchObject([503, { code: 'commands_not_known_yet', retryable: true }]);
    expect(headers.get('retry-after')).toBe('1');
    await announce(bridge, GIVE);
    expect(await names(hub)).toEqual(['give_item']);
  });

  it('is taken without the schemas that it must not have, and the bridge is told which', async () => {
    const { hub, bridge } = await open();
    const params = { properties: { item: { type: 'string', pattern: '^[a-z]+$' } } };
    await announce(bridge, { ...GIVE, params }, { name: 'remote', params: { $ref: 'http://x/' } }, ANNOUNCE, ANNOUNCE);
    expect(await names(hub)).toEqual(['announce']);
    const told = bridge.frames.filter(({ code }) => code === 'invalid_schema').map(({ message }) => message);
    expect(told).toEqual([
      'give_item: /properties/item: pattern cannot be used here',
      'remote: /: $ref cannot be used here',
      'announce: it was announced twice',
    ]);
    expect(bridge.isClosed()).toBe(false);
  });

  it.each([
    [{ name: 'Give Item', params: {} }],
    [{ name: '../kick', params: {} }],
    [{ name: 'a', params: 'text' }],
    [{ name: 'a', params: {}, description: 'x'.repeat(257) }],
  ])('is a bad frame where a command is none: %#', async (command) => {
    const { hub, bridge } = await open();
    await announce(bridge, command);
    expect(await names(hub)).toEqual(['give_item', 'announce']);
    expect(bridge.frames.find(({ re }) => re === 'commands.custom')).toMatchObject({ code: 'invalid_message' });
  });

  it('has at most 50 commands', async () => {
    const { hub, bridge } = await open();
    const many = Array.from({ length: 51 }, (_, n) => ({ ...ANNOUNCE, name: `c${n}` }));
    await announce(bridge, ...many.slice(1));
    expect(await names(hub)).toHaveLength(50);
    await announce(bridge, ...many);
    expect(await names(hub)).not.toContain('c0');
  });
});
