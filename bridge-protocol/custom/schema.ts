import * as z from 'zod/mini';
import { isLongerThan, isNestedDeeperThan } from '../wire/codec.ts';
import { LIMITS } from '../wire/limits.ts';
import { count, emptyAsObject } from '../wire/player.ts';

const jsonType = z.enum(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);

type JsonType = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null';

/** A JSON Schema as custom commands may use it: each keyword as in draft 2020-12, and no others. */
export type ParamsSchema = {
  type?: JsonType | JsonType[] | undefined;
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
} & { [K in Bound]?: number | undefined };
type Bound =
  | `${'min' | 'max'}${'Length' | 'Items' | 'Properties'}`
  | `${'m' | 'exclusiveM'}${'inimum' | 'aximum'}`
  | 'multipleOf';

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
