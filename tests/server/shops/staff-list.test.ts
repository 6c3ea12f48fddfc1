import { describe, expect, it } from 'vitest';
import { shareHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { becomes, connectShop, linesIn } from '../../kit/shop.ts';
import { eventually } from '../../kit/stage.ts';

const GIVE = { name: 'money', params: { type: 'bank', amount: 10, action: 'add' } };
const BOX = { name: 'custom:give_box', params: { size: 2 } };
const CUSTOM = {
  name: 'give_box',
  description: '',
  params: { type: 'object', properties: { target: { type: 'string' }, size: { type: 'integer' } } },
};
const order = (id: string, buyer: string | null, packages: object[] = [{ id: 'vip' }]) => ({
  id,
  type: 'paid',
  buyer,
  packages,
});

// A command that is not announced is not waited for.
const newTenant = shareHub({ tuning: { announcedWithinMs: 0, offeredWithinMs: 0 } });

/** A hub whose bridge pays everything, with these players. */
const open = async (players: object[] = [], more: object = {}) => {
  const hub = await newTenant();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  answerAll(bridge, ({ name }) => ({
    status: 'done',
    data: name === 'money' ? { account: 'bank', before: 0, after: 10 } : {},
  }));
  const frames = players.map((player) => playerFrame('char1:ana', player as Record<string, unknown>));
  bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: frames });
  await eventually(async () => (await hub.request('/api/v2/players')).body['data']).toHaveLength(frames.length);
  const shop = await connectShop(hub, 'orders', { vip: [GIVE], box: [BOX], nothing: [] }, more);
  const decide = (id: string | undefined, json: object) => hub.request(`${shop.path}/unmatched/${id}`, { json });
  return { hub, bridge, shop, decide };
};

const linked = (...identifiers: string[]) => ({ identifiers });

describe('the buyer', () => {
  it.each([
    ['own identifier', 'char1:ana', {}, null],
    ['linked identifier', 'fivem:123', linked('fivem:123'), null],
    ['bare FiveM id', '123', linked('fivem:123'), null],
    ['bare license', 'abc', linked('license:abc'), null],
    ['SteamID64 in digits', '76561197960287930', linked('steam:1100001000056ba'), null],
    ['id of the kind that the project names', '99', linked('discord:99', 'fivem:1'), 'discord'],
  ])('is found by an %s', async (_what, buyer, player, identifierKind) => {
    const { hub, shop } = await open([player], { identifierKind });
    await shop.send(order('o1', buyer));
    await becomes(hub, shop, 'o1', ['delivered']);
    expect((await linesIn(hub, shop, 'o1'))[0]?.target).toBe('char1:ana');
  });

  it.each([
    ['an address, which players share', '10.0.0.1', linked('ip:10.0.0.1'), null],
    ['the name of a player', 'Name of char1:ana', {}, null],
    ['an id of another kind than the project names', '99', linked('fivem:99'), 'discord'],
    ['an unknown id', 'fivem:5', linked('fivem:55'), null],
  ])('is not found by %s, and is on the list of the staff', async (_what, buyer, player, identifierKind) => {
    const { hub, bridge, shop } = await open([player], { identifierKind });
    await shop.send(order('o1', buyer));
    await eventually(async () => (await shop.staff()).map(({ reason }) => reason)).toEqual(['unknown_buyer']);
    expect(await shop.staff()).toMatchObject([{ state: 'pending', buyer: { value: buyer } }]);
    expect((await hub.request(shop.path)).body['unmatched']).toBe(1);
    expect(bridge.frames.filter(({ type }) => type === 'command')).toEqual([]);
  });

  it('without an id goes to the staff, who give it to a player once', async () => {
    const { hub, bridge, shop, decide } = await open([{}]);
    await shop.send(order('o1', null));
    await becomes(hub, shop, 'o1', ['unmatched']);
    const [line] = await shop.staff();
    expect(line).toMatchObject({ reason: 'no_buyer', buyer: null });
    const decisions = await Promise.all([1, 2, 3].map(() => decide(line?.id, { target: 'char1:ana' })));
    expect(decisions.filter(({ status }) => status === 200)).toHaveLength(1);
    await becomes(hub, shop, 'o1', ['delivered']);
    expect(bridge.frames.filter(({ type }) => type === 'command')).toHaveLength(1);
    expect((await decide(line?.id, { target: 'char1:ana' })).body.code).toBe('already_decided');
    expect(await shop.staff()).toEqual([]);
  });

  it('who is away gets it once they play', async () => {
    const { hub, bridge, shop } = await open([{ online: false }]);
    await shop.send(order('o1', 'char1:ana'));
    await becomes(hub, shop, 'o1', ['placed']);
    const [line] = await linesIn(hub, shop, 'o1');
    const path = `/api/v2/commands/${line?.commandId}`;
    expect((await hub.request(path)).body).toMatchObject({ status: 'waiting', waitingFor: 'player' });
    const players = [playerFrame('char1:ana')];
    bridge.send({ type: 'players.changed', revision: 2, players, offline: [], removed: [] });
    await becomes(hub, shop, 'o1', ['delivered']);
  });

  it('with several characters gets it as the first one who is online, for good', async () => {
    const hub = await newTenant();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    answerAll(bridge, () => ({ status: 'done', data: { account: 'bank', before: 0, after: 10 } }));
    const shop = await connectShop(hub, 'orders', { vip: [GIVE] });
    const character = (n: number, online: boolean) =>
      playerFrame(`char${n}:ana`, { online, identifiers: ['license:x'] });
    await hub.store.players.upsert(hub.project.id, 'main', [character(1, false), character(2, false)], Date.now());
    await shop.send(order('o1', 'license:x'));
    await eventually(async () => (await linesIn(hub, shop, 'o1'))[0]?.reason).toBe('several_characters');
    expect(await shop.staff()).toEqual([]);
    bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [character(2, true)] });
    await becomes(hub, shop, 'o1', ['delivered']);
    expect((await linesIn(hub, shop, 'o1'))[0]?.target).toBe('char2:ana');
  });
});

describe('a line that cannot be delivered', () => {
  it('is refused when the server no longer announces its command, and can be given again when it does', async () => {
    const { hub, bridge, shop, decide } = await open([{}]);
    bridge.send({ type: 'commands.custom', commands: [] });
    await shop.send(order('o1', 'char1:ana', [{ id: 'box' }]));
    await becomes(hub, shop, 'o1', ['refused']);
    const [line] = await shop.staff();
    expect(line).toMatchObject({ reason: 'action_not_found', name: 'custom:give_box', params: { size: 2 } });
    bridge.send({ type: 'commands.custom', commands: [CUSTOM] });
    await eventually(async () => (await hub.request('/api/v2/bridge/main/actions')).body['data']).toHaveLength(1);
    expect((await decide(line?.id, { target: 'char1:ana' })).status).toBe(200);
    await becomes(hub, shop, 'o1', ['delivered']);
    expect((await bridge.command()).params).toEqual({ size: 2, target: 'char1:ana' });
  });

  it('is delivered by a command whose own parameter is the player', async () => {
    const { hub, bridge, shop } = await open([{}]);
    const properties = { ...CUSTOM.params.properties, to: { type: 'string' } };
    const params = { type: 'object', properties, required: ['to'], additionalProperties: false };
    bridge.send({ type: 'commands.custom', commands: [{ ...CUSTOM, params, roles: { player: 'to' } }] });
    await eventually(async () => (await hub.request('/api/v2/bridge/main/actions')).body['data']).toHaveLength(1);
    const test = { buyer: 'char1:ana', packages: [{ id: 'box' }] };
    expect((await hub.request(`${shop.path}/test`, { json: test })).body['data']).toMatchObject([{ problem: null }]);
    await shop.send(order('o1', 'char1:ana', [{ id: 'box' }]));
    await becomes(hub, shop, 'o1', ['delivered']);
    expect((await bridge.command()).params).toEqual({ size: 2, to: 'char1:ana' });
  });

  it('is failed when the game refuses it, and has another command when it is given again', async () => {
    const { hub, bridge, shop, decide } = await open([{}]);
    bridge.socket.removeAllListeners('message');
    let isFull = true;
    answerAll(bridge, () =>
      isFull
        ? { status: 'rejected', error: { code: 'refused', message: 'The bank is closed.' } }
        : { status: 'done', data: { account: 'bank', before: 0, after: 10 } },
    );
    await shop.send(order('o1', 'char1:ana'));
    await becomes(hub, shop, 'o1', ['failed']);
    const [line] = await shop.staff();
    expect(line).toMatchObject({ reason: 'refused', detail: 'The bank is closed.' });
    isFull = false;
    const answer = await decide(line?.id, { target: 'char1:ana' });
    expect(answer.body).toMatchObject({ state: 'pending', commandId: null });
    await becomes(hub, shop, 'o1', ['delivered']);
    const [after] = await linesIn(hub, shop, 'o1');
    expect(after?.commandId).not.toBe(line?.['commandId']);
  });

  it('is noted when its package has no mapping; an empty mapping says that nothing is to be done', async () => {
    const { hub, shop, decide } = await open([{}]);
    await shop.send(order('o1', 'char1:ana', [{ id: 'ghost', quantity: 4 }, { id: 'nothing' }]));
    await becomes(hub, shop, 'o1', ['unmatched']);
    const [line] = await shop.staff();
    expect(line).toMatchObject({ reason: 'unmapped_package', package: 'ghost', name: null });
    expect(line?.['detail']).toContain('4');
    expect((await decide(line?.id, { target: 'char1:ana' })).body.code).toBe('already_decided');
    expect((await decide(line?.id, { dismiss: true, note: 'Given by hand.' })).status).toBe(200);
  });

  it('is refused over the limits of the integration: one command, and one day', async () => {
    const { hub, shop } = await open([{}], { maxAmount: 10, maxDaily: 25 });
    await shop.send(order('o1', 'char1:ana', [{ id: 'vip', quantity: 3 }]));
    await becomes(hub, shop, 'o1', ['delivered', 'delivered', 'refused']);
    expect((await shop.staff())[0]?.['detail']).toContain('allows 25 in one day');
    await hub.request(shop.path, { method: 'PATCH', json: { maxAmount: 9 } });
    await shop.send(order('o2', 'char1:ana'));
    await becomes(hub, shop, 'o2', ['refused']);
    expect((await shop.staff())[1]?.['detail']).toContain('at most 9');
  });

  it('is told on the event stream of the project', async () => {
    const { hub, shop } = await open();
    const controller = new AbortController();
    const stream = await fetch(`${hub.address}/api/v2/events`, {
      headers: { 'X-API-Key': hub.key },
      signal: controller.signal,
    });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    await shop.send(order('o1', null));
    let text = '';
    while (!text.includes('integration.unmatched')) text += (await reader?.read())?.value ?? '';
    controller.abort();
    expect(text).toContain('event: integration.delivery');
    expect(text).toContain('"reason":"no_buyer"');
  });
});

describe('the test of an integration', () => {
  it('tells what an order would do, stores nothing and sends nothing', async () => {
    const { hub, bridge, shop } = await open([linked('fivem:1')]);
    const packages = [{ id: 'vip', quantity: 2 }, { id: 'box' }, { id: 'ghost' }, { id: 'nothing' }];
    bridge.send({ type: 'commands.custom', commands: [] });
    const ask = (buyer: string | null, key = hub.key) =>
      hub.request(`${shop.path}/test`, { key, json: { buyer, packages } });
    const { body } = await ask('1');
    const ready = { package: 'vip', name: 'money', params: GIVE.params, target: 'char1:ana', problem: null };
    expect(body['data']).toMatchObject([
      { ...ready, number: 1 },
      { ...ready, number: 2 },
      { package: 'box', name: 'custom:give_box', problem: 'action_not_found' },
      { package: 'ghost', name: null, problem: 'unmapped_package' },
    ]);
    expect((await ask('2')).body['data']).toMatchObject([{ problem: 'unknown_buyer', target: null }, {}, {}, {}]);
    const key = await hub.newKey(['integrations:write']);
    expect((await ask('1', key)).text).not.toContain('char1:ana');
    expect(await shop.deliveries()).toEqual([]);
    expect((await hub.request('/api/v2/commands')).body['data']).toEqual([]);
  });
});
