import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Victim } from '../tests/kit/processes.ts';
import { until } from '../tests/kit/until.ts';
import { createClient } from '../tests/luanti/client.ts';
import { storedItems } from '../tests/luanti/database.ts';
import type { Row } from './books.ts';
import type { Goods } from './calls.ts';
import { TARGETS } from './limits.ts';
import { quantityName, type Stock, type Stocks } from './stock.ts';

/** Luanti has no vehicles and no jobs, so no run asks for those. */
export const LUANTI_GOODS: Goods = {
  items: [{ item: 'default:apple' }, { item: 'default:stone' }],
  models: [''],
  garages: [''],
  jobs: [''],
  grades: 1,
  ownGarages: [],
};
const ITEMS = LUANTI_GOODS.items.map(quantityName);
const PLAYERS = Array.from({ length: TARGETS }, (_, n) => `player${n + 1}`);
/** Players with a client that stays; the others are away, and get no items. */
const ONLINE = PLAYERS.slice(0, 6);
const ONLINE_WITHIN_MS = 30_000;

type Counts = Record<string, number>;
type Items = Record<string, Counts>;
type Params = { target: string; item: string; action: string; count: number; allowPartial: boolean };

const LOOK = `
local players = {}
for _, player in ipairs(core.get_connected_players()) do
  local counts = { [''] = 0 }
  for _, stack in ipairs(player:get_inventory():get_list('main')) do
    counts[stack:get_name()] = (counts[stack:get_name()] or 0) + stack:get_count()
  end
  players[player:get_player_name()] = counts
end
core.safe_file_write(core.get_worldpath() .. '/held.json', core.write_json({ nth = NTH, players = players }))`;

const only = (counts: Counts = {}): Counts => Object.fromEntries(ITEMS.map((item) => [item, counts[item] ?? 0]));
const isSame = (one: Counts, other: Counts): boolean => ITEMS.every((item) => one[item] === other[item]);

/** The items in the list `main` of a player, from the game's own database. */
const storedOf = (world: string, player: string): Counts => {
  const counts: Counts = {};
  for (const stack of Object.values(storedItems(world, player, ['main']))) {
    const [name = '', count] = stack.split(' ');
    counts[name] = (counts[name] ?? 0) + Number(count);
  }
  return only(counts);
};

/** Runs Lua in the game, and reads what its players hold. */
const createWindow = (world: string) => {
  const wishes = join(world, 'wishes.lua');
  const file = join(world, 'held.json');
  let nth = 0;
  const wish = (lua: string): void => appendFileSync(wishes, `${lua}\n---\n`);
  return {
    wish,
    held: async (): Promise<Items> => {
      nth += 1;
      wish(LOOK.replace('NTH', String(nth)));
      let players: Items = {};
      const isTold = (): boolean => {
        if (!existsSync(file)) return false;
        const told = JSON.parse(readFileSync(file, 'utf8')) as { nth: number; players: Items | null };
        players = told.players ?? {};
        return told.nth === nth;
      };
      await until(isTold, 'the game tells who holds what', { withinMs: ONLINE_WITHIN_MS, everyMs: 20 });
      return players;
    },
  };
};

/** The changes that a command may have made to the count of its item. */
const movesOf = ({ status, params, result }: Row): number[] => {
  const { action, count, allowPartial } = JSON.parse(params) as Params;
  const sign = action === 'add' ? 1 : -1;
  const { applied = count } = JSON.parse(result ?? '{}') as { applied?: number };
  if (status === 'succeeded') return [sign * applied];
  if (status !== 'indeterminate') return [];
  return allowPartial ? Array.from({ length: count }, (_, n) => sign * (n + 1)) : [sign * count];
};

/**
 * The count that the results say, if a crash of the engine explains the present one: each command took effect once or
 * was undone. Otherwise the present count.
 */
export const countAfterCrash = (before: number, now: number, rows: readonly Row[]): number => {
  let possible = new Set([before]);
  for (const row of rows) {
    const moves = movesOf(row);
    possible = new Set([...possible].flatMap((count) => [count, ...moves.map((move) => count + move)]));
  }
  if (!possible.has(now)) return now;
  const { after = before } = JSON.parse(rows.findLast(({ status }) => status === 'succeeded')?.result ?? '{}') as {
    after?: number;
  };
  return after;
};

const isOf = ({ name, params }: Row, player: string, item: string): boolean => {
  if (name !== 'items') return false;
  const { target, item: of } = JSON.parse(params) as Params;
  return target === player && of === item;
};

/** Refused for a volatile class unless the project allows it. */
const allowVolatile = (hubFile: string): void => {
  const hub = new Sqlite(hubFile);
  hub.prepare('UPDATE projects SET allow_volatile = 1').run();
  hub.close();
};

/**
 * The items of real clients. The engine saves inventories once a second, so a kill undoes items that were reported as
 * given: their class is volatile. After a kill, what the results say is put back, if the kill explains the difference.
 */
export const openLuantiItems = ({ hubFile, port, game }: { hubFile: string; port: number; game: Victim }) => {
  allowVolatile(hubFile);
  const folder = join(dirname(hubFile), 'luanti');
  const world = join(folder, 'world');
  const window = createWindow(world);
  const clients = ONLINE.map((name) => createClient({ folder, port, name }));
  let pid: number | undefined;
  let before: Items | undefined;

  const leave = () => Promise.all(clients.map((client) => client.kill()));
  const enter = async (): Promise<void> => {
    await leave();
    for (const client of clients) client.start();
  };

  /** Whether the clients are there, and the engine has stored what they hold. */
  const isStored = async (): Promise<boolean> => {
    const held = await window.held();
    return ONLINE.every((name) => held[name] !== undefined && isSame(only(held[name]), storedOf(world, name)));
  };
  const stored = async (): Promise<Items> => {
    const wait = { withinMs: ONLINE_WITHIN_MS, everyMs: 100 };
    try {
      await until(isStored, 'the items of the clients are stored', wait);
    } catch {
      await enter();
      await until(isStored, 'the items of the clients are stored', wait);
    }
    return Object.fromEntries(PLAYERS.map((name) => [name, storedOf(world, name)]));
  };

  /** Puts back what a crash has undone. */
  const restored = async (from: Items, now: Items, rows: readonly Row[]): Promise<Items> => {
    for (const player of ONLINE) {
      for (const item of ITEMS) {
        const [was = 0, is = 0] = [from[player]?.[item], now[player]?.[item]];
        const said = countAfterCrash(
          was,
          is,
          rows.filter((row) => isOf(row, player, item)),
        );
        const list = `core.get_player_by_name('${player}'):get_inventory()`;
        if (said > is) window.wish(`${list}:add_item('main', '${item} ${said - is}')`);
        if (said < is) window.wish(`${list}:remove_item('main', '${item} ${is - said}')`);
      }
    }
    return stored();
  };

  return {
    /** The items after these commands, as the game has stored them. */
    after: async (rows: readonly Row[]): Promise<Stocks> => {
      const isNew = game.pid() !== pid;
      pid = game.pid();
      if (isNew) await enter();
      let items = await stored();
      if (isNew && before !== undefined) items = await restored(before, items, rows);
      before = items;
      const stock: Stock = { items, vehicles: [], jobs: {} };
      return { stored: stock, saved: stock };
    },
    close: (): void => void leave(),
  };
};
