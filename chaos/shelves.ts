import type { Row } from '../tests/fxserver/engine.ts';
import type { Mysql } from '../tests/fxserver/mysql.ts';
import type { Goods, Quantity } from './calls.ts';
import { GIVEN, jobName, type Parked, quantityName, type Stock } from './stock.ts';

/** The goods of a framework, and how they are read from its tables. */
export type Shelf = { goods: Goods; read: (mysql: Mysql) => Promise<Stock> };

const GOODS: Goods = {
  items: [{ item: 'bread' }, { item: 'water' }],
  models: GIVEN,
  garages: ['legion', 'pillbox', 'sandy'],
  jobs: ['police', 'taxi'],
  grades: 3,
  ownGarages: [],
};

const rowsOf = async (mysql: Mysql, sql: string): Promise<Row[]> => {
  const rows = await mysql.run(sql);
  return Array.isArray(rows) ? rows : [];
};
const jsonOf = <T>(text: unknown, empty: T): T =>
  typeof text === 'string' && text !== '' ? (JSON.parse(text) as T) : empty;

type Stack = { name: string; count?: number; amount?: number };

/** Counts in a list of stacks, or in an object of counts by name. */
const countsIn = (text: unknown, quantities: readonly Quantity[]): Record<string, number> => {
  const stored = jsonOf<(Stack | null)[] | Record<string, number | Stack>>(text, []);
  const stacks: Stack[] = Object.entries(stored).flatMap(([name, each]) =>
    typeof each === 'number' ? { name, count: each } : (each ?? []),
  );
  return Object.fromEntries(
    quantities.map((quantity) => {
      const counts = stacks.filter(({ name }) => name === quantity.item);
      return [quantityName(quantity), counts.reduce((sum, { count, amount }) => sum + Number(count ?? amount ?? 0), 0)];
    }),
  );
};

const fill = (
  rows: readonly Row[],
  vehicles: Parked[],
  read: (row: Row) => { player: string; inventory: unknown; job: string },
): Stock => {
  const stock: Stock = { items: {}, vehicles, jobs: {} };
  for (const row of rows) {
    const { player, inventory, job } = read(row);
    stock.items[player] = countsIn(inventory, GOODS.items);
    stock.jobs[player] = job;
  }
  return stock;
};

const garageOf = (value: unknown): string | null => (value == null ? null : String(value));

const esx: Shelf = {
  goods: GOODS,
  read: async (mysql) => {
    const cars = await rowsOf(mysql, 'SELECT owner, plate, vehicle, parking FROM owned_vehicles');
    const vehicles = cars.map(({ owner, plate, vehicle, parking }) => {
      const { model } = jsonOf<{ model?: number }>(vehicle, {});
      return { plate: String(plate), owner: String(owner), model: String(model), garage: garageOf(parking) };
    });
    const users = await rowsOf(mysql, 'SELECT identifier, inventory, job, job_grade FROM users');
    return fill(users, vehicles, ({ identifier, inventory, job, job_grade: grade }) => ({
      player: String(identifier),
      inventory,
      job: jobName(job, grade),
    }));
  },
};

const qb: Shelf = {
  goods: GOODS,
  read: async (mysql) => {
    const cars = await rowsOf(mysql, 'SELECT citizenid, plate, vehicle, garage FROM player_vehicles');
    const vehicles = cars.map(({ citizenid, plate, vehicle, garage }) => ({
      plate: String(plate),
      owner: String(citizenid),
      model: String(vehicle),
      garage: garageOf(garage),
    }));
    const players = await rowsOf(mysql, 'SELECT citizenid, inventory, job FROM players');
    return fill(players, vehicles, ({ citizenid, inventory, job }) => {
      const { name, grade } = jsonOf<{ name?: string; grade?: { level?: number } }>(job, {});
      return { player: String(citizenid), inventory, job: jobName(name, grade?.level ?? 0) };
    });
  },
};

/** Frameworks whose goods chaos can read, by name. */
export const SHELVES: Readonly<Record<string, Shelf>> = { esx, qbcore: qb, qbox: qb };
