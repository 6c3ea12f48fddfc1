import type { NewShopLine, ShopLinePatch, ShopLineRow } from '../../db/queries/shop-lines.ts';
import type { LineState } from '../../db/schema/shops.ts';
import type { Store } from '../../db/store.ts';

const STAFF: readonly LineState[] = ['unmatched', 'refused', 'failed', 'owed'];

/** Whether a member of the staff has to decide a line, or may: one whose buyer is unknown also waits for them. */
export const isForStaff = ({ state, unbound }: Pick<ShopLineRow, 'state' | 'unbound'>): boolean =>
  STAFF.includes(state) || unbound !== null;

/** Changes a line that is still as it was read; undefined: it is not. */
export type Change = (line: ShopLineRow, patch: ShopLinePatch) => Promise<ShopLineRow | undefined>;

/** Changes lines, and tells about each that comes onto the staff's list. */
export const createChange = ({
  store,
  forStaff,
  now,
}: {
  store: Pick<Store, 'shopLines'>;
  forStaff: (line: NewShopLine) => void;
  now: () => number;
}): Change => {
  return async (line, patch) => {
    const isOver = patch.state !== undefined && patch.state !== 'pending';
    const changed = await store.shopLines.change(line, isOver ? { ...patch, unbound: null } : patch, now());
    if (changed !== undefined && isForStaff(changed) && !isForStaff(line)) forStaff(changed);
    return changed;
  };
};
