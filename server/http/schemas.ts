import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { COMMAND_STATUSES, type CommandStatus } from '../../db/schema/commands.ts';
import { SCOPES } from '../auth/credentials.ts';
import { ERRORS, type ErrorCode } from '../platform/errors.ts';
import { plainText } from '../platform/fields.ts';
import { type HeaderName, headers } from './document.ts';

export const instant = z.iso.datetime().openapi({ example: '2026-11-20T11:59:58.120Z' });
export const executed = z.enum(['yes', 'no', 'unknown']).openapi({ description: 'Whether the command took effect.' });

const codes = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];

export const commandStatus = z.enum(COMMAND_STATUSES);

const STATUSES: ReadonlySet<string> = new Set(COMMAND_STATUSES);
const ONE_OR_MORE = `one or more of ${COMMAND_STATUSES.join(', ')}`;

/** Statuses with commas between them, in a query. */
export const statusList = z
  .string()
  .refine((text) => text.split(',').every((each) => STATUSES.has(each)), `must be ${ONE_OR_MORE}`)
  .transform((text) => text.split(',') as CommandStatus[])
  .openapi({ type: 'string', example: 'failed,expired', description: `With commas between them: ${ONE_OR_MORE}.` });

/** The filter of a list by the person or program that acted. */
export const actorQuery = plainText(128).openapi({
  description: 'The id of a key, or a part of its name in any case.',
});

/** When something was made, in a query. */
export const madeWithin = {
  since: z.iso.datetime().optional().openapi({ description: 'Made at that time or later.' }),
  until: z.iso.datetime().optional().openapi({ description: 'Made before.' }),
};
/** The times of a query in epoch milliseconds. */
export const timesOf = ({ since, until }: { since?: string | undefined; until?: string | undefined }) => ({
  since: since === undefined ? since : Date.parse(since),
  until: until === undefined ? until : Date.parse(until),
});

/** RFC 9457. */
export const problemSchema = z
  .object({
    type: z.string().openapi({ example: '/docs/errors#player_offline' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string().optional().openapi({ description: 'Absent if the path of the request is unknown.' }),
    code: z.enum(codes),
    requestId: z.string(),
    executed,
    retryable: z.boolean(),
    errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
    command: z.object({ id: z.string(), status: commandStatus }).optional(),
    balance: z.number().optional().openapi({ description: 'With insufficient_funds: the balance of the account.' }),
    fits: z.int().optional().openapi({ description: 'With inventory_full, too_heavy: how many of the item fit.' }),
    count: z.int().optional().openapi({ description: 'With not_enough_items: how many the player has.' }),
    waiting: z
      .object({ of: z.enum(['player', 'server', 'project', 'bytes']), most: z.int() })
      .optional()
      .openapi({
        description:
          'With waiting_full: the bound that is reached. bytes: that of the parameters of all commands that wait in the project.',
      }),
    players: z
      .array(z.object({ identifier: z.string(), name: z.string(), online: z.boolean() }))
      .optional()
      .openapi({
        description: 'With player_ambiguous and a key with players:read: the players that may be meant, up to 20.',
      }),
  })
  .openapi('Problem');

const problemContent = { 'application/problem+json': { schema: problemSchema } };

/** The errors every route may answer with, and those of the given statuses. */
export const problems = <S extends number>(...statuses: S[]) => {
  const all = [...new Set<number>([400, 401, 403, 408, 417, 422, 429, 431, 500, 503, ...statuses])];
  return Object.fromEntries(
    all.map((status) => {
      const names = codes.filter((code) => ERRORS[code].status === status);
      return [status, { description: names.join(', '), content: problemContent }];
    }),
  );
};

/** `names`: headers of this answer, beside those of every one. */
export const json = <S extends z.ZodType>(schema: S, description: string, ...names: HeaderName[]) => ({
  description,
  headers: headers(...names),
  content: { 'application/json': { schema } },
});

/** Where a route is, and its name in generated clients. */
export const at = <M extends 'get' | 'post' | 'patch' | 'delete', P extends string>(
  method: M,
  path: P,
  operationId: string,
) => ({ method, path, operationId });

/** The body of a request. An optional one may be left out altogether. */
export const body = <S extends z.ZodType>(schema: S, { required = true }: { required?: boolean } = {}) => ({
  required,
  content: { 'application/json': { schema } },
});

/**
 * Lists unknown query parameters in the header `Ignored-Parameters`. Some routes ignore them, because caches and
 * libraries add their own.
 */
export const noteIgnored = (c: Context, schema: z.ZodObject): void => {
  const unknown = Object.keys(c.req.query()).filter((name) => !Object.hasOwn(schema.shape, name));
  if (unknown.length === 0) return;
  const names = unknown.slice(0, 10).map((name) => encodeURIComponent(name.slice(0, 64).toWellFormed()));
  c.header('Ignored-Parameters', names.join(', '));
};

/** For routes without parameters: unknown ones are refused. */
export const noQuery = z.strictObject({});

export const serverIdParam = z.string().openapi({ param: { name: 'serverId', in: 'path' }, example: 'main' });

export const preferHeader = z
  .string()
  .optional()
  .openapi({ description: 'wait=N (1 to 60 seconds) or respond-async', example: 'wait=5' });

/** The time for which an old secret of a server or a shop stays valid, in seconds. */
export const graceSeconds = z.int().min(0).max(604_800).default(0);

export const scope = z.enum(SCOPES);

export const actor = z.object({ keyId: z.string(), name: z.string() });

/** A whole number in a query, in digits; "0x10" and "1e3" are refused. */
export const wholeQuery = ({ min, max }: { min: number; max: number }) =>
  z
    .string()
    .refine(
      (text) => /^\d{1,16}$/.test(text) && Number(text) >= min && Number(text) <= max,
      `must be a whole number from ${min} to ${max}`,
    )
    .transform(Number)
    .openapi({ type: 'integer', minimum: min, maximum: max });

/** A whole number in a query, which may be left out. */
const countQuery = ({ fallback, ...bounds }: { min: number; max: number; fallback: number }) =>
  wholeQuery(bounds)
    .default(fallback)
    .openapi({ type: 'integer', minimum: bounds.min, maximum: bounds.max, default: fallback });

/** Treats an empty value as absent, because forms send empty fields. */
const orEmpty = <T extends z.ZodType>(schema: T) => z.preprocess((text) => (text === '' ? undefined : text), schema);

const MAX_LIMIT = 200;

/** Rows of a page. A value over the maximum means the maximum; the answer has the limit that was used. */
export const limitQuery = (fallback: number) =>
  orEmpty(
    z
      .string()
      .regex(/^0*[1-9]\d*$/, 'must be a whole number from 1')
      .transform((text) => Math.min(Number(text), MAX_LIMIT))
      .default(fallback),
  ).openapi({
    type: 'integer',
    minimum: 1,
    default: fallback,
    description: `More than ${MAX_LIMIT} means ${MAX_LIMIT}; the answer says the limit that was used.`,
  });

const MAX_OFFSET = Number.MAX_SAFE_INTEGER;
export const offsetQuery = orEmpty(countQuery({ min: 0, max: MAX_OFFSET, fallback: 0 })).openapi({
  type: 'integer',
  minimum: 0,
  maximum: MAX_OFFSET,
  default: 0,
});

export const searchQuery = orEmpty(plainText(64).optional()).openapi({ type: 'string', maxLength: 64 });

/** A page of a list that most projects get as one page. */
export const pageQuery = z.strictObject({
  limit: limitQuery(MAX_LIMIT),
  cursor: plainText(1_024).optional(),
});

/** `next`: the cursor of the following page; null: this is the last one. */
export const pagination = z.object({ limit: z.int(), next: z.string().nullable() });

export const pageJson = <S extends z.ZodType>(row: S, description: string) =>
  json(z.object({ data: z.array(row), pagination }), description);

/** Query flags are `true` or `false`, nothing else. */
export const flagQuery = z.enum(['true', 'false']).transform((text) => text === 'true');

/** All players of a server who match, in place of a list. */
export const matching = z
  .strictObject({
    online: z.literal(true).optional(),
    job: plainText(128).optional().meta({ description: 'The name of their job, exactly.' }),
    group: plainText(128).optional().meta({ description: 'The name of their group, exactly.' }),
  })
  .refine((given) => Object.keys(given).length > 0, 'must have online, job or group')
  .meta({
    description: 'All players who match at this moment, also offline ones without online.',
    minProperties: 1,
  });
