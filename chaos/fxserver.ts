import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { WORLDS, type World } from '../tests/bridge/frameworks.ts';
import { ITEM_WORLDS } from '../tests/bridge/item-worlds.ts';
import { type Framework, startGame } from '../tests/fxserver/game.ts';
import { openKvpFile } from '../tests/fxserver/kvp-file.ts';
import { createMysql, type Mysql } from '../tests/fxserver/mysql.ts';
import type { FxServer } from '../tests/fxserver/server.ts';
import { createSqlite } from '../tests/fxserver/sqlite.ts';
import type { Told } from './balances.ts';
import { SHELVES } from './shelves.ts';

/** Number of players that chaos pays. */
const COUNT = 8;
/** A balance that is enough for all commands of a run. */
const BANK = 1_000_000_000_000;
const isEsx = (world: World): boolean => world.name === 'esx';
const identifierOf = (world: World, n: number): string => (isEsx(world) ? `char1:p${n}` : `PLR0000${n}`);
const licenseOf = (identifier: string): string => identifier.replace(/^.*:/, '').toLowerCase();

const rowOf = (world: World, n: number): string => {
  const identifier = identifierOf(world, n);
  if (isEsx(world)) {
    return `INSERT IGNORE INTO users (identifier, accounts, \`group\`, inventory, job, job_grade, firstname, lastname)
      VALUES ('${identifier}', '{"bank":${BANK},"money":0,"black_money":0}', 'user', '[]', 'taxi', 0, 'P', '${n}');`;
  }
  return `INSERT IGNORE INTO players (citizenid, license, name, money, charinfo, job, gang, inventory)
    VALUES ('${identifier}', 'license:${licenseOf(identifier)}', 'P${n}', '{"cash":0,"bank":${BANK},"crypto":0}',
      '{"firstname":"P","lastname":"${n}"}', '{"name":"taxi","label":"Taxi","grade":{"level":0,"name":"Driver"}}',
      '{"name":"none","label":"None","grade":{"level":0,"name":"None"}}', '[]');`;
};

/** The players that chaos pays on ESX, QBCore or Qbox. */
export const people = {
  of: (world: World): string[] => Array.from({ length: COUNT }, (_, n) => identifierOf(world, n)),
  licenseOf,
  /** The game pays a player into an account that no command changes. */
  earn: (server: FxServer, world: World, source: number): void =>
    isEsx(world)
      ? server.emit('fake:call', '', source, 'addAccountMoney', 'black_money', 1, 'job')
      : server.emit('fake:call', '', source, 'AddMoney', 'crypto', 1, 'job'),
  balances: async (mysql: Mysql, world: World): Promise<Record<string, number>> => {
    const found: Record<string, number> = {};
    for (const who of people.of(world)) found[who] = (await world.stored(mysql, who))['bank'] ?? Number.NaN;
    return found;
  },
};

/** A world that contains only these players, and tells which vehicles are out. */
export const peopled = (world: World): Framework => ({
  ...world,
  install: async (server, mysql) => {
    server.convars.set('onesync', 'on');
    await world.install(server, mysql);
  },
  rows: Array.from({ length: COUNT }, (_, n) => rowOf(world, n)).join('\n'),
});

const [name = '', url = '', token = '', folder = ''] = process.argv.slice(2);
const INVENTORIES: Readonly<Record<string, string>> = {
  esx: 'esx, its own inventory',
  qbcore: 'qbcore, qb-inventory',
  qbox: 'qbox, ox_inventory',
};
const LIFE_EVERY_MS = 12;
const plain = WORLDS.find((one) => one.name === name) as World;
/** With the inventory that keeps its items. */
const world: World = {
  ...plain,
  install: (ITEM_WORLDS.find((one) => one.name === INVENTORIES[name]) ?? plain).install,
};
/** The clock of the game. */
const TICK_MS = 5;
const PATIENCE_MS = 150;
/** The bridge's clock runs faster than real time, so that it reconnects sooner than a real bridge. */
const SPEED = 10;
const AT_START = 6;

const chance = (one: number): boolean => Math.random() < one;
const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(Math.random() * from.length)];

// Writes happen one after the other in the order they were sent, each with a short delay.
let last: Promise<unknown> = Promise.resolve();
let takesMs = 3;
const turn = (): Promise<unknown> => {
  last = last.then(() => (chance(0.5) ? pause(Math.random() * takesMs) : undefined));
  return last;
};

/**
 * The fake FXServer with the shipped resource, in its own process: data that is not stored is lost with the process.
 */
const mysql = createMysql({ engine: createSqlite(join(folder, 'world.db')), turn });
const game = await startGame({
  framework: peopled(world),
  url,
  token,
  mysql,
  kvp: openKvpFile(join(folder, 'kvp.log')),
  tickMs: TICK_MS,
  speed: SPEED,
});
const { server } = game;

const connected = new Map<string, number>();
const loaded = new Set<number>();
for (const event of ['esx:playerLoaded', 'QBCore:Server:PlayerLoaded']) {
  server.hear(event, (who: number | { PlayerData: { source: number } }) => {
    loaded.add(typeof who === 'number' ? who : who.PlayerData.source);
  });
}
const join_ = async (identifier: string): Promise<void> => {
  if (connected.has(identifier)) return;
  connected.set(identifier, 0);
  connected.set(identifier, await game.join(identifier, { identifiers: [`license:${people.licenseOf(identifier)}`] }));
};
const leave = (identifier: string): void => {
  const source = connected.get(identifier);
  if (source === undefined || source === 0) return;
  connected.delete(identifier);
  server.drop(source, 'left');
};

/** A framework does not retry when the database is away: a player who waited too long for their character leaves. */
const giveUp = (): void => {
  for (const [who, source] of connected) {
    if (source !== 0 && !loaded.has(source) && chance(LIFE_EVERY_MS / PATIENCE_MS)) leave(who);
  }
};

/** Players join and leave, the framework saves them at intervals, and the game pays them by itself. */
const live = (): void => {
  giveUp();
  const who = pick(people.of(world)) ?? '';
  const source = connected.get(who);
  if (chance(0.3)) server.emit('fake:save', '');
  else if (source === undefined) void join_(who);
  else if (chance(0.2)) {
    leave(who);
    // After the player was dropped; with a slow database the player is back before the framework saved them.
    if (chance(0.5)) setImmediate(() => void join_(who));
  } else if (source !== 0) people.earn(server, world, source);
};
let life = setInterval(live, LIFE_EVERY_MS);
for (const who of people.of(world).slice(0, AT_START)) await join_(who);

/** The money and goods in the tables. */
const look = async () => ({
  balances: await people.balances(mysql, world),
  stock: await SHELVES[world.name]?.read(mysql),
});

/** The money and goods in the tables, and those that the tables will contain after the framework has saved all players. */
const tell = async (): Promise<Told> => {
  clearInterval(life);
  await mysql.quiet();
  const stored = await look();
  server.emit('fake:save', '');
  await mysql.quiet();
  const saved = await look();
  life = setInterval(live, LIFE_EVERY_MS);
  return {
    stored: stored.balances,
    saved: saved.balances,
    stocks: stored.stock && saved.stock && { stored: stored.stock, saved: saved.stock },
  };
};

const WISHES: Record<string, () => unknown> = {
  'database down': () => mysql.down(true),
  'database deaf': () => mysql.deafen(true),
  'database slow': () => {
    takesMs = 60;
  },
  'database up': () => {
    takesMs = 3;
    mysql.down(false);
    mysql.deafen(false);
  },
  'restart bridge': () => game.restartBridge(),
  'ticks stalled': () => server.run(2 ** 30),
  'ticks again': () => server.run(TICK_MS),
};
let doing: Promise<unknown> = Promise.resolve();
process.on('message', (message: number | string) => {
  doing = doing.then(async () => {
    if (typeof message === 'string') await WISHES[message]?.();
    else process.send?.(await tell());
  });
});
