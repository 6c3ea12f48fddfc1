import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCrowd } from '../bridge/crowd.ts';
import { ESX, QBCORE } from '../bridge/frameworks.ts';
import { openWorld } from '../bridge/stage.ts';
import { causeway, fill, startGame } from '../fxserver/game.ts';
import { createMysql } from '../fxserver/mysql.ts';
import { heapMiB } from '../kit/memory.ts';
import { eventually } from '../kit/stage.ts';

const ONLINE = 60;
/** Joins and leaves in a minute of the game: far more than on any server. */
const A_MINUTE = 20;
const STORED = 400;
/** Memory that may remain of a thousand players, or of eight thousand attempts (15 bytes each): tables that have grown. */
const MAX_LEFT_MIB = 4;
const MAX_LEFT_LUA_KB = 128;
/** Says how much work Lua does for what is made, after the bridge was asked something while so much was held. 1 is kept as 0. */
const WORK = `
  AddEventHandler('work', function(heldKb)
    local held = ('x'):rep(heldKb * 1024)
    exports.causeway:adapter('online', {}, function() end)
    print(('work %d'):format(collectgarbage('setstepmul', 100)))
    held = nil
    collectgarbage()
  end)`;
/** At 30 s from one attempt to the next: three days. */
const ATTEMPTS = 8_640;

type Game = Awaited<ReturnType<typeof startGame>>;

/** Everything this process holds, and the Lua of the bridge beside it, after all garbage is collected. */
const held = async ({ server, mysql }: Game): Promise<{ heap: number; lua: number }> => {
  mysql.statements();
  server.lines.length = 0;
  for (let times = 0; times < 3; times += 1) {
    heapMiB();
    server.luaMemory('causeway');
    // Functions that runtimes had of each other go in a turn of their own, and at a tick.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { heap: heapMiB(), lua: server.luaMemory('causeway') };
};

/** Lets started work end before the measurement: a leak would stay. */
const expectFlat = (game: Game, before: Awaited<ReturnType<typeof held>>) =>
  expect
    .poll(
      async () => {
        const after = await held(game);
        const isFlat = after.heap - before.heap < MAX_LEFT_MIB && after.lua - before.lua < MAX_LEFT_LUA_KB;
        return isFlat ? 'flat' : `grown: ${JSON.stringify({ before, after })}`;
      },
      { interval: 100, timeout: 60_000 },
    )
    .toBe('flat');

const createGuests = (game: Game) => {
  const crowd = createCrowd(ESX);
  const inside: number[] = [];
  let next = 0;
  const join = async (): Promise<void> => {
    const nth = next % STORED;
    next += 1;
    inside.push(await game.join(crowd.identifier(nth), { identifiers: [crowd.license(nth)] }));
  };
  const leave = async (): Promise<void> => {
    game.server.drop(inside.shift() ?? 0, 'left');
    await game.mysql.quiet();
  };
  return {
    fill: async (): Promise<void> => {
      while (inside.length < ONLINE) await join();
    },
    minute: async (): Promise<void> => {
      for (let times = 0; times < A_MINUTE; times += 1) {
        await leave();
        await join();
      }
      // A payday.
      for (const source of inside) game.server.emit('fake:call', '', source, 'addAccountMoney', 'bank', 10, 'wage');
    },
  };
};

describe('the memory of the resource', () => {
  it('is the same after an hour of joins, leaves and paydays as after ten minutes', async () => {
    const mysql = createMysql();
    await fill(mysql, ESX);
    await createCrowd(ESX).fill(mysql, STORED);
    const world = await openWorld(ESX, { mysql, isEmpty: false });
    const guests = createGuests(world);
    await guests.fill();
    let minutes = 0;
    const until = async (end: number): Promise<void> => {
      for (; minutes < end; minutes += 1) {
        await guests.minute();
        await world.pay({ target: ESX.ana });
      }
      const { ana, money } = ESX;
      await eventually(async () => (await world.recall(ana))?.accounts['bank']).toBe(
        (money.ana['bank'] ?? 0) + 50 * end,
      );
    };
    await until(10);
    const before = await held(world);
    await until(60);
    await expectFlat(world, before);
    expect(world.server.errors).toEqual([]);
  }, 300_000);

  it('is the same after ten thousand players who never return as after one thousand', async () => {
    const world = await openWorld(ESX, { tickMs: 1, speed: 1_000 });
    let guests = 0;
    const until = async (end: number): Promise<void> => {
      for (; guests < end; guests += 1) {
        const source = world.server.join('Guest', [`license:guest-${guests}`, `discord:guest-${guests}`]);
        world.server.drop(source, 'left');
        if (guests % 500 > 0) continue;
        await eventually(() => world.server.players.get(source)).toBe(undefined);
        // Database answers are freed by the garbage collector there, as in a game server.
        await held(world);
      }
    };
    await until(1_000);
    const before = await held(world);
    await until(10_000);
    await expectFlat(world, before);
    expect(world.server.errors).toEqual([]);
  }, 120_000);

  it('is collected little at a time while there is little, and faster from 12 MiB on', async () => {
    const bridge = await causeway();
    const lua = [...bridge.lua, { name: 'work.lua', code: WORK }];
    const { server } = await openWorld(QBCORE, { bridge: { ...bridge, lua } });
    for (const heldKb of [0, 12 * 1_024, 0]) server.emit('work', '', heldKb);
    expect(server.lines.filter((line) => line.includes('work'))).toEqual(
      ['0', '4', '0'].map((work) => `[causeway] work ${work}`),
    );
  });

  it('is the same after three days without a hub as after some hours', async () => {
    let attempts = 0;
    const away = createServer((_request, response) => response.writeHead(502).end('away'));
    away.on('upgrade', (_request, socket) => {
      attempts += 1;
      // A refused socket may be reset before it has read the reason, thousands of times.
      socket.on('error', () => {});
      socket.end('HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n');
    });
    await new Promise<void>((resolve) => away.listen(0, '127.0.0.1', resolve));
    const mysql = createMysql();
    await fill(mysql, ESX);
    await createCrowd(ESX).fill(mysql, STORED);
    const url = `ws://127.0.0.1:${(away.address() as AddressInfo).port}/bridge`;
    const game = await startGame({ framework: ESX, mysql, url, token: 'cwb_x', tickMs: 1, speed: 30_000 });
    onTestFinished(async () => {
      game.server.crash();
      away.close();
      away.closeAllConnections();
      await mysql.close();
    });
    const guests = createGuests(game);
    await guests.fill();
    const until = async (end: number): Promise<void> => {
      while (attempts < end) {
        const seen = attempts;
        await guests.minute();
        await eventually(() => attempts).toBeGreaterThan(seen);
      }
    };
    await until(ATTEMPTS / 10);
    const before = await held(game);
    await until(ATTEMPTS);
    await expectFlat(game, before);
    expect(game.server.errors).toEqual([]);
  }, 300_000);
});
