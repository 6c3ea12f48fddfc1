import { canonicalJson } from '../bridge-protocol/custom/schema.ts';
import type { Player } from '../bridge-protocol/wire/player.ts';
import type { CommandLine, Mismatch } from '../simulator/ledger.ts';
import type { World } from '../simulator/world.ts';
import type { Quantity } from './calls.ts';

/** Models that chaos gives on frameworks. */
export const GIVEN: readonly [string, ...string[]] = ['adder'];

/** Jenkins' hash of a name, by which games and ESX know models. */
const hashOf = (name: string): number => {
  let hash = 0;
  for (const byte of Buffer.from(name)) {
    hash = (hash + byte) >>> 0;
    hash = (hash + (hash << 10)) >>> 0;
    hash = (hash ^ (hash >>> 6)) >>> 0;
  }
  hash = (hash + (hash << 3)) >>> 0;
  hash = (hash ^ (hash >>> 11)) >>> 0;
  return (hash + (hash << 15)) >>> 0;
};

const NAMES = new Map(GIVEN.map((name) => [hashOf(name), name]));

/** The name of a model for which a framework may have only the number. */
export const modelName = (model: unknown): string => NAMES.get(Number(model) >>> 0) ?? String(model);

export type Parked = { plate: string; owner: string; model: string; garage: string | null };

/** The goods of all players at one moment, as the game has them. */
export type Stock = {
  /** Counts by player and by the name of the quantity. */
  items: Record<string, Record<string, number>>;
  vehicles: Parked[];
  /** Job and grade by player. */
  jobs: Record<string, string>;
};
/** The stock that the game has stored, and the one after it has saved all players. */
export type Stocks = { stored: Stock; saved: Stock };

/** The state of one thing that commands change, as text: a count, the owner and model of a plate, or a job. */
export type State = string;
/** A plate without a vehicle. */
export const NO_VEHICLE: State = '';

export const quantityName = ({ item, metadata }: Quantity): string =>
  metadata === undefined ? item : `${item} ${canonicalJson(metadata)}`;
export const jobName = (job: unknown, grade: unknown): State => `${String(job)}/${String(grade)}`;
export const vehicleName = (owner: unknown, model: unknown): State => `${String(owner)} ${modelName(model)}`;

/** The names of the things that commands change. */
export const things = {
  items: (player: string, quantity: string): string => `${quantity} of ${player}`,
  plate: (plate: string): string => `plate ${plate.trim().toUpperCase()}`,
  job: (player: string): string => `job of ${player}`,
};

/** The state of every thing. A plate that several vehicles have has all of them as its state. */
export const statesOf = ({ items, vehicles, jobs }: Stock): Map<string, State> => {
  const states = new Map<string, State>();
  for (const [player, counts] of Object.entries(items)) {
    for (const [quantity, count] of Object.entries(counts)) states.set(things.items(player, quantity), String(count));
  }
  for (const [player, job] of Object.entries(jobs)) states.set(things.job(player), job);
  for (const { plate, owner, model } of vehicles) {
    const thing = things.plate(plate);
    const other = states.get(thing);
    const own = vehicleName(owner, model);
    states.set(thing, other === undefined ? own : [other, own].sort().join(' and '));
  }
  return states;
};

type Inventory = Player['inventory'];

const countOf = (inventory: Inventory, { item, metadata }: Quantity): number =>
  inventory
    .filter(({ name, metadata: its }) => {
      if (name !== item) return false;
      return metadata === undefined || canonicalJson(its) === canonicalJson(metadata);
    })
    .reduce((sum, { count }) => sum + count, 0);

/** Counts of these quantities in an inventory. */
export const countsOf = (inventory: Inventory, quantities: readonly Quantity[]): Record<string, number> =>
  Object.fromEntries(quantities.map((quantity) => [quantityName(quantity), countOf(inventory, quantity)]));

/** The stock of players whose records are always the truth, as in the simulated game. */
export const stockOf = (players: Iterable<Player>, quantities: readonly Quantity[]): Stock => {
  const stock: Stock = { items: {}, vehicles: [], jobs: {} };
  for (const { identifier, inventory, vehicles, metadata } of players) {
    stock.items[identifier] = countsOf(inventory, quantities);
    stock.jobs[identifier] = jobName(metadata['job'], metadata['jobGrade']);
    for (const { plate, model, garage } of vehicles) stock.vehicles.push({ plate, owner: identifier, model, garage });
  }
  return stock;
};

/** The report of the simulated game about itself. */
export type Report = {
  /** The effects of commands on money. */
  lines: CommandLine[];
  /** Differences between balances and lines. */
  audit: Mismatch[];
  /** The goods of all players. */
  stock: Stock;
};

/** The report on a world, with the ledger lines after a given one and the counts of these quantities. */
export const reportOf = (
  world: Pick<World, 'commandLines' | 'audit' | 'players'>,
  after: number,
  quantities: readonly Quantity[],
): Report => ({
  lines: world.commandLines(after),
  audit: world.audit(),
  stock: stockOf(world.players(), quantities),
});
