import * as z from 'zod/mini';
import { isLongerThan, isNestedDeeperThan } from '../wire/codec.ts';
import { LIMITS } from '../wire/limits.ts';
import { count, emptyAsObject } from '../wire/player.ts';

/** The fault of a value, and its place as a JSON pointer. */
export type Fault = { pointer: string; detail: string };
export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The pointer of a member; names are cut, because callers choose them. */
export const below = (pointer: string, name: string | number): string =>
  `${pointer}/${String(name).slice(0, 64).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** A copy with sorted keys, so that the same value is the same JSON. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isFields(value)) return value;
  // fromEntries defines `__proto__` as a plain key, an assignment would not.
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
};

/** The JSON of a value, whatever the order of its keys. */
export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value));

const textFault = (text: string): string | undefined =>
  text.isWellFormed() && !text.includes('\0') ? undefined : 'must be valid text without NUL';

const REFUSED_NAMES: ReadonlySet<string> = new Set(['__proto__']);

/** The first value that no command can carry. `left`: how many values there still may be. `refused`: names of no field. */
const valueFault = (
  value: unknown,
  at: string,
  room: { left: number; readonly refused: ReadonlySet<string> },
  depth: number,
): Fault | undefined => {
  const fault = (detail: string): Fault => ({ pointer: at, detail });
  room.left -= 1;
  if (room.left < 0) return fault(`parameters have at most ${LIMITS.customValues} values`);
  if (depth > LIMITS.customNesting) return fault(`parameters are nested at most ${LIMITS.customNesting} deep`);
  const problem = typeof value === 'string' ? textFault(value) : undefined;
  if (problem !== undefined) return fault(problem);
  if (typeof value === 'number' && !Number.isFinite(value)) return fault('must be a number that JSON has');
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const pointer = below(at, name);
    if (room.refused.has(name) || textFault(name) !== undefined)
      return { pointer, detail: 'this field does not exist here' };
    const found = valueFault(inner, pointer, room, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
};

/**
 * Reads a JSON value as the parameters of a custom command: one object within the bounds, its keys sorted. `refused`:
 * names that no field may have, however deep.
 */
export const readParams = (given: unknown, refused = REFUSED_NAMES): { params: Fields } | { fault: Fault } => {
  if (!isFields(given)) return { fault: { pointer: '/', detail: 'must be an object' } };
  const fault = valueFault(given, '', { left: LIMITS.customValues, refused }, 1);
  if (fault !== undefined) return { fault };
  const json = canonicalJson(given);
  const detail = `parameters have at most ${LIMITS.customDataBytes} bytes`;
  return isLongerThan(json, LIMITS.customDataBytes)
    ? { fault: { pointer: '/', detail } }
    : { params: JSON.parse(json) };
};

const jsonType = z.enum(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);

/** A JSON Schema as custom commands may use it: each keyword as in draft 2020-12, and no others. */
export type ParamsSchema = {
  type?: z.infer<typeof jsonType> | z.infer<typeof jsonType>[] | undefined;
  enum?: unknown[] | undefined;
  const?: unknown;
  properties?: Record<string, ParamsSchema> | undefined;
  required?: string[] | undefined;
  additionalProperties?: boolean | ParamsSchema | undefined;
  items?: ParamsSchema | undefined;
  anyOf?: ParamsSchema[] | undefined;
  oneOf?: ParamsSchema[] | undefined;
  allOf?: ParamsSchema[] | undefined;
  not?: ParamsSchema | undefined;
} & {
  [K in
    | `${'min' | 'max'}${'Length' | 'Items' | 'Properties'}`
    | `${'m' | 'exclusiveM'}${'inimum' | 'aximum'}`
    | 'multipleOf']?: number | undefined;
};

const note = z.optional(z.unknown());
const part = z.lazy((): z.ZodMiniType<ParamsSchema, unknown> => paramsSchema);
const parts = z.optional(z.array(part).check(z.minLength(1)));

const keywords = z.strictObject({
  type: z.optional(z.union([jsonType, z.array(jsonType).check(z.minLength(1))])),
  enum: z.optional(z.array(z.unknown()).check(z.minLength(1))),
  const: z.optional(z.unknown()),
  properties: z.optional(z.pipe(z.transform(emptyAsObject), z.record(z.string(), part))),
  required: z.optional(z.array(z.string())),
  additionalProperties: z.optional(z.union([z.boolean(), part])),
  minProperties: z.optional(count),
  maxProperties: z.optional(count),
  items: z.optional(part),
  minItems: z.optional(count),
  maxItems: z.optional(count),
  minLength: z.optional(count),
  maxLength: z.optional(count),
  minimum: z.optional(z.number()),
  maximum: z.optional(z.number()),
  exclusiveMinimum: z.optional(z.number()),
  exclusiveMaximum: z.optional(z.number()),
  multipleOf: z.optional(z.number().check(z.positive())),
  anyOf: parts,
  oneOf: parts,
  allOf: parts,
  not: z.optional(part),
  title: note,
  description: note,
  default: note,
  examples: note,
  deprecated: note,
  $comment: note,
  $schema: note,
});

/** Lua has one kind of table, and FXServer writes an empty one as a list. */
const paramsSchema: z.ZodMiniType<ParamsSchema, unknown> = z.pipe(z.transform(emptyAsObject), keywords);

const describe = ({ code, path, message, keys }: z.core.$ZodIssue & { keys?: string[] }): string => {
  const where = `/${path.join('/')}`;
  if (code === 'unrecognized_keys') return `${where}: ${keys?.join(', ')} cannot be used here`;
  return `${where}: ${message || 'not valid'}`;
};

/**
 * Reads the schema of a custom command's parameters, which are one object; `problem` says what is wrong with it and
 * where. Schemas and parameters come from game servers, so their sizes bound the time of a check.
 */
export const readSchema = (given: unknown): { schema: ParamsSchema } | { problem: string } => {
  const json = JSON.stringify(given) ?? '';
  if (isLongerThan(json, LIMITS.customSchemaBytes))
    return { problem: `over ${LIMITS.customSchemaBytes} bytes of JSON` };
  if (isNestedDeeperThan(json, LIMITS.customNesting)) return { problem: `nested over ${LIMITS.customNesting} deep` };
  const parsed = paramsSchema.safeParse(given);
  const [issue] = parsed.error?.issues ?? [];
  if (issue !== undefined) return { problem: describe(issue) };
  const { type = 'object', ...rest } = parsed.data ?? {};
  if (type !== 'object') return { problem: '/type: parameters are an object' };
  return { schema: { type, ...rest } };
};

type Check = (schema: ParamsSchema, value: unknown, pointer: string) => Fault | undefined;

const isOneOf = (values: readonly unknown[], value: unknown): boolean => {
  const json = canonicalJson(value);
  return values.some((one) => canonicalJson(one) === json);
};

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
};

const isOfType = (type: string, value: unknown): boolean =>
  type === 'integer' ? Number.isInteger(value) : typeOf(value) === type;

/** Characters, as JSON Schema counts them. */
const lengthOf = (text: string): number => [...text].length;

const within = (
  size: number,
  [least = 0, most = Number.POSITIVE_INFINITY]: (number | undefined)[],
  what: string,
): string | undefined => {
  if (size < least) return `must have at least ${least} ${what}`;
  return size > most ? `must have at most ${most} ${what}` : undefined;
};

const numberFault = (schema: ParamsSchema, value: number): string | undefined => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
  if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return `must be more than ${exclusiveMinimum}`;
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return `must be less than ${exclusiveMaximum}`;
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) return `must be a multiple of ${multipleOf}`;
  return undefined;
};

const first = <T>(items: readonly T[], look: (item: T, index: number) => Fault | undefined): Fault | undefined => {
  for (const [index, item] of items.entries()) {
    const fault = look(item, index);
    if (fault !== undefined) return fault;
  }
  return undefined;
};

const listFault = ({ minItems, maxItems, items }: ParamsSchema, list: unknown[], pointer: string) => {
  const detail = within(list.length, [minItems, maxItems], 'entries');
  if (detail !== undefined) return { pointer, detail };
  return items && first(list, (item, index) => faultOf(items, item, below(pointer, index)));
};

const objectFault = (schema: ParamsSchema, fields: Fields, pointer: string): Fault | undefined => {
  const { properties = {}, required = [], additionalProperties: others = true } = schema;
  const names = Object.keys(fields);
  const missing = required.find((name) => !Object.hasOwn(fields, name));
  if (missing !== undefined) return { pointer: below(pointer, missing), detail: 'is required' };
  const detail = within(names.length, [schema.minProperties, schema.maxProperties], 'fields');
  if (detail !== undefined) return { pointer, detail };
  return first(names, (name) => {
    const at = below(pointer, name);
    const inner = Object.hasOwn(properties, name) ? properties[name] : others;
    if (inner === false) return { pointer: at, detail: 'this field does not exist here' };
    return inner === true || inner === undefined ? undefined : faultOf(inner, fields[name], at);
  });
};

const combinationFault: Check = ({ allOf = [], anyOf, oneOf, not }, value, pointer) => {
  const fits = (schema: ParamsSchema): boolean => faultOf(schema, value, pointer) === undefined;
  if (anyOf?.some(fits) === false) return { pointer, detail: 'fits none of the forms that are allowed' };
  if (oneOf !== undefined && oneOf.filter(fits).length !== 1) {
    return { pointer, detail: 'must fit exactly one of the forms that are allowed' };
  }
  if (not !== undefined && fits(not)) return { pointer, detail: 'is what is not allowed' };
  return first(allOf, (schema) => faultOf(schema, value, pointer));
};

const ownFault: Check = (schema, value, pointer) => {
  const { type, enum: values } = schema;
  const types = type === undefined ? undefined : [type].flat();
  if (types?.some((one) => isOfType(one, value)) === false) return { pointer, detail: `must be ${types.join(' or ')}` };
  if (values !== undefined && !isOneOf(values, value)) {
    return { pointer, detail: `must be one of ${JSON.stringify(values).slice(0, 150)}` };
  }
  if ('const' in schema && !isOneOf([schema.const], value)) {
    return { pointer, detail: `must be ${JSON.stringify(schema.const).slice(0, 150)}` };
  }
  if (Array.isArray(value)) return listFault(schema, value, pointer);
  if (isFields(value)) return objectFault(schema, value, pointer);
  const detail =
    typeof value === 'string'
      ? within(lengthOf(value), [schema.minLength, schema.maxLength], 'characters')
      : typeof value === 'number'
        ? numberFault(schema, value)
        : undefined;
  return detail === undefined ? undefined : { pointer, detail };
};

const faultOf: Check = (schema, value, pointer) =>
  ownFault(schema, value, pointer) ?? combinationFault(schema, value, pointer);

/** The first fault of parameters against their schema. Hub and bridge use the same function. */
export const paramsFault = (schema: ParamsSchema, params: Fields): Fault | undefined => {
  const fault = faultOf(schema, params, '');
  return fault?.pointer === '' ? { ...fault, pointer: '/' } : fault;
};
