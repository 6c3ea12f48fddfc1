export type Metadata = Record<string, unknown>;
export type Item = { name: string; count: number; slot: number; label: string; metadata: Metadata };

type Definition = { weight: number; stack?: boolean; durability?: number; isContainer?: boolean };

/** Every item of the stand-in, as `data/items.lua` of ox_inventory has them; weights are in grams. */
export const ITEMS: Readonly<Record<string, Definition>> = {
  anvil: { weight: 10_000 },
  bread: { weight: 100 },
  feather: { weight: 0 },
  /** One at most is given at a time, because each gets a stash of its own. */
  paperbag: { weight: 1, isContainer: true },
  phone: { weight: 190, stack: false },
  /** New ones get a durability. */
  medikit: { weight: 100, durability: 100 },
  water: { weight: 500 },
  money: { weight: 0 },
  black_money: { weight: 0 },
  tokens: { weight: 0 },
};

/** Its defaults for players. */
export const SLOTS = 50;
export const WEIGHT = 30_000;

/** Whether two items stack. */
export const isAlike = (one: Metadata, other: Metadata): boolean => {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => JSON.stringify(one[key]) === JSON.stringify(other[key]));
};
