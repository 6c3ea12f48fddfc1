/**
 * Status of a command, in the order of its life; an operator sets the last two. Only a command with `deliver` waits: for
 * its game server or its player.
 */
export const COMMAND_STATUSES = [
  'waiting',
  'accepted',
  'dispatched',
  'succeeded',
  'failed',
  'rejected',
  'voided',
  'expired',
  'indeterminate',
  'resolved_applied',
  'resolved_not_applied',
] as const;
export type CommandStatus = (typeof COMMAND_STATUSES)[number];

/** True if only an operator can change the status. */
export const isSettled = (status: CommandStatus): boolean =>
  status !== 'accepted' && status !== 'dispatched' && status !== 'waiting';
