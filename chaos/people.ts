import type { World } from '../tests/bridge/frameworks.ts';
import type { Framework } from '../tests/fxserver/game.ts';
import type { Mysql } from '../tests/fxserver/mysql.ts';
import type { FxServer } from '../tests/fxserver/server.ts';

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
