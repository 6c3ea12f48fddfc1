import { readAmount } from '../amount.ts';
import type { components } from '../api-types.ts';
import { choiceText, type Fault, type Field, fieldsOf, playerParamOf, readField } from '../fields.ts';

type Schemas = components['schemas'];
type Params = Record<string, unknown>;
export type Packages = Schemas['Integration']['packages'];
type Mapped = Packages[string][number];
type Action = Schemas['Action'];

/** The built-in commands of packages. */
export const BUILT_IN = ['money', 'items', 'vehicles', 'job'] as const;
export type BuiltIn = (typeof BUILT_IN)[number];
export const CUSTOM = 'custom:';

/** A command of a package. `given`: its stored parameters; `typed`: the texts of the fields that were changed. */
export type Row = { key: number; name: string; given: Params; typed: Readonly<Record<string, string>> };
export type PackageDraft = { key: number; id: string; rows: readonly Row[] };

/**
 * The facts that a form needs. `max`: the largest amount; `accounts`, `customs`: the accounts of the game server, and its declared
 * commands by their names.
 */
export type Rules = { locale: string; max: number; accounts: readonly string[]; customs: ReadonlyMap<string, Action> };
export type RowFault = Fault | 'choose' | 'amount' | 'large' | 'grade';

/** Items of one command. */
export const MAX_COUNT = 1_000_000;
/** The name of the field for all parameters of a command without fields. */
export const JSON_FIELD = '';

const FIXED: Record<BuiltIn, Params> = {
  money: { action: 'add' },
  items: { action: 'add' },
  vehicles: { action: 'give' },
  job: {},
};
const FIRST_TYPED: Record<BuiltIn, Row['typed']> = {
  money: { type: 'bank' },
  items: { count: '1' },
  vehicles: {},
  job: { grade: '0' },
};
const FIELDS: Record<BuiltIn, readonly string[]> = {
  money: ['type', 'amount', 'reason'],
  items: ['item', 'count', 'reason'],
  vehicles: ['model', 'reason'],
  job: ['job', 'grade', 'reason'],
};

const isBuiltIn = (name: string): name is BuiltIn => BUILT_IN.some((each) => each === name);

type Form = BuiltIn | Action;

/** The form of a row: that of a built-in command or of a declared one. Undefined: its parameters are JSON. */
export const formOf = ({ name, given }: Row, customs: Rules['customs']): Form | undefined => {
  if (!isBuiltIn(name)) return customs.get(name.slice(CUSTOM.length));
  return name === 'vehicles' && (given['action'] ?? 'give') !== 'give' ? undefined : name;
};

/** The fields of a declared command; the buyer is its player. */
export const fieldsOfBuyer = (action: Action): Field[] =>
  fieldsOf(action).filter(({ name }) => name !== playerParamOf(action));

const textIn = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** The text of a field. */
export const textOf = ({ given, typed }: Row, field: string): string => typed[field] ?? textIn(given[field]);

/** The text of a field of a declared command. */
export const fieldText = (row: Row, { name, is }: Field): string => {
  const value = row.given[name];
  if (row.typed[name] !== undefined || value === undefined) return textOf(row, name);
  if (is === 'json') return JSON.stringify(value);
  return is === 'choice' ? choiceText(value) : textOf(row, name);
};

/** The text of the JSON field. */
export const jsonText = ({ given, typed }: Row): string =>
  typed[JSON_FIELD] ?? (Object.keys(given).length === 0 ? '' : JSON.stringify(given));

/** The names of the parameters that have a field. */
export const shownFields = (form: Form): readonly string[] =>
  typeof form === 'string' ? FIELDS[form] : fieldsOfBuyer(form).map(({ name }) => name);

/** Stored parameters without a field in the form; they are kept. */
export const keptParams = ({ given }: Row, form: Form): Params => {
  const fixed = typeof form === 'string' ? FIXED[form] : {};
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => !shownFields(form).includes(name) && fixed[name] !== value),
  );
};

type ReadField = { value: unknown } | { fault: RowFault };

const readBuiltIn = (field: string, text: string, { locale, max }: Rules): ReadField => {
  if (field === 'reason') return { value: text.trim() === '' ? undefined : text.trim() };
  if (field === 'grade') return /^\d+$/.test(text.trim()) ? { value: Number(text) } : { fault: 'grade' };
  if (field === 'amount' || field === 'count') {
    const value = readAmount(text, { locale, max: field === 'count' ? MAX_COUNT : max });
    return typeof value === 'number' ? { value } : { fault: value === 'wrong' ? 'amount' : value };
  }
  if (text.trim() !== '') return { value: text.trim() };
  return { fault: field === 'type' ? 'missing' : 'choose' };
};

const readJson = (text: string): ReadField => {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { value } : { fault: 'json' };
  } catch {
    return { fault: 'json' };
  }
};

type ReadRow = { command: Mapped } | { faults: Partial<Record<string, RowFault>> };

/** The command of a row, or the faults of its fields. */
export const readRow = (row: Row, rules: Rules): ReadRow => {
  const { name } = row;
  if (name === CUSTOM) return { faults: { name: 'missing' } };
  const form = formOf(row, rules.customs);
  if (form === undefined) {
    const read = readJson(jsonText(row));
    return 'fault' in read
      ? { faults: { [JSON_FIELD]: read.fault } }
      : { command: { name, params: read.value as Params } };
  }
  const read: [string, ReadField][] =
    typeof form === 'string'
      ? FIELDS[form].map((field) => [field, readBuiltIn(field, textOf(row, field), rules)])
      : fieldsOfBuyer(form).map((field) => [field.name, readField(field, fieldText(row, field))]);
  const faults = read.flatMap(([field, result]) => ('fault' in result ? [[field, result.fault]] : []));
  if (faults.length > 0) return { faults: Object.fromEntries(faults) };
  const values = read.flatMap(([field, result]) =>
    'value' in result && result.value !== undefined ? [[field, result.value]] : [],
  );
  const fixed = typeof form === 'string' ? FIXED[form] : {};
  return { command: { name, params: { ...fixed, ...keptParams(row, form), ...Object.fromEntries(values) } } };
};

/** Whether two packages have the same id. */
export const isTwice = (packages: readonly PackageDraft[], { key, id }: PackageDraft): boolean =>
  packages.some((other) => other.key !== key && other.id.trim() === id.trim());

/** Whether a package cannot be sent as it is typed. */
export const isFaulty = (packages: readonly PackageDraft[], one: PackageDraft, rules: Rules): boolean =>
  one.id.trim() === '' || isTwice(packages, one) || one.rows.some((row) => 'faults' in readRow(row, rules));

/** The typed mapping; undefined: something is missing or wrong. */
export const readPackages = (packages: readonly PackageDraft[], rules: Rules): Packages | undefined => {
  if (packages.some((one) => isFaulty(packages, one, rules))) return undefined;
  const commands = (rows: readonly Row[]): Mapped[] =>
    rows.flatMap((row) => {
      const read = readRow(row, rules);
      return 'command' in read ? [read.command] : [];
    });
  return Object.fromEntries(packages.map(({ id, rows }) => [id.trim(), commands(rows)]));
};

/** A new command. */
export const newRow = (key: number, name: string): Row => ({
  key,
  name,
  given: {},
  typed: isBuiltIn(name) ? FIRST_TYPED[name] : {},
});

/** The next key in a list. */
export const nextKey = (list: readonly { key: number }[]): number => Math.max(0, ...list.map(({ key }) => key)) + 1;

/** A stored mapping for the form. */
export const draftOf = (packages: Packages): PackageDraft[] =>
  Object.entries(packages).map(([id, commands], key) => ({
    key,
    id,
    rows: commands.map(({ name, params }, place) => ({ key: place, name, given: params, typed: {} })),
  }));
