import type { CommandLine, Mismatch } from '../simulator/ledger.ts';
import type { World } from '../simulator/world.ts';
import type { Quantity } from './calls.ts';
import { type Stock, stockOf } from './stock.ts';

/** The report of the simulated game about itself. */
export type Report = {
  /** The effects of commands on money. */
  lines: CommandLine[];
  /** Differences between balances and lines. */
  audit: Mismatch[];
  /** The goods of all players. */
  stock: Stock;
};

/** The report on a world, with the ledger lines after a given one and the counts of these quantities. */
export const reportOf = (
  world: Pick<World, 'commandLines' | 'audit' | 'players'>,
  after: number,
  quantities: readonly Quantity[],
): Report => ({
  lines: world.commandLines(after),
  audit: world.audit(),
  stock: stockOf(world.players(), quantities),
});
