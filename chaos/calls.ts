import type { Random } from '../simulator/random.ts';

/** The answers that a caller got for one request, in order. */
export type Told = { executed: 'yes' | 'no' | 'unknown'; code: string; id: string | undefined; retryable: boolean };

/** The commands that chaos requests: those that run exactly once. */
export const CALLED = ['money', 'items', 'vehicles', 'job'] as const;
export type Called = (typeof CALLED)[number];

/** The request: one command, a batch of them, or an order of a shop. */
export type Way = 'command' | 'batch' | 'order';

export type Call = {
  /** Unique in the whole chaos run; stands only in the rows of this call. */
  label: string;
  way: Way;
  name: Called;
  /** One player, except for a batch. */
  targets: Some<string>;
  /** The request's body without target, reason and deadline. */
  body: Record<string, unknown>;
  key: string | undefined;
  deliver: 'when_connected' | 'when_online' | undefined;
  expiresInSeconds: number | undefined;
  afterMs: number;
  /** The caller takes back what has not left, after this time. */
  voidAfterMs: number | undefined;
  /** The buyer of an order gets the money back. */
  isRefunded: boolean;
  told: Told[];
};

/** Items that are counted together: stacks of one name, or only those with these metadata. */
export type Quantity = { item: string; metadata?: Record<string, unknown> | undefined };
export type Some<T> = readonly [T, ...T[]];

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
export const BASE = 5;
export const POWERS = 4;
const HOW_OFTEN: Readonly<Record<Called, number>> = { money: 7, items: 6, vehicles: 4, job: 3 };
const WAYS: Some<Way> = ['command', 'command', 'command', 'command', 'batch', 'order'];
const DELIVER = ['when_connected', 'when_online'] as const;
/** The commands that a shop's packages stand for. */
const SOLD: readonly Called[] = ['money', 'items'];

/** The players and goods of a run, and how often it has asked for the same count so far. */
type Scene = { random: Random; targets: Some<string>; offer: Offer; asked: Map<string, number> };
type Wish = Pick<Call, 'targets' | 'body'>;
type Wishes = Readonly<Record<Exclude<Called, 'money'>, (scene: Scene, goods: Goods, targets: Some<string>) => Wish>>;

const wishMoney = ({ random }: Scene, targets: Some<string>): Wish => ({
  targets,
  body: { type: 'bank', action: random.pick(['add', 'add', 'remove']), amount: random.int(1, 500) },
});

const WISHES: Wishes = {
  items: ({ random, asked }, { items }, targets) => {
    const quantity = random.pick(items);
    const action = random.pick(['add', 'add', 'remove']);
    // Fills an inventory, or empties it: later commands find no room, or no item.
    if (random.chance(0.2)) {
      return { targets, body: { ...quantity, action, count: random.pick([40, 400, 2_000]), allowPartial: true } };
    }
    const keys = targets.map((target) => `${target} ${JSON.stringify(quantity)}`);
    const nth = Math.max(...keys.map((key) => asked.get(key) ?? 0));
    for (const key of keys) asked.set(key, nth + 1);
    return { targets, body: { ...quantity, action, count: BASE ** (nth % POWERS) } };
  },
  vehicles: ({ random, targets }, { models, garages }, chosen) => {
    const nth = random.int(0, PLATES - 1);
    const plate = `CHAOS ${nth}`;
    // Two players want each plate, so that one of them often has it.
    const owner = targets[(nth + random.int(0, 1)) % targets.length] ?? targets[0];
    const wanted: Some<string> = chosen.length > 1 ? chosen : [owner];
    const garage = random.pick(garages);
    const action = random.pick(['give', 'give', 'store', 'take', 'take']);
    if (action === 'take') return { targets: wanted, body: { action, plate } };
    if (action === 'store') return { targets: wanted, body: { action, plate, garage } };
    const isNamed = random.chance(0.97);
    return { targets: wanted, body: { action, model: random.pick(models), garage, ...(isNamed ? { plate } : {}) } };
  },
  job: ({ random }, { jobs, grades }, targets) => ({
    targets,
    body: { job: random.pick(jobs), grade: random.int(0, grades - 1) },
  }),
};

/** A package of a shop stands for few of something, and only gives. */
const wishSold = ({ random, offer }: Scene, name: Called, targets: Some<string>): Wish => {
  const few = BASE ** random.int(0, POWERS - 1);
  const body =
    name === 'money' || offer.goods === undefined
      ? { type: 'bank', action: 'add', amount: few }
      : { ...random.pick(offer.goods.items), action: 'add', count: few };
  return { targets, body };
};

const wishOf = (scene: Scene, way: Way, name: Called): Wish => {
  const { random, targets, offer } = scene;
  const from = random.int(0, targets.length - 1);
  const count = way === 'batch' ? random.int(2, targets.length - 1) : 1;
  const [first = targets[0], ...others] = Array.from({ length: count }, (_, n) => targets[(from + n) % targets.length]);
  const chosen = [first, ...others.filter((other) => other !== undefined)] as const;
  if (way === 'order') return wishSold(scene, name, chosen);
  return name === 'money' || offer.goods === undefined
    ? wishMoney(scene, chosen)
    : WISHES[name](scene, offer.goods, chosen);
};

/** When and how often a request is made, and how long its commands may wait. */
const planPath = (
  random: Random,
  way: Way,
  label: string,
): Omit<Call, 'label' | 'way' | 'name' | 'told' | keyof Wish> => {
  const deliver = way !== 'order' && random.chance(0.25) ? random.pick(DELIVER) : undefined;
  const usual = random.chance(0.25) ? 1 : undefined;
  return {
    // A batch without a key does not exist.
    key: way === 'batch' || random.chance(0.6) ? `key-${label}` : undefined,
    deliver,
    expiresInSeconds: deliver === undefined ? usual : random.int(1, 3),
    afterMs: random.int(0, 80),
    voidAfterMs: (deliver !== undefined || way === 'batch') && random.chance(0.2) ? random.int(0, 300) : undefined,
    isRefunded: way === 'order' && random.chance(0.3),
  };
};

/** The requests of a run, which the seed and the offer alone decide. */
export const planCalls = (random: Random, seed: number, offer: Offer, targets: Some<string>): Call[] => {
  const names = offer.commands.flatMap((name) => Array<Called>(HOW_OFTEN[name]).fill(name)) as [Called, ...Called[]];
  const sold = names.filter((name) => SOLD.includes(name)) as [Called, ...Called[]];
  const scene = { random, targets, offer, asked: new Map<string, number>() };
  return Array.from({ length: random.int(6, 20) }, (_, n): Call => {
    const label = `${seed}.${n}`;
    const way = random.pick(WAYS);
    const name = random.pick(way === 'order' ? sold : names);
    return { label, way, name, ...wishOf(scene, way, name), ...planPath(random, way, label), told: [] };
  });
};
