import { describe, expect, it } from 'vitest';
import { shareHub, type TestHub } from '../../kit/hub.ts';
import { answerAll, type Frame, playerFrame, type RawBridge, reportPlayers, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually } from '../../kit/stage.ts';

const PATH = '/api/v2/bridge/main/actions';
const PLAYERS = [
  playerFrame('char1:ana', { name: 'Ana', identifiers: ['discord:1', 'license:b'] }),
  playerFrame('char1:bob', { name: 'Bob', identifiers: ['license:b'] }),
];
const ROLES = { player: 'whom', item: 'item', amount: 'count', reason: 'note', reasonRequired: true };
const give = (roles?: object) => ({
  name: 'give_item',
  description: 'Puts items into the inventory of a player',
  params: {
    type: 'object',
    properties: {
      whom: { type: 'string', not: { const: 'discord:1' } },
      item: { type: 'string' },
      count: { type: ['integer', 'string'] },
      note: { type: 'string' },
      slot: { type: 'integer' },
    },
    additionalProperties: false,
  },
  ...(roles && { roles }),
});
const GOLD = { whom: 'char1:ana', item: 'gold_bar', count: 50, note: 'Prize of the race', slot: 3 };

const announce = async (bridge: RawBridge, ...commands: object[]): Promise<void> => {
  const before = bridge.frames.length;
  bridge.send({ type: 'commands.custom', commands });
  bridge.send({ type: 'after' });
  await bridge.until(() => bridge.frames.slice(before).find(({ re }) => re === 'after'), 'the answer');
};

const newTenant = shareHub();

const open = async (...commands: object[]) => {
  const hub = await newTenant();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  await announce(bridge, ...commands);
  await reportPlayers(hub, bridge, ...PLAYERS);
  const sent: Frame[] = [];
  answerAll(bridge, (command) => {
    sent.push(command);
    return { status: 'done', data: {} };
  });
  const run = (json: object, headers: Record<string, string> = {}) =>
    hub.request(`${PATH}/give_item`, { json, headers });
  return { hub, bridge, run, sent };
};

/** The cells of the newest command of the journal that are not empty, by their column. */
const cellsOf = async (hub: TestHub): Promise<Record<string, string>> => {
  const { text } = await hub.request('/api/v2/commands.csv');
  const [head = '', line = ''] = text.replace('\ufeff', '').split('\r\n');
  const cells = [...line.matchAll(/(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/g)].map(
    ([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? '',
  );
  const columns = ['command', 'player', 'action', 'account', 'amount', 'reason', 'parameters', 'item', 'count'];
  const filled = head.split(',').map((name, at): [string, string] => [name, cells[at] ?? '']);
  return Object.fromEntries(filled.filter(([name, cell]) => columns.includes(name) && cell !== ''));
};

describe('the journal of a custom command', () => {
  it('has its amount as a count of its item, with its player and its reason', async () => {
    const { hub, run } = await open(give(ROLES));
    expect((await run(GOLD)).body).toMatchObject({ status: 'succeeded', target: 'char1:ana', roles: ROLES });
    const { body } = await hub.request('/api/v2/commands');
    expect(body['data']).toMatchObject([
      { name: 'custom:give_item', target: 'char1:ana', targetName: 'Ana', params: GOLD, roles: ROLES },
    ]);
    expect(await cellsOf(hub)).toEqual({
      command: 'custom:give_item',
      player: 'char1:ana',
      item: 'gold_bar',
      count: '50',
      reason: 'Prize of the race',
      parameters: '{"slot":3}',
    });
  });

  it('has its amount as money where it has no item', async () => {
    const { hub, run } = await open(give({ player: 'whom', amount: 'count' }));
    await run({ whom: 'char1:ana', count: 500 });
    expect(await cellsOf(hub)).toEqual({ command: 'custom:give_item', player: 'char1:ana', amount: '500' });
  });

  it('has all of it as parameters without roles, and none of it as money', async () => {
    const { hub, run } = await open(give());
    const { body } = await run(GOLD);
    expect(body).not.toHaveProperty('roles');
    expect(await cellsOf(hub)).toEqual({ command: 'custom:give_item', parameters: expect.any(String) });
    expect(JSON.parse((await cellsOf(hub))['parameters'] ?? '')).toEqual(GOLD);
  });

  it('has no text in a column of numbers', async () => {
    const { hub, run } = await open(give({ amount: 'count' }));
    await run({ count: 'many' });
    expect(await cellsOf(hub)).toEqual({ command: 'custom:give_item', parameters: '{"count":"many"}' });
  });

  it('keeps its meaning when the game server declares others, and when it is gone', async () => {
    const { hub, bridge, run } = await open(give(ROLES));
    await run(GOLD);
    const before = await cellsOf(hub);
    await announce(bridge, give({ amount: 'slot', item: 'note' }));
    expect(await cellsOf(hub)).toEqual(before);
    bridge.kill();
    await eventually(async () => (await hub.request(PATH)).status).toBe(503);
    expect(await cellsOf(hub)).toEqual(before);
    const { body } = await hub.request('/api/v2/commands');
    expect(body['data']).toMatchObject([{ roles: ROLES }]);
  });
});

describe('a required reason', () => {
  it.each([[{ whom: 'char1:ana' }], [{ whom: 'char1:ana', note: '' }], [{ whom: 'char1:ana', note: '  ' }]])(
    'refuses a command without one, and names the parameter: %j',
    async (json) => {
      const { hub, run, sent } = await open(give(ROLES));
      const { status, body } = await run(json);
      expect([status, body]).toMatchObject([422, { code: 'invalid_request', executed: 'no' }]);
      expect(body['errors']).toEqual([{ pointer: '/note', detail: 'this command needs a reason' }]);
      expect([sent, (await hub.request('/api/v2/commands')).body['data']]).toEqual([[], []]);
    },
  );

  it('is not needed where only its parameter is named', async () => {
    const { run } = await open(give({ reason: 'note' }));
    expect((await run({ whom: 'char1:ana' })).status).toBe(200);
  });
});

describe('the role of the player', () => {
  it('takes a linked identifier: the game server gets the own one, checked by the schema', async () => {
    const { hub, run, sent } = await open(give(ROLES));
    const { status, body } = await run({ ...GOLD, whom: 'discord:1' });
    expect([status, body]).toMatchObject([200, { target: 'char1:ana', params: { whom: 'discord:1' } }]);
    expect(sent.map(({ params }) => params)).toEqual([GOLD]);
    expect((await cellsOf(hub))['parameters']).toBe('{"slot":3,"whom":"discord:1"}');
    expect((await hub.request('/api/v2/commands?target=char1%3Aana')).body['data']).toHaveLength(1);
  });

  it('refuses what several players carry, and what is no identifier', async () => {
    const { run, sent } = await open(give({ player: 'whom' }));
    expect((await run({ whom: 'license:b' })).body).toMatchObject({ code: 'player_ambiguous', executed: 'no' });
    expect((await run({ whom: 'char of Ana' })).body).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/whom', detail: 'must be 1 to 128 of A-Z a-z 0-9 : _ . @ -' }],
    });
    expect(sent).toEqual([]);
  });

  it('orders the commands of one player, and of no other', async () => {
    const hub = await newTenant();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    await announce(bridge, give({ player: 'whom' }));
    const run = (whom: string) => hub.request(`${PATH}/give_item`, { json: { whom } });
    const done = async (n: number): Promise<unknown> => {
      const { id, params } = await bridge.command(n);
      bridge.send({ type: 'result', id, status: 'done' });
      return params['whom'];
    };
    const [first, second] = [run('char1:ana'), bridge.command().then(() => run('char1:ana'))];
    await bridge.command();
    const other = run('char1:bob');
    expect(await done(2)).toBe('char1:bob');
    expect((await other).status).toBe(200);
    expect([await done(1), (await first).status, await done(3), (await second).status]).toEqual([
      'char1:ana',
      200,
      'char1:ana',
      200,
    ]);
  });

  it('is delivered again after a reconnect as it was sent, although the declaration has changed', async () => {
    const instance = 'one';
    const hub = await newTenant();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { instance });
    await announce(bridge, give({ player: 'whom' }));
    await reportPlayers(hub, bridge, ...PLAYERS);
    await hub.request(`${PATH}/give_item`, { json: { whom: 'discord:1' }, headers: { Prefer: 'wait=1' } });
    bridge.kill();
    const next = await welcomeRaw(hub.bridgeUrl, hub.token, { instance });
    await announce(next, give());
    expect(await next.command()).toMatchObject({ attempt: 2, params: { whom: 'char1:ana' } });
  });
});

describe('a declaration', () => {
  it('is listed with its roles', async () => {
    const { hub } = await open(give(ROLES), { ...give(), name: 'plain' });
    const { body } = await hub.request(PATH);
    expect(body['data']).toEqual([give(ROLES), { ...give(), name: 'plain' }]);
  });

  it('with wrong roles is refused and names the role; the other commands are taken', async () => {
    const { hub, bridge } = await open(
      { ...give({ amount: 'coins' }), name: 'a' },
      { ...give({ item: 'slot' }), name: 'b' },
      { ...give({ reasonRequired: true }), name: 'c' },
      give({ later: 'whom' }),
    );
    expect((await hub.request(PATH)).body['data']).toEqual([give()]);
    const told = bridge.frames.filter(({ code }) => code === 'invalid_schema').map(({ message }) => message);
    expect(told).toEqual([
      'a: /roles/amount: the schema has no property "coins"',
      'b: /roles/item: the parameter "slot" must be a string',
      'c: /roles/reasonRequired: no parameter has the role reason',
    ]);
    expect(bridge.isClosed()).toBe(false);
  });
});
