/** Where a command stands, in the order of its life; the last two are an operator's word. */
export const COMMAND_STATUSES = [
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

/** Whether nothing can change any more without an operator. */
export const isSettled = (status: CommandStatus): boolean => status !== 'accepted' && status !== 'dispatched';
