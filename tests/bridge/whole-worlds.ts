import type { World } from './frameworks.ts';
import { ESX, OX, QBCORE, QBOX, RSG, VORP } from './frameworks.ts';
import { ITEM_WORLDS } from './item-worlds.ts';

/** The medical resource of a framework; VORP has its own. */
const CARES: Readonly<Record<string, string>> = {
  esx: 'esx_ambulancejob',
  qbcore: 'qb-ambulancejob',
  qbox: 'qbx_medical',
  rsg: 'rsg-medic',
};

/** The list of models of esx_vehicleshop. */
const SHOP = {
  table: `CREATE TABLE IF NOT EXISTS vehicles (name VARCHAR(60) NOT NULL, model VARCHAR(60) NOT NULL PRIMARY KEY,
    price INT NOT NULL, category VARCHAR(60) DEFAULT NULL);`,
  rows: "INSERT IGNORE INTO vehicles VALUES ('Adder', 'adder', 900000, 'super'), ('Blade', 'blade', 16000, 'muscle');",
};
const withShop = (world: World): World => ({
  ...world,
  tables: world.tables + SHOP.table,
  realTables: world.realTables + SHOP.table,
  rows: world.rows + SHOP.rows,
});

/** The framework with an inventory, the chat and its medical resource, so that the bridge offers all commands that it can. */
const whole = (world: World): World => {
  const { name } = world;
  const withItems = ITEM_WORLDS.find((one) => one.name.startsWith(`${name}, `)) ?? world;
  const isRedM = world === VORP || world === RSG;
  return {
    ...withItems,
    name,
    install: async (server, mysql) => {
      server.convars.set(isRedM ? 'gamename' : 'onesync', isRedM ? 'rdr3' : 'on');
      for (const resource of ['chat', CARES[name] ?? []].flat()) server.provide(resource, {});
      await withItems.install(server, mysql);
    },
  };
};

export const WHOLE_WORLDS: readonly World[] = [ESX, QBCORE, QBOX, OX, VORP, RSG].map((world) =>
  world === ESX ? withShop(whole(world)) : whole(world),
);
