import { readAmount } from '../amount.ts';
import type { components } from '../api-types.ts';

type Scope = components['schemas']['PanelSession']['scopes'][number];

/** The commands of batches and schedules, by the names of the texts. */
export type TaskKind = 'give' | 'take' | 'giveItem' | 'takeItem' | 'announce';

export const TASK_SCOPES: Record<TaskKind, Scope> = {
  give: 'commands:money',
  take: 'commands:money',
  giveItem: 'commands:items',
  takeItem: 'commands:items',
  announce: 'commands:announce',
};

/** Items for each player. */
export const MAX_COUNT = 1_000_000;

/** A task as it is typed. */
export type TaskDraft = {
  kind: TaskKind;
  account: string;
  amount: string;
  item: { name: string; label: string } | undefined;
  count: string;
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
  reason: '',
  message: '',
  players: '',
  isEverybody: false,
  isPatient: false,
};

export type Task = {
  name: 'money' | 'items' | 'announce';
  params: Record<string, unknown>;
  targets?: string[] | { online: true };
  deliver?: 'when_online';
};

/** The identifiers of a pasted list. */
export const readPlayers = (text: string): string[] => text.split(/[\s,;]+/).filter((each) => each !== '');

type Bounds = { locale: string; max: number };

const paramsOf = (draft: TaskDraft, { locale, max }: Bounds): Pick<Task, 'name' | 'params'> | undefined => {
  const { kind } = draft;
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
};
const FIELDS: Record<string, readonly string[]> = {
  money: ['type', 'amount', 'action', 'reason'],
  items: ['item', 'count', 'action', 'reason'],
  announce: ['message'],
};

/** A stored task for the form; undefined: the form has no fields for all that it has. */
export const taskDraftOf = (task: Record<string, unknown>): TaskDraft | undefined => {
  const { name, targets, deliver } = task;
  const params = (task['params'] ?? {}) as Record<string, unknown>;
  const fields = Object.hasOwn(FIELDS, String(name)) ? FIELDS[String(name)] : undefined;
  if (fields === undefined || Object.keys(params).some((each) => !fields.includes(each))) return undefined;
  if (name === 'announce') return { ...EMPTY_TASK, kind: 'announce', message: String(params['message']) };
  const kind = KINDS[String(name)]?.[String(params['action'])];
  if (kind === undefined || targets === undefined || deliver === 'when_connected') return undefined;
  const item = String(params['item'] ?? '');
  return {
    ...{ ...EMPTY_TASK, kind, reason: String(params['reason'] ?? '') },
    ...(name === 'money'
      ? { account: String(params['type']), amount: String(params['amount']) }
      : { item: { name: item, label: item }, count: String(params['count']) }),
    players: Array.isArray(targets) ? targets.join('\n') : '',
    isEverybody: !Array.isArray(targets),
    isPatient: deliver === 'when_online',
  };
};
