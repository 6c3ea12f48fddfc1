import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import {
  ACCOUNT_PATTERN,
  COMMANDS,
  type CommandName,
  type CommandParams,
  LIMITS,
} from '../../bridge-protocol/index.ts';
import { HubError } from '../errors.ts';
import { answer, commandSchema, pendingSchema } from './command-view.ts';
import type { RestDeps, RestEnv } from './context.ts';
import { readIdempotencyKey, readPreference } from './headers.ts';
import { assertServerAllowed, needs } from './middleware.ts';
import { validationHook } from './problem.ts';
import {
  body,
  identifierText,
  json,
  noQuery,
  plainText,
  preferHeader,
  problems,
  SLUG_PATTERN,
  serverIdParam,
} from './schemas.ts';

const reason = plainText(LIMITS.reasonLength);
const expiresInSeconds = z
  .int()
  .min(1)
  .max(3600)
  .optional()
  .openapi({ description: 'How long the command may still be sent; default 10 for kick, 30 for money.' });

const kickBody = z
  .strictObject({ target: identifierText, reason: reason.default('Kicked by staff'), expiresInSeconds })
  .openapi('Kick');

const moneyBody = z
  .strictObject({
    target: identifierText,
    type: z.string().regex(ACCOUNT_PATTERN, 'must be an account type such as bank').openapi({ example: 'bank' }),
    amount: z.int('must be a whole number').min(1).openapi({ maximum: Number.MAX_SAFE_INTEGER, example: 500 }),
    action: z.enum(['add', 'remove', 'deduct']),
    reason: reason.optional(),
    allowNegative: z.boolean().default(false),
    expiresInSeconds,
  })
  .openapi('Money');

const headers = z.object({
  'idempotency-key': z.string().optional().openapi({
    description: '1 to 255 printable characters; the same key and body never take effect twice.',
  }),
  prefer: preferHeader,
});

const responses = {
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
    request: { params: z.object({ serverId: serverIdParam }), query: noQuery, headers, body: body(schema) },
    responses,
  });

const kickRoute = commandRoute('kick', kickBody, 'Kick a player');
const moneyRoute = commandRoute('money', moneyBody, 'Give or deduct money');

/** Commands to a game server: the answer is what the game server really did. */
export const bridgeRoutes = ({ commands, config }: RestDeps) => {
  const run = async <N extends CommandName>(
    c: Context<RestEnv>,
    name: N,
    serverId: string,
    params: CommandParams<N>,
    expiresIn: number | undefined,
  ) => {
    const { principal, requestId } = c.var;
    assertServerAllowed(principal, serverId);
    if (!SLUG_PATTERN.test(serverId)) throw new HubError('server_not_found');
    const { waitMs, isAsync } = readPreference(c.req.header('prefer'), config.COMMAND_WAIT_MS);
    const { row, replayed } = await commands.submit({
      project: principal.project,
      serverId,
      actor: { keyId: principal.key.id, name: principal.key.name },
      requestId,
      name,
      params,
      idempotencyKey: readIdempotencyKey(c.req.header('idempotency-key')),
      expiresAt: Date.now() + (expiresIn === undefined ? COMMANDS[name].ttlMs : expiresIn * 1000),
      waitMs: isAsync ? 0 : waitMs,
    });
    if (replayed) c.header('Idempotency-Replayed', 'true');
    if (isAsync) c.header('Preference-Applied', 'respond-async');
    return answer(c, row, { isAsync, isEphemeral: COMMANDS[name].class === 'ephemeral' });
  };

  return new OpenAPIHono<RestEnv>({ defaultHook: validationHook })
    .openapi(kickRoute, (c) => {
      const { expiresInSeconds: expiresIn, ...params } = c.req.valid('json');
      return run(c, 'kick', c.req.valid('param').serverId, params, expiresIn);
    })
    .openapi(moneyRoute, (c) => {
      const { expiresInSeconds: expiresIn, action, reason: why, ...rest } = c.req.valid('json');
      const params = {
        ...rest,
        action: action === 'add' ? ('add' as const) : ('remove' as const),
        ...(why === undefined ? {} : { reason: why }),
      };
      return run(c, 'money', c.req.valid('param').serverId, params, expiresIn);
    });
};
