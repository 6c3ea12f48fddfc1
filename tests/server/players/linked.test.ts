import { describe, expect, it } from 'vitest';
import { shareHub, startHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, type RawBridge, welcomeRaw } from '../../kit/raw-bridge.ts';
import { connectShop, linesIn } from '../../kit/shop.ts';
import { eventually, rewrite } from '../../kit/stage.ts';

type Row = { identifier: string; identifiers: string[]; online: boolean };

const person = (identifier: string, identifiers: string[], online = true) =>
  playerFrame(identifier, { identifiers, online });
const ANA = ['license:a', 'discord:1', 'fivem:7', 'steam:110000100000001'];

const newTenant = shareHub();

/** A hub, and a game server whose next process or connection can come at any time. */
const open = async (start = newTenant) => {
  const hub = await start();
  let revision = 0;
  let bridge: RawBridge | undefined;
  const listed = async (): Promise<Row[]> => (await hub.request('/api/v2/players?limit=200')).body['data'] as Row[];
  const row = async (identifier: string): Promise<Row | undefined> =>
    (await listed()).find((each) => each.identifier === identifier);
  const send = (frame: object): void => bridge?.send(frame);
  return {
    hub,
    row,
    send,
    /** Another process, or another connection of the same one, reports all its players. */
    connect: async (reported: ReturnType<typeof person>[], instance = 'one') => {
      bridge?.kill();
      revision += 1;
      // With the number of the revision: when it is there, the snapshot was applied.
      const players = reported.map((player) => ({ ...player, name: `${player['identifier']} ${revision}` }));
      bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { instance });
      const from = bridge;
      answerAll(from, ({ name, params }) =>
        name === 'money'
          ? { status: 'done', data: { account: params['account'] ?? 'bank', before: 0, after: 5 } }
          : { status: 'done', data: { kicked: true } },
      );
      from.socket.on('message', (data) => {
        const { type, id, identifier } = JSON.parse(String(data));
        if (type !== 'players.read') return;
        const player = players.find((each) => each['identifier'] === identifier);
        from.send({ type: 'players.record', id, player });
      });
      send({ type: 'players.snapshot', revision, part: 0, last: true, players });
      const wanted = players.map(({ identifier, name }) => expect.objectContaining({ identifier, name }));
      await eventually(listed).toEqual(expect.arrayContaining(wanted));
    },
    changed: async (...players: ReturnType<typeof person>[]) => {
      revision += 1;
      // With the number of the revision: when it is there, the change was applied.
      const marked = players.map((player) => ({ ...player, name: `${player['identifier']} ${revision}` }));
      send({ type: 'players.changed', revision, players: marked });
      const [last] = marked.slice(-1);
      const nameOf = async () => (await hub.request(`/api/v2/players/${last?.['identifier']}`)).body['name'];
      await eventually(nameOf).toBe(`${last?.['identifier']} ${revision}`);
    },
    pay: async (target: string) => {
      const json = { target, type: 'bank', amount: 5, action: 'add' };
      const { status, body } = await hub.request('/api/v2/bridge/main/money', { json });
      return status === 200 ? body['target'] : body['code'];
    },
    found: async (search: string): Promise<string[]> => {
      const { body } = await hub.request(`/api/v2/players?search=${search}`);
      return (body['data'] as Row[]).map(({ identifier }) => identifier);
    },
    linksOf: async (identifier: string) => (await row(identifier))?.identifiers,
  };
};

describe('linked identifiers that a report lacks', () => {
  it('stay after a restart of the game server, a reconnect, and a fresh read of the absent player', async () => {
    const { hub, connect, changed, pay, found, linksOf, row } = await open();
    await connect([person('char1:ana', ANA)]);
    // The row of an absent character names the license only; ox_core's another one, VORP's steam.
    for (const [instance, known] of [
      ['two', ['license:a']],
      ['two', []],
      ['three', ['steam:110000100000001']],
    ] as const) {
      await connect([person('char1:ana', [...known], false)], instance);
      expect(await pay('discord:1')).toBe('char1:ana');
      expect(await pay('fivem:7')).toBe('char1:ana');
      expect(await found('discord:1')).toEqual(['char1:ana']);
      expect([...((await linksOf('char1:ana')) ?? [])].sort()).toEqual([...ANA].sort());
    }
    const fresh = await hub.request('/api/v2/players/discord:1', { headers: { 'Cache-Control': 'no-cache' } });
    expect(fresh.body).toMatchObject({ identifier: 'char1:ana', online: false });
    expect(await pay('discord:1')).toBe('char1:ana');
    await changed(person('char1:ana', ['license:a'], false));
    expect(await pay('discord:1')).toBe('char1:ana');
    expect((await row('char1:ana'))?.identifiers).toHaveLength(ANA.length);
  });

  it('stay for a shop, whose buyer is found while the player is away', async () => {
    const { hub, connect } = await open();
    await connect([person('char1:ana', ANA)]);
    await connect([person('char1:ana', ['license:a'], false)], 'two');
    const params = { type: 'bank', amount: 5, action: 'add' };
    const shop = await connectShop(hub, 'orders', { vip: [{ name: 'money', params }] });
    await shop.send({ id: 'o1', type: 'paid', buyer: 'fivem:7', packages: [{ id: 'vip' }] });
    await eventually(async () => (await linesIn(hub, shop, 'o1')).map(({ target }) => target)).toEqual(['char1:ana']);
  });

  it('come behind the reported ones, the newest first, at most 32', async () => {
    const { connect, changed, linksOf } = await open();
    const numbered = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `kind${from + n}:x`);
    await connect([person('char1:ana', numbered(1, 20))]);
    await changed(person('char1:ana', numbered(21, 30)));
    expect(await linksOf('char1:ana')).toEqual([...numbered(21, 30), ...numbered(1, 20)]);
    await changed(person('char1:ana', numbered(31, 35)));
    expect(await linksOf('char1:ana')).toEqual([...numbered(31, 35), ...numbered(21, 30), ...numbered(1, 17)]);
  });

  it('of a kind are replaced by a new value of that kind', async () => {
    const { connect, changed, linksOf, pay } = await open();
    await connect([person('char1:ana', ANA)]);
    await changed(person('char1:ana', ['license:a', 'discord:2']));
    expect(await linksOf('char1:ana')).toEqual(['license:a', 'discord:2', ...ANA.slice(2)]);
    expect(await pay('discord:1')).not.toBe('char1:ana');
    expect(await pay('discord:2')).toBe('char1:ana');
  });

  it('go if the character has changed hands', async () => {
    const { connect, changed, linksOf } = await open();
    await connect([person('char1:ana', ['license:a', 'license2:a', 'discord:1', 'fivem:7'])]);
    // The same person still has one of the accounts.
    await changed(person('char1:ana', ['license:b', 'license2:a'], false));
    expect(await linksOf('char1:ana')).toEqual(['license:b', 'license2:a', 'discord:1', 'fivem:7']);
    await changed(person('char1:ana', ['license:c'], false));
    expect(await linksOf('char1:ana')).toEqual(['license:c']);
  });

  it('are those of another server on no other server', async () => {
    const { hub, connect, linksOf } = await open();
    const other = await hub.newServer('other');
    await connect([person('char1:ana', ANA)]);
    const bridge = await welcomeRaw(hub.bridgeUrl, other);
    bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [person('char1:bob', ANA)] });
    const there = async () => (await hub.request('/api/v2/players/char1:bob')).body['identifiers'];
    await eventually(there).toEqual(ANA);
    expect(await linksOf('char1:ana')).toEqual(ANA);
  });
});

describe('a linked identifier that another player shows', () => {
  it('is theirs from when they play with it, and the earlier one keeps the others', async () => {
    const { connect, changed, pay, linksOf, found } = await open();
    await connect([person('char1:ana', ANA), person('char1:bob', ['license:b'], false)]);
    // A report of an absent player takes nothing: who that is cannot be known.
    await changed(person('char1:bob', ['license:b', 'discord:1'], false));
    expect(await pay('discord:1')).toBe('player_ambiguous');
    await changed(person('char1:bob', ['license:b', 'discord:1']));
    expect(await pay('discord:1')).toBe('char1:bob');
    expect(await pay('fivem:7')).toBe('char1:ana');
    expect(await linksOf('char1:ana')).toEqual(ANA.filter((each) => each !== 'discord:1'));
    expect(await found('discord:1')).toEqual(['char1:bob']);
    // Ana's row still says so after a restart, in the same words as before.
    await connect([person('char1:ana', ['license:a'], false), person('char1:bob', ['license:b', 'discord:1'])], 'two');
    expect(await pay('discord:1')).toBe('char1:bob');
  });

  it('is taken in a snapshot, too, and in one frame by the last who shows it', async () => {
    const { connect, pay } = await open();
    await connect([person('char1:ana', ANA)]);
    await connect([person('char1:ana', ['license:a'], false), person('char1:bob', ['license:b', 'discord:1'])], 'two');
    expect(await pay('discord:1')).toBe('char1:bob');
    const both = [person('char1:eve', ['license:e', 'discord:1']), person('char1:dan', ['license:d', 'discord:1'])];
    await connect(both, 'three');
    expect(await pay('discord:1')).toBe('char1:dan');
  });

  it('is taken back by the same words of the earlier one, when they play with it again', async () => {
    const { connect, changed, pay } = await open();
    await connect([person('char1:ana', ANA)]);
    await changed(person('char1:bob', ['license:b', 'discord:1']));
    expect(await pay('discord:1')).toBe('char1:bob');
    await connect([person('char1:ana', ANA)], 'two');
    expect(await pay('discord:1')).toBe('char1:ana');
  });

  it('stays with all characters of one person: the same license, else license2, else steam', async () => {
    const { connect, changed, linksOf, pay } = await open();
    await connect([
      person('char1:a', ['license:a', 'steam:1', 'discord:1'], false),
      person('char1:b', ['license2:b', 'steam:9', 'discord:2'], false),
      person('char1:c', ['steam:c', 'discord:3'], false),
      person('char1:d', ['license:d', 'license2:b', 'discord:4'], false),
    ]);
    await changed(person('char2:a', ['license:a', 'steam:2', 'discord:1']));
    await changed(person('char2:b', ['license:x', 'license2:b', 'discord:2']));
    await changed(person('char2:c', ['steam:c', 'discord:3']));
    expect(await linksOf('char1:a')).toContain('discord:1');
    expect(await linksOf('char1:b')).toContain('discord:2');
    expect(await linksOf('char1:c')).toContain('discord:3');
    expect(await pay('discord:3')).toBe('player_ambiguous');
    // With different licenses, the same license2 does not count.
    expect(await linksOf('char1:d')).toEqual(['license:d', 'discord:4']);
  });
});

describe('an identifier of two characters', () => {
  const first = person('char1:old', ['license:o', 'discord:1'], false);

  it('is with the player who shows it, though the hub died while it took it from the other', async () => {
    const { hub, connect, send } = await open(startHub);
    await connect([first, person('char1:eve', ['license:e'], false)]);
    hub.stopAt({ statement: 'players.keepLinks', when: 'before' });
    const eve = person('char1:eve', ['license:e', 'discord:1']);
    send({ type: 'players.changed', revision: 2, players: [eve] });
    await eventually(async () => hub.hasStopped()).toBe(true);
    await hub.crash();
    const next = await startHub({ folder: hub.folder });
    const bridge = await welcomeRaw(next.bridgeUrl, hub.token);
    const absent = person('char1:old', ['license:o'], false);
    bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [absent, eve] });
    const holders = async () => (await next.request('/api/v2/players?search=discord:1')).body['data'];
    await eventually(holders).toMatchObject([{ identifier: 'char1:eve' }]);
  });

  it('is with the one who comes online, though both were stored with it before', async () => {
    const { hub, connect, changed, found } = await open(startHub);
    await connect([first, person('char1:eve', ['license:e', 'discord:1'], false)]);
    await rewrite(hub, "UPDATE players SET content_hash = 'known'");
    expect(await found('discord:1')).toHaveLength(2);
    await changed(person('char1:eve', ['license:e', 'discord:1']));
    expect(await found('discord:1')).toEqual(['char1:eve']);
  });
});
