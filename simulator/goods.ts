import type { CataloguesSource } from '../bridge-protocol/client/options.ts';
import type { Random } from './random.ts';

type Item = {
  name: string;
  label: string;
  /** Largest stack a new player starts with. */
  most: number;
  metadata?: (random: Random) => Record<string, unknown>;
};

type Job = { job: string; jobLabel: string; wage: number };

const DIGITS = '0123456789';
const SERIAL = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const QUALITY = (random: Random) => ({ quality: random.int(20, 100) });

/** The items that a player may carry. */
export const ITEMS: readonly [Item, ...Item[]] = [
  { name: 'bread', label: 'Bread', most: 8 },
  { name: 'water', label: 'Water', most: 10 },
  { name: 'phone', label: 'Phone', most: 1, metadata: (r) => ({ number: `555-${r.text(DIGITS, 4)}` }) },
  { name: 'radio', label: 'Radio', most: 1, metadata: (r) => ({ channel: r.int(1, 500), ...QUALITY(r) }) },
  { name: 'lockpick', label: 'Lockpick', most: 5, metadata: QUALITY },
  { name: 'bandage', label: 'Bandage', most: 12 },
  { name: 'medikit', label: 'First aid kit', most: 2 },
  { name: 'repairkit', label: 'Repair kit', most: 2 },
  { name: 'fish', label: 'Fish', most: 6 },
  { name: 'fishingrod', label: 'Fishing rod', most: 1, metadata: QUALITY },
  { name: 'driver_license', label: "Driver's license", most: 1, metadata: (r) => ({ points: r.int(0, 12) }) },
  { name: 'id_card', label: 'ID card', most: 1, metadata: (r) => ({ number: r.text(DIGITS, 9) }) },
  { name: 'coffee', label: 'Coffee', most: 4 },
  { name: 'sandwich', label: 'Sandwich', most: 4 },
  { name: 'cigarettes', label: 'Cigarettes', most: 20 },
  { name: 'handcuffs', label: 'Handcuffs', most: 1 },
  { name: 'binoculars', label: 'Binoculars', most: 1 },
  { name: 'gold_bar', label: 'Gold bar', most: 3 },
  { name: 'iron_ore', label: 'Iron ore', most: 40 },
  { name: 'weed_seed', label: 'Seed', most: 15 },
  { name: 'house_key', label: 'House key', most: 2, metadata: (r) => ({ house: `house_${r.int(1, 120)}` }) },
  {
    name: 'weapon_pistol',
    label: 'Pistol',
    most: 1,
    metadata: (r) => ({ serial: r.text(SERIAL, 10), ammo: r.int(0, 48), durability: r.int(10, 100) }),
  },
  { name: 'ammo_9mm', label: '9 mm rounds', most: 60 },
];

/** The vehicles that a player may own. */
export const MODELS: readonly [{ model: string; label: string }, ...{ model: string; label: string }[]] = [
  { model: 'adder', label: 'Truffade Adder' },
  { model: 'sultan', label: 'Karin Sultan' },
  { model: 'blista', label: 'Dinka Blista' },
  { model: 'bison', label: 'Bravado Bison' },
  { model: 'futo', label: 'Karin Futo' },
  { model: 'sanchez', label: 'Maibatsu Sanchez' },
  { model: 'burrito3', label: 'Declasse Burrito' },
  { model: 'dominator', label: 'Vapid Dominator' },
  { model: 'oracle', label: 'Übermacht Oracle' },
  { model: 'faggio', label: 'Pegassi Faggio' },
  { model: 'rebel', label: 'Karin Rebel' },
  { model: 'taxi', label: 'Vapid Taxi' },
];

export const GARAGES = ['legion', 'pillbox', 'sandy', 'paleto', 'airport', 'pier', 'mirror_park'] as const;

/** `wage` is the pay of one pay day, before the addition for the grade. */
export const JOBS: readonly [Job, ...Job[]] = [
  { job: 'unemployed', jobLabel: 'Unemployed', wage: 20 },
  { job: 'police', jobLabel: 'LSPD', wage: 180 },
  { job: 'ambulance', jobLabel: 'EMS', wage: 170 },
  { job: 'mechanic', jobLabel: 'Mechanic', wage: 120 },
  { job: 'taxi', jobLabel: 'Downtown Cab Co.', wage: 90 },
  { job: 'fisher', jobLabel: 'Fisher', wage: 70 },
  { job: 'miner', jobLabel: 'Miner', wage: 95 },
  { job: 'reporter', jobLabel: 'Weazel News', wage: 110 },
  { job: 'cardealer', jobLabel: 'Car dealer', wage: 140 },
];

/** Grades of every job. */
export const GRADES: readonly string[] = ['Recruit', 'Member', 'Senior', 'Manager', 'Boss'];

const gradesOf = () => GRADES.map((label, grade) => ({ grade, label }));
const byLabel = <E extends { label: string }>(entries: E[]): E[] =>
  entries.sort((one, other) => (one.label < other.label ? -1 : 1));

/** Catalogues of the simulated game. */
export const CATALOGUES: CataloguesSource = {
  items: () => byLabel(ITEMS.map(({ name, label }) => ({ name, label }))),
  vehicles: () => byLabel(MODELS.map(({ model, label }) => ({ name: model, label }))),
  jobs: () => byLabel(JOBS.map(({ job, jobLabel }) => ({ name: job, label: jobLabel, grades: gradesOf() }))),
};
