import type { CommandRow } from '../../db/queries/commands/row.ts';

/**
 * Whether the game server knows this command of a line with another fingerprint. Since a restored backup, the hub has chosen
 * another character of the buyer, or other parameters; it has forgotten those that it gave before.
 */
export const isGivenBefore = ({ status, error }: Pick<CommandRow, 'status' | 'error'>): boolean =>
  status === 'rejected' && error?.code === 'fingerprint_mismatch';

/** The staff read this about such a line, because to give it, or to take nothing back, may be wrong. */
export const GIVEN_BEFORE = {
  reason: 'given_before',
  detail:
    'The game server knows this line already. Before a backup was restored, it was probably given to another character, or ' +
    'with other parameters. Look what the characters of the buyer have.',
} as const;
