import type { Mysql } from '../fxserver/mysql.ts';
import { ESX, QBCORE, type World } from './frameworks.ts';

const ITEMS = ['bread', 'water', 'phone', 'lockpick', 'bandage', 'radio', 'repairkit', 'joint', 'wallet', 'burger'];
const AT_ONCE = 500;

const quoted = (value: unknown): string =>
  `'${(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll("'", "''")}'`;
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, nth) => from + nth);

const hash = (nth: number): string => nth.toString(16).padStart(40, '0');
const plate = (nth: number): string => `C${nth}`;

const esxUser = (nth: number): string =>
  `('char1:${hash(nth)}', ${quoted({ bank: nth, money: 120, black_money: 0 })}, 'user',
    ${quoted(Object.fromEntries(ITEMS.map((item, count) => [item, count + 1])))}, 'police', 2, 'First${nth}', 'Last')`;
/** As long as the properties are that es_extended stores of a vehicle. */
const TUNING = Object.fromEntries(numbers(0, 60).map((nth) => [`mod${nth}`, -1]));
const esxVehicle = (nth: number): string =>
  `('char1:${hash(nth)}', '${plate(nth)}', ${quoted({ model: nth, plate: plate(nth), ...TUNING })}, 'car', NULL, 1, 'legion')`;

const qbPlayer = (nth: number): string =>
  `('C${nth}', 'license:${hash(nth)}', 'steam name', ${quoted({ cash: 120, bank: nth, crypto: 0 })},
    ${quoted({ firstname: `First${nth}`, lastname: 'Last', birthdate: '1990-01-01', nationality: 'None', phone: '555' })},
    ${quoted({ name: 'police', label: 'Police', onduty: true, payment: 50, grade: { level: 2, name: 'Officer' } })},
    ${quoted({ name: 'none', label: 'None', grade: { level: 0, name: 'None' } })},
    ${quoted(ITEMS.map((name, slot) => ({ name, amount: slot + 1, slot: slot + 1, type: 'item', info: {} })))})`;
const qbVehicle = (nth: number): string =>
  `(${nth + 10}, 'C${nth}', 'adder', '${plate(nth)}', 'legion', 100, 1000.0, 1)`;

type Crowd = {
  /** The settings that the guide recommends for large servers. */
  index?: string;
  identifier(nth: number): string;
  license(nth: number): string;
  into: [string, (nth: number) => string][];
};

const CROWDS: Record<string, Crowd> = {
  [ESX.name]: {
    index: 'CREATE INDEX owner ON owned_vehicles (owner)',
    identifier: (nth) => `char1:${hash(nth)}`,
    license: (nth) => `license:${hash(nth)}`,
    into: [
      ['users (identifier, accounts, `group`, inventory, job, job_grade, firstname, lastname)', esxUser],
      ['owned_vehicles (owner, plate, vehicle, type, job, stored, parking)', esxVehicle],
    ],
  },
  [QBCORE.name]: {
    identifier: (nth) => `C${nth}`,
    license: (nth) => `license:${hash(nth)}`,
    into: [
      ['players (citizenid, license, name, money, charinfo, job, gang, inventory)', qbPlayer],
      ['player_vehicles (id, citizenid, vehicle, plate, garage, fuel, engine, state)', qbVehicle],
    ],
  },
};

/** Many players in the tables of ESX or QBCore, each with ten items and a vehicle; all are offline. */
export const createCrowd = (world: World) => {
  const crowd = CROWDS[world.name];
  if (crowd === undefined) throw new Error(`there are no players for ${world.name}`);
  return {
    identifier: crowd.identifier,
    license: crowd.license,
    /** Adds the first `count` of them; the framework's tables must be there. */
    fill: async (mysql: Mysql, count: number): Promise<void> => {
      if (crowd.index !== undefined) await mysql.run(crowd.index);
      for (let from = 0; from < count; from += AT_ONCE) {
        const some = numbers(from, Math.min(count, from + AT_ONCE));
        for (const [into, row] of crowd.into) await mysql.run(`INSERT INTO ${into} VALUES ${some.map(row).join(', ')}`);
      }
    },
  };
};
