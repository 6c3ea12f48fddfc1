import type { Row } from '../fxserver/engine.ts';
import { findResources } from '../fxserver/folder.ts';
import type { Mysql } from '../fxserver/mysql.ts';
import type { FxServer } from '../fxserver/server.ts';
import { REAL_OX_CORE } from './built-worlds.ts';
import { REAL } from './checkouts.ts';
import { ESX, OX, QBCORE, QBOX, type World } from './frameworks.ts';

/** A framework's table of vehicles, as the tests of the command `vehicles` look at it. */
export type Garage = {
  world: World;
  table: string;
  /** The form of its own plates. */
  form: RegExp;
  /** The owner of a row, as the table has it. */
  owner: Record<'ana' | 'bo', unknown>;
  ownerOf: (row: Row) => unknown;
  /** The column of the properties, and of the garage. */
  properties: string;
  garage: string;
  /** The garage of a new vehicle for which none was named. */
  home: string | null;
  /** The model of the vehicle that Ana owns. */
  model: string;
  /** Sets the vehicle that has this plate out. */
  out: (plate: string) => string;
  isStored: (row: Row) => boolean;
  /** One more vehicle of Bo. */
  ofBo: (plate: string) => string;
  /** A definition of the table, for MariaDB, without a unique index on plates. */
  loose: (sql: string) => string;
  keeper?: Keeper;
};

/** The resource of a framework that hands vehicles out, and how the game of the first player asks for those in `legion`. */
type Keeper = { name: string; root: string; ask: (server: FxServer) => void | Promise<void> };

const QB: Omit<Garage, 'world' | 'form'> = {
  table: 'player_vehicles',
  owner: { ana: 'ANA11111', bo: 'BOB22222' },
  ownerOf: (row) => row['citizenid'],
  properties: 'mods',
  garage: 'garage',
  home: 'motelgarage',
  model: 'adder',
  out: (plate) => `UPDATE player_vehicles SET state = 0 WHERE plate = '${plate}'`,
  isStored: (row) => row['state'] === 1,
  ofBo: (plate) =>
    `INSERT INTO player_vehicles (citizenid, vehicle, plate, garage, state, mods)
     VALUES ('BOB22222', 'adder', '${plate}', 'legion', 1, '{}')`,
  loose: (sql) => sql.replace('UNIQUE KEY plate', 'KEY plate').replace('plate VARCHAR(15) UNIQUE', 'plate VARCHAR(15)'),
};

const GARAGES: readonly Garage[] = [
  {
    world: ESX,
    table: 'owned_vehicles',
    form: /^[A-Z]{3} \d{3}$/,
    owner: { ana: 'char1:a11a', bo: 'char1:b0b0' },
    ownerOf: (row) => row['owner'],
    properties: 'vehicle',
    garage: 'parking',
    home: null,
    model: '1234',
    out: (plate) => `UPDATE owned_vehicles SET stored = 0 WHERE plate = '${plate}'`,
    isStored: (row) => Boolean(row['stored']),
    ofBo: (plate) =>
      `INSERT INTO owned_vehicles (owner, plate, vehicle, type, stored, parking)
       VALUES ('char1:b0b0', '${plate}', '{"model":1234}', 'car', 1, 'legion')`,
    loose: (sql) =>
      sql.replace('PRIMARY KEY (plate)', 'KEY (plate)').replace('plate VARCHAR(12) PRIMARY KEY', 'plate VARCHAR(12)'),
  },
  { ...QB, world: QBCORE, form: /^\d[A-Z]{2}\d{3}[A-Z]{2}$/ },
  { ...QB, world: QBOX, form: /^[A-Z0-9]{8}$/ },
  {
    world: OX,
    table: 'vehicles',
    form: /^[A-Z0-9]{8}$/,
    owner: { ana: 1, bo: 2 },
    ownerOf: (row) => row['owner'],
    properties: 'data',
    garage: 'stored',
    home: 'impound',
    model: 'adder',
    out: (plate) => `UPDATE vehicles SET stored = NULL WHERE plate = '${plate}'`,
    isStored: (row) => row['stored'] !== null,
    ofBo: (plate) =>
      `INSERT INTO vehicles (plate, vin, owner, model, class, data, stored)
       VALUES ('${plate}', 'VIN of ${plate}', 2, 'adder', 7, '{}', 'legion')`,
    loose: (sql) =>
      sql.replace(/UNIQUE (INDEX|KEY) (`?plate)/, '$1 $2').replace('plate CHAR(8) UNIQUE', 'plate CHAR(8)'),
  },
];

const READ_QBOX = `TriggerEvent('fake:client', 'vehicles', 1, exports.qbx_vehicles:GetPlayerVehicles({ garage = 'legion' }))`;
const KEEPERS: Readonly<Record<string, Omit<Keeper, 'root'>>> = {
  'real-esx': {
    name: 'esx_garage',
    ask: (server) => server.emit('esx:triggerServerCallback', 1, 'esx_garage:getVehicles', 1, 'esx_garage', 'legion'),
  },
  'real-qbcore': {
    name: 'qb-garages',
    ask: (server) =>
      server.emit('QBCore:Server:TriggerCallback', 1, 'qb-garages:server:GetGarageVehicles', 'legion', 'public', []),
  },
  'real-qbox': {
    name: 'qbx_vehicles',
    ask: (server) => server.start({ name: 'reader', lua: [{ name: 'server.lua', code: READ_QBOX }] }),
  },
};
const keeperOf = (world: World): Keeper | undefined => {
  const root = process.env['CAUSEWAY_FRAMEWORKS'] ?? '';
  const keeper = KEEPERS[world.name];
  return keeper !== undefined && findResources(root).has(keeper.name) ? { ...keeper, root } : undefined;
};

/** The garages of the stand-ins, and of the frameworks' own code if there is any. */
export const ALL_GARAGES: readonly Garage[] = [
  ...GARAGES,
  ...[...REAL, ...REAL_OX_CORE].flatMap((world) => {
    const garage = GARAGES.find((one) => `real-${one.world.name}` === world.name);
    const keeper = keeperOf(world);
    return garage === undefined ? [] : [{ ...garage, world, ...(keeper && { keeper }) }];
  }),
];

/** The rows of the table, without the padding of their plates. */
export const rowsOf = async (mysql: Mysql, { table }: Garage): Promise<Row[]> => {
  const rows = await mysql.run(`SELECT * FROM ${table} ORDER BY plate`);
  return Array.isArray(rows) ? rows.map((row) => ({ ...row, plate: String(row['plate']).trim() })) : [];
};
