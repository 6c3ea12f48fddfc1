import { readAmount, readGrade } from '../amount.ts';
import type { components } from '../api-types.ts';
import { choiceText, type Fault, type Field, fieldsBesidePlayer, fieldsOf, readField } from '../fields.ts';
import type { MessageKey } from '../messages/keys.ts';
import { CUSTOM, type Draft, fixedFields, isCustomName, type Kind, kindOf, type Params } from './kinds.ts';

type Action = components['schemas']['Action'];
type Command = { name: string; params: Record<string, unknown> };

export type BuiltInField = {
  name: string;
  is: 'whole' | 'account' | 'thing' | 'grade' | 'owned' | 'plate' | 'message' | 'place' | 'reason';
  label: MessageKey;
  forMany?: MessageKey;
  /** The catalogue of the game server that lists its things. */
  of?: Catalogue;
  first?: string;
};
/** A list of things that a game server has. */
export type Catalogue = 'items' | 'vehicles' | 'jobs';

export type Rules = {
  locale: string;
  max: number;
  /** Accounts of the game server, or of the player. Empty: nobody knows them yet. */
  accounts: readonly string[];
  customs: ReadonlyMap<string, Action>;
  /** The built-in commands that the project refuses without a reason. */
  reasonFor: readonly string[];
  /** The form asks for the player of a declared command, too. */
  hasPlayer?: boolean;
};
export type FormFault = Fault | 'choose' | 'amount' | 'large' | 'grade' | 'place' | 'message' | 'reason';

/** Items of one command. */
export const MAX_COUNT = 1_000_000;
/** The name of the field for all parameters of a command without fields. */
export const JSON_FIELD = '';

const REASON: BuiltInField = { name: 'reason', is: 'reason', label: 'dialog.reason.optional' };
const MONEY: BuiltInField[] = [
  { name: 'amount', is: 'whole', label: 'dialog.amount', forMany: 'task.amount' },
  { name: 'type', is: 'account', label: 'dialog.account' },
  REASON,
];
const ITEMS: BuiltInField[] = [
  { name: 'item', is: 'thing', of: 'items', label: 'dialog.item' },
  { name: 'count', is: 'whole', first: '1', label: 'dialog.count', forMany: 'task.count' },
  REASON,
];
const NEW_VEHICLE: BuiltInField[] = [
  { name: 'model', is: 'thing', of: 'vehicles', label: 'dialog.model' },
  { name: 'plate', is: 'plate', label: 'dialog.plate' },
  REASON,
];
const OWN_VEHICLE: BuiltInField[] = [{ name: 'plate', is: 'owned', label: 'command.vehicles' }, REASON];
const JOB: BuiltInField[] = [
  { name: 'job', is: 'thing', of: 'jobs', label: 'command.job' },
  { name: 'grade', is: 'grade', first: '0', label: 'dialog.grade' },
  REASON,
];
const TEXT: BuiltInField[] = [{ name: 'message', is: 'message', label: 'dialog.message.field' }];
const PLACE: BuiltInField[] = [{ name: 'to', is: 'place', label: 'dialog.place' }, REASON];

const FIELDS: Record<Kind, readonly BuiltInField[]> = {
  kick: [REASON],
  give: MONEY,
  take: MONEY,
  giveItem: ITEMS,
  takeItem: ITEMS,
  giveVehicle: NEW_VEHICLE,
  takeVehicle: OWN_VEHICLE,
  storeVehicle: OWN_VEHICLE,
  job: JOB,
  message: TEXT,
  announce: TEXT,
  revive: [REASON],
  heal: [REASON],
  freeze: [REASON],
  unfreeze: [REASON],
  teleport: PLACE,
};

type Form = { kind: Kind; fields: readonly BuiltInField[] } | { kind: undefined; fields: readonly Field[] };

/** The fields of a command, built in or declared. Undefined: its parameters are JSON. */
export const formOf = (draft: Draft, { customs, hasPlayer = false }: Rules): Form | undefined => {
  const kind = kindOf(draft);
  if (kind !== undefined) return { kind, fields: FIELDS[kind] };
  const action = isCustomName(draft.name) ? customs.get(draft.name.slice(CUSTOM.length)) : undefined;
  return action && { kind, fields: hasPlayer ? fieldsOf(action) : fieldsBesidePlayer(action) };
};

const textIn = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);

const isBuiltIn = (field: BuiltInField | Field): field is BuiltInField => !('isRequired' in field);

const firstText = ({ is, first = '' }: BuiltInField, { accounts }: Rules): string => {
  if (is !== 'account') return first;
  return accounts.includes('bank') ? 'bank' : (accounts[0] ?? 'bank');
};

export const textOf = ({ given, typed }: Draft, field: BuiltInField | Field, rules: Rules): string => {
  const [text, value] = [typed[field.name], given[field.name]];
  if (text !== undefined) return text;
  if (isBuiltIn(field)) return value === undefined ? firstText(field, rules) : textIn(value);
  if (value === undefined) return '';
  if (field.is === 'json') return JSON.stringify(value);
  return field.is === 'choice' ? choiceText(value) : textIn(value);
};

/** The text of a field by its name; empty if the form has none. */
export const textNamed = (draft: Draft, name: string, rules: Rules): string => {
  const field = formOf(draft, rules)?.fields.find((each) => each.name === name);
  return field === undefined ? '' : textOf(draft, field, rules);
};

export const jsonText = ({ given, typed }: Draft): string =>
  typed[JSON_FIELD] ?? (Object.keys(given).length === 0 ? '' : JSON.stringify(given));

/** Stored parameters without a field in the form; they are kept. */
export const keptParams = ({ given }: Draft, { kind, fields }: Form): Params => {
  const known = new Set([...fields.map(({ name }) => name), ...(kind === undefined ? [] : fixedFields(kind))]);
  return Object.fromEntries(Object.entries(given).filter(([name]) => !known.has(name)));
};

type ReadValue = { value: unknown } | { fault: FormFault };
const readJson = (text: string): ReadValue => {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { value } : { fault: 'json' };
  } catch {
    return { fault: 'json' };
  }
};

type Place = { player: string } | { x: number; y: number; z: number };

const COORDINATES = /^\s*(-?\d+(?:\.\d+)?)[\s,]+(-?\d+(?:\.\d+)?)[\s,]+(-?\d+(?:\.\d+)?)\s*$/;

/** A place as three numbers, or as it is stored, which may be another player. */
export const readPlace = (text: string): Place | undefined => {
  if (text.startsWith('{')) {
    const read = readJson(text);
    return 'value' in read ? (read.value as Place) : undefined;
  }
  const [, x, y, z] = COORDINATES.exec(text) ?? [];
  return z === undefined ? undefined : { x: Number(x), y: Number(y), z: Number(z) };
};

const readBuiltIn = ({ name, is }: BuiltInField, text: string, rules: Rules, isReasoned: boolean): ReadValue => {
  const value = text.trim();
  switch (is) {
    case 'whole': {
      const amount = readAmount(text, { locale: rules.locale, max: name === 'count' ? MAX_COUNT : rules.max });
      return typeof amount === 'number' ? { value: amount } : { fault: amount === 'wrong' ? 'amount' : amount };
    }
    case 'grade': {
      const grade = readGrade(text);
      return grade === undefined ? { fault: 'grade' } : { value: grade };
    }
    case 'place': {
      const place = readPlace(text);
      return place === undefined ? { fault: 'place' } : { value: place };
    }
    default: {
      if (value !== '') return { value };
      const isOptional = is === 'plate' || (is === 'reason' && !isReasoned);
      return isOptional
        ? { value: undefined }
        : { fault: is === 'thing' ? 'choose' : is === 'reason' || is === 'message' ? is : 'missing' };
    }
  }
};

type ReadDraft = { command: Command } | { faults: Partial<Record<string, FormFault>> };

export const readDraft = (draft: Draft, rules: Rules): ReadDraft => {
  const { name } = draft;
  if (name === CUSTOM) return { faults: { name: 'missing' } };
  const form = formOf(draft, rules);
  if (form === undefined) {
    const read = readJson(jsonText(draft));
    return 'fault' in read
      ? { faults: { [JSON_FIELD]: read.fault } }
      : { command: { name, params: read.value as Command['params'] } };
  }
  const read = form.fields.map((field): [string, ReadValue] => {
    const text = textOf(draft, field, rules);
    return [
      field.name,
      isBuiltIn(field) ? readBuiltIn(field, text, rules, rules.reasonFor.includes(name)) : readField(field, text),
    ];
  });
  const faults = read.flatMap(([field, result]) => ('fault' in result ? [[field, result.fault]] : []));
  if (faults.length > 0) return { faults: Object.fromEntries(faults) };
  const values = read.flatMap(([field, result]) =>
    'value' in result && result.value !== undefined ? [[field, result.value]] : [],
  );
  const others = Object.entries(draft.given).filter(([field]) => !form.fields.some((each) => each.name === field));
  return { command: { name, params: Object.fromEntries([...others, ...values]) } };
};

/** Whether what was typed says the same as what is stored; blanks around a text say nothing. */
export const isUnchanged = ({ given, typed }: Draft, read: ReadDraft): boolean =>
  Object.keys(typed).every(
    (field) => 'command' in read && textIn(read.command.params[field]).trim() === textIn(given[field]).trim(),
  );

/** A stored built-in command for a form; undefined: the form has no fields for all that it has. */
export const draftOf = (name: string, given: Params): Draft | undefined => {
  const draft: Draft = { name, given, typed: {} };
  const kind = kindOf(draft);
  const isWhole = kind && Object.keys(keptParams(draft, { kind, fields: FIELDS[kind] })).length === 0;
  return isWhole ? draft : undefined;
};

/** A command as a dialog proposes it again; undefined: no dialog has a field for all that it has, or it may wait. */
export const draftAgain = (command: components['schemas']['Command']): Draft | undefined => {
  const { target: _, ...given } = command.params;
  return command.deliver === undefined ? draftOf(command.name, given) : undefined;
};
