import type { Command, Schemas } from './api.ts';

type Outcome = keyof Pick<Schemas['Statistics']['points'][number], 'succeeded' | 'refused' | 'failed' | 'unknown'>;

/** The colour of each status, in badges and in charts. */
export const STATUS_COLORS: Record<Command['status'], string> = {
  waiting: 'cyan',
  accepted: 'blue',
  dispatched: 'yellow',
  succeeded: 'green',
  failed: 'red',
  rejected: 'orange',
  voided: 'gray',
  expired: 'gray',
  indeterminate: 'grape',
  resolved_applied: 'green',
  resolved_not_applied: 'gray',
};

/** The status that gives each outcome its colour in a chart. */
const STATUS_OF: Record<Outcome, Command['status']> = {
  succeeded: 'succeeded',
  refused: 'rejected',
  failed: 'failed',
  unknown: 'indeterminate',
};
export const OUTCOMES = Object.keys(STATUS_OF) as Outcome[];

/** The colour as a value, because a canvas cannot use CSS variables. */
export const outcomeColor = (outcome: Outcome): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--mantine-color-${STATUS_COLORS[STATUS_OF[outcome]]}-8`);
