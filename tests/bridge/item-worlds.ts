import { installOxInventory } from '../fxserver/frameworks/ox-inventory.ts';
import { luaFake } from '../fxserver/game.ts';
import type { Mysql } from '../fxserver/mysql.ts';
import type { FxServer } from '../fxserver/server.ts';
import { REAL_OX_CORE_ITEMS } from './built-worlds.ts';
import { carryIn, REAL, REAL_OX, REAL_QB, REAL_RSG } from './checkouts.ts';
import { ESX, OX, QBCORE, QBOX, RSG, RSG_ITEMS, type World } from './frameworks.ts';

type Held = { name: string; count: number; metadata: object };

type Stack = { slot: number; name: string; count: number; metadata?: object };
type Carry = (identifier: string, items: readonly Stack[]) => string;

/** A world in which the bridge gives and takes items. Ana has three pieces of bread. */
export type ItemWorld = World & {
  /** The items in a player's row. */
  held(mysql: Mysql, identifier: string): Promise<Held[]>;
  /** A statement that puts items into a player's row; undefined for an inventory without slots. */
  carry?: Carry;
  slots: number;
  /** An item that Ana has at the beginning: bread unless given. */
  start?: { name: string; count: number };
  /** An item that stands for an account. */
  accountItem?: string;
  /** Makes the inventory refuse, and serve again. */
  lock?: (server: FxServer, on: boolean) => void | Promise<void>;
  /** The status of a command that the server's crash cut off before any statement. */
  lost: 'failed' | 'indeterminate';
  /** An item of which fewer are given than asked, without a word. */
  giver?: { item: string; asked: number; given: number };
  /** Items that get metadata of their own when they are given. */
  changed?: string;
};

/** An item of ox_inventory, or one of qb-inventory. */
type Stored = { name: string; count?: number; amount?: number; metadata?: object; info?: object | string };

const itemsOf = (text: unknown): Held[] => {
  const items: unknown = JSON.parse(String(text ?? '[]'));
  if (!Array.isArray(items)) {
    return Object.entries(items as Record<string, number>).map(([name, count]) => ({ name, count, metadata: {} }));
  }
  return (items as Stored[]).map(({ name, count, amount, metadata, info }) => ({
    name,
    count: count ?? amount ?? 0,
    metadata: metadata ?? (Array.isArray(info) || typeof info !== 'object' || info === null ? {} : info),
  }));
};

const heldIn =
  (sql: string): ItemWorld['held'] =>
  async (mysql, identifier) =>
    itemsOf((await mysql.look(sql, [identifier]))?.['inventory']);

const USERS = heldIn('SELECT inventory FROM users WHERE identifier = ?');
const PLAYERS = heldIn('SELECT inventory FROM players WHERE citizenid = ?');
const BREAD = { slot: 1, name: 'bread', count: 3 };

const lockOx = (server: FxServer, on: boolean): void => server.emit('fake:lock', '', on);
/** A stopped inventory answers nothing. */
const stop =
  (resource: string): NonNullable<ItemWorld['lock']> =>
  (server, on) =>
    on ? server.stop(resource) : server.restart(resource);

const OX_ODDITIES = {
  slots: 50,
  lock: lockOx,
  giver: { item: 'paperbag', asked: 3, given: 1 },
  changed: 'medikit',
};

/** ESX with its own inventory: one count for each item, without slots and metadata. */
export const ESX_OWN: ItemWorld = {
  ...ESX,
  name: 'esx, its own inventory',
  held: USERS,
  slots: 0,
  lost: 'failed',
};

/** The same in a version that gives only half of what is asked. */
export const ESX_HALF: ItemWorld = { ...ESX_OWN, install: luaFake('es_extended', 'esx.lua', '__halvesItems = true') };

const ESX_OX: ItemWorld = {
  ...ESX,
  ...OX_ODDITIES,
  name: 'esx, ox_inventory',
  held: USERS,
  carry: carryIn('users', 'identifier'),
  rows: ESX.rows + carryIn('users', 'identifier')(ESX.ana, [BREAD, { slot: 2, name: 'money', count: 120 }]),
  accountItem: 'money',
  lost: 'failed',
  install: async (server, mysql) => {
    server.installed.add('ox_inventory');
    await ESX.install(server, mysql);
    installOxInventory(server);
  },
};

const QBOX_OX: ItemWorld = {
  ...QBOX,
  ...OX_ODDITIES,
  name: 'qbox, ox_inventory',
  held: PLAYERS,
  carry: carryIn('players', 'citizenid'),
  rows: QBOX.rows + carryIn('players', 'citizenid')(QBOX.ana, [BREAD, { slot: 2, name: 'money', count: 120 }]),
  accountItem: 'money',
  lost: 'indeterminate',
  install: async (server, mysql) => {
    await QBOX.install(server, mysql);
    installOxInventory(server, {
      mysql,
      read: 'SELECT inventory FROM players WHERE citizenid = ?',
      write: 'UPDATE players SET inventory = ? WHERE citizenid = ?',
    });
  },
};

/** Rows by the number of a character. */
const carryOx: Carry = (identifier, items) =>
  `INSERT IGNORE INTO character_inventory (charId) SELECT charId FROM characters WHERE stateId = '${identifier}';
    UPDATE character_inventory SET inventory = '${JSON.stringify(items)}'
    WHERE charId = (SELECT charId FROM characters WHERE stateId = '${identifier}');`;

const OX_CORE: ItemWorld = {
  ...OX,
  ...OX_ODDITIES,
  name: 'ox_core, ox_inventory',
  held: heldIn(`SELECT inventory FROM character_inventory JOIN characters
    ON characters.charId = character_inventory.charId WHERE stateId = ?`),
  carry: carryOx,
  lost: 'indeterminate',
  install: async (server, mysql) => {
    await OX.install(server, mysql);
    installOxInventory(server, {
      mysql,
      read: 'SELECT inventory FROM character_inventory WHERE charId = ?',
      write: 'UPDATE character_inventory SET inventory = ? WHERE charId = ?',
    });
  },
};

const carryQb: Carry = (identifier, items) =>
  carryIn('players', 'citizenid')(
    identifier,
    items.map(({ slot, name, count, metadata }) => ({ slot, name, amount: count, info: metadata ?? [], type: 'item' })),
  );

const qbWorld = (world: World, core: string, resource: string, more = ''): ItemWorld => ({
  ...world,
  name: `${world.name}, ${resource}`,
  held: PLAYERS,
  carry: carryQb,
  slots: 10,
  lock: stop(resource),
  lost: 'indeterminate',
  install: async (server, mysql) => {
    server.installed.add(resource);
    server.manifests.set(resource, new Map([['version', ['2.8.5']]]));
    await world.install(server, mysql);
    await luaFake(resource, 'qb-inventory.lua', `__inventory = { core = '${core}', ${more} }`)(server);
  },
});

const QBCORE_OWN = qbWorld(QBCORE, 'qb-core', 'qb-inventory');

/** RSG with dollars that are items. */
export const RSG_OWN: ItemWorld = {
  ...qbWorld({ ...RSG_ITEMS, name: RSG.name }, 'rsg-core', 'rsg-inventory', 'isRsg = true'),
  accountItem: 'dollar',
};

export const ITEM_WORLDS: readonly ItemWorld[] = [ESX_OX, QBCORE_OWN, QBOX_OX, ESX_OWN, OX_CORE, RSG_OWN];

/** A world and an item of it that Ana does not have. */
type RealItemWorld = ItemWorld & {
  real: {
    item: string;
    weight: number;
    /** How much weight Ana can take at the beginning. */
    room: number;
    hasMetadata: boolean;
    accountItems: readonly string[];
  };
};

const OX_WATER = { item: 'water', weight: 500, room: 30_000, hasMetadata: true };
const MONEY = { slot: 1, name: 'money', count: 120 };

/** As the stand-in says, and as ox_inventory itself does. */
const STAND_IN: RealItemWorld = {
  ...ESX_OX,
  start: MONEY,
  rows: ESX.rows + carryIn('users', 'identifier')(ESX.ana, [MONEY]),
  real: { ...OX_WATER, accountItems: ['money'] },
};

const realOx = (
  world: World,
  {
    carry,
    held,
    ...real
  }: { carry: Carry } & Pick<ItemWorld, 'held'> & Pick<RealItemWorld['real'], 'room' | 'accountItems'>,
): RealItemWorld => ({
  ...ESX_OX,
  ...world,
  carry,
  held,
  name: `${world.name}, items`,
  start: MONEY,
  rows: world.rows + carry(world.ana, [MONEY]),
  real: { ...OX_WATER, ...real },
});

const realWorlds = (): RealItemWorld[] => {
  const [esx] = REAL;
  const [esxOx, qboxOx] = REAL_OX;
  const [qb] = REAL_QB;
  const [rsg] = REAL_RSG;
  if (!(esx && esxOx && qboxOx && qb && rsg)) return [];
  return [
    realOx(esxOx, {
      held: USERS,
      carry: carryIn('users', 'identifier'),
      // ESX sets the limit of ox_inventory to its own, in kilograms.
      room: 24_000,
      accountItems: ['money', 'black_money', 'chips'],
    }),
    realOx(qboxOx, {
      held: PLAYERS,
      carry: carryIn('players', 'citizenid'),
      room: 30_000,
      accountItems: ['money', 'black_money'],
    }),
    {
      ...ESX_OWN,
      ...esx,
      name: `${esx.name}, its own inventory`,
      // Before the other rows, one of which is a lighter water.
      rows: `INSERT IGNORE INTO items VALUES ('water', 'Water', 2, 0, 1); ${esx.rows}`,
      // Its default is 24, and Ana's bread weighs 3.
      real: { item: 'water', weight: 2, room: 21, hasMetadata: false, accountItems: [] },
    },
    {
      ...QBCORE_OWN,
      ...qb,
      name: `${qb.name}, qb-inventory`,
      start: { name: 'phone', count: 1 },
      rows: qb.rows + carryQb(qb.ana, [{ slot: 1, name: 'phone', count: 1 }]),
      real: { item: 'sandwich', weight: 200, room: 120_000 - 700, hasMetadata: true, accountItems: [] },
    },
    {
      ...RSG_OWN,
      ...rsg,
      name: `${rsg.name}, rsg-inventory`,
      start: { name: 'dollar', count: 120 },
      real: {
        item: 'water',
        weight: 100,
        room: 35_000 - 120,
        hasMetadata: true,
        accountItems: ['dollar', 'cent', 'blood_dollar', 'blood_cent'],
      },
    },
  ];
};

const builtWorlds = (): RealItemWorld[] =>
  REAL_OX_CORE_ITEMS.map((world) =>
    // Cash is only an item there.
    realOx(world, { held: OX_CORE.held, carry: carryOx, room: 30_000, accountItems: [] }),
  );

export const REAL_ITEM_WORLDS: readonly RealItemWorld[] = [STAND_IN, ...realWorlds(), ...builtWorlds()];
