import type { Player } from '../../../bridge-protocol/wire/player.ts';
import type { Tables } from '../../schema/tables.ts';

/** The fields of a player's metadata that lists show. Null: the game has none, or not as a text or a whole number. */
export type PlayerFacts = Pick<
  Tables['players']['$inferSelect'],
  'jobName' | 'jobLabel' | 'jobGrade' | 'groupName' | 'playedMinutes'
>;

/** UTF-16 units that are kept of the name of a job or group. */
const MAX_LENGTH = 128;

const textOf = (value: unknown): string | null => {
  if (typeof value !== 'string' || value === '') return null;
  return value.length <= MAX_LENGTH ? value : value.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, '');
};
const wholeOf = (value: unknown): number | null => {
  const whole = typeof value === 'number' ? Math.floor(value) : Number.NaN;
  return Number.isSafeInteger(whole) ? whole : null;
};

/** Reads the fields of the metadata that have a meaning for the hub. Label and grade count only with a job. */
export const factsOf = ({ metadata }: Pick<Player, 'metadata'>): PlayerFacts => {
  const jobName = textOf(metadata['job']);
  const minutes = wholeOf(metadata['playedMinutes']);
  return {
    jobName,
    jobLabel: jobName === null ? null : textOf(metadata['jobLabel']),
    jobGrade: jobName === null ? null : wholeOf(metadata['jobGrade']),
    groupName: textOf(metadata['group']),
    playedMinutes: minutes === null || minutes < 0 ? null : minutes,
  };
};
