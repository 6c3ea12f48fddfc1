import { describe, expect, it, vi } from 'vitest';
import type { Store } from '../../../db/store.ts';
import type { CommandRequest } from '../../../server/commands/catalogue.ts';
import { createTargets } from '../../../server/commands/submit.ts';
import { shareHub } from '../../kit/hub.ts';
import { answerAll, type Frame, playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually } from '../../kit/stage.ts';

const PLAYERS = [
  playerFrame('char1:ana', { name: 'Ana', identifiers: ['license:a', 'discord:1'] }),
  playerFrame('char1:bob', { name: 'Bob', identifiers: ['license:b', 'discord:2'] }),
  playerFrame('char2:bob', { name: 'Bobby', online: false, identifiers: ['license:b', 'discord:2'] }),
  // Its own identifier is a linked one of Ana, too.
  playerFrame('license:own', { name: 'Own' }),
  playerFrame('char3:x', { name: 'X', identifiers: ['license:own'] }),
];
const REVIVE = {
  name: 'revive',
  description: '',
  params: { type: 'object', properties: { target: { enum: ['char1:ana', 'char1:bob'] } } },
};

const newTenant = shareHub();

const open = async () => {
  const hub = await newTenant();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: PLAYERS });
  bridge.send({ type: 'commands.custom', commands: [REVIVE] });
  const known = async () => (await hub.request('/api/v2/players')).body['data'] as unknown[];
  await eventually(async () => (await known()).length).toBe(PLAYERS.length);
  const told: Frame[] = [];
  answerAll(bridge, (command) => {
    told.push(command);
    const { account = 'bank' } = command.params;
    if (command.name === 'money') return { status: 'done', data: { account, before: 0, after: 5 } };
    return { status: 'done', data: command.name === 'kick' ? { kicked: true } : {} };
  });
  const post = (path: string, json: unknown, headers: Record<string, string> = {}, key = hub.key) =>
    hub.request(`/api/v2/bridge/main/${path}`, { json, headers, key });
  return {
    hub,
    told: () => told.map(({ params }) => (params as { target: string }).target),
    kick: (target: string, key = hub.key) => post('kick', { target }, {}, key),
    pay: (target: string, headers = {}) => post('money', { target, type: 'bank', amount: 5, action: 'add' }, headers),
    revive: (target: string) => post('actions/revive', { target }),
  };
};

describe('the target of a command', () => {
  it('may be a linked identifier of one player of the server', async () => {
    const { hub, kick, pay, revive, told } = await open();
    for (const send of [kick, pay, revive]) {
      const { status, body } = await send('discord:1');
      expect([status, body['target'], body['params']]).toMatchObject([200, 'char1:ana', { target: 'discord:1' }]);
    }
    expect(told()).toEqual(['char1:ana', 'char1:ana', 'char1:ana']);
    const { body } = await hub.request('/api/v2/commands?target=char1%3Aana');
    expect(body['data']).toHaveLength(3);
  });

  it('is the own identifier first, and is not repeated among the parameters', async () => {
    const { kick, told } = await open();
    for (const target of ['license:own', 'license:own', 'char1:ana']) {
      const { status, body } = await kick(target);
      expect([status, body['target'], body['params']]).toEqual([200, target, { reason: 'Kicked by staff' }]);
    }
    expect(told()).toEqual(['license:own', 'license:own', 'char1:ana']);
  });

  it('that several players carry is refused, with their names for keys that may read players', async () => {
    const { hub, kick, pay, revive, told } = await open();
    const players = [
      { identifier: 'char1:bob', name: 'Bob', online: true },
      { identifier: 'char2:bob', name: 'Bobby', online: false },
    ];
    for (const send of [kick, pay, revive]) {
      const { status, body } = await send('license:b');
      expect([status, body]).toMatchObject([409, { code: 'player_ambiguous', executed: 'no', players }]);
    }
    const { body } = await kick('license:b', await hub.newKey(['commands:kick']));
    expect([body['code'], body['players']]).toEqual(['player_ambiguous', undefined]);
    expect(told()).toEqual([]);
    expect((await hub.request('/api/v2/commands')).body['data']).toEqual([]);
  });

  it('that fits no player of the server goes to the bridge as it is', async () => {
    const { hub, kick, told } = await open();
    await hub.newServer('other');
    expect((await kick('license:nobody')).body['target']).toBe('license:nobody');
    expect(told()).toEqual(['license:nobody']);
    const elsewhere = await hub.request('/api/v2/bridge/other/kick', { json: { target: 'discord:1' } });
    expect(elsewhere.body['code']).toBe('bridge_offline');
  });

  it('is looked up again after the game server did not know it', async () => {
    const hub = await newTenant();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const told: unknown[] = [];
    answerAll(bridge, ({ params }) => {
      told.push(params['target']);
      if (params['target'] === 'char1:new') return { status: 'done', data: { kicked: true } };
      return { status: 'rejected', error: { code: 'player_not_found', message: 'Nobody.' } };
    });
    const kick = () => hub.request('/api/v2/bridge/main/kick', { json: { target: 'discord:9' } });
    expect((await kick()).body['code']).toBe('player_not_found');
    const players = [playerFrame('char1:new', { identifiers: ['discord:9'] })];
    bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players });
    await eventually(async () => (await hub.request('/api/v2/players/discord%3A9')).status).toBe(200);
    expect((await kick()).body['target']).toBe('char1:new');
    expect(told).toEqual(['discord:9', 'char1:new']);
  });

  it('is looked up again as soon as the game server has reported a player', async () => {
    const hub = await newTenant();
    const pay = (more: object) =>
      hub.request('/api/v2/bridge/main/money', {
        json: { target: 'discord:9', type: 'bank', amount: 5, action: 'add', ...more },
      });
    expect((await pay({})).body['code']).toBe('bridge_offline');
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    expect((await pay({ deliver: 'when_online' })).body['code']).toBe('player_not_found');
    const told: unknown[] = [];
    answerAll(bridge, ({ params }) => {
      told.push(params['target']);
      return { status: 'done', data: { account: 'bank', before: 0, after: 5 } };
    });
    const report = async (revision: number, identifiers: string[]): Promise<void> => {
      const players = [playerFrame('char1:new', { identifiers })];
      bridge.send({ type: 'players.snapshot', revision, part: 0, last: true, players });
      const links = async () => (await hub.request('/api/v2/players/char1%3Anew')).body['identifiers'];
      await eventually(links).toEqual(identifiers);
    };
    await report(1, ['license:9']);
    expect((await pay({ deliver: 'when_online' })).body['code']).toBe('player_not_found');
    await report(2, ['license:9', 'discord:9']);
    for (const more of [{}, { deliver: 'when_online' }, { deliver: 'when_connected' }]) {
      expect(await pay(more)).toMatchObject({ status: 200, body: { target: 'char1:new' } });
    }
    expect(told).toEqual(['char1:new', 'char1:new', 'char1:new']);
  });

  it('is looked up again if the hub has forgotten which servers reported players', async () => {
    const meant = vi.fn(async () => []);
    const targets = createTargets({ store: { players: { meant } as unknown as Store['players'] } });
    const wish = { name: 'kick', params: { target: 'discord:9' }, project: { id: 'p' }, serverId: 'main' };
    const lookUp = () => targets.resolve({ ...wish, canSeePlayers: true } as CommandRequest);
    for (let n = 0; n < 2; n += 1) await lookUp();
    expect(meant).toHaveBeenCalledTimes(1);
    targets.heard({ projectId: 'p', serverId: 'main' });
    for (let n = 0; n < 10_000; n += 1) targets.heard({ projectId: 'p', serverId: `s${n}` });
    for (let n = 0; n < 2; n += 1) await lookUp();
    expect(meant).toHaveBeenCalledTimes(2);
  });

  it('is one wish under one key, in the word that the caller sent', async () => {
    const { pay, told } = await open();
    const key = { 'Idempotency-Key': 'gift' };
    const [first, again, other] = [
      await pay('discord:1', key),
      await pay('discord:1', key),
      await pay('char1:ana', key),
    ];
    expect([first.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(again.body['id']).toBe(first.body['id']);
    expect(other.body['code']).toBe('idempotency_mismatch');
    expect(told()).toEqual(['char1:ana']);
  });

  it('is checked by the schema of a custom command as the game server gets it', async () => {
    const { revive, told } = await open();
    expect((await revive('license:own')).status).toBe(422);
    expect((await revive('discord:1')).status).toBe(200);
    expect(told()).toEqual(['char1:ana']);
  });
});

describe('one player', () => {
  it('names the others who carry the linked identifier', async () => {
    const { hub } = await open();
    const read = async (identifier: string) =>
      (await hub.request(`/api/v2/players/${encodeURIComponent(identifier)}`)).body;
    expect(await read('discord:2')).toMatchObject({
      identifier: 'char1:bob',
      alsoKnown: [{ identifier: 'char2:bob', name: 'Bobby', serverId: 'main', online: false }],
    });
    for (const identifier of ['char1:bob', 'discord:1', 'license:own']) {
      expect((await read(identifier))['alsoKnown']).toEqual([]);
    }
  });
});
