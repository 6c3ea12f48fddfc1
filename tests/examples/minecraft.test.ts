import { describe, expect, it } from 'vitest';
import { atEnd, shared } from '../kit/ends.ts';
import { startHub } from '../kit/hub.ts';
import { createVictim } from '../kit/processes.ts';
import { until } from '../kit/until.ts';

const EXAMPLE = 'examples/minecraft';
/** Of clients that choose their names: hashes of `OfflinePlayer:Ana` and `OfflinePlayer:Bob`. */
const ANA = 'minecraft:b5818402-8af5-3f8b-8787-f636ab2dc42f';
const BOB = 'minecraft:faa5dca3-c3d4-354b-ae1b-dde9e5a14b3b';
const NOBODY = 'minecraft:00000000-0000-3000-8000-000000000000';
const REASON = 'Não "spawn" kill, por favor.';

/** A program of the example, until the test or its file ends, and what it has written. */
const runExample = (args: string[], env: Record<string, string> = {}) => {
  const lines: string[] = [];
  const program = createVictim([`${EXAMPLE}/${args[0]}`, ...args.slice(1)], env, {
    hear: (line) => void lines.push(line),
  });
  program.start();
  atEnd(() => program.kill());
  const line = async (pattern: RegExp): Promise<RegExpExecArray> => {
    let found: RegExpExecArray | null = null;
    await until(
      () => {
        found = pattern.exec(lines.join('\n'));
        if (found === null && !program.isRunning()) throw new Error(`${args[0]} has ended:\n${lines.join('\n')}`);
        return found !== null;
      },
      `${pattern} of ${args[0]}`,
      { withinMs: 30_000 },
    );
    return found ?? expect.fail();
  };
  return { ...program, line };
};

/** A hub, and a Minecraft server that its bridge has connected to the hub. */
const startGame = async () => {
  const hub = await startHub();
  const env = { CAUSEWAY_URL: hub.bridgeUrl, CAUSEWAY_TOKEN: hub.token, PORT: '0' };
  const server = runExample(['server.js'], env);
  const [, port = ''] = await server.line(/Server listening on port (\d+)/);
  const get = async (path: string) => (await hub.request(path)).body;
  await until(async () => (await get('/api/v2/servers/main'))['connected'] === true, 'the bridge is connected');

  const isOnline = async (player: string) => {
    const players = (await get('/api/v2/players'))['data'] as { identifier: string; online: boolean }[];
    return players.find(({ identifier }) => identifier === player)?.online;
  };
  const becomes = (player: string, online: boolean) =>
    until(
      async () => (await isOnline(player)) === online,
      `${player} is listed as ${online ? 'online' : 'offline'}`,
      // flying-squid itself cuts off a client that does not leave after 30 s.
      { withinMs: 15_000 },
    );
  return {
    get,
    isOnline,
    becomes,
    /** A Minecraft client joins the server. */
    join: async (name: string) => {
      const client = runExample(['join.js', name, port]);
      await client.line(/is on the server\./);
      return client;
    },
    order: (kind: 'kick' | 'money', json: object) => hub.request(`/api/v2/bridge/main/${kind}`, { json }),
    kick: (target: string) => hub.request('/api/v2/bridge/main/kick', { json: { target, reason: REASON } }),
  };
};

describe('the Minecraft example', () => {
  const game = shared(startGame);

  it('declares kick, and a journal that does not promise more than the game keeps', async () => {
    expect(await game().get('/api/v2/servers/main')).toMatchObject({
      bridge: { commands: ['kick@1'], journalClass: 'volatile' },
    });
  });

  it('lists a player who has joined, and kicks the client, which is told the reason', async () => {
    const { join, becomes, get, kick } = game();
    const client = await join('Ana');
    await becomes(ANA, true);
    const record = { identifier: ANA, name: 'Ana', online: true, identifiers: ['name:Ana'] };
    expect(await get(`/api/v2/players/${ANA}`)).toMatchObject(record);
    expect(await kick(ANA)).toMatchObject({ status: 200, body: { status: 'succeeded', executed: 'yes' } });
    const [, told] = await client.line(/^Ana was kicked: (.*)$/m);
    expect(told).toBe(REASON);
    await becomes(ANA, false);
  });

  it('kicks a player by the name', async () => {
    const { join, becomes, kick } = game();
    const client = await join('Ana');
    await becomes(ANA, true);
    expect(await kick('name:Ana')).toMatchObject({ status: 200, body: { executed: 'yes' } });
    await client.line(/^Ana was kicked: /m);
    await becomes(ANA, false);
  });

  it('cuts off a client that does not react to the kick', async () => {
    const { join, becomes, kick } = game();
    const client = await join('Ana');
    await becomes(ANA, true);
    client.pause();
    expect(await kick(ANA)).toMatchObject({ status: 200, body: { executed: 'yes' } });
    await becomes(ANA, false);
  });

  it('lists a player whose client has ended as offline', async () => {
    const { join, becomes } = game();
    const client = await join('Ana');
    await becomes(ANA, true);
    await client.kill();
    await becomes(ANA, false);
  });

  it('lists a client whose name is no name of Minecraft, with the start of that name', async () => {
    const { join, get } = game();
    const name = `<b>"Ana" ${'é'.repeat(200)}`;
    await join(name);
    const listed = async () => (await get('/api/v2/players?online=true'))['data'] as object[];
    await until(async () => (await listed()).length > 0, 'the player is listed', { withinMs: 15_000 });
    expect(await listed()).toMatchObject([{ name: name.slice(0, 128), identifiers: [] }]);
  });

  it('lists a player of two clients as online until both have left', async () => {
    const { join, becomes, isOnline } = game();
    const first = await join('Ana');
    const second = await join('Ana');
    await first.kill();
    // Frames come in order, so the hub has heard of the first client when it lists the next player.
    await join('Bob');
    await becomes(BOB, true);
    expect(await isOnline(ANA)).toBe(true);
    await second.kill();
    await becomes(ANA, false);
  });

  it('kicks both clients of one player', async () => {
    const { join, becomes, kick } = game();
    const clients = [await join('Ana'), await join('Ana')];
    await becomes(ANA, true);
    expect(await kick(ANA)).toMatchObject({ status: 200, body: { executed: 'yes' } });
    for (const client of clients) await client.line(/^Ana was kicked: /m);
    await becomes(ANA, false);
  });

  it('refuses to kick a player who is not there, and to move money', async () => {
    const { kick, order } = game();
    expect(await kick(NOBODY)).toMatchObject({ status: 409, body: { code: 'player_offline', executed: 'no' } });
    expect(await kick('name:Zoe')).toMatchObject({ status: 404, body: { code: 'player_not_found', executed: 'no' } });
    const payment = { target: ANA, type: 'bank', amount: 1, action: 'add' };
    expect(await order('money', payment)).toMatchObject({ status: 501, body: { code: 'unsupported' } });
  });
});
