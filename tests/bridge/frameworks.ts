import { installOxCore } from '../fxserver/frameworks/ox-core.ts';
import { type Framework, luaFake } from '../fxserver/game.ts';
import type { Mysql } from '../fxserver/mysql.ts';
import type { FxServer } from '../fxserver/server.ts';
import { REAL_TABLES } from '../fxserver/tables.ts';

const PLAIN = (value: unknown): string => `'${JSON.stringify(value).replaceAll("'", "''")}'`;

export type World = Framework & {
  name: string;
  /** Two online players and an offline one. */
  ana: string;
  bo: string;
  cy: string;
  licenses: Record<string, string[]>;
  /** A valid identifier of an unknown player. */
  nobody: string;
  money: { ana: Record<string, number>; bo: Record<string, number>; cy: Record<string, number> };
  /** Whether the bank goes below zero when an order allows it. */
  mayOwe: boolean;
  isOfflinePaid: boolean;
  /** Whether the bridge stores the ids of its commands with the player. */
  hasMarks: boolean;
  hasVehicles: boolean;
  /** How much faster than time the clock of the game goes; 5 unless given. */
  speed?: number;
  /** The largest balance that its column holds, where that is less than what can be counted with. */
  most?: number;
  /** The account that is paid into and out of. */
  account: string;
  stored(mysql: Mysql, identifier: string): Promise<Record<string, number>>;
  /** The game itself pays a player. */
  earn(server: FxServer, source: number, amount: number): void;
};

type Balances = Record<string, number>;

const columnOf = async (mysql: Mysql, table: string, column: string, key: string, identifier: string) => {
  const row = await mysql.look(`SELECT ${column} FROM ${table} WHERE ${key} = ?`, [identifier]);
  return JSON.parse(String(row?.[column] ?? '{}')) as Balances;
};

/** ESX Legacy with esx_identity and esx_multicharacter. */
export const ESX: World = {
  name: 'esx',
  install: luaFake('es_extended', 'esx.lua'),
  ana: 'char1:a11a',
  bo: 'char1:b0b0',
  cy: 'char2:c4c4',
  licenses: {
    'char1:a11a': ['license:a11a', 'discord:1', 'ip:10.0.0.1'],
    'char1:b0b0': ['license:b0b0'],
    'char2:c4c4': ['license:c4c4'],
  },
  nobody: 'char1:d0d0',
  money: {
    ana: { bank: 5000, money: 120, black_money: 0 },
    bo: { bank: 100, money: 0, black_money: 7 },
    cy: { bank: 900, money: 1, black_money: 0 },
  },
  account: 'bank',
  mayOwe: true,
  isOfflinePaid: true,
  hasMarks: true,
  hasVehicles: true,
  stored: (mysql, identifier) => columnOf(mysql, 'users', 'accounts', 'identifier', identifier),
  earn: (server, source, amount) => server.emit('fake:call', '', source, 'addAccountMoney', 'bank', amount, 'job'),
  realTables: REAL_TABLES.esx,
  tables: `
    CREATE TABLE IF NOT EXISTS users (identifier VARCHAR(60) PRIMARY KEY, accounts LONGTEXT, \`group\` VARCHAR(50),
      inventory LONGTEXT, job VARCHAR(20), job_grade INT, metadata LONGTEXT, firstname VARCHAR(16), lastname VARCHAR(16),
      ssn VARCHAR(11), position LONGTEXT, loadout LONGTEXT, skin LONGTEXT, dateofbirth VARCHAR(10), sex VARCHAR(1), height INT);
    CREATE TABLE IF NOT EXISTS owned_vehicles (owner VARCHAR(60), plate VARCHAR(12) PRIMARY KEY, vehicle LONGTEXT,
      type VARCHAR(20), job VARCHAR(20), stored TINYINT, parking VARCHAR(60));
    CREATE TABLE IF NOT EXISTS items (name VARCHAR(50) PRIMARY KEY, label VARCHAR(50), weight INT, rare INT, can_remove INT);`,
  rows: `
    INSERT IGNORE INTO items (name, label, weight, rare, can_remove) VALUES ('bread', 'Bread', 1, 0, 1),
      ('water', 'Water', 1, 0, 1);
    INSERT IGNORE INTO users (identifier, accounts, \`group\`, inventory, job, job_grade, firstname, lastname) VALUES
      ('char1:a11a', ${PLAIN({ bank: 5000, money: 120, black_money: 0 })}, 'user', ${PLAIN({ bread: 3 })}, 'police', 2, 'Ana', 'Souza'),
      ('char1:b0b0', ${PLAIN({ bank: 100, money: 0, black_money: 7 })}, 'admin', '[]', 'taxi', 0, 'Bo', 'Ek'),
      ('char2:c4c4', ${PLAIN({ bank: 900, money: 1, black_money: 0 })}, 'user', '[]', 'unemployed', 0, 'Cy', 'Om');
    INSERT IGNORE INTO owned_vehicles (owner, plate, vehicle, type, job, stored, parking) VALUES
      ('char1:a11a', 'ABC 123', ${PLAIN({ model: 1234, plate: 'ABC 123' })}, 'car', NULL, 1, 'legion');`,
};

const qbRow = (citizenid: string, first: string, last: string, money: object, items: object[]): string =>
  `('${citizenid}', 'license:${citizenid.toLowerCase()}', 'steam name', ${PLAIN(money)}, ${PLAIN({ firstname: first, lastname: last })},
    ${PLAIN({ name: 'police', label: 'Police', grade: { level: 2, name: 'Officer' } })}, ${PLAIN({ name: 'none', grade: { level: 0, name: 'none' } })}, ${PLAIN(items)})`;

const QB_MONEY = {
  ana: { cash: 120, bank: 5000, crypto: 0 },
  bo: { cash: 0, bank: 100, crypto: 7 },
  cy: { cash: 1, bank: 900, crypto: 0 },
};

const QB: Omit<World, 'name' | 'install'> = {
  ana: 'ANA11111',
  bo: 'BOB22222',
  cy: 'CYY33333',
  nobody: 'DEE44444',
  licenses: {
    ANA11111: ['license:ana11111', 'discord:1', 'ip:10.0.0.1'],
    BOB22222: ['license:bob22222'],
    CYY33333: ['license:cyy33333'],
  },
  money: QB_MONEY,
  account: 'bank',
  mayOwe: true,
  isOfflinePaid: true,
  hasMarks: true,
  hasVehicles: true,
  stored: (mysql, identifier) => columnOf(mysql, 'players', 'money', 'citizenid', identifier),
  earn: (server, source, amount) => server.emit('fake:call', '', source, 'AddMoney', 'bank', amount, 'job'),
  realTables: REAL_TABLES.qb,
  tables: `
    CREATE TABLE IF NOT EXISTS players (citizenid VARCHAR(50) PRIMARY KEY, cid INT, license VARCHAR(255),
      name VARCHAR(255) NOT NULL, money TEXT, charinfo TEXT, job TEXT, gang TEXT, position TEXT DEFAULT '{}',
      metadata TEXT DEFAULT '{}', inventory LONGTEXT, last_logged_out TIMESTAMP);
    CREATE TABLE IF NOT EXISTS player_vehicles (id INTEGER PRIMARY KEY, license VARCHAR(50), citizenid VARCHAR(11),
      vehicle VARCHAR(50), hash VARCHAR(50), mods LONGTEXT, plate VARCHAR(15) UNIQUE, fakeplate VARCHAR(50),
      garage VARCHAR(50), fuel INT DEFAULT 100, engine FLOAT DEFAULT 1000, state INT, depotprice INT DEFAULT 0);`,
  rows: `
    INSERT IGNORE INTO players (citizenid, license, name, money, charinfo, job, gang, inventory) VALUES
      ${qbRow('ANA11111', 'Ana', 'Souza', QB_MONEY.ana, [{ name: 'bread', amount: 3, slot: 4, info: [] }])},
      ${qbRow('BOB22222', 'Bo', 'Ek', QB_MONEY.bo, [])},
      ${qbRow('CYY33333', 'Cy', 'Om', QB_MONEY.cy, [{ name: 'water', amount: 1, slot: 1, info: [] }])};
    INSERT IGNORE INTO player_vehicles (id, citizenid, vehicle, plate, garage, fuel, engine, state) VALUES (1, 'ANA11111', 'adder', 'ABC 123', 'legion', 100, 1000.0, 1);`,
};

export const QBCORE: World = { ...QB, name: 'qbcore', install: luaFake('qb-core', 'qbcore.lua') };
const QBOX_GROUPS = `
    CREATE TABLE IF NOT EXISTS player_groups (citizenid VARCHAR(50) NOT NULL, type VARCHAR(50) NOT NULL,
      \`group\` VARCHAR(50) NOT NULL, grade INT NOT NULL, PRIMARY KEY (citizenid, type, \`group\`));`;
export const QBOX: World = {
  ...QB,
  name: 'qbox',
  install: luaFake('qbx_core', 'qbox.lua'),
  tables: QB.tables + QBOX_GROUPS,
  realTables: QB.realTables + QBOX_GROUPS,
  rows: `${QB.rows}
    INSERT IGNORE INTO player_groups (citizenid, type, \`group\`, grade) VALUES ('ANA11111', 'job', 'police', 2),
      ('BOB22222', 'job', 'police', 2), ('CYY33333', 'job', 'police', 2);`,
};

const rsgNames = (more = ''): string =>
  `__qb = { prefix = 'RSGCore', types = { cash = 50, gold = 0, bank = 0, valbank = 0 }, ${more} }`;
const HORSES = `
    CREATE TABLE IF NOT EXISTS player_horses (id INTEGER PRIMARY KEY, stable VARCHAR(50), citizenid VARCHAR(50),
      horseid VARCHAR(6), name VARCHAR(50), horse VARCHAR(100), gender VARCHAR(10), active TINYINT);`;
const WAGONS = `
    CREATE TABLE IF NOT EXISTS rsg_wagons (id INTEGER PRIMARY KEY, citizenid VARCHAR(50), wagon VARCHAR(50), custom TEXT,
      animals TEXT, active INT DEFAULT 0);`;
const withoutCars = (sql: string, from: string): string => sql.slice(0, sql.indexOf(from));
export const RSG: World = {
  ...QB,
  name: 'rsg',
  install: luaFake('rsg-core', 'qbcore.lua', rsgNames()),
  realTables: REAL_TABLES.rsg,
  tables: withoutCars(QB.tables, 'CREATE TABLE IF NOT EXISTS player_vehicles') + HORSES + WAGONS,
  rows: `${withoutCars(QB.rows, 'INSERT IGNORE INTO player_vehicles')}
    INSERT IGNORE INTO player_horses (id, stable, citizenid, horseid, name, horse, gender, active)
      VALUES (1, 'legion', 'ANA11111', 'ABC 123', 'Bess', 'a_c_horse_turkoman', 'female', 0);`,
};

/** RSG with its defaults: cash is the dollar items that a player carries. */
export const RSG_ITEMS: World = {
  ...RSG,
  account: 'cash',
  install: async (server) => {
    await luaFake('rsg-core', 'qbcore.lua', rsgNames('hasMoneyItems = true'))(server);
    server.provide('rsg-inventory', {});
  },
};

const vorpRow = (id: number, first: string, last: string, money: number, items: object): string =>
  `('steam:${id}', ${id}, ${money}, 2, 0, ${PLAIN(items)}, 'police', 2, '${first}', '${last}', 'user')`;

/** VORP: one identifier for all characters of a player, a number for each character, and no bank. */
export const VORP: World = {
  name: 'vorp',
  install: luaFake('vorp_core', 'vorp.lua'),
  ana: 'steam:11:11',
  bo: 'steam:12:12',
  cy: 'steam:13:13',
  nobody: 'steam:14:14',
  licenses: {
    'steam:11:11': ['steam:11', 'license:a', 'ip:10.0.0.1'],
    'steam:12:12': ['steam:12'],
    'steam:13:13': ['steam:13'],
  },
  account: 'money',
  money: {
    ana: { money: 120, gold: 2, rol: 0 },
    bo: { money: 7, gold: 2, rol: 0 },
    cy: { money: 90, gold: 2, rol: 0 },
  },
  mayOwe: true,
  isOfflinePaid: false,
  hasMarks: false,
  hasVehicles: false,
  speed: 20,
  most: 999_999_999,
  stored: async (mysql, identifier) => {
    const sql = 'SELECT FLOOR(money) AS money FROM characters WHERE charidentifier = ?';
    return ((await mysql.look(sql, [Number(identifier.split(':')[2])])) ?? {}) as Balances;
  },
  earn: (server, source, amount) => server.emit('fake:call', '', source, 'addCurrency', 0, amount),
  realTables: REAL_TABLES.vorp,
  tables: `
    CREATE TABLE IF NOT EXISTS characters (identifier VARCHAR(50), charidentifier INTEGER PRIMARY KEY, money DOUBLE,
      gold DOUBLE, rol DOUBLE, inventory LONGTEXT, job VARCHAR(50), jobgrade INT, firstname VARCHAR(50),
      lastname VARCHAR(50), \`group\` VARCHAR(50));
    CREATE TABLE IF NOT EXISTS items (item VARCHAR(50) PRIMARY KEY, label VARCHAR(50));`,
  rows: `
    INSERT IGNORE INTO items (item, label) VALUES ('bread', 'Bread'), ('water', 'Water');
    INSERT IGNORE INTO characters (identifier, charidentifier, money, gold, rol, inventory, job, jobgrade,
      firstname, lastname, \`group\`) VALUES ${vorpRow(11, 'Ana', 'Souza', 120.5, { bread: 3 })},
      ${vorpRow(12, 'Bo', 'Ek', 7, {})}, ${vorpRow(13, 'Cy', 'Om', 90.25, {})};`,
};

/** ox_core: bank accounts in tables of their own, with a ledger. */
export const OX: World = {
  name: 'ox_core',
  most: 2 ** 31 - 1,
  install: installOxCore,
  ana: 'AN1111A',
  bo: 'BO2222B',
  cy: 'CY3333C',
  nobody: 'DE4444D',
  licenses: { AN1111A: ['license2:a', 'ip:10.0.0.1'], BO2222B: ['license2:b'], CY3333C: ['license2:c'] },
  account: 'bank',
  money: { ana: { bank: 5000 }, bo: { bank: 100 }, cy: { bank: 900 } },
  mayOwe: false,
  isOfflinePaid: true,
  hasMarks: false,
  hasVehicles: true,
  stored: async (mysql, identifier) => {
    const sql = 'SELECT balance AS bank FROM accounts JOIN characters ON owner = charId WHERE stateId = ?';
    return ((await mysql.look(sql, [identifier])) ?? {}) as Balances;
  },
  earn: (server, source, amount) => server.emit('fake:call', '', source, 'addBalance', amount),
  realTables: REAL_TABLES.ox,
  tables: `
    CREATE TABLE IF NOT EXISTS users (userId INTEGER PRIMARY KEY, license2 VARCHAR(50));
    CREATE TABLE IF NOT EXISTS characters (charId INTEGER PRIMARY KEY, userId INT, stateId VARCHAR(7), firstName VARCHAR(50),
      lastName VARCHAR(50), deleted DATE);
    CREATE TABLE IF NOT EXISTS character_inventory (charId INTEGER PRIMARY KEY, inventory LONGTEXT);
    CREATE TABLE IF NOT EXISTS accounts (id INTEGER PRIMARY KEY, balance INT, owner INT, isDefault INT,
      type VARCHAR(10) DEFAULT 'personal');
    CREATE TABLE IF NOT EXISTS accounts_transactions (id INTEGER PRIMARY KEY, fromId INT, toId INT, amount INT,
      message VARCHAR(255), fromBalance INT, toBalance INT);
    CREATE TABLE IF NOT EXISTS vehicles (id INTEGER PRIMARY KEY, plate CHAR(8) UNIQUE, vin CHAR(17) UNIQUE, owner INT,
      model VARCHAR(20), class INT, data LONGTEXT DEFAULT '{}', stored VARCHAR(50));
    CREATE TABLE IF NOT EXISTS ox_groups (name VARCHAR(20) PRIMARY KEY, label VARCHAR(50), type VARCHAR(50));
    CREATE TABLE IF NOT EXISTS ox_group_grades (\`group\` VARCHAR(20), grade INT, label VARCHAR(50));
    CREATE TABLE IF NOT EXISTS character_groups (charId INT, name VARCHAR(20), grade INT, isActive INT DEFAULT 0,
      UNIQUE (name, charId));`,
  rows: `
    INSERT IGNORE INTO users (userId, license2) VALUES (1, 'a'), (2, 'b'), (3, 'c');
    INSERT IGNORE INTO characters (charId, userId, stateId, firstName, lastName, deleted) VALUES
      (1, 1, 'AN1111A', 'Ana', 'Souza', NULL), (2, 2, 'BO2222B', 'Bo', 'Ek', NULL),
      (3, 3, 'CY3333C', 'Cy', 'Om', NULL), (4, 3, 'GO4444N', 'Gone', 'Long', '2026-01-01');
    INSERT IGNORE INTO character_inventory (charId, inventory) VALUES (1, ${PLAIN([{ slot: 1, name: 'bread', count: 3 }])});
    INSERT IGNORE INTO accounts (id, balance, owner, isDefault) VALUES (101, 5000, 1, 1), (102, 100, 2, 1), (103, 900, 3, 1);
    INSERT IGNORE INTO vehicles (id, plate, vin, owner, model, class, data, stored)
      VALUES (1, 'ABC 123', 'VIN1', 1, 'adder', 7, '{}', 'legion');
    INSERT IGNORE INTO ox_groups (name, label, type) VALUES ('police', 'Police', 'job'), ('taxi', 'Taxi', 'job'),
      ('ballas', 'Ballas', 'gang');
    INSERT IGNORE INTO ox_group_grades (\`group\`, grade, label) VALUES ('police', 1, 'Recruit'), ('police', 2, 'Officer'),
      ('police', 3, 'Chief'), ('taxi', 1, 'Driver'), ('ballas', 1, 'Member');
    INSERT IGNORE INTO character_groups (charId, name, grade) VALUES (1, 'police', 2), (1, 'ballas', 1), (2, 'police', 2);`,
};

export const WORLDS: readonly World[] = [ESX, QBCORE, QBOX, OX, VORP, RSG];
