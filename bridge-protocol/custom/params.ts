import type { ParamsSchema } from './schema.ts';
import { below, canonicalJson, type Fault, type Fields, isFields } from './values.ts';

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
