import type { Hub } from '../hub/hub.ts';
import type { Command } from '../judges/book.ts';
import { Breach, type Findings, NotTried } from '../judges/findings.ts';
import { type Goods, type GoodsName, plainPlate, vehiclesOf } from './goods.ts';
import type { Reports } from './reports.ts';
import type { Tally } from './tally.ts';

type ShelfOptions = {
  hub: Hub;
  findings: Findings;
  goods: Goods;
  reports: Reports;
  target: () => string;
  change: (order: Command) => Promise<{ before: number; after: number }>;
};

/** Counts items and vehicles, and brings their numbers back. */
export const createShelf = ({ hub, findings, goods, reports, target, change }: ShelfOptions) => {
  /** Counted by commands of one item each, as balances are. */
  const itemTally = (item: string): Tally => ({
    name: 'items',
    unit: item,
    number: `number of ${item}`,
    order: () => goods.items(item, 1),
    begin: async () => (await change(goods.items(item, 1))).after,
    end: async () => (await change(goods.items(item, -1))).before,
    known: () => 0,
    alsoMoved: () => {},
  });

  /** Counted in the records of the player: no result of `vehicles` has a number. */
  const vehicleTally = (model: string): Tally => ({
    name: 'vehicles',
    unit: 'vehicles',
    number: 'number of vehicles',
    order: () => goods.vehicle({ action: 'give', model }),
    begin: async () => {
      if (!hub.roster.shows('vehicles')) throw new NotTried('the records of players have no vehicles');
      const isTrue = [...findings.breaches('R52'), ...findings.breaches('R53')].length === 0;
      if (!isTrue) throw new NotTried('the records of players are not true');
      return goods.count(await reports.record(), 'vehicles', model);
    },
    end: async (isExpected) => {
      const isShown = await reports.awaited((player) => isExpected(goods.count(player, 'vehicles', model)));
      return goods.count(isShown ? reports.reported() : await reports.record(), 'vehicles', model);
    },
    known: () => 0,
    alsoMoved: () => {},
  });

  const restoreItems = async (): Promise<void> => {
    const chosen = goods.chosen('items');
    if (chosen === undefined) return;
    const { after } = await change(goods.items(chosen.name, 1));
    if (after !== chosen.had) await change(goods.items(chosen.name, chosen.had - after));
  };

  const restoreVehicles = async (): Promise<void> => {
    const chosen = goods.chosen('vehicles');
    if (chosen?.before === undefined) return;
    for (const vehicle of (await reports.record())?.vehicles ?? []) {
      const plate = plainPlate(vehicle.plate);
      const isNew = vehiclesOf(chosen.before, plate).length === 0;
      if (isNew && goods.isOfModel(vehicle.model, chosen.name)) await goods.takeAway(plate);
    }
  };

  return {
    tally: async (key: GoodsName): Promise<Tally> => {
      const name = await goods.choose(key);
      return key === 'items' ? itemTally(name) : vehicleTally(name);
    },
    /** Takes back what the checks have given; returns what could not be taken back. */
    restore: async (): Promise<string[]> => {
      const failed: string[] = [];
      for (const [key, work] of Object.entries({ items: restoreItems, vehicles: restoreVehicles })) {
        try {
          await work();
        } catch (error) {
          if (!(error instanceof Breach || error instanceof NotTried)) throw error;
          failed.push(`the ${key} of ${target()} could not be brought back: ${error.message}`);
        }
      }
      return failed;
    },
  };
};
