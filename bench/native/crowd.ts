import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Number of items in an inventory of 2 KB. */
const ITEMS = { esx: 33, qbcore: 24 };
const AT_ONCE = 500;

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, nth) => from + nth);
const text = (value: unknown): string => JSON.stringify(value);
const hash = (nth: number): string => String(nth).padStart(40, '0');
/**
 * Two letters longer than a real one: `JSON.parse` stores every text of less than ten letters in V8's string table, and
 * with 50,000 of them its growth takes 3 ms. The real transfer between runtimes does not have this cost.
 */
const plate = (nth: number): string => `C${String(nth).padStart(9, '0')}`;

type Rows = { players: (nth: number) => object; vehicles: (nth: number) => object; online: (nth: number) => object };

const esxItems = (nth: number) =>
  numbers(1, ITEMS.esx + 1).map((slot) => ({ slot, name: `item_${slot}`, count: (nth % 9) + slot, metadata: {} }));
const esxAccounts = (nth: number) => ({ bank: nth, money: 120, black_money: 0 });
const MODELS = 500;
/** As long as the vehicle properties that es_extended stores. */
const TUNING = Object.fromEntries(numbers(0, 60).map((nth) => [`mod${nth}`, -1]));

const esx: Rows = {
  players: (nth) => ({
    identifier: `char1:${hash(nth)}`,
    accounts: text(esxAccounts(nth)),
    inventory: text(esxItems(nth)),
    job: 'police',
    job_grade: 2,
    group: 'user',
    firstname: `First${nth}`,
    lastname: 'Last',
  }),
  vehicles: (nth) => ({
    owner: `char1:${hash(nth)}`,
    plate: plate(nth),
    vehicle: text({ model: 1_000_000_000 + (nth % MODELS), plate: plate(nth), ...TUNING }),
    type: 'car',
    stored: 1,
    parking: 'legion',
  }),
  online: (nth) => ({
    identifiers: [`license:${hash(nth)}`, `discord:${nth}`, `fivem:${nth}`, 'ip:10.0.0.1'],
    methods: {
      getIdentifier: `char1:${hash(nth)}`,
      getName: `First${nth} Last`,
      getGroup: 'user',
      getJob: {
        id: 3,
        name: 'police',
        label: 'Police',
        grade: 2,
        grade_name: 'officer',
        grade_salary: 50,
        onDuty: true,
      },
      getAccounts: esxAccounts(nth),
      getInventory: esxItems(nth).map(({ metadata: _, ...item }) => ({
        ...item,
        ...{ label: `Item ${item.slot}`, weight: 1, usable: false, rare: false, canRemove: true },
      })),
    },
  }),
};

const qbItems = (nth: number) =>
  numbers(1, ITEMS.qbcore + 1).map((slot) => {
    return { name: `item_${slot}`, amount: (nth % 9) + slot, info: { quality: 100 }, type: 'item', slot };
  });
const citizen = (nth: number): string => `Z${String(nth).padStart(9, '0')}`;
const qbPlayer = (nth: number) => ({
  citizenid: citizen(nth),
  license: `license:${hash(nth)}`,
  name: 'steam name',
  money: { cash: 120, bank: nth, crypto: 0 },
  charinfo: { firstname: `First${nth}`, lastname: 'Last', birthdate: '1990-01-01', nationality: 'None', phone: '555' },
  job: { name: 'police', label: 'Police', onduty: true, payment: 50, grade: { level: 2, name: 'Officer' } },
  gang: { name: 'none', label: 'None', grade: { level: 0, name: 'None' } },
});
/** The methods of a QBCore player: functions of its runtime. */
const FUNCTIONS = numbers(0, 30).map((nth) => [`Function${nth}`, { __cfx_functionReference: `qb-core:1:${nth}` }]);

const qbcore: Rows = {
  players: (nth) => {
    const { citizenid, license, name, ...columns } = qbPlayer(nth);
    const texts = Object.entries({ ...columns, inventory: qbItems(nth) }).map(([key, value]) => [key, text(value)]);
    return { citizenid, license, name, ...Object.fromEntries(texts) };
  },
  vehicles: (nth) => {
    return {
      citizenid: citizen(nth),
      plate: plate(nth),
      vehicle: 'adder',
      garage: 'legion',
      state: 1,
      fuel: 100,
      engine: 1000,
    };
  },
  online: (nth) => ({
    identifiers: [`license:${hash(nth)}`, `discord:${nth}`, `fivem:${nth}`, 'ip:10.0.0.1'],
    player: {
      Functions: Object.fromEntries(FUNCTIONS),
      PlayerData: {
        ...{ source: nth + 1, ...qbPlayer(nth), position: { x: 1.5, y: 2.5, z: 3.5 } },
        items: Object.fromEntries(qbItems(nth).map((item) => [item.slot, { ...item, label: item.name, weight: 100 }])),
        metadata: Object.fromEntries(numbers(0, 40).map((key) => [`value${key}`, key])),
      },
    },
  }),
};

const CROWDS = { esx, qbcore };
export type CrowdName = keyof typeof CROWDS;

/** Writes rows of equal length in key order, so that a row is found by its number. */
const writeRows = (file: string, count: number, row: (nth: number) => object): void => {
  const width = text(row(count)).length + 16;
  const descriptor = openSync(file, 'w');
  for (let from = 0; from < count; from += AT_ONCE) {
    const rows = numbers(from, Math.min(count, from + AT_ONCE)).map((nth) => `${text(row(nth)).padEnd(width)},\n`);
    writeSync(descriptor, rows.join(''));
  }
  closeSync(descriptor);
};

/**
 * Makes the tables of a framework, each player with an inventory of 2 KB and a vehicle; the first players are online.
 */
export const writeCrowd = (folder: string, name: CrowdName, plan: { stored: number; online: number }): void => {
  const rows = CROWDS[name];
  writeRows(join(folder, 'players'), plan.stored, rows.players);
  writeRows(join(folder, 'vehicles'), plan.stored, rows.vehicles);
  writeFileSync(
    join(folder, 'online'),
    numbers(0, plan.online)
      .map((nth) => `${text(rows.online(nth))}\n`)
      .join(''),
  );
};
