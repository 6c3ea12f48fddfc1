import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { ACCOUNT_PATTERN, type CommandName, type CommandParams, LIMITS } from '../../../bridge-protocol/index.ts';
import { invalidRequest } from '../answer.ts';
import type { RestEnv } from '../context.ts';
import { needs } from '../middleware.ts';
import { body, identifierText, json, noQuery, plainText, preferHeader, problems, serverIdParam } from '../schemas.ts';
import { commandSchema, pendingSchema } from './view.ts';

/** Absent, null and empty mean the same: there is none. */
const reason = z
  .union([plainText(LIMITS.reasonLength), z.literal(''), z.null()])
  .optional()
  .transform((text) => text || undefined)
  .openapi({ type: ['string', 'null'], maxLength: LIMITS.reasonLength, description: 'Empty or null: none.' });
const expiresInSeconds = z
  .int()
  .min(1)
  .max(3600)
  .optional()
  .openapi({ description: 'How long the command may still be sent; default 10 for kick, 30 for money.' });

/** What a kicked player reads then. */
const NO_REASON = 'Kicked by staff';

const kickBody = z.strictObject({ target: identifierText, reason, expiresInSeconds }).openapi('Kick');

const moneyBody = z
  .strictObject({
    target: identifierText,
    type: z.string().regex(ACCOUNT_PATTERN, 'must be an account type such as bank').openapi({ example: 'bank' }),
    amount: z
      .int('must be a whole number')
      .min(1, 'must be at least 1; action says the direction')
      .openapi({ maximum: Number.MAX_SAFE_INTEGER, example: 500 }),
    action: z.enum(['add', 'remove', 'deduct']),
    reason,
    allowNegative: z.boolean().default(false),
    expiresInSeconds,
  })
  .openapi('Money');

/** What every command may be sent with. */
export const commandHeaders = z.object({
  'idempotency-key': z.string().optional().openapi({
    description: '1 to 255 printable characters; the same key and body never take effect twice.',
  }),
  prefer: preferHeader,
});

/** How every command may be answered. */
export const commandResponses = {
  200: json(commandSchema, 'The game server did it.'),
  202: json(pendingSchema, 'accepted (asked for asynchronously) or in_doubt (no outcome yet); see Location.'),
  ...problems(400, 404, 409, 413, 415, 501, 502, 504),
};

const commandRoute = <N extends CommandName, B extends z.ZodType>(name: N, schema: B, summary: string) =>
  createRoute({
    method: 'post',
    path: `/bridge/{serverId}/${name}` as const,
    operationId: name,
    tags: ['Commands'],
    summary,
    ...needs([`commands:${name}`]),
    request: {
      params: z.object({ serverId: serverIdParam }),
      query: noQuery,
      headers: commandHeaders,
      body: body(schema),
    },
    responses: commandResponses,
  });

const kickRoute = commandRoute('kick', kickBody, 'Kick a player');
const moneyRoute = commandRoute('money', moneyBody, 'Give or deduct money');

/** The documentation of the routes that the command lane serves. */
export const bridgeRoutes = () => {
  const routes = new OpenAPIHono<RestEnv>();
  for (const route of [kickRoute, moneyRoute]) routes.openAPIRegistry.registerPath(route);
  return routes;
};

type ReadCommand = {
  params: CommandParams<CommandName>;
  sentAction?: 'deduct';
  expiresInSeconds: number | undefined;
};

const checked = <T>(parsed: z.ZodSafeParseResult<T>): T => {
  if (!parsed.success) throw invalidRequest(parsed.error.issues);
  return parsed.data;
};

/** What a body asks for, in the words of the protocol. @throws HubError invalid_request */
export const readCommand = (name: CommandName, given: unknown): ReadCommand => {
  if (name === 'kick') {
    const { target, reason: why = NO_REASON, expiresInSeconds } = checked(kickBody.safeParse(given));
    return { params: { target, reason: why }, expiresInSeconds };
  }
  const {
    target,
    type,
    amount,
    action: sent,
    allowNegative,
    reason: why,
    expiresInSeconds,
  } = checked(moneyBody.safeParse(given));
  const action = sent === 'add' ? 'add' : 'remove';
  // In this order: the fingerprint of a command is made of it.
  const params = { target, type, amount, action, allowNegative, reason: why } as const;
  return sent === 'deduct' ? { params, sentAction: sent, expiresInSeconds } : { params, expiresInSeconds };
};
