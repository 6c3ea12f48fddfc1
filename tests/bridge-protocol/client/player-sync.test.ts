import { describe, expect, it } from 'vitest';
import { LIMITS, type Player, type PlayersSource } from '../../../bridge-protocol/index.ts';
import { createFakeHub, eventually, type HubSocket } from '../../kit/fake-hub.ts';
import { createGate } from '../../kit/gate.ts';
import { kick, startBridge } from '../bridge.ts';

const person = (identifier: string, more: Partial<Player> = {}): Player => ({
  identifier,
  name: `Person ${identifier}`,
  online: true,
  identifiers: [],
  accounts: { bank: 1 },
  inventory: [],
  vehicles: [],
  metadata: {},
  ...more,
});

const people = (count: number, bytes = 0): Player[] =>
  Array.from({ length: count }, (_, nth) => person(`p${nth}`, { metadata: { note: 'ö'.repeat(bytes / 2) } }));

const start = async (players?: PlayersSource) => {
  const hub = createFakeHub();
  const logged: string[] = [];
  const bridge = startBridge(hub, {
    ...(players === undefined ? {} : { players }),
    commands: { kick: () => ({ status: 'done', data: { kicked: true } }) },
    log: (_level, message) => logged.push(message),
  });
  await eventually(() => expect(bridge.state).toBe('welcomed'));
  return { hub, bridge, logged, socket: await hub.socket(0) };
};

const finished = (socket: HubSocket, snapshots = 1): Promise<void> =>
  eventually(() => expect(socket.of('players.snapshot').filter(({ last }) => last)).toHaveLength(snapshots));

describe('a snapshot', () => {
  it('is cut into parts within the bound, with all players', async () => {
    const everybody = people(10_000, 2_000);
    const { socket } = await start({ snapshot: () => everybody });
    await finished(socket);
    const parts = socket.of('players.snapshot');
    expect(parts.map(({ part }) => part)).toEqual(parts.map((_, nth) => nth));
    expect(new Set(parts.map(({ revision }) => revision)).size).toBe(1);
    expect(parts.flatMap(({ players }) => players)).toEqual(everybody);
    const sizes = socket.frames.map((frame) => Buffer.byteLength(frame));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(64 * 1024);
    expect(parts.length).toBeLessThan(350);
  });

  it('lets commands pass between its parts', async () => {
    const { socket } = await start({ snapshot: () => people(2_000, 2_000) });
    await eventually(() => expect(socket.of('players.snapshot').length).toBeGreaterThan(0));
    socket.send(kick());
    await finished(socket);
    const order = socket.messages.map(({ type }) => type);
    expect(order.indexOf('result')).toBeGreaterThan(0);
    expect(order.indexOf('result')).toBeLessThan(order.lastIndexOf('players.snapshot'));
  });

  it('waits while too much is unsent', async () => {
    const { hub, socket } = await start();
    await finished(socket);
    hub.behaviour.welcomes = false;
    socket.events.close(1006, '');
    const slow = await hub.socket(1);
    slow.buffered.bytes = 2 * 1024 * 1024;
    await eventually(() => expect(slow.of('hello')).toHaveLength(1));
    hub.welcome(slow);
    await eventually(() => expect(slow.of('status')).toHaveLength(1));
    expect(slow.of('players.snapshot')).toEqual([]);
    slow.buffered.bytes = 0;
    await finished(slow);
  });

  it('is one empty last part if no player is known', async () => {
    const { socket } = await start();
    await finished(socket);
    expect(socket.of('players.snapshot')).toEqual([
      { type: 'players.snapshot', revision: 1, part: 0, last: true, players: [] },
    ]);
  });

  it('has one player in a part where that is all that fits', async () => {
    const { socket } = await start({ snapshot: () => people(3, 100_000) });
    await finished(socket);
    expect(socket.of('players.snapshot').map(({ players }) => players.length)).toEqual([1, 1, 1]);
  });

  it('leaves out players that do not fit the protocol, and logs them', async () => {
    const { socket, logged } = await start({
      snapshot: () => [
        person('good'),
        person('not allowed!'),
        person('huge', { metadata: { note: 'x'.repeat(LIMITS.frameBytes) } }),
        person('odd', { accounts: { bank: 0.5 } }),
        person('better'),
      ],
    });
    await finished(socket);
    const identifiers = socket.of('players.snapshot')[0]?.players.map(({ identifier }) => identifier);
    expect(identifiers).toEqual(['good', 'better']);
    expect(logged.filter((message) => message.includes('left out'))).toHaveLength(3);
  });

  it('is complete if its source says so and no player was left out', async () => {
    const completeOf = async (players: PlayersSource): Promise<(boolean | undefined)[]> => {
      const { socket } = await start(players);
      await finished(socket);
      return socket.of('players.snapshot').map(({ complete }) => complete);
    };
    const two = () => people(2, 100_000);
    expect(await completeOf({ snapshot: two, complete: () => true })).toEqual([undefined, true]);
    expect(await completeOf({ snapshot: two, complete: () => false })).toEqual([undefined, undefined]);
    expect(await completeOf({ snapshot: two })).toEqual([undefined, undefined]);
    const odd = () => [person('good'), person('odd', { accounts: { bank: 0.5 } })];
    expect(await completeOf({ snapshot: odd, complete: () => true })).toEqual([undefined]);
  });

  it('has a player whose items do not fit into a frame, without their large metadata', async () => {
    const slot = (nth: number, metadata: object) => ({
      slot: nth,
      name: 'note',
      label: 'Note',
      count: 1,
      metadata: { ...metadata },
    });
    const large = Array.from({ length: 17 }, (_, nth) => slot(nth, { text: 'x'.repeat(16_000) }));
    const inventory = [...large, slot(17, { text: 'short' })];
    const { socket, bridge, logged } = await start({
      snapshot: () => [person('ana', { inventory }), person('bob')],
      read: () => person('ana', { inventory }),
    });
    await finished(socket);
    const [ana, bob] = socket.of('players.snapshot').flatMap(({ players }) => players);
    expect(bob).toEqual(person('bob'));
    const light = [...large.map(({ slot: nth }) => slot(nth, { omitted: true })), slot(17, { text: 'short' })];
    expect(ana).toEqual(person('ana', { inventory: light }));
    expect(logged).toEqual(['The player ana is sent without large metadata of items and vehicles.']);
    bridge.changed({ players: [person('ana', { inventory })] });
    await eventually(() => expect(socket.of('players.changed')[0]?.players).toEqual([ana]));
    socket.send({ type: 'players.read', id: 'read_1', identifier: 'ana' });
    await eventually(() => expect(socket.of('players.record')[0]).toMatchObject({ id: 'read_1', player: ana }));
  });

  it('comes again when the hub asks for it, with a higher revision', async () => {
    const { socket } = await start({ snapshot: () => people(1) });
    await finished(socket);
    socket.send({ type: 'players.resync' });
    await finished(socket, 2);
    expect(socket.of('players.snapshot').map(({ revision }) => revision)).toEqual([1, 2]);
  });

  it('may be read from something slow', async () => {
    const { socket } = await start({
      snapshot: async function* () {
        for (const player of people(3)) {
          await Promise.resolve();
          yield player;
        }
      },
    });
    await finished(socket);
    expect(socket.of('players.snapshot')[0]?.players).toHaveLength(3);
  });
});

describe('a change', () => {
  it('follows the snapshot by one revision each', async () => {
    const { bridge, socket } = await start({ snapshot: () => people(1) });
    await finished(socket);
    bridge.changed({ players: [person('p0')] });
    bridge.changed({ offline: ['p0'], removed: ['p1'] });
    bridge.changed({});
    expect(socket.of('players.changed')).toEqual([
      { type: 'players.changed', revision: 2, players: [person('p0')], offline: [], removed: [] },
      { type: 'players.changed', revision: 3, players: [], offline: ['p0'], removed: ['p1'] },
    ]);
  });

  it('waits until the snapshot that is under way has ended', async () => {
    const gate = createGate();
    const { bridge, socket } = await start({
      snapshot: async function* () {
        yield person('first');
        await gate.opened;
        yield person('second');
      },
    });
    await eventually(() => expect(socket.of('status')).toHaveLength(1));
    bridge.changed({ players: [person('second', { name: 'Changed' })] });
    gate.open();
    await eventually(() => expect(socket.of('players.changed')).toHaveLength(1));
    const order = socket.messages.map(({ type }) => type).filter((type) => type.startsWith('players.'));
    expect(order).toEqual(['players.snapshot', 'players.changed']);
    expect(socket.of('players.changed')[0]?.revision).toBe(2);
  });

  it('is cut into several frames when it is large', async () => {
    const { bridge, socket } = await start();
    await finished(socket);
    const many = people(500, 2_000);
    bridge.changed({ players: many, offline: ['gone'] });
    const frames = socket.of('players.changed');
    expect(frames.length).toBeGreaterThan(3);
    expect(frames.map(({ revision }) => revision)).toEqual(frames.map((_, nth) => nth + 2));
    expect(frames.flatMap(({ players }) => players)).toEqual(many);
    expect(frames.at(-1)?.offline).toEqual(['gone']);
  });

  it('is dropped while there is no connection', async () => {
    const { hub, bridge, socket } = await start();
    await finished(socket);
    socket.events.close(1006, '');
    bridge.changed({ players: [person('p0')] });
    const next = await hub.socket(1);
    await finished(next);
    expect(next.of('players.changed')).toEqual([]);
  });

  it('waits behind a socket that is full', async () => {
    const { bridge, socket } = await start();
    await finished(socket);
    socket.buffered.bytes = 2 * 1024 * 1024;
    bridge.changed({ offline: ['a'] });
    bridge.changed({ offline: ['b'] });
    expect(socket.of('players.changed')).toEqual([]);
    socket.buffered.bytes = 0;
    await eventually(() => expect(socket.of('players.changed').flatMap(({ offline }) => offline)).toEqual(['a', 'b']));
  });
});

describe('a fresh record', () => {
  it('is read on demand', async () => {
    const { socket } = await start({
      snapshot: () => [],
      read: (identifier) => {
        if (identifier === 'broken') throw new Error('database is gone');
        return identifier === 'ana' ? person('ana') : undefined;
      },
    });
    for (const identifier of ['ana', 'nobody', 'broken']) {
      socket.send({ type: 'players.read', id: `read_${identifier}`, identifier });
    }
    await eventually(() => expect(socket.of('players.record')).toHaveLength(3));
    expect(socket.of('players.record')).toEqual(
      expect.arrayContaining([
        { type: 'players.record', id: 'read_ana', player: person('ana') },
        expect.objectContaining({
          id: 'read_nobody',
          error: expect.objectContaining({ code: 'unsupported' }),
        }),
        expect.objectContaining({
          id: 'read_broken',
          error: expect.objectContaining({ code: 'internal_error' }),
        }),
      ]),
    );
  });

  it('says that a player is not there any more, if its source has all of them', async () => {
    const { socket } = await start({ snapshot: () => [], read: () => undefined, complete: () => true });
    socket.send({ type: 'players.read', id: 'read_1', identifier: 'ana' });
    await eventually(() => expect(socket.of('players.record')[0]?.error?.code).toBe('player_not_found'));
  });

  it('is unsupported where the bridge cannot read one', async () => {
    const { socket } = await start();
    socket.send({ type: 'players.read', id: 'read_1', identifier: 'ana' });
    await eventually(() => expect(socket.of('players.record')[0]?.error?.code).toBe('unsupported'));
  });
});
