import { describe, expect, it } from 'vitest';
import { ESX, QBCORE, QBOX, RSG, VORP, WORLDS, type World } from './frameworks.ts';
import { openWorld } from './stage.ts';

const REDM: readonly World[] = [VORP, RSG];
const isRedM = (world: World): boolean => REDM.includes(world);

/** RedM worlds run on a server of RedM; `chat` and the resources of a care are started if they are named. */
const open = async (world: World, ...resources: string[]) => {
  const seen: unknown[][] = [];
  const opened = await openWorld({
    ...world,
    install: async (server, mysql) => {
      if (isRedM(world)) server.convars.set('gamename', 'rdr3');
      for (const resource of ['chat', ...resources]) server.provide(resource, {});
      await world.install(server, mysql);
      server.hear('fake:client', (...args: unknown[]) => void seen.push(args));
    },
  });
  const act = (name: string, json: object) => opened.hub.request(`/api/v2/bridge/main/${name}`, { json });
  const offered = async (): Promise<string[]> => {
    const { bridge } = (await opened.hub.request('/api/v2/servers/main')).body as { bridge: { commands: string[] } };
    return bridge.commands;
  };
  return { ...opened, seen, act, offered };
};

describe.each(WORLDS)('announcements and messages in $name', (world) => {
  it('are sent to the chat of all connected players, or of one', async () => {
    const { act, seen } = await open(world);
    const text = '^1<b>%s{0}</b> ☃';
    expect((await act('announce', { message: text })).body).toMatchObject({
      result: { confirmedBy: 'server', players: 2 },
    });
    expect((await act('message', { target: world.bo, message: text })).body).toMatchObject({
      result: { confirmedBy: 'server' },
    });
    expect(seen).toEqual([
      ['chat:addMessage', -1, { args: [text] }],
      ['chat:addMessage', 2, { args: [text] }],
    ]);
  });

  it('are sent to the chosen players who are online, and say how many these were', async () => {
    const { act, seen, offered } = await open(world);
    expect(await offered()).toEqual(expect.arrayContaining(['announce@1', 'announce@2']));
    const announce = async (targets: string[]) => (await act('announce', { message: 'Race', targets })).body['result'];
    expect(await announce([world.cy, world.bo, world.nobody])).toEqual({ confirmedBy: 'server', players: 1 });
    expect(await announce([world.nobody])).toEqual({ confirmedBy: 'server', players: 0 });
    expect(seen).toEqual([['chat:addMessage', 2, { args: ['Race'] }]]);
  });

  it('are refused for players who are away, and without the resource chat', async () => {
    const { act, seen, server } = await open(world);
    const to = (target: string) => act('message', { target, message: 'Hello' });
    expect(await to(world.cy)).toMatchObject({ status: 409, body: { code: 'player_offline', executed: 'no' } });
    expect(await to(world.nobody)).toMatchObject({ status: 404, body: { code: 'player_not_found' } });
    await server.stop('chat');
    for (const answer of [await to(world.ana), await act('announce', { message: 'Hello' })])
      expect(answer.body).toMatchObject({ code: 'refused', executed: 'no', detail: expect.stringContaining('chat') });
    expect(seen).toEqual([]);
  });
});

describe.each(WORLDS.filter((world) => !isRedM(world)))('bodies of players in $name', (world) => {
  it('are frozen and released, as the game server sees it', async () => {
    const { act, server } = await open(world);
    for (const frozen of [true, false]) {
      expect((await act('freeze', { target: world.ana, frozen })).body).toMatchObject({
        result: { confirmedBy: 'server', frozen },
      });
      expect(server.bodies.of(1).isFrozen).toBe(frozen);
    }
  });

  it('are moved to a place or to another player, and the answer says where they are', async () => {
    const { act, server } = await open(world);
    const { body } = await act('teleport', { target: world.ana, to: { x: 100.5, y: -20, z: 30 } });
    expect(body).toMatchObject({ result: { confirmedBy: 'server', position: { x: 100.5, y: -20, z: 31 } } });
    const moved = await act('teleport', { target: world.bo, to: { player: world.ana } });
    expect(moved.body).toMatchObject({ result: { position: { x: 100.5, y: -20, z: 32 } } });
    expect(server.bodies.of(2)).toMatchObject({ x: 100.5, y: -20 });
    expect(await act('teleport', { target: world.bo, to: { player: world.cy } })).toMatchObject({
      status: 409,
      body: { code: 'player_offline', executed: 'no' },
    });
  });

  it('are in doubt if the player’s game does not obey', async () => {
    const { act, server } = await open(world);
    server.convars.set('fake:disobeys', '1');
    for (const [name, params] of [
      ['freeze', { frozen: true }],
      ['teleport', { to: { x: 900, y: 0, z: 0 } }],
    ] as const) {
      const { body } = await act(name, { target: world.ana, ...params });
      expect(body).toMatchObject({ executed: 'unknown' });
    }
  });
});

it('a server of RedM offers no action that it cannot see the effect of', async () => {
  for (const world of REDM) {
    const { offered } = await open(world);
    const commands = (await offered()).map((tag) => tag.split('@')[0]);
    expect(commands).toEqual(expect.arrayContaining(['announce', 'message', 'revive']));
    for (const name of ['freeze', 'teleport', 'heal']) expect(commands).not.toContain(name);
  }
});

type Care = { world: World; resource: string; event: string; canHeal: boolean };
const CARES: readonly Care[] = [
  { world: ESX, resource: 'esx_ambulancejob', event: 'esx_ambulancejob:revive', canHeal: true },
  { world: QBCORE, resource: 'qb-ambulancejob', event: 'hospital:client:Revive', canHeal: true },
  { world: QBOX, resource: 'qbx_medical', event: 'qbx_medical:client:playerRevived', canHeal: true },
  { world: RSG, resource: 'rsg-medic', event: 'rsg-medic:client:adminRevive', canHeal: false },
  { world: VORP, resource: 'vorp_core', event: 'vorp_core:Client:OnPlayerRevive', canHeal: false },
];

/** Opens a world whose players' games obey the events of its medical resource. */
const openCare = async ({ world, resource, event }: Care, { obeys = true } = {}) => {
  const own = resource === 'vorp_core' ? [] : [resource];
  const opened = await open(world, ...own);
  const { server } = opened;
  const setDead = (source: number, isDead: boolean): void => {
    if (world === ESX) server.bodies.setState(source, 'isDead', isDead);
    else if (world === VORP) server.emit('fake:dead', '', source, isDead);
    else server.emit('fake:meta', '', source, 'isdead', isDead);
  };
  const revive = (source: number): void => {
    setDead(source, false);
    server.bodies.of(source).health = 200;
  };
  if (world === QBOX) {
    await server.stop(resource);
    server.provide(resource, { Revive: (source: number) => server.emit('fake:client', '', event, source) });
  }
  server.hear('fake:client', (name: string, source: number) => {
    if (!obeys) return;
    if (name === event) revive(Number(source));
    if (name === 'esx_ambulancejob:heal') server.bodies.of(Number(source)).health = 200;
  });
  return { ...opened, setDead };
};

describe.each(CARES)('dead and hurt players of $world.name', (care) => {
  const { ana } = care.world;

  it('are revived, and their game says so', async () => {
    const { act, setDead, seen } = await openCare(care);
    expect((await act('revive', { target: ana })).body).toMatchObject({ code: 'refused', executed: 'no' });
    setDead(1, true);
    expect((await act('revive', { target: ana })).body).toMatchObject({ result: { confirmedBy: 'client' } });
    expect(seen.map(([name, source]) => [name, source])).toEqual([[care.event, 1]]);
    expect((await act('revive', { target: ana })).body).toMatchObject({ code: 'refused' });
  });

  it.each(care.canHeal ? ['revive', 'heal'] : ['revive'])(
    'are not looked for by %s where they are away or unknown',
    async (name) => {
      const { cy, nobody } = care.world;
      const { act, seen } = await openCare(care);
      expect(await act(name, { target: cy })).toMatchObject({
        status: 409,
        body: { code: 'player_offline', executed: 'no' },
      });
      expect(await act(name, { target: nobody })).toMatchObject({ status: 404, body: { code: 'player_not_found' } });
      expect(seen).toEqual([]);
    },
  );

  it('stay in doubt if their game does not obey', async () => {
    const { act, setDead } = await openCare(care, { obeys: false });
    setDead(1, true);
    expect((await act('revive', { target: ana })).body).toMatchObject({ executed: 'unknown' });
  });

  it.runIf(care.canHeal)('are healed if they live, as the game server sees it', async () => {
    const { act, server, setDead } = await openCare(care);
    server.bodies.of(1).health = 120;
    expect((await act('heal', { target: ana })).body).toMatchObject({ result: { confirmedBy: 'server' } });
    expect(server.bodies.of(1).health).toBe(200);
    setDead(1, true);
    expect((await act('heal', { target: ana })).body).toMatchObject({ code: 'refused', executed: 'no' });
  });

  it.runIf(care.world !== VORP)('are left alone without the resource for them', async () => {
    const { act, setDead, server } = await openCare(care);
    setDead(1, true);
    await server.stop(care.resource);
    const { body } = await act('revive', { target: ana });
    expect(body).toMatchObject({ code: 'refused', detail: expect.stringContaining(care.resource) });
  });
});
