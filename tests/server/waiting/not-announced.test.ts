import { expect, it } from 'vitest';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { becomes, connectShop } from '../../kit/shop.ts';
import { eventually } from '../../kit/stage.ts';
import { batch, settled } from './batch-stage.ts';
import { come, makeSchedule, runsOf } from './schedule-stage.ts';

const GREET = { name: 'greet', params: { type: 'object', properties: { to: { type: 'string' } } } };

it('a custom command waits for a resource that starts after its bridge', async () => {
  const hub = await startHub();
  const first = await welcomeRaw(hub.bridgeUrl, hub.token);
  first.send({ type: 'commands.custom', commands: [GREET] });
  const headers = { Prefer: 'respond-async' };
  const send = (path: string) => hub.request(`/api/v2/bridge/main/actions/${path}`, { json: { to: 'Ana' }, headers });
  await eventually(async () => (await hub.request('/api/v2/bridge/main/actions')).text).toContain('greet');
  first.kill();
  await eventually(() => hub.sizes().sessions).toBe(0);
  const { body: early } = await send('greet?deliver=when_connected');
  expect(early).toMatchObject({ status: 'waiting' });

  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  answerAll(bridge, () => ({ status: 'done', data: {} }));
  bridge.send({ type: 'commands.custom', commands: [] });
  bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [] });
  await eventually(async () => (await hub.request('/api/v2/bridge/main/actions')).text).not.toContain('greet');
  const { status, body: late } = await send('greet?deliver=when_connected');
  expect([status, late]).toMatchObject([202, { status: 'waiting' }]);
  bridge.send({ type: 'commands.custom', commands: [GREET] });
  for (const { id } of [early, late]) {
    await eventually(async () => (await hub.request(`/api/v2/commands/${id}`)).body['status']).toBe('succeeded');
  }
});

const ANA = 'char1:ana';
/** Less than the hub waits before it tries a command again that was not announced. */
const SOON_MS = 8_000;
const GIFT = {
  name: 'gift',
  params: {
    type: 'object',
    properties: { citizen: { type: 'string' }, coins: { type: 'integer' } },
    required: ['citizen', 'coins'],
    additionalProperties: false,
  },
  roles: { player: 'citizen', amount: 'coins' },
};
const COINS = { name: 'custom:gift', params: { coins: 5 } };

/** Connects a bridge with Ana, whose resources have not offered a command. */
const connect = async (hub: TestHub) => {
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  answerAll(bridge, () => ({ status: 'done', data: {} }));
  return {
    bridge,
    report: async () => {
      bridge.send({ type: 'commands.custom', commands: [] });
      bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [playerFrame(ANA)] });
      await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).body['online']).toBe(true);
    },
    offer: () => bridge.send({ type: 'commands.custom', commands: [GIFT] }),
    paid: async () => {
      const { params } = await bridge.command(1, SOON_MS);
      expect(params).toEqual({ citizen: ANA, coins: 5 });
    },
  };
};

it('a batch pays when the resource of its command has started, with the parameter that this declares', async () => {
  const hub = await startHub();
  const { report, offer, paid } = await connect(hub);
  await report();
  const made = await batch(hub, { ...COINS, targets: [ANA], deliver: 'when_online' });
  expect(made.status, made.text).toBe(202);
  offer();
  await paid();
  expect((await settled(hub, made)).counts).toEqual({ succeeded: 1 });
  const { body } = await hub.request('/api/v2/commands');
  expect(body['data']).toMatchObject([{ target: ANA, roles: GIFT.roles }]);
});

it('a batch and an order for a server that is away pay when it offers the command', async () => {
  const hub = await startHub();
  const first = await connect(hub);
  await first.report();
  first.bridge.kill();
  await eventually(() => hub.sizes().sessions).toBe(0);
  const made = await batch(hub, { ...COINS, targets: [ANA], deliver: 'when_online' });
  expect(made.status, made.text).toBe(202);
  const shop = await connectShop(hub, 'orders', { coins: [COINS] });
  await shop.send({ id: 'o1', type: 'paid', buyer: ANA, packages: [{ id: 'coins' }] });
  await becomes(hub, shop, 'o1', ['placed']);
  const second = await connect(hub);
  await second.report();
  second.offer();
  await second.paid();
  expect((await settled(hub, made)).counts).toEqual({ succeeded: 1 });
  await becomes(hub, shop, 'o1', ['delivered']);
});

it('a batch right after the welcome waits, and a planned command is tried again', async () => {
  const hub = await startHub();
  const first = await connect(hub);
  await first.report();
  await eventually(async () => (await hub.store.schedules.looks()).last).toBeGreaterThan(0);
  await eventually(async () => (await hub.store.schedules.looks()).gaps).toEqual([]);
  const id = await makeSchedule(hub, { task: { name: 'custom:gift', params: { citizen: ANA, coins: 5 } } });
  first.bridge.kill();
  await eventually(() => hub.sizes().sessions).toBe(0);
  const { report, offer, paid } = await connect(hub);
  const made = await batch(hub, { ...COINS, targets: [ANA] });
  expect(made.status, made.text).toBe(202);
  await come(hub, id);
  await eventually(async () => (await runsOf(hub, id))[0]?.error?.code).toBe('commands_not_known_yet');
  offer();
  await report();
  offer();
  await paid();
  expect((await settled(hub, made)).counts).toEqual({ succeeded: 1 });
  await eventually(async () => (await runsOf(hub, id))[0]).toMatchObject({ status: 'done', error: null });
});

it('a batch for a command that turns out to name its player otherwise is refused, and runs for no player', async () => {
  const hub = await startHub();
  const { bridge, report, offer } = await connect(hub);
  await report();
  const params = { ...COINS.params, citizen: 'char1:eve' };
  const made = await batch(hub, { ...COINS, params, targets: [ANA], deliver: 'when_online' });
  expect(made.status, made.text).toBe(202);
  offer();
  expect((await settled(hub, made)).counts).toEqual({ rejected: 1 });
  const { body } = await hub.request('/api/v2/commands');
  expect(body['data']).toMatchObject([{ error: { code: 'invalid_params' } }]);
  expect(bridge.frames.filter(({ type }) => type === 'command')).toEqual([]);
});
