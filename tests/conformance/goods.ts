import type { CataloguesSource, CommandParams, Outcome, Player } from '../../bridge-protocol/index.ts';

type Held = { job: string; grade: number };
type Vehicle = { owner: string; model: string; garage: string | null };
/** The possessions of players besides money, by identifier; vehicles by plate. */
export type Goods = {
  bags: Map<string, Map<string, number>>;
  vehicles: Map<string, Vehicle>;
  jobs: Map<string, Held>;
};

const ITEMS = ['water', 'bread', 'radio'];
const MODELS = ['adder', 'sultan'];
const JOBS = ['police', 'taxi'];
const GRADES = [0, 1, 2];

const entriesOf = (names: readonly string[]) => names.map((name) => ({ name, label: name }));

export const CATALOGUES: CataloguesSource = {
  items: () => entriesOf(ITEMS),
  vehicles: () => entriesOf(MODELS),
  jobs: () => entriesOf(JOBS).map((job) => ({ ...job, grades: GRADES.map((grade) => ({ grade, label: `${grade}` })) })),
};

export const createGoods = (): Goods => ({
  bags: new Map([['char1:ana', new Map([['bread', 3]])]]),
  vehicles: new Map([['BO 1', { owner: 'char1:bo', model: 'adder', garage: 'legion' }]]),
  jobs: new Map(),
});

const rejected = (code: string, details: Record<string, unknown> = {}): Outcome => ({
  status: 'rejected',
  error: { code, message: code, details },
});
const done = (data: Record<string, unknown>): Outcome => ({ status: 'done', data });

/** Carries out a command of `items`. */
export const carry = ({ bags }: Goods, order: CommandParams<'items'>): Outcome => {
  const { target, item, count, action, allowPartial } = order;
  if (!ITEMS.includes(item)) return rejected('unknown_item');
  const bag = bags.get(target) ?? new Map<string, number>();
  const before = bag.get(item) ?? 0;
  const applied = action === 'add' ? count : Math.min(count, before);
  if (applied === 0 || (applied < count && !allowPartial)) return rejected('not_enough_items', { count: before });
  const after = action === 'add' ? before + applied : before - applied;
  bags.set(target, new Map([...bag, [item, after]]));
  return done({ item, before, after, ...(applied === count ? {} : { applied }) });
};

const newPlate = ({ vehicles }: Goods): string => {
  for (let number = 1; ; number += 1) if (!vehicles.has(`NEW ${number}`)) return `NEW ${number}`;
};

/** Carries out a command of `vehicles`. */
export const drive = (goods: Goods, order: CommandParams<'vehicles'>): Outcome => {
  const { vehicles } = goods;
  const { target, action, model = '', garage = 'legion' } = order;
  const plate = order.plate?.trim().toUpperCase() ?? newPlate(goods);
  const known = vehicles.get(plate);
  if (action === 'give') {
    if (!MODELS.includes(model)) return rejected('unknown_model');
    if (known !== undefined) return rejected('plate_taken');
    vehicles.set(plate, { owner: target, model, garage });
    return done({ plate, model, garage });
  }
  if (known?.owner !== target) return rejected('vehicle_not_found');
  if (action === 'take') vehicles.delete(plate);
  else vehicles.set(plate, { ...known, garage });
  return done({ plate, model: known.model, garage: action === 'take' ? known.garage : garage });
};

/** Carries out a command of `job`. */
export const employ = ({ jobs }: Goods, { target, job, grade }: CommandParams<'job'>): Outcome => {
  if (!JOBS.includes(job) && job !== 'none') return rejected('unknown_job');
  if (!GRADES.includes(grade)) return rejected('unknown_grade');
  const before = jobs.get(target) ?? { job: 'none', grade: 0 };
  jobs.set(target, { job, grade });
  return done({ before, after: { job, grade } });
};

/** The part of a player's record that these goods fill. */
export const goodsOf = ({ bags, vehicles }: Goods, identifier: string): Pick<Player, 'inventory' | 'vehicles'> => ({
  inventory: [...(bags.get(identifier) ?? [])]
    .filter(([, count]) => count > 0)
    .map(([name, count], slot) => ({ slot, name, label: name, count, metadata: {} })),
  vehicles: [...vehicles]
    .filter(([, { owner }]) => owner === identifier)
    .map(([plate, { model, garage }]) => ({
      plate,
      model,
      label: model,
      stored: garage !== null,
      garage,
      metadata: {},
    })),
});
