import { describe, expect, it, onTestFinished } from 'vitest';
import type { Player } from '../../bridge-protocol/wire/player.ts';
import { type SimulateOptions, simulate } from '../../simulator/simulate.ts';
import { createFakeHub, serveFakeHub } from '../kit/fake-hub.ts';
import { newFile } from '../kit/folder.ts';
import { startHub } from '../kit/hub.ts';
import { eventually } from '../kit/stage.ts';

const TOKEN = 'cwb_test';

const setUp = async (options: Partial<SimulateOptions> = {}) => {
  const fake = createFakeHub();
  const { url, tokens } = await serveFakeHub(fake, onTestFinished);
  const simulation = simulate({ url, token: TOKEN, players: 30, lifeEveryMs: 0, ...options });
  onTestFinished(simulation.stop);
  const { world } = simulation;
  const hub = await fake.socket(0);
  const command = (id: string, name: 'money' | 'kick', params: Record<string, unknown>, attempt = 1) =>
    hub.send({
      type: 'command',
      id,
      name,
      params,
      fingerprint: 'print',
      expiresAt: Date.now() + 30_000,
      attempt,
    });
  const pay = (target: string, attempt?: number) =>
    command('cmd_1', 'money', { target, type: 'bank', amount: 500, action: 'add', allowNegative: false }, attempt);
  await hub.hears('players.snapshot', ({ last }) => last);
  const [target = ''] = [...world.players()].flatMap(({ online, identifier }) => (online ? [identifier] : []));
  return { hub, tokens, simulation, world, target, command, pay };
};

describe('a simulated game server', () => {
  it('says hello with an atomic journal and sends all its players', async () => {
    const { hub, tokens, world } = await setUp();
    expect(tokens).toEqual([`Bearer ${TOKEN}`]);
    expect((await hub.hears('hello')).journal).toEqual({
      class: 'atomic',
      id: world.journal.id,
      sequence: 0,
    });
    expect((await hub.hears('hello')).accounts).toContain('bank');
    const sent = hub.of('players.snapshot').flatMap(({ players }) => players);
    const all = [...world.players()].map(({ identifiers: _, ...player }) => player);
    expect(sent.map(({ identifiers: _, ...player }) => player)).toEqual(all);
    expect(hub.of('players.snapshot').at(-1)?.complete).toBe(true);
  });

  it('names only the license of an absent player, as frameworks do', async () => {
    const { hub, world } = await setUp();
    const kindsOf = (identifiers: readonly string[]) => identifiers.map((each) => each.split(':', 1)[0]);
    const [absent, present] = [false, true].map((online) =>
      hub.of('players.snapshot').flatMap(({ players }) => players.filter((player) => player.online === online)),
    );
    for (const { identifiers } of absent ?? []) expect(kindsOf(identifiers)).toEqual(['license']);
    for (const { identifiers } of present ?? []) expect(kindsOf(identifiers)).toContain('discord');
    const identifier = absent?.[0]?.identifier ?? '';
    hub.send({ type: 'players.read', id: 'read_1', identifier });
    const record = await hub.hears('players.record');
    expect(kindsOf(record.player?.identifiers ?? [])).toEqual(['license']);
    expect(kindsOf(world.player(identifier)?.identifiers ?? [])).toContain('discord');
  });

  it('carries out money once, answers a second delivery the same, and reports the new balance', async () => {
    const { hub, world, target, pay } = await setUp();
    const before = world.player(target)?.accounts['bank'] ?? Number.NaN;
    pay(target);
    const result = await hub.hears('result');
    expect(result).toMatchObject({ id: 'cmd_1', status: 'done', data: { before, after: before + 500 } });
    const change = await hub.hears('players.changed');
    expect(change.players).toEqual([world.player(target)]);

    pay(target, 2);
    await hub.hears('result', (again) => again !== result);
    expect(hub.of('result')).toEqual([result, result]);
    expect(world.player(target)?.accounts['bank']).toBe(before + 500);
    hub.send({ type: 'ack', ids: ['cmd_1'] });
    hub.send({ type: 'ping', n: 1, now: Date.now() });
    await hub.hears('pong');
    expect(world.journal.open()).toEqual([]);
    expect(world.audit()).toEqual([]);
  });

  it('kicks, and tells that the player left', async () => {
    const { hub, world, target, command } = await setUp();
    command('cmd_1', 'kick', { target, reason: 'Spam' });
    expect(await hub.hears('result')).toMatchObject({
      status: 'done',
      data: { kicked: true, reason: 'Spam' },
    });
    expect((await hub.hears('players.changed')).offline).toEqual([target]);
    await hub.hears('status', ({ players }) => players?.online === world.count().online);
    command('cmd_2', 'kick', { target, reason: 'Spam' });
    const second = await hub.hears('result', ({ id }) => id === 'cmd_2');
    expect(second.error?.code).toBe('player_offline');
  });

  it('reads one player on demand', async () => {
    const { hub, world, target } = await setUp();
    hub.send({ type: 'players.read', id: 'read_1', identifier: target });
    hub.send({ type: 'players.read', id: 'read_2', identifier: 'char1:nobody' });
    expect((await hub.hears('players.record')).player).toEqual(world.player(target));
    const unknown = await hub.hears('players.record', ({ id }) => id === 'read_2');
    expect(unknown.error?.code).toBe('player_not_found');
  });

  it('reports how many play and how its database does', async () => {
    const { hub, world } = await setUp();
    const { players, database } = await hub.hears('status');
    expect(players).toEqual(world.count());
    expect(database).toEqual({ engine: 'sqlite', status: 'pass', latencyMs: expect.any(Number) });
  });

  it('lives, and the changes it sends are enough to follow it', async () => {
    const { hub, simulation, world } = await setUp({ lifeEveryMs: 2 });
    const { revision } = await hub.hears('players.snapshot');
    await hub.hears('players.changed', (change) => change.revision > revision + 20);
    simulation.life.stop();
    hub.send({ type: 'players.read', id: 'read_1', identifier: 'char1:nobody' });
    await hub.hears('players.record');

    const followed = new Map<string, Player>();
    for (const message of hub.messages) {
      if (message.type !== 'players.snapshot' && message.type !== 'players.changed') continue;
      for (const player of message.players) followed.set(player.identifier, player);
      for (const identifier of message.type === 'players.changed' ? message.offline : []) {
        const { gameId: _, ...player } = followed.get(identifier) as Player;
        followed.set(identifier, { ...player, online: false });
      }
    }
    // An absent player is reported with fewer identifiers; the hub keeps those that it knows.
    const unlinked = (player: Player | undefined) => ({ ...player, identifiers: [] });
    for (const player of world.players()) expect(unlinked(followed.get(player.identifier))).toEqual(unlinked(player));
  });

  it('says goodbye when it stops, and its money is there when it starts again', async () => {
    const worldFile = newFile('world.db');
    const { hub, simulation, world, target, pay } = await setUp({ worldFile });
    pay(target);
    await hub.hears('result');
    const after = world.player(target);
    await Promise.all([simulation.stop(), simulation.stop()]);
    expect(hub.of('bye')).toHaveLength(1);

    const again = await setUp({ worldFile });
    expect((await again.hub.hears('hello')).open).toEqual([{ id: 'cmd_1', status: 'done' }]);
    expect((await again.hub.hears('result')).data).toMatchObject({ account: 'bank' });
    expect(again.world.player(target)).toEqual(after);
  });
});

it('the simulated game server offers commands of its own, which take effect once', async () => {
  const hub = await startHub();
  const simulation = simulate({ url: hub.bridgeUrl, token: hub.token, players: 5, lifeEveryMs: 0 });
  onTestFinished(simulation.stop);
  const actions = '/api/v2/bridge/main/actions';
  await eventually(async () => (await hub.request(actions)).status).toBe(200);
  const [target = ''] = simulation.world.identifiers();
  const fish = (): number => simulation.world.player(target)?.inventory.find(({ name }) => name === 'fish')?.count ?? 0;
  const before = fish();
  const give = (json: object) =>
    hub.request(`${actions}/give_item`, { json, headers: { 'Idempotency-Key': JSON.stringify(json) } });
  for (const _ of [1, 2]) {
    const { body } = await give({ target, item: 'fish', count: 3 });
    expect(body).toMatchObject({ target, status: 'succeeded', result: { item: 'fish', count: 3, after: before + 3 } });
  }
  expect(fish()).toBe(before + 3);
  expect((await give({ target: 'char1:nobody', item: 'fish', count: 1 })).body.code).toBe('player_not_found');
  expect((await give({ target, item: 'gold', count: 1 })).body.code).toBe('unknown_item');
  expect((await give({ target, item: 'fish', count: 0 })).body['errors']).toMatchObject([{ pointer: '/count' }]);
});
