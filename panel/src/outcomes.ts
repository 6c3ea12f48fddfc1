import type { Command, Schemas } from './api.ts';
import { isOnce } from './commands.tsx';
import type { MessageKey } from './messages/keys.ts';

type Status = Command['status'];
type Outcome = keyof Pick<Schemas['Statistics']['points'][number], 'succeeded' | 'refused' | 'failed' | 'unknown'>;
/** The inks of the style sheets. */
type Ink = 'good' | 'wait' | 'bad' | 'ask' | 'dim';

const INKS: Record<Status, Ink> = {
  waiting: 'wait',
  accepted: 'wait',
  dispatched: 'wait',
  succeeded: 'good',
  failed: 'bad',
  rejected: 'dim',
  voided: 'dim',
  expired: 'dim',
  indeterminate: 'ask',
  resolved_applied: 'dim',
  resolved_not_applied: 'dim',
};

/** The state of a command: its word and its ink. Only *Unknown* asks a person. */
export const stateOf = ({ name, status }: Pick<Command, 'name' | 'status'>): { word: MessageKey; ink: Ink } =>
  status === 'indeterminate' && !isOnce(name)
    ? { word: 'status.notConfirmed', ink: 'dim' }
    : { word: `status.${status}`, ink: INKS[status] };

/** The states that a list is filtered by, as the hub takes them: with commas between several. */
export const STATES = [
  'waiting',
  'accepted,dispatched',
  'succeeded',
  'rejected',
  'failed',
  'voided',
  'expired',
  'indeterminate',
  'resolved_applied',
  'resolved_not_applied',
] as const;

const isStatus = (text: string): text is Status => Object.hasOwn(INKS, text);

/** The statuses of a filter; undefined if one of them is none. */
export const statusesOf = (filter: string | undefined): Status[] | undefined => {
  const all = filter?.split(',') ?? [];
  return all.length > 0 && all.every(isStatus) ? (all as Status[]) : undefined;
};

/** The statuses that a chart counts together. */
export const STATUSES_OF: Record<Outcome, string> = {
  succeeded: 'succeeded,resolved_applied',
  refused: 'rejected,voided,expired',
  failed: 'failed',
  unknown: 'indeterminate',
};
export const OUTCOMES = Object.keys(STATUSES_OF) as Outcome[];
