import { canonicalJson } from '../bridge-protocol/custom/schema.ts';
import type { CommandParams } from '../bridge-protocol/wire/commands.ts';
import type { CommandError } from '../bridge-protocol/wire/messages.ts';
import type { Player } from '../bridge-protocol/wire/player.ts';
import { ITEMS } from './goods.ts';

type Inventory = Player['inventory'];
type Order = CommandParams<'items'>;
/** An inventory after a command, or the reason why nothing moved. */
type Moved = { inventory: Inventory; before: number; after: number; applied?: number } | { error: CommandError };
/** An inventory after a command, before its items are counted. */
type Changed = { inventory: Inventory; applied: number } | { error: CommandError };

/** Slots of one player. */
export const SLOTS = 60;
/** Pieces that one player can carry. */
export const CARRIED = 1_000;

const labels = new Map(ITEMS.map(({ name, label }) => [name, label]));

const sum = (inventory: Inventory): number => inventory.reduce((all, { count }) => all + count, 0);

const isSame = (one: Record<string, unknown>, other: Record<string, unknown>): boolean =>
  canonicalJson(one) === canonicalJson(other);

const meantBy =
  ({ item, metadata }: Order) =>
  ({ name, metadata: its }: Inventory[number]): boolean =>
    name === item && (metadata === undefined || isSame(its, metadata));

const freeSlot = (inventory: Inventory): number | undefined => {
  const taken = new Set(inventory.map(({ slot }) => slot));
  for (let slot = 1; slot <= SLOTS; slot += 1) if (!taken.has(slot)) return slot;
  return undefined;
};

/** Adds to a stack with equal metadata, or makes one in the first free slot. */
const add = (inventory: Inventory, { item, count, metadata = {}, allowPartial }: Order): Changed => {
  const label = labels.get(item);
  if (label === undefined) return { error: { code: 'unknown_item', message: `This server has no item "${item}".` } };
  const stack = inventory.find(({ name, metadata: its }) => name === item && isSame(its, metadata));
  const slot = stack?.slot ?? freeSlot(inventory);
  const fits = slot === undefined ? 0 : Math.max(0, CARRIED - sum(inventory));
  const applied = Math.min(count, fits);
  if (applied === 0 || (applied < count && !allowPartial)) {
    const code = slot === undefined ? 'inventory_full' : 'too_heavy';
    return { error: { code, message: `${fits} of "${item}" fit.`, details: { fits } } };
  }
  const stacked = { slot: slot ?? 0, name: item, label, count: (stack?.count ?? 0) + applied, metadata };
  const others = inventory.filter((each) => each !== stack);
  return { inventory: [...others, stacked].sort((a, b) => a.slot - b.slot), applied };
};

/** Takes from stacks without metadata first, and there from the last slots. */
const remove = (inventory: Inventory, order: Order): Changed => {
  const { item, count, allowPartial } = order;
  const isMeant = meantBy(order);
  const before = sum(inventory.filter(isMeant));
  const applied = Math.min(count, before);
  if (applied === 0 || (applied < count && !allowPartial)) {
    const message = `The player has ${before} of "${item}".`;
    return { error: { code: 'not_enough_items', message, details: { count: before } } };
  }
  let left = applied;
  const isSpecial = ({ metadata }: Inventory[number]): boolean => Object.keys(metadata).length > 0;
  const inTurn = inventory.toReversed().toSorted((a, b) => Number(isSpecial(a)) - Number(isSpecial(b)));
  const kept = inTurn.map((stack) => {
    const taken = isMeant(stack) ? Math.min(left, stack.count) : 0;
    left -= taken;
    return { ...stack, count: stack.count - taken };
  });
  return { inventory: kept.filter(({ count: rest }) => rest > 0).sort((a, b) => a.slot - b.slot), applied };
};

/** The inventory after a command of items; `applied` only if fewer were moved than ordered. */
export const moveItems = (inventory: Inventory, order: Order): Moved => {
  const changed = order.action === 'add' ? add(inventory, order) : remove(inventory, order);
  if ('error' in changed) return changed;
  const countIn = (stacks: Inventory): number => sum(stacks.filter(meantBy(order)));
  const { applied, inventory: left } = changed;
  const numbers = { before: countIn(inventory), after: countIn(left) };
  return { inventory: left, ...numbers, ...(applied === order.count ? {} : { applied }) };
};
