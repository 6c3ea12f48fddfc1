import type { Random } from '../simulator/random.ts';

/** The answers that a caller got for one request, in order. */
export type Told = { executed: 'yes' | 'no' | 'unknown'; code: string; id: string | undefined; retryable: boolean };

/** The commands that chaos requests: those that run exactly once. */
export const CALLED = ['money', 'items', 'vehicles', 'job'] as const;
export type Called = (typeof CALLED)[number];

export type Call = {
  /** Unique in the whole chaos run; stands only in this command's row of the hub. */
  label: string;
  name: Called;
  target: string;
  /** The request's body without target, reason and deadline. */
  body: Record<string, unknown>;
  key: string | undefined;
  expiresInSeconds: number | undefined;
  afterMs: number;
  told: Told[];
};

/** Items that are counted together: stacks of one name, or only those with these metadata. */
export type Quantity = { item: string; metadata?: Record<string, unknown> | undefined };
type Some<T> = readonly [T, ...T[]];

/** The goods of a game that no part of the game but commands moves. */
export type Goods = {
  items: Some<Quantity>;
  models: Some<string>;
  garages: Some<string>;
  jobs: Some<string>;
  /** Grades that every job has. */
  grades: number;
  /** Garages that the game itself moves vehicles to; null: out of a garage. */
  ownGarages: readonly (string | null)[];
};

/** The commands that a game server has, and its goods. */
export type Offer = { commands: Some<Called>; goods: Goods | undefined };

/** Few, so that several calls of a run want the same one. */
const PLATES = 6;
/** The change of a count shows which of its commands took effect. */
const BASE = 5;
const POWERS = 4;
const HOW_OFTEN: Readonly<Record<Called, number>> = { money: 7, items: 6, vehicles: 4, job: 3 };

/** The players, and how often a run has asked for the same count so far. */
type Scene = { targets: Some<string>; offer: Offer; asked: Map<string, number> };
type Wish = Pick<Call, 'target' | 'body'>;
type Wishes = Readonly<Record<Exclude<Called, 'money'>, (random: Random, goods: Goods, scene: Scene) => Wish>>;

const wishMoney = (random: Random, { targets }: Scene): Wish => ({
  target: random.pick(targets),
  body: { type: 'bank', action: random.pick(['add', 'add', 'remove']), amount: random.int(1, 500) },
});

const WISHES: Wishes = {
  items: (random, { items }, { targets, asked }) => {
    const target = random.pick(targets);
    const quantity = random.pick(items);
    const action = random.pick(['add', 'add', 'remove']);
    // Fills an inventory, or empties it: later commands find no room, or no item.
    if (random.chance(0.2)) {
      return { target, body: { ...quantity, action, count: random.pick([40, 400, 2_000]), allowPartial: true } };
    }
    const key = `${target} ${JSON.stringify(quantity)}`;
    const nth = asked.get(key) ?? 0;
    asked.set(key, nth + 1);
    return { target, body: { ...quantity, action, count: BASE ** (nth % POWERS) } };
  },
  vehicles: (random, { models, garages }, { targets }) => {
    const nth = random.int(0, PLATES - 1);
    const plate = `CHAOS ${nth}`;
    // Two players want each plate, so that one of them often has it.
    const target = targets[(nth + random.int(0, 1)) % targets.length] ?? targets[0];
    const garage = random.pick(garages);
    const action = random.pick(['give', 'give', 'store', 'take', 'take']);
    if (action === 'take') return { target, body: { action, plate } };
    if (action === 'store') return { target, body: { action, plate, garage } };
    const isNamed = random.chance(0.97);
    return { target, body: { action, model: random.pick(models), garage, ...(isNamed ? { plate } : {}) } };
  },
  job: (random, { jobs, grades }, { targets }) => ({
    target: random.pick(targets),
    body: { job: random.pick(jobs), grade: random.int(0, grades - 1) },
  }),
};

const planCall = (random: Random, label: string, names: Some<Called>, scene: Scene): Call => {
  const { goods } = scene.offer;
  const name = goods === undefined ? 'money' : random.pick(names);
  return {
    label,
    name,
    ...(name === 'money' || goods === undefined ? wishMoney(random, scene) : WISHES[name](random, goods, scene)),
    key: random.chance(0.6) ? `key-${label}` : undefined,
    expiresInSeconds: random.chance(0.25) ? 1 : undefined,
    afterMs: random.int(0, 80),
    told: [],
  };
};

/** The requests of a run, which the seed and the offer alone decide. */
export const planCalls = (random: Random, seed: number, offer: Offer, targets: Some<string>): Call[] => {
  const names = offer.commands.flatMap((name) => Array<Called>(HOW_OFTEN[name]).fill(name)) as [Called, ...Called[]];
  const scene = { targets, offer, asked: new Map<string, number>() };
  return Array.from({ length: random.int(6, 20) }, (_, n) => planCall(random, `${seed}/${n}`, names, scene));
};
