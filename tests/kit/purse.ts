import type { Outcome, Player } from '../../bridge-protocol/index.ts';
import { playerFrame } from './frames.ts';

/** The money of a game: one account of each player, by identifier. */
export type Banks = Map<string, number>;
type Order = { target: string; amount: number; action: 'add' | 'remove'; allowNegative?: boolean };

/** Carries a money command out. */
export const pay = (banks: Banks, { target, amount, action, allowNegative = false }: Order): Outcome => {
  const before = banks.get(target);
  if (before === undefined) {
    return { status: 'rejected', error: { code: 'player_not_found', message: 'No player has this identifier.' } };
  }
  const after = action === 'add' ? before + amount : before - amount;
  if (action === 'remove' && after < 0 && !allowNegative) {
    const details = { balance: before };
    return { status: 'rejected', error: { code: 'insufficient_funds', message: 'Too little.', details } };
  }
  banks.set(target, after);
  return { status: 'done', data: { account: 'bank', before, after } };
};

/** The players of such a game as its bridge reports them; all are online. */
export const playersOf = (banks: Banks, more: Partial<Player> = {}) => {
  const recordOf = (identifier: string, bank: number): Player =>
    playerFrame(identifier, { accounts: { bank }, identifiers: [`license:${identifier.replace(':', '-')}`], ...more });
  return {
    snapshot: (): Player[] => [...banks].map(([identifier, bank]) => recordOf(identifier, bank)),
    read: (identifier: string): Player | undefined => {
      const bank = banks.get(identifier);
      return bank === undefined ? undefined : recordOf(identifier, bank);
    },
  };
};
