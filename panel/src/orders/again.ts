import type { components } from '../api-types.ts';
import type { Named, OrderDraft } from './draft.ts';

type Command = components['schemas']['Command'];

type Params = Readonly<Record<string, unknown>>;

/** The fields of the dialog of each command, beside its player. */
const FIELDS: Record<string, readonly string[]> = {
  kick: ['reason'],
  message: ['message'],
  revive: ['reason'],
  heal: ['reason'],
  freeze: ['frozen', 'reason'],
  teleport: ['to', 'reason'],
  money: ['type', 'action', 'amount', 'reason'],
  items: ['item', 'action', 'count', 'reason'],
  vehicles: ['action', 'model', 'plate', 'reason'],
  job: ['job', 'grade', 'reason'],
};

const named = (value: unknown): Named => ({ name: String(value), label: String(value) });
/** `deduct` is a caller's word for `remove`. */
const actionOf = ({ action }: Params): 'add' | 'remove' => (action === 'add' ? 'add' : 'remove');

const vehicleDraft = ({ action, model, plate }: Params): OrderDraft => {
  const held = plate === undefined ? {} : { plate: String(plate) };
  return action === 'give'
    ? { name: 'vehicles', action, model: named(model), ...held }
    : { name: 'vehicles', action: action === 'store' ? 'store' : 'take', ...held };
};

const draftIn = (name: string, params: Params): OrderDraft | undefined => {
  switch (name) {
    case 'kick':
    case 'revive':
    case 'heal':
      return { name };
    case 'message':
      return { name, message: String(params['message']) };
    case 'freeze':
      return { name, frozen: params['frozen'] === true };
    case 'teleport':
      return { name, to: params['to'] as NonNullable<Extract<OrderDraft, { name: 'teleport' }>['to']> };
    case 'money':
      return { name, action: actionOf(params), account: String(params['type']), amount: String(params['amount']) };
    case 'items':
      return { name, action: actionOf(params), item: named(params['item']), count: String(params['count']) };
    case 'vehicles':
      return vehicleDraft(params);
    case 'job':
      return { name, job: named(params['job']), grade: Number(params['grade']) };
    default:
      return undefined;
  }
};

const withoutPlayer = ({ target: _, ...params }: Params): Params => params;

/** A command that may be sent for longer than this waits for its server or its player. */
const NOW_MS = 3_600_000;

/** A command as a dialog proposes it again; undefined: no dialog has a field for all that it has, or it has waited. */
export const draftAgain = ({ name, params, createdAt, expiresAt }: Command): OrderDraft | undefined => {
  const fields = Object.hasOwn(FIELDS, name) ? (FIELDS[name] ?? []) : [];
  const isWhole = Object.keys(withoutPlayer(params)).every((field) => fields.includes(field));
  const isPatient = Date.parse(expiresAt) - Date.parse(createdAt) > NOW_MS;
  return isWhole && !isPatient ? draftIn(name, params) : undefined;
};

/** The dialogs send texts without blanks around them. */
const textIn = (value: unknown): string => {
  if (value === 'deduct') return '"remove"';
  return JSON.stringify(typeof value === 'string' ? value.trim() : (value ?? ''));
};

/** Whether the body of a request is that of a command that was sent before. */
export const isUnchanged = ({ params }: Command, body: object): boolean => {
  const { deliver = 'now', ...typed } = withoutPlayer(body as Params);
  const stored = withoutPlayer(params);
  const fields = new Set([...Object.keys(typed), ...Object.keys(stored)]);
  return deliver === 'now' && [...fields].every((field) => textIn(typed[field]) === textIn(stored[field]));
};
