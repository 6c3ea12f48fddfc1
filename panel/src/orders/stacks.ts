import type { components } from '../api-types.ts';

type Stack = components['schemas']['Player']['inventory'][number];

/** The value with the keys of its objects in order. */
const sorted = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([key, each]) => [key, sorted(each)]));
};

const kindOf = (metadata: object): string => JSON.stringify(sorted(metadata));
const PLAIN = kindOf({});

const stacksOf = (inventory: readonly Stack[], item: string): Stack[] => inventory.filter(({ name }) => name === item);
const sum = (stacks: readonly Stack[]): number => stacks.reduce((all, { count }) => all + count, 0);

/** How many of an item there are; with `metadata`, only in stacks with equal ones. */
export const countOf = (inventory: readonly Stack[], item: string, metadata?: object): number => {
  const stacks = stacksOf(inventory, item);
  return sum(metadata === undefined ? stacks : stacks.filter((each) => kindOf(each.metadata) === kindOf(metadata)));
};

/**
 * Whether some of an item may be others than those that a command gave, after which there were `after`. Not if all are
 * plain, or if all are alike and none has gone since.
 */
export const areMixed = (inventory: readonly Stack[], item: string, after: number): boolean => {
  const stacks = stacksOf(inventory, item);
  const kinds = new Set(stacks.map(({ metadata }) => kindOf(metadata)));
  if (kinds.size === 0 || (kinds.size === 1 && kinds.has(PLAIN))) return false;
  return kinds.size > 1 || sum(stacks) < after;
};
