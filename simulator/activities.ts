import type { Player } from '../bridge-protocol/wire/player.ts';
import type { WorldEdit } from './edit.ts';
import { GARAGES, ITEMS, JOBS } from './goods.ts';
import type { Random } from './random.ts';

type Activity = (scene: { edit: WorldEdit; player: Player; random: Random }) => void;

const BREAD_PRICE = 5;
const HUNGRY_AT = 20;

export const amountOf = ({ inventory }: Player, name: string): number =>
  inventory.find((item) => item.name === name)?.count ?? 0;

/** Sets the amount of an item in an inventory. */
export const withAmount = ({ inventory }: Player, name: string, count: number): Player['inventory'] => {
  if (count === 0) return inventory.filter((item) => item.name !== name);
  if (inventory.some((item) => item.name === name)) {
    return inventory.map((item) => (item.name === name ? { ...item, count } : item));
  }
  const slot = Math.max(0, ...inventory.map((item) => item.slot)) + 1;
  const label = ITEMS.find((item) => item.name === name)?.label ?? name;
  return [...inventory, { slot, name, label, count, metadata: {} }];
};

const earnWage: Activity = ({ edit, player, random }) => {
  const wage = JOBS.find(({ job }) => job === player.metadata['job'])?.wage ?? 0;
  const delta = wage + random.int(0, 40);
  edit.move({ identifier: player.identifier, account: 'bank', delta, reason: 'wage' });
};

const buyBread: Activity = ({ edit, player }) => {
  const { identifier } = player;
  const paid = edit.move({ identifier, account: 'cash', delta: -BREAD_PRICE, reason: 'bread' });
  if ('error' in paid) return;
  const loaves = amountOf(player, 'bread');
  edit.setInventory(identifier, withAmount(player, 'bread', loaves >= HUNGRY_AT ? 1 : loaves + 1));
};

const fish: Activity = ({ edit, player, random }) => {
  const { identifier } = player;
  const caught = amountOf(player, 'fish');
  if (caught === 0) {
    edit.setInventory(identifier, withAmount(player, 'fish', random.int(1, 3)));
    return;
  }
  const sold = edit.move({ identifier, account: 'cash', delta: random.int(8, 30), reason: 'fish' });
  if (!('error' in sold)) edit.setInventory(identifier, withAmount(player, 'fish', caught - 1));
};

const deposit: Activity = ({ edit, player, random }) => {
  const { identifier } = player;
  const delta = random.int(20, 200);
  const taken = edit.move({ identifier, account: 'cash', delta: -delta, reason: 'deposit' });
  if (!('error' in taken)) edit.move({ identifier, account: 'bank', delta, reason: 'deposit' });
};

const moveCar: Activity = ({ edit, player, random }) => {
  if (player.vehicles.length === 0) return;
  const moved = random.int(0, player.vehicles.length - 1);
  const garage = random.pick(GARAGES);
  const vehicles = player.vehicles.map((vehicle, nth) =>
    nth === moved
      ? { ...vehicle, stored: vehicle.garage !== garage, garage: vehicle.garage === garage ? null : garage }
      : vehicle,
  );
  edit.setVehicles(player.identifier, vehicles);
};

const leave: Activity = ({ edit, player }) => edit.leave(player.identifier);

/** Possible activities of an online player; an activity that is listed twice happens twice as often. */
export const ACTIVITIES: readonly [Activity, ...Activity[]] = [
  earnWage,
  earnWage,
  buyBread,
  buyBread,
  fish,
  fish,
  deposit,
  moveCar,
  leave,
];
