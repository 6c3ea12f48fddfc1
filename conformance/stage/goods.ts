import type { Player } from '../../bridge-protocol/wire/player.ts';
import type { Hub } from '../hub/hub.ts';
import type { Command, Result } from '../judges/book.ts';
import { Breach, NotTried } from '../judges/findings.ts';
import type { Cast } from './purse.ts';
import type { Reports } from './reports.ts';

export type GoodsName = 'items' | 'vehicles';

/** How many names of a catalogue are tried until the player takes one. */
const TRIES = 5;

/** A plate as it is compared: some games pad it. */
export const plainPlate = (plate: unknown): string => String(plate).trim().toUpperCase();

export const itemsOf = ({ inventory }: Player, item: string): number =>
  inventory.reduce((sum, { name, count }) => (name === item ? sum + count : sum), 0);

export const vehiclesOf = ({ vehicles }: Player, plate: string): Player['vehicles'] =>
  vehicles.filter((vehicle) => plainPlate(vehicle.plate) === plate);

export const endedAs = ({ name, params }: Command, { status, error }: Result): string =>
  `${name} for ${params['target']} ended as ${status} ${error?.code ?? ''}`.trim();

type Good = {
  /** The names of those that the player has. */
  held: (player: Player) => string[];
  count: (player: Player, name: string) => number;
  give: (name: string) => Command;
  /** Takes what was given. */
  undo: (name: string, given: Result) => Promise<unknown>;
};

/** A name that can be given, and the player before that. */
type Chosen = { name: string; before: Player | undefined; had: number };

type GoodsOptions = {
  hub: Hub;
  reports: Reports;
  cast: Pick<Cast, 'item'>;
  target: () => string;
  command: (name: string, params: Record<string, unknown>) => Command;
  carryOut: (sent: Command) => Promise<Result>;
};

/** Items and vehicles: orders for them, and names that the game knows. */
export const createGoods = ({ hub, reports, cast, target, command, carryOut }: GoodsOptions) => {
  const chosen = new Map<GoodsName, Chosen>();
  const problems = new Map<GoodsName, string>();

  const items = (item: string, delta: number, changes: Record<string, unknown> = {}): Command =>
    command('items', {
      target: target(),
      item,
      count: Math.abs(delta),
      action: delta < 0 ? 'remove' : 'add',
      allowPartial: false,
      reason: 'verify',
      ...changes,
    });

  const vehicle = (params: Record<string, unknown>): Command =>
    command('vehicles', { target: target(), reason: 'verify', ...params });

  /** Takes a vehicle for ever; one that is not in a garage is stored before. */
  const takeAway = async (plate: string): Promise<Result> => {
    const taken = await carryOut(vehicle({ action: 'take', plate }));
    if (taken.error?.code !== 'vehicle_out') return taken;
    await carryOut(vehicle({ action: 'store', plate }));
    return carryOut(vehicle({ action: 'take', plate }));
  };

  /** Some games store a number instead of the model's name, so a record may show any text that is no other model. */
  const isOfModel = (shown: string, model: string): boolean =>
    shown === model || !hub.catalogue('vehicles').some(({ name }) => name === shown);

  const goods: Record<GoodsName, Good> = {
    items: {
      held: ({ inventory }) => inventory.map(({ name }) => name),
      count: itemsOf,
      give: (name) => items(name, 1),
      undo: (name) => carryOut(items(name, -1)),
    },
    vehicles: {
      held: ({ vehicles }) => vehicles.map(({ model }) => model),
      count: ({ vehicles }, name) => vehicles.filter(({ model }) => isOfModel(model, name)).length,
      give: (model) => vehicle({ action: 'give', model }),
      undo: (_, { data }) => takeAway(plainPlate(data?.['plate'])),
    },
  };

  /** Names of the catalogue that the player does not have, then those that the player has. */
  const candidates = (key: GoodsName, player: Player | undefined): string[] => {
    if (key === 'items' && cast.item !== undefined) return [cast.item];
    const held = player === undefined ? [] : goods[key].held(player);
    const listed = hub.catalogue(key).map(({ name }) => name);
    const names = [...new Set([...listed.filter((name) => !held.includes(name)), ...held])];
    // In some games money is an item.
    return names.filter((name) => hub.hello()?.accounts.includes(name) !== true).slice(0, TRIES);
  };

  /**
   * Gives one and takes it back; returns why that is not possible.
   * @throws Breach when a command that the bridge denied had an effect
   */
  const tryOut = async (key: GoodsName, name: string): Promise<string | undefined> => {
    const { give, undo, count } = goods[key];
    const before = await reports.record();
    const had = before === undefined ? 0 : count(before, name);
    const sent = give(name);
    const result = await carryOut(sent);
    if (result.status === 'done') {
      chosen.set(key, { name, before, had: Number(result.data?.['before'] ?? had) });
      await reports.awaited((player) => count(player, name) > had);
      await undo(name, result);
      return undefined;
    }
    const after = await reports.record();
    const isGiven = before !== undefined && after !== undefined && count(after, name) > had;
    if (!isGiven || result.status === 'indeterminate') return endedAs(sent, result);
    throw new Breach({ rule: 'R32', saw: `1 ${name} was given by a command that is ${result.status}` });
  };

  return {
    items,
    vehicle,
    isOfModel,
    takeAway,
    /** The first name that can be given to the player. */
    choose: async (key: GoodsName): Promise<string> => {
      const found = chosen.get(key);
      if (found !== undefined) return found.name;
      if (problems.has(key)) throw new NotTried(problems.get(key));
      let problem: string | undefined = `the bridge sent no catalogue of ${key}, and the player has none`;
      problems.set(key, `no ${key} could be given`);
      for (const name of candidates(key, await reports.record())) {
        problem = await tryOut(key, name);
        if (problem === undefined) return name;
      }
      problems.set(key, problem);
      throw new NotTried(problem);
    },
    /** The chosen name, and the player before anything was given. */
    chosen: (key: GoodsName): Chosen | undefined => chosen.get(key),
    count: (player: Player | undefined, key: GoodsName, name: string): number =>
      player === undefined ? 0 : goods[key].count(player, name),
  };
};
export type Goods = ReturnType<typeof createGoods>;
