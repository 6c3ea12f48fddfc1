import { Breach } from '../judges/findings.ts';
import { itemsOf } from '../stage/goods.ts';
import type { Stage } from '../stage/stage.ts';
import type { Check } from './check.ts';
import { expectRefusal } from './refusals.ts';

/** A number of items may change by itself once; a real fault appears each time. */
const LOOKS = 2;
/** Two at a time, so that a bridge may take fewer than it says. */
const STEPS = [2, -2, 2, -2] as const;
/** More than verify gives. */
const MANY = 100;

/** Gives and takes items, and compares each result with the records and with the next result. */
const walk = async ({ goods, change, expectShown }: Stage, item: string): Promise<void> => {
  let earlier: { did: string; after: number } | undefined;
  for (const delta of STEPS) {
    const { before, after } = await change(goods.items(item, delta));
    if (earlier !== undefined && before !== earlier.after) {
      throw new Breach({ rule: 'R31', saw: `${earlier.did}, and the next command found ${before}` });
    }
    const did = `2 ${item} were ${delta > 0 ? 'given' : 'taken'}, which left ${after}`;
    await expectShown({
      kind: 'inventory',
      isShown: (player) => itemsOf(player, item) === after,
      what: did,
      tell: (player) => `${itemsOf(player, item)}`,
    });
    earlier = { did, after };
  }
};

const movesTruly = async (stage: Stage): Promise<void> => {
  const item = await stage.goods.choose('items');
  for (let look = 1; look <= LOOKS; look += 1) {
    try {
      return await walk(stage, item);
    } catch (error) {
      if (look === LOOKS || !(error instanceof Breach)) throw error;
    } finally {
      stage.acknowledge();
    }
  }
};

/** Takes more than there is, all or none; leaves one more than `has`. */
const refusesAll = async ({ goods, change, carryOut }: Stage, item: string, has: number): Promise<void> => {
  const sent = goods.items(item, -(has + 1));
  const result = await carryOut(sent);
  if (result.status === 'done') {
    throw new Breach({ rule: 'R55', saw: `${has + 1} ${item} were taken, of which there were ${has}` });
  }
  const { before } = await change(goods.items(item, 1));
  if (before < has) {
    const saw = `${has - before} ${item} were taken by a command that is ${result.status}`;
    throw new Breach({ rule: 'R32', saw });
  }
  expectRefusal('R55', result, 'not_enough_items', sent);
};

/** Takes as many as there are, and then one more. Only where no item belongs to the player. */
const takesRest = async ({ goods, carryOut }: Stage, item: string): Promise<void> => {
  const sent = goods.items(item, -MANY, { allowPartial: true });
  const { status, data } = await carryOut(sent);
  if (status !== 'done' || data?.['after'] !== 0) {
    const saw = JSON.stringify({ status, data });
    throw new Breach({ rule: 'R55', expected: `all ${item} to be taken where allowPartial is true`, saw });
  }
  const again = goods.items(item, -1, { allowPartial: true });
  expectRefusal('R55', await carryOut(again), 'not_enough_items', again);
};

const keepsFloor = async (stage: Stage): Promise<void> => {
  const { goods, change, acknowledge } = stage;
  const item = await goods.choose('items');
  const { after: has } = await change(goods.items(item, 1));
  await refusesAll(stage, item, has);
  if (goods.chosen('items')?.had === 0 && has < MANY) await takesRest(stage, item);
  else await change(goods.items(item, -2));
  acknowledge();
};

/** Checks of the items of one player. */
export const ITEM_CHECKS: readonly Check[] = [
  {
    rules: ['R31'],
    shows: ['R32', 'R53'],
    name: 'gives two of an item and takes them again',
    needs: ['items'],
    run: movesTruly,
  },
  {
    rules: ['R55', 'R32'],
    name: 'takes no more items than there are',
    needs: ['items'],
    run: keepsFloor,
  },
];
