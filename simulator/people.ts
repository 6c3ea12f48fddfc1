import type { Player } from '../bridge-protocol/wire/player.ts';
import { GARAGES, ITEMS, JOBS, MODELS } from './goods.ts';
import { inventName } from './names.ts';
import { createRandom, type Random } from './random.ts';

const HEX = '0123456789abcdef';
const DIGITS = '0123456789';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const PLATES = 26 ** 3 * 1000;

/** Gives each index its own plate: the factor shares no divisor with the number of plates. */
const plateOf = (vehicle: number): string => {
  const number = (vehicle * 7_654_321) % PLATES;
  const letters = Math.floor(number / 1000);
  const letter = (power: number) => LETTERS.charAt(Math.floor(letters / 26 ** power) % 26);
  return `${letter(2)}${letter(1)}${letter(0)} ${String(number % 1000).padStart(3, '0')}`;
};

const inventInventory = (random: Random): Player['inventory'] => {
  let slot = 0;
  return ITEMS.filter(() => random.chance(0.32)).map(({ name, label, most, metadata }) => {
    slot += random.chance(0.75) ? 1 : random.int(2, 6);
    return { slot, name, label, count: random.int(1, most), metadata: metadata?.(random) ?? {} };
  });
};

const inventVehicles = (random: Random, index: number): Player['vehicles'] =>
  Array.from({ length: random.pick([0, 1, 1, 1, 2, 3]) }, (_, nth) => {
    const stored = random.chance(0.8);
    return {
      plate: plateOf(index * 3 + nth + 1),
      ...random.pick(MODELS),
      stored,
      garage: stored ? random.pick(GARAGES) : null,
      metadata: { fuel: random.int(5, 100), body: random.int(400, 1000), engine: random.int(500, 1000) },
    };
  });

const inventMetadata = (random: Random) => {
  const { job, jobLabel } = random.pick(JOBS);
  return {
    job,
    jobLabel,
    jobGrade: random.int(0, 4),
    group: random.chance(0.05) ? random.pick(['admin', 'mod', 'helper']) : 'user',
    dateOfBirth: `${random.int(1955, 2004)}-${String(random.int(1, 12)).padStart(2, '0')}-${String(random.int(1, 28)).padStart(2, '0')}`,
    playedMinutes: random.int(5, 90_000),
    hunger: random.int(10, 100),
    thirst: random.int(10, 100),
  };
};

/** The record as a framework has it: the row of an absent character names only the license of its account. */
export const reportOf = (player: Player): Player =>
  player.online
    ? player
    : { ...player, identifiers: player.identifiers.filter((identifier) => identifier.startsWith('license:')) };

/** The player number `index` (from 0) of the world with this seed. */
export const inventPlayer = (seed: number, index: number): Player => {
  const random = createRandom(seed, index);
  const license = random.text(HEX, 40);
  const linked = [`license:${license}`, `discord:${random.int(1, 9)}${random.text(DIGITS, 17)}`];
  if (random.chance(0.8)) linked.push(`fivem:${random.int(100_000, 15_000_000)}`);
  return {
    identifier: `char1:${license}`,
    name: inventName(random, index),
    online: random.chance(0.6),
    identifiers: linked,
    accounts: {
      bank: random.int(1, 90) ** 2 * random.int(1, 25) + random.int(0, 999),
      black_money: random.chance(0.25) ? random.int(50, 20_000) : 0,
      cash: random.int(0, 2_500),
    },
    inventory: inventInventory(random),
    vehicles: inventVehicles(random, index),
    metadata: inventMetadata(random),
  };
};
