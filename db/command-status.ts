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
