import type { components } from './api-types.ts';

type Schema = {
  type?: unknown;
  enum?: unknown;
  minimum?: unknown;
  maximum?: unknown;
  minLength?: unknown;
  maxLength?: unknown;
  description?: unknown;
};

type Action = components['schemas']['Action'];
type Role = 'amount' | 'item' | 'player' | 'reason';
const ROLES: readonly Role[] = ['amount', 'item', 'player', 'reason'];

/** One parameter of a custom command, as people fill it in. */
export type Field = {
  name: string;
  role: Role | undefined;
  /** `json`: a value without its own kind of field is typed as JSON. */
  is: 'text' | 'number' | 'choice' | 'json';
  isRequired: boolean;
  hint: string;
  choices: readonly unknown[];
  schema: Schema;
};

/** The error in a typed value; `wrong` may name the bounds of a number. */
export type Fault = 'missing' | 'number' | 'wrong' | 'json';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const choicesOf = ({ enum: given, type }: Schema): readonly unknown[] =>
  Array.isArray(given) ? given : type === 'boolean' ? [true, false] : [];

const kindOf = (schema: Schema, role: Role | undefined): Field['is'] => {
  if (choicesOf(schema).length > 0) return 'choice';
  if (schema.type === 'number' || schema.type === 'integer' || role === 'amount') return 'number';
  return schema.type === 'string' || role !== undefined ? 'text' : 'json';
};

/** The place of a field in its form: the required ones first, the reason last. */
const placeOf = ({ isRequired, role }: Field): number => (role === 'reason' ? 2 : isRequired ? 0 : 1);

export const playerParamOf = ({ roles }: Action): string => roles?.player ?? 'target';

/** The fields of a custom command, the required ones first, each as its JSON Schema and its role describe it. */
export const fieldsOf = ({ params, roles }: Action): Field[] => {
  const properties = isObject(params['properties']) ? Object.entries(params['properties']) : [];
  const required = Array.isArray(params['required']) ? params['required'] : [];
  const fields = properties.map(([name, given]): Field => {
    const schema: Schema = isObject(given) ? given : {};
    const hint = typeof schema.description === 'string' ? schema.description : '';
    const role = ROLES.find((each) => roles?.[each] === name);
    const isRequired = required.includes(name) || (role === 'reason' && roles?.reasonRequired === true);
    return { name, role, is: kindOf(schema, role), isRequired, hint, choices: choicesOf(schema), schema };
  });
  return fields.toSorted((a, b) => placeOf(a) - placeOf(b));
};

/** The same without the one that names the player. */
export const fieldsBesidePlayer = (action: Action): Field[] =>
  fieldsOf(action).filter(({ name }) => name !== playerParamOf(action));

export const choiceText = (choice: unknown): string => (typeof choice === 'string' ? choice : JSON.stringify(choice));

const NUMBER = /^-?\d+(\.\d+)?$/;
const isBelow = (value: number, bound: unknown): boolean => typeof bound === 'number' && value < bound;
const isAbove = (value: number, bound: unknown): boolean => typeof bound === 'number' && value > bound;

const readNumber = (typed: string, { type, minimum, maximum }: Schema): { value: number } | { fault: Fault } => {
  const value = NUMBER.test(typed.trim()) ? Number(typed) : Number.NaN;
  if (!Number.isFinite(value) || (type === 'integer' && !Number.isSafeInteger(value))) return { fault: 'number' };
  return isBelow(value, minimum) || isAbove(value, maximum) ? { fault: 'wrong' } : { value };
};

const readText = (typed: string, { minLength, maxLength }: Schema): { value: string } | { fault: Fault } => {
  const length = [...typed].length;
  return isBelow(length, minLength) || isAbove(length, maxLength) ? { fault: 'wrong' } : { value: typed };
};

const readJson = (typed: string): { value: unknown } | { fault: Fault } => {
  try {
    return { value: JSON.parse(typed) as unknown };
  } catch {
    return { fault: 'json' };
  }
};

/** The value of a field, or its error; the hub checks the whole schema. An empty optional field has no value. */
export const readField = (
  { is, role, isRequired, choices, schema }: Field,
  typed: string,
): { value: unknown } | { fault: Fault } => {
  if ((role === 'reason' ? typed.trim() : typed) === '')
    return isRequired ? { fault: 'missing' } : { value: undefined };
  if (is === 'choice') {
    const at = choices.findIndex((choice) => choiceText(choice) === typed);
    // One that the command no longer declares.
    return at === -1 ? { fault: 'wrong' } : { value: choices[at] };
  }
  if (is === 'number') return readNumber(typed, schema);
  return is === 'text' ? readText(typed, schema) : readJson(typed);
};
