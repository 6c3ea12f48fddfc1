import { randomInt } from 'node:crypto';
import { rejected } from '../bridge-protocol/client/handlers.ts';
import type { Outcome } from '../bridge-protocol/journal/journal.ts';
import type { CommandParams } from '../bridge-protocol/wire/commands.ts';
import type { Player } from '../bridge-protocol/wire/player.ts';
import type { WorldEdit } from './edit.ts';
import { GARAGES, MODELS } from './goods.ts';

type Order = CommandParams<'vehicles'>;
type Vehicle = Player['vehicles'][number];

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** Of 17.6 million plates, few are taken. */
const TRIES = 50;

const inventPlate = (): string => {
  const letter = (): string => LETTERS.charAt(randomInt(LETTERS.length));
  return `${letter()}${letter()}${letter()} ${String(randomInt(1000)).padStart(3, '0')}`;
};

/** A plate that now belongs to the player; undefined: it is taken. The table of plates decides, not a look-up before. */
const claim = (edit: WorldEdit, player: Player, wanted: string | undefined): string | undefined => {
  if (wanted !== undefined) return edit.claimPlate(wanted, player.identifier) ? wanted : undefined;
  for (let nth = 0; nth < TRIES; nth += 1) {
    const plate = inventPlate();
    if (edit.claimPlate(plate, player.identifier)) return plate;
  }
  return undefined;
};

const told = ({ plate, model, garage }: Vehicle) => ({ plate, model, garage });

const give = (edit: WorldEdit, player: Player, { model, plate: wanted, garage, metadata }: Order): Outcome => {
  const known = MODELS.find((each) => each.model === model);
  if (known === undefined) return rejected('unknown_model', `This server has no vehicle "${model}".`);
  const plate = claim(edit, player, wanted);
  if (plate === undefined) return rejected('plate_taken', `Another vehicle has the plate ${wanted ?? ''}.`);
  const vehicle = { plate, ...known, stored: true, garage: garage ?? GARAGES[0], metadata: metadata ?? { fuel: 100 } };
  edit.setVehicles(player.identifier, [...player.vehicles, vehicle]);
  return { status: 'done', data: told(vehicle) };
};

/** Carries out a command of vehicles. */
export const moveVehicle = (edit: WorldEdit, player: Player, order: Order): Outcome => {
  if (order.action === 'give') return give(edit, player, order);
  const { identifier, vehicles } = player;
  const plate = order.plate?.trim().toUpperCase();
  const found = vehicles.find((each) => each.plate === plate);
  if (found === undefined) return rejected('vehicle_not_found', `The player has no vehicle ${plate}.`);
  const others = vehicles.filter((each) => each !== found);
  if (order.action === 'store') {
    const stored = { ...found, stored: true, garage: order.garage ?? found.garage ?? GARAGES[0] };
    edit.setVehicles(identifier, [...others, stored]);
    return { status: 'done', data: told(stored) };
  }
  if (!found.stored) return rejected('vehicle_out', `The vehicle ${plate} is not in a garage.`);
  edit.setVehicles(identifier, others);
  edit.releasePlate(found.plate);
  return { status: 'done', data: { ...told(found), metadata: found.metadata } };
};
