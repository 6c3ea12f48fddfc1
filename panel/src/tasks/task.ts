import type { components } from '../api-types.ts';
import { draftOf, formOf, type Rules, readDraft } from '../commands/form.ts';
import { type Draft, type Kind, newDraft, type Params } from '../commands/kinds.ts';
import { playerParamOf } from '../fields.ts';

type Action = components['schemas']['Action'];

/** Whether a declared command names a player: a batch sends it to each of many. */
export const namesPlayer = (action: Action): boolean => {
  const properties = action.params['properties'];
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, playerParamOf(action));
};

/** A command for many players, as it is typed. */
export type TaskDraft = {
  command: Draft;
  /** Identifiers, as they were pasted. */
  players: string;
  isEverybody: boolean;
  /** All who have this job when it runs; empty: it does not matter. */
  job: string;
  isPatient: boolean;
};

export const newTask = (kind: Kind): TaskDraft => ({
  command: newDraft(kind),
  ...{ players: '', isEverybody: false, job: '', isPatient: false },
});

export type Task = {
  name: string;
  params: Record<string, unknown>;
  targets?: string[] | { online?: true; job?: string };
  deliver?: 'when_online';
};

/** The identifiers of a pasted list. */
export const readPlayers = (text: string): string[] => text.split(/[\s,;]+/).filter((each) => each !== '');

/** The command of a task with its players; undefined while something is missing or wrong. */
export const readTask = (
  { command, players, isEverybody, job, isPatient }: TaskDraft,
  rules: Rules,
): Task | undefined => {
  // Without its declaration, nobody knows what a command needs.
  const read = formOf(command, rules) && readDraft(command, rules);
  if (read === undefined || 'faults' in read) return undefined;
  if (command.name === 'announce') return read.command;
  const matching = { ...(isEverybody && { online: true as const }), ...(job !== '' && { job }) };
  const targets = isEverybody || job !== '' ? matching : readPlayers(players);
  if (Array.isArray(targets) && targets.length === 0) return undefined;
  return { ...read.command, targets, ...(isPatient && { deliver: 'when_online' as const }) };
};

/** A stored task for the form; undefined: the form has no fields for all that it has. */
export const taskDraftOf = ({ name, params, targets, deliver }: Record<string, unknown>): TaskDraft | undefined => {
  const command = draftOf(String(name), (params ?? {}) as Params);
  if (command === undefined) return undefined;
  const isForPlayers = name !== 'announce';
  const { job, group, online } = (targets ?? {}) as { job?: string; group?: string; online?: true };
  const isOther = targets === undefined || group !== undefined || deliver === 'when_connected';
  if (isForPlayers && isOther) return undefined;
  return {
    command,
    players: Array.isArray(targets) ? targets.join('\n') : '',
    isEverybody: online === true,
    job: job ?? '',
    isPatient: deliver === 'when_online',
  };
};
