import { readAmount, readGrade } from '../amount.ts';
import type { components } from '../api-types.ts';
import { fieldsBesidePlayer, playerParamOf, readField } from '../fields.ts';

type Scope = components['schemas']['PanelSession']['scopes'][number];

type Named = { name: string; label: string };
type Action = components['schemas']['Action'];

/** The built-in commands of batches and schedules, by the names of the texts. */
export type BuiltInTask = 'give' | 'take' | 'giveItem' | 'takeItem' | 'giveVehicle' | 'job' | 'announce';
/** These, and those that a game server declares. */
export type TaskKind = BuiltInTask | `custom:${string}`;

const SCOPES: Record<BuiltInTask, Scope> = {
  give: 'commands:money',
  take: 'commands:money',
  giveItem: 'commands:items',
  takeItem: 'commands:items',
  giveVehicle: 'commands:vehicles',
  job: 'commands:job',
  announce: 'commands:announce',
};

export const isCustomTask = (kind: TaskKind): kind is `custom:${string}` => kind.startsWith('custom:');

/** The scope that a key needs for the command itself. */
export const scopeOfTask = (kind: TaskKind): Scope => (isCustomTask(kind) ? 'commands:custom' : SCOPES[kind]);

/** The kind of a declared command. */
export const customTask = ({ name }: Action): TaskKind => `custom:${name}`;

/** Whether a declared command names a player: a batch sends it to each of many. */
export const namesPlayer = (action: Action): boolean => {
  const properties = action.params['properties'];
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, playerParamOf(action));
};

/** Items for each player. */
export const MAX_COUNT = 1_000_000;

/** A task as it is typed. */
export type TaskDraft = {
  kind: TaskKind;
  account: string;
  amount: string;
  item: Named | undefined;
  count: string;
  model: Named | undefined;
  /** With its grades, if they are known. */
  job: components['schemas']['CatalogueEntry'] | undefined;
  grade: string;
  /** The fields of a declared command. */
  custom: Readonly<Record<string, string>>;
  reason: string;
  message: string;
  /** Identifiers, as they were pasted. */
  players: string;
  isEverybody: boolean;
  isPatient: boolean;
};

export const EMPTY_TASK: TaskDraft = {
  kind: 'give',
  account: 'bank',
  amount: '',
  item: undefined,
  count: '1',
  model: undefined,
  job: undefined,
  grade: '0',
  custom: {},
  reason: '',
  message: '',
  players: '',
  isEverybody: false,
  isPatient: false,
};

export type Task = {
  name: string;
  params: Record<string, unknown>;
  targets?: string[] | { online: true };
  deliver?: 'when_online';
};

/** The identifiers of a pasted list. */
export const readPlayers = (text: string): string[] => text.split(/[\s,;]+/).filter((each) => each !== '');

/** `customs`: the declared commands of the game server. */
type Bounds = { locale: string; max: number; customs?: readonly Action[] };

/** The parameters of a declared command without its player; undefined while one is missing or wrong. */
const readCustom = (action: Action, typed: TaskDraft['custom']): Task['params'] | undefined => {
  const read = fieldsBesidePlayer(action).map(
    (field) => [field.name, readField(field, typed[field.name] ?? '')] as const,
  );
  if (read.some(([, result]) => 'fault' in result)) return undefined;
  return Object.fromEntries(
    read.flatMap(([name, result]) => ('value' in result && result.value !== undefined ? [[name, result.value]] : [])),
  );
};

const paramsOf = (
  draft: TaskDraft,
  { locale, max, customs = [] }: Bounds,
): Pick<Task, 'name' | 'params'> | undefined => {
  const { kind } = draft;
  if (isCustomTask(kind)) {
    const action = customs.find((each) => customTask(each) === kind);
    const params = action && readCustom(action, draft.custom);
    return params && { name: kind, params };
  }
  const action = kind === 'give' || kind === 'giveItem' ? 'add' : 'remove';
  const reason = draft.reason.trim();
  const account = draft.account.trim();
  switch (kind) {
    case 'announce': {
      const message = draft.message.trim();
      return message === '' ? undefined : { name: 'announce', params: { message } };
    }
    case 'give':
    case 'take': {
      const amount = readAmount(draft.amount, { locale, max });
      if (typeof amount !== 'number' || account === '' || reason === '') return undefined;
      return { name: 'money', params: { type: account, amount, action, reason } };
    }
    case 'giveVehicle':
      if (draft.model === undefined || reason === '') return undefined;
      return { name: 'vehicles', params: { action: 'give', model: draft.model.name, reason } };
    case 'job': {
      const grade = readGrade(draft.grade);
      if (draft.job === undefined || grade === undefined || reason === '') return undefined;
      return { name: 'job', params: { job: draft.job.name, grade, reason } };
    }
    default: {
      const count = readAmount(draft.count, { locale, max: MAX_COUNT });
      if (typeof count !== 'number' || draft.item === undefined || reason === '') return undefined;
      return { name: 'items', params: { item: draft.item.name, count, action, reason } };
    }
  }
};

/** The command of a task with its players; undefined while something is missing or wrong. */
export const readTask = (draft: TaskDraft, bounds: Bounds): Task | undefined => {
  const command = paramsOf(draft, bounds);
  if (command === undefined || command.name === 'announce') return command;
  const targets = draft.isEverybody ? { online: true as const } : readPlayers(draft.players);
  if (Array.isArray(targets) && targets.length === 0) return undefined;
  return { ...command, targets, ...(draft.isPatient && { deliver: 'when_online' as const }) };
};

const KINDS: Record<string, Partial<Record<string, TaskKind>>> = {
  money: { add: 'give', remove: 'take' },
  items: { add: 'giveItem', remove: 'takeItem' },
  vehicles: { give: 'giveVehicle' },
};
const FIELDS: Record<string, readonly string[]> = {
  money: ['type', 'amount', 'action', 'reason'],
  items: ['item', 'count', 'action', 'reason'],
  vehicles: ['model', 'action', 'reason'],
  job: ['job', 'grade', 'reason'],
  announce: ['message'],
};

const named = (value: unknown): Named => ({ name: String(value), label: String(value) });

/** The fields of a stored command. */
const typedOf = (name: string, params: Record<string, unknown>): Partial<TaskDraft> => {
  if (name === 'money') return { account: String(params['type']), amount: String(params['amount']) };
  if (name === 'vehicles') return { model: named(params['model']) };
  if (name === 'job') return { job: named(params['job']), grade: String(params['grade']) };
  return { item: named(params['item']), count: String(params['count']) };
};

/** A stored task for the form; undefined: the form has no fields for all that it has. */
export const taskDraftOf = (task: Record<string, unknown>): TaskDraft | undefined => {
  const { name, targets, deliver } = task;
  const params = (task['params'] ?? {}) as Record<string, unknown>;
  const fields = Object.hasOwn(FIELDS, String(name)) ? FIELDS[String(name)] : undefined;
  if (fields === undefined || Object.keys(params).some((each) => !fields.includes(each))) return undefined;
  if (name === 'announce') return { ...EMPTY_TASK, kind: 'announce', message: String(params['message']) };
  const kind = name === 'job' ? 'job' : KINDS[String(name)]?.[String(params['action'])];
  if (kind === undefined || targets === undefined || deliver === 'when_connected') return undefined;
  return {
    ...{ ...EMPTY_TASK, kind, reason: String(params['reason'] ?? '') },
    ...typedOf(String(name), params),
    players: Array.isArray(targets) ? targets.join('\n') : '',
    isEverybody: !Array.isArray(targets),
    isPatient: deliver === 'when_online',
  };
};
