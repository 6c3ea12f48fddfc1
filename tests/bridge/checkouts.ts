import { checkedOut } from '../fxserver/checkouts.ts';
import type { Row } from '../fxserver/engine.ts';
import { findResources } from '../fxserver/folder.ts';
import type { Framework } from '../fxserver/game.ts';
import type { Mysql } from '../fxserver/mysql.ts';
import type { FxServer } from '../fxserver/server.ts';
import { ESX, QBCORE, QBOX, RSG, VORP, type World } from './frameworks.ts';

type Player = { PlayerData: { source: number } };
const LOADED = { event: 'QBCore:Server:PlayerLoaded', sourceOf: ({ PlayerData }: Player) => PlayerData.source };

type Stored = { name: string; amount: number; slot: number };
const itemsIn = (row: Row | undefined): Stored[] => JSON.parse(String(row?.['inventory'] ?? '[]')) as Stored[];

/** The parts of qb-inventory and ox_inventory that frameworks need to load a player: the items in the player's row. */
const inventories = (name: 'qb-inventory' | 'ox_inventory'): Framework['install'] => {
  return (server: FxServer, mysql: Mysql) => {
    const carried = new Map<number, Stored[]>();
    const read = async (source: number, citizenid: string): Promise<Record<number, Stored>> => {
      const items = itemsIn(
        await new Promise((resolve) => {
          mysql.exports.single('SELECT inventory FROM players WHERE citizenid = ?', [citizenid], (row) => {
            resolve(row as Row);
          });
        }),
      );
      carried.set(Number(source), items);
      return Object.fromEntries(items.map((item) => [item.slot, { ...item, label: item.name }]));
    };
    if (name === 'ox_inventory') {
      server.hear(LOADED.event, ({ PlayerData: { source, citizenid } }: { PlayerData: Row }) => {
        void read(Number(source), String(citizenid));
      });
    }
    server.convars.set('inventory:framework', 'qbx');
    server.manifests.set(name, new Map([['version', ['2.47.7']]]));
    server.provide(name, {
      LoadInventory: read,
      SaveInventory: () => true,
      SetItem: () => true,
      GetInventoryItems: (source: number) =>
        (carried.get(Number(source)) ?? []).map(({ name: item, amount, slot }) => ({
          name: item,
          count: amount,
          slot,
        })),
      registerHook: () => 1,
    });
  };
};

const ESX_TABLES = `
  CREATE TABLE IF NOT EXISTS items (name VARCHAR(50) PRIMARY KEY, label VARCHAR(50), weight INT, rare INT, can_remove INT);
  CREATE TABLE IF NOT EXISTS jobs (name VARCHAR(50) PRIMARY KEY, label VARCHAR(50));
  CREATE TABLE IF NOT EXISTS job_grades (id INTEGER PRIMARY KEY, job_name VARCHAR(50), grade INT, name VARCHAR(50),
    label VARCHAR(50), salary INT, skin_male LONGTEXT, skin_female LONGTEXT);`;
const ESX_ROWS = `
  INSERT IGNORE INTO items VALUES ('bread', 'Bread', 1, 0, 1);
  INSERT IGNORE INTO jobs VALUES ('unemployed', 'Unemployed'), ('police', 'Police'), ('taxi', 'Taxi');
  INSERT IGNORE INTO job_grades VALUES (1, 'unemployed', 0, 'none', 'None', 200, '{}', '{}'),
    (2, 'police', 2, 'sergeant', 'Sergeant', 60, '{}', '{}'), (3, 'taxi', 0, 'driver', 'Driver', 12, '{}', '{}'), (4, 'police', 3, 'lieutenant', 'Lieutenant', 80, '{}', '{}');`;
const OX_TABLES = `
  CREATE TABLE IF NOT EXISTS licenses (type VARCHAR(60) PRIMARY KEY, label VARCHAR(60));
  CREATE TABLE IF NOT EXISTS ox_inventory (owner VARCHAR(60), name VARCHAR(100), data LONGTEXT, lastupdated TIMESTAMP);`;
const QBOX_TABLES = `CREATE TABLE IF NOT EXISTS player_groups (citizenid VARCHAR(50), type VARCHAR(50),
  \`group\` VARCHAR(50), grade INT, PRIMARY KEY (citizenid, type, \`group\`));
  CREATE TABLE IF NOT EXISTS users (userId INTEGER PRIMARY KEY, username VARCHAR(255), license VARCHAR(50),
    license2 VARCHAR(50), fivem VARCHAR(20), discord VARCHAR(30));
  ALTER TABLE players ADD COLUMN userId INT;`;

const QBOX_ROWS = `INSERT IGNORE INTO users (userId, username, license) VALUES
  (1, 'Ana', 'license:ana11111'), (2, 'Bo', 'license:bob22222'), (3, 'Cy', 'license:cyy33333');`;

/** A world with more tables and rows, under a name of its own. */
const withMore = (world: World, tables: string, rows = ''): World => ({
  ...world,
  name: `real-${world.name}`,
  tables: world.tables + tables,
  realTables: world.realTables + tables,
  rows: rows + world.rows,
});

/** The same worlds over the frameworks' own server code, which is in a folder of checkouts. */
const worldsIn = (root: string): World[] => [
  {
    ...withMore(ESX, ESX_TABLES, ESX_ROWS),
    ...checkedOut(
      { root, name: 'es_extended', loaded: { event: 'esx:playerLoaded', sourceOf: (source: number) => source } },
      (server) => server.provide('esx_multicharacter', {}),
    ),
  },
  {
    ...withMore(QBCORE, ''),
    ...checkedOut({ root, name: 'qb-core', loaded: LOADED }, inventories('qb-inventory')),
  },
  {
    ...withMore(QBOX, QBOX_TABLES, QBOX_ROWS),
    ...checkedOut({ root, name: 'qbx_core', loaded: LOADED }, inventories('ox_inventory')),
  },
];

/** A world in which ox_inventory keeps some accounts as items. */
export type OxWorld = World & {
  /** The accounts that are items, and the item of one. */
  dirty: readonly string[];
  itemOf(account: string): string;
  /** A statement that puts items into a player's inventory. */
  carry(identifier: string, items: readonly object[]): string;
};

export const carryIn =
  (table: string, key: string): OxWorld['carry'] =>
  (identifier, items) =>
    `UPDATE ${table} SET inventory = '${JSON.stringify(items)}' WHERE ${key} = '${identifier}';`;

const OX_INVENTORY = { ox_inventory: /Inventory has loaded/ };
/** An item that a server adds. */
const CHIPS = "INSERT IGNORE INTO items VALUES ('chips', 'Chips', 1, 0, 1);";

/** The same with ox_inventory, as it is. */
const withOxInventory = (root: string): OxWorld[] => [
  {
    ...withMore(ESX, ESX_TABLES + OX_TABLES, ESX_ROWS + CHIPS),
    name: 'real-esx with ox_inventory',
    dirty: ['black_money', 'money', 'chips'],
    itemOf: (account) => account,
    carry: carryIn('users', 'identifier'),
    ...checkedOut(
      {
        root,
        name: 'es_extended',
        besides: OX_INVENTORY,
        configured: `Config.Accounts.chips = { label = 'Chips', round = true }`,
        loaded: { event: 'esx:playerLoaded', sourceOf: (source: number) => source },
      },
      (server) => {
        server.convars.set('inventory:accounts', '["money","chips"]');
        server.provide('esx_multicharacter', {});
      },
    ),
  },
  {
    ...withMore(QBOX, QBOX_TABLES + OX_TABLES, QBOX_ROWS),
    name: 'real-qbox with ox_inventory',
    rows: QBOX_ROWS + QBOX.rows.replaceAll('"bank":', '"black_money":0,"bank":'),
    dirty: ['black_money', 'cash'],
    itemOf: (account) => (account === 'cash' ? 'money' : account),
    carry: carryIn('players', 'citizenid'),
    ...checkedOut({ root, name: 'qbx_core', besides: OX_INVENTORY, loaded: LOADED }, (server) => {
      server.convars.set('inventory:framework', 'qbx').set('inventory:accounts', '["money","black_money"]');
      server.provide('qbx_vehicles', {});
    }),
  },
];

const RSG_JOBS = `
  local function job(label, grades) return { label = label, defaultDuty = true, offDutyPay = false, grades = grades } end
  RSGShared.Jobs.police = job('Police', { ['2'] = { name = 'Officer', payment = 0 }, ['3'] = { name = 'Chief', payment = 0 } })
  RSGShared.Jobs.taxi = job('Taxi', { ['0'] = { name = 'Driver', payment = 0 } })`;

const rsgItem = (slot: number, name: string, amount: number) => ({ name, amount, slot, info: [], type: 'item' });

/** RSG with its defaults and rsg-inventory: cash is the dollar items that a player carries. */
const rsgIn = (root: string, more: readonly object[] = []): World => ({
  ...withMore(RSG, ''),
  rows: `${RSG.rows.replaceAll('"bank":', '"bloodmoney":0,"gold":0,"bank":')}
    ${carryIn('players', 'citizenid')(RSG.ana, [rsgItem(1, 'dollar', 120), ...more])}`,
  account: 'cash',
  ...checkedOut({
    root,
    name: 'rsg-core',
    besides: { 'rsg-inventory': /^/ },
    configured: RSG_JOBS,
    loaded: { event: 'RSGCore:Server:PlayerLoaded', sourceOf: LOADED.sourceOf },
  }),
});

/** Columns of VORP that only its own code needs. */
const VORP_COLUMNS = [
  'joblabel',
  'status',
  'coords',
  'healthouter',
  'healthinner',
  'staminaouter',
  'staminainner',
  'skinPlayer',
  'compPlayer',
  'compTints',
  'age',
  'gender',
  'character_desc',
  'nickname',
  'slots',
  'skills',
  'discordid',
];
const vorpTables = (more: readonly string[]): string => `
  CREATE TABLE IF NOT EXISTS users (identifier VARCHAR(50) PRIMARY KEY, \`group\` VARCHAR(50), warnings INT, banned INT,
    banneduntil INT, \`char\` INT);
  ${[...VORP_COLUMNS, ...more].map((column) => `ALTER TABLE characters ADD COLUMN ${column} VARCHAR(255);`).join('\n')}`;

/** VORP, in a folder with the name that it asks for. */
const vorpIn = (root: string): World => ({
  ...VORP,
  name: 'real-vorp',
  // Without a license VORP loads no character.
  licenses: Object.fromEntries(
    Object.entries(VORP.licenses).map(([identifier, all]) => [identifier, [...all, `license:${identifier}`]]),
  ),
  tables: VORP.tables + vorpTables(['steamname', 'xp', 'isdead']),
  realTables: VORP.realTables + vorpTables([]),
  rows: `${VORP.rows} INSERT IGNORE INTO users VALUES ${['steam:11', 'steam:12', 'steam:13']
    .map((user) => `('${user}', 'user', 0, 0, 0, 5)`)
    .join(', ')};`,
  ...checkedOut(
    { root, name: 'vorp_core', loaded: { event: 'vorp:SelectedCharacter', sourceOf: (source: number) => source } },
    (server) => void server.convars.set('steam_webApiKey', 'none').set('gamename', 'rdr3'),
  ),
});

/** QBCore with qb-inventory, as it is. */
const qbIn = (root: string): World => ({
  ...withMore(
    QBCORE,
    'CREATE TABLE IF NOT EXISTS inventories (id INTEGER PRIMARY KEY, identifier VARCHAR(50) UNIQUE, items LONGTEXT);',
    "INSERT IGNORE INTO inventories VALUES (1, 'stash', '[]');",
  ),
  ...checkedOut({
    root,
    name: 'qb-core',
    // It says so of one stash and more.
    besides: { 'qb-inventory': /inventories successfully loaded/ },
    loaded: LOADED,
  }),
});

const folder = process.env['CAUSEWAY_FRAMEWORKS'];

/** RSG with dollars that are carried. */
export const REAL_RSG: readonly World[] = folder === undefined ? [] : [rsgIn(folder)];

/** VORP runs only under its own name, which its repository does not have. */
const hasVorp = folder !== undefined && findResources(folder).has('vorp_core');

/** Worlds of RedM, with money in accounts. */
export const REAL_REDM: readonly World[] =
  folder === undefined
    ? []
    : [{ ...rsgIn(folder, [rsgItem(2, 'bread', 3)]), account: RSG.account }, ...(hasVorp ? [vorpIn(folder)] : [])];

/** Worlds with qb-inventory. */
export const REAL_QB: readonly World[] = folder === undefined ? [] : [qbIn(folder)];

/** Worlds with ox_inventory. */
export const REAL_OX: readonly OxWorld[] = folder === undefined ? [] : withOxInventory(folder);

/** Worlds from the folder in `CAUSEWAY_FRAMEWORKS`; empty if it is not set. */
export const REAL: readonly World[] = folder === undefined ? [] : worldsIn(folder);
