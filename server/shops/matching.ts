import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { IntegrationRow } from '../../db/queries/integrations.ts';
import type { ShopLineRow } from '../../db/queries/shop-lines.ts';
import { executedOf } from '../commands/run.ts';
import { awaitedOf, type Buyers } from './buyers.ts';
import type { Change } from './line-change.ts';
import { LONGEST_PAUSE_MS } from './passing.ts';

/** A player whose report came during the look, or to another node, is stored by then. */
const UNKNOWN_AGAIN_MS = 10_000;

type Deps = {
  buyers: Buyers;
  change: Change;
  /** A line waits for a player of this server. */
  waits: (line: ShopLineRow) => void;
  now: () => number;
};

/** Finds the players of lines. */
export const createMatching = ({ buyers, change, waits, now }: Deps) => {
  /** A report of a player wakes the line. Until then, it waits for the staff, too. */
  const waitForBuyer = (line: ShopLineRow, unbound: string) => {
    const dueAt = line.unbound === unbound ? line.expiresAt : Math.min(line.expiresAt, now() + UNKNOWN_AGAIN_MS);
    return change(line, { reason: 'unknown_buyer', unbound, dueAt });
  };

  /** The line with its player; undefined: it waits, or the staff has to decide. */
  return async (line: ShopLineRow, { identifierKind }: IntegrationRow): Promise<ShopLineRow | undefined> => {
    if (line.target !== null) return line;
    if (line.buyer === null) {
      return void (await change(line, { state: 'unmatched', reason: 'no_buyer', detail: null, dueAt: null }));
    }
    const found = await buyers(line, identifierKind);
    if (found === 'unknown') return void (await waitForBuyer(line, awaitedOf(line.buyer.value, identifierKind)));
    if (found === 'waits') {
      await change(line, { reason: 'several_characters', unbound: null, dueAt: now() + LONGEST_PAUSE_MS });
      return void waits(line);
    }
    return change(line, { target: found.target, unbound: null, reason: null });
  };
};
export type Matched = ReturnType<typeof createMatching>;

/**
 * Tells whether the game has deleted a line's player, and the buyer has another character now. A player that the staff has
 * chosen is not the buyer.
 */
export const createIsForAnother =
  ({ buyers }: Pick<Deps, 'buyers'>) =>
  async (line: ShopLineRow, { status, error }: CommandRow, { identifierKind }: IntegrationRow): Promise<boolean> => {
    if (executedOf(status) !== 'no' || error?.code !== 'player_not_found') return false;
    if (line.buyer === null || line.buyer.isReplaced === true) return false;
    const found = await buyers(line, identifierKind);
    return found === 'waits' || (found !== 'unknown' && found.target !== line.target);
  };
export type IsForAnother = ReturnType<typeof createIsForAnother>;
