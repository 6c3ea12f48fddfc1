import type { NewShopLine, ShopLinePatch, ShopLineRow } from '../../db/queries/shop-lines.ts';
import type { LineState } from '../../db/schema/shops.ts';
import type { Store } from '../../db/store.ts';

const STAFF: readonly LineState[] = ['unmatched', 'refused', 'failed', 'owed'];

/** Whether a member of the staff has to decide a line. */
export const isForStaff = ({ state }: Pick<ShopLineRow, 'state'>): boolean => STAFF.includes(state);

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
    const changed = await store.shopLines.change(line, patch, now());
    if (changed !== undefined && isForStaff(changed) && !isForStaff(line)) forStaff(changed);
    return changed;
  };
};
