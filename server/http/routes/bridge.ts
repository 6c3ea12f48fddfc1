import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import {
  COMMAND_NAMES,
  CUSTOM_NAME_PATTERN,
  CUSTOM_TTL_MS,
  customName,
  readParams,
} from '../../../bridge-protocol/index.ts';
import type { CommandRow } from '../../../db/queries/commands/read.ts';
import { isSettled } from '../../../db/schema/commands.ts';
import type { Principal } from '../../auth/credentials.ts';
import type { CustomCommand } from '../../cluster/router.ts';
import { BODIES, checkWaiting, entryOf, readWaiting, WAIT_S, waitingFields } from '../../commands/catalogue.ts';
import { commandAnswer, locationOf, pendingOf, viewOf as viewOfCommand, type WaitingFor } from '../../commands/view.ts';
import { HubError, invalidField } from '../../platform/errors.ts';
import { SLUG_PATTERN, serverNotFound } from '../../platform/fields.ts';
import { validationHook } from '../answer.ts';
import { assertServerAllowed, callerOf, serverOf } from '../identify.ts';
import { needs } from '../middleware.ts';
import { MAX_ANNOUNCE_BYTES, type RestDeps, type RestEnv, readIdempotencyKey, readPreference } from '../request.ts';
import {
  actor,
  at,
  body,
  commandStatus,
  executed,
  instant,
  json,
  noQuery,
  preferHeader,
  problems,
  serverIdParam,
  wholeQuery,
} from '../schemas.ts';

const rolesSchema = z
  .object({
    amount: z.string().optional().openapi({ description: 'Money; if there is an item, a count of it.' }),
    item: z.string().optional(),
    player: z.string().optional().openapi({ description: 'The target; without it, the parameter target.' }),
    reason: z.string().optional(),
    reasonRequired: z.boolean().optional().openapi({ description: 'The command is refused without a reason.' }),
  })
  .openapi('CustomRoles', {
    description: 'What parameters of a custom command mean: the name of the parameter for each role.',
    example: { player: 'target', item: 'item', amount: 'count', reason: 'note', reasonRequired: true },
  });

export const commandSchema = z
  .object({
    id: z.string().openapi({ example: 'cmd_01j9z3k7v8' }),
    name: z.string(),
    serverId: z.string(),
    target: z.string().nullable(),
    targetName: z.string().optional().openapi({
      description:
        'In the journal, for keys with players:read: the current name of the player; absent: no such player.',
    }),
    status: commandStatus,
    executed,
    waitingFor: z.enum(['server', 'player']).optional().openapi({ description: 'While it waits: the first obstacle.' }),
    deliver: z.enum(['when_connected', 'when_online']).optional().openapi({
      description: 'What it may wait for; absent: it does not wait.',
    }),
    params: z.record(z.string(), z.unknown()),
    roles: rolesSchema.optional(),
    result: z.record(z.string(), z.unknown()).nullable().openapi({
      description:
        'Of money: account, before and after; of items: item, before and after. applied is how much was moved, if not all.',
    }),
    error: z
      .object({
        code: z.string(),
        message: z.string(),
        details: z.record(z.string(), z.unknown()).optional().openapi({
          description: 'reported is the data of a result that does not fit the order.',
        }),
      })
      .optional(),
    knownBalance: z.object({ account: z.string(), balance: z.number(), at: instant }).optional().openapi({
      description:
        'Of money that became indeterminate: the balance that the hub knew then, as the game server reported it at that time. If it is before dispatchedAt, it is the balance before the command.',
    }),
    opposite: z
      .object({ name: z.enum(['money', 'items', 'vehicles', 'job']), params: z.record(z.string(), z.unknown()) })
      .optional()
      .openapi({
        description: 'A command that takes the effect back, without target and reason; absent: there is none.',
      }),
    undoneBy: z.object({ id: z.string(), status: commandStatus, executed }).optional().openapi({
      description: 'In the journal: the last command that was to undo this one. It is undone if executed is yes.',
    }),
    undoes: z.string().optional().openapi({ description: 'The command whose opposite this one is.' }),
    repeats: z
      .string()
      .optional()
      .openapi({ description: 'The command without effect that this one does again; of several tries, the first.' }),
    actor,
    decidedBy: actor
      .optional()
      .openapi({ description: 'In the journal, of a shop: who of the staff gave it; absent after it was taken back.' }),
    requestId: z.string(),
    batchId: z.string().optional().openapi({ description: 'The batch that made this command; absent: none.' }),
    attempts: z.int(),
    createdAt: instant,
    expiresAt: instant,
    dispatchedAt: instant.nullable(),
    settledAt: instant.nullable(),
    resolution: z
      .object({ applied: z.boolean(), note: z.string(), actor, at: instant })
      .optional()
      .openapi({ description: 'How an operator resolved an indeterminate command.' }),
  })
  .openapi('Command');

/** An answer about a command that has not ended: `accepted`, `waiting` or `in_doubt`. */
export const pendingSchema = commandSchema
  .extend({
    code: z.enum(['accepted', 'waiting', 'in_doubt']),
    retryable: z.boolean(),
    command: z.object({ id: z.string(), status: commandStatus }),
  })
  .openapi('PendingCommand');

/** Headers that every command accepts. */
const commandHeaders = z.object({
  'idempotency-key': z.string().optional().openapi({
    description: '1 to 255 printable characters; the same key and body never take effect twice.',
  }),
  prefer: preferHeader,
});

/** Answers that every command may get. */
const commandResponses = {
  200: json(commandSchema, 'The game server did it.', 'Idempotency-Replayed'),
  202: json(
    pendingSchema,
    'accepted (asked for asynchronously), waiting (for its server or player) or in_doubt (no outcome yet); see Location.',
    'Location',
    'Idempotency-Replayed',
  ),
  ...problems(400, 404, 409, 413, 415, 501, 502, 504),
};

/** Answers with a command that was asked for. @throws HubError what the bridge has refused */
export const answerCommand = (
  c: Context<RestEnv>,
  { row, isNew, isAsync, waitingFor }: { row: CommandRow; isNew: boolean; isAsync: boolean; waitingFor: WaitingFor },
) => {
  if (!isNew) c.header('Idempotency-Replayed', 'true');
  if (isAsync) c.header('Preference-Applied', 'respond-async');
  commandAnswer(row, { isAsync, isEphemeral: row.class === 'ephemeral', waitingFor });
  return answerState(c, row, waitingFor);
};

/** Answers with a command that has ended, or that the bridge still has. */
export const answerState = (c: Context<RestEnv>, row: CommandRow, waitingFor: WaitingFor) => {
  if (isSettled(row.status)) return c.json(viewOfCommand(row), 200);
  c.header('Location', locationOf(row));
  return c.json(pendingOf(row, waitingFor), 202);
};

/** The documentation of the routes that `command-route.ts` serves: one for each built-in command. */
export const bridgeRoutes = () => {
  const routes = new OpenAPIHono<RestEnv>();
  for (const name of COMMAND_NAMES) {
    const { scope, summary } = entryOf(name);
    const note = name === 'announce' ? `The body may have ${MAX_ANNOUNCE_BYTES / 1024} KiB.` : undefined;
    const route = createRoute({
      ...at('post', `/bridge/{serverId}/${name}`, name),
      tags: ['Commands'],
      summary,
      ...needs([`commands:${scope}`], note),
      request: {
        params: z.object({ serverId: serverIdParam }),
        query: noQuery,
        headers: commandHeaders,
        body: body(BODIES[name]),
      },
      responses: commandResponses,
    });
    routes.openAPIRegistry.registerPath(route);
  }
  return routes;
};

const actionSchema = z
  .object({
    name: z.string().openapi({ example: 'revive' }),
    description: z.string(),
    params: z.record(z.string(), z.unknown()).openapi({ description: 'A JSON Schema of the body to send.' }),
    roles: rolesSchema.optional(),
  })
  .openapi('Action');

const viewOf = ({ name, description, params, roles }: CustomCommand): z.infer<typeof actionSchema> => ({
  name,
  description,
  params,
  roles,
});

const listRoute = createRoute({
  ...at('get', '/bridge/{serverId}/actions', 'listActions'),
  tags: ['Commands'],
  summary: 'What the resources of a game server offer',
  ...needs(['commands:custom']),
  request: { params: z.object({ serverId: serverIdParam }), query: noQuery },
  responses: {
    200: json(z.object({ data: z.array(actionSchema) }), 'The custom commands of the server at this moment.'),
    ...problems(404),
  },
});

const runRoute = createRoute({
  ...at('post', '/bridge/{serverId}/actions/{name}', 'runAction'),
  tags: ['Commands'],
  summary: 'Run a custom command',
  ...needs(['commands:custom'], 'The body is what the schema of the command says; see GET …/actions.'),
  request: {
    params: z.object({
      serverId: serverIdParam,
      name: z.string().openapi({ param: { name: 'name', in: 'path' }, example: 'revive' }),
    }),
    query: z
      .strictObject({
        deliver: waitingFields.deliver,
        expiresInSeconds: wholeQuery({ min: 1, max: WAIT_S.most }).optional(),
      })
      .superRefine(checkWaiting),
    headers: commandHeaders,
    body: body(z.record(z.string(), z.unknown()).openapi('ActionParams', { type: 'object' })),
  },
  responses: commandResponses,
});

/** Commands that the resources of a game server add: their list, and how one is run. */
export const actionRoutes = ({ commands, store, config }: RestDeps) => {
  const find = async (principal: Principal, serverId: string) => {
    assertServerAllowed(principal, serverId);
    const custom = await commands.customOf({ projectId: principal.project.id, serverId });
    if (custom !== undefined) return custom;
    await serverOf(store, principal, serverId);
    throw new HubError('bridge_offline', undefined, { retryAfterS: 5 });
  };

  return new OpenAPIHono<RestEnv>({ defaultHook: validationHook })
    .openapi(listRoute, async (c) => {
      const custom = await find(c.var.principal, c.req.valid('param').serverId);
      return c.json({ data: Array.from(custom.values(), viewOf) }, 200);
    })
    .openapi(runRoute, async (c) => {
      const { principal, requestId } = c.var;
      const { serverId, name } = c.req.valid('param');
      // Read again: the validated copy lacks fields that must be refused.
      const read = readParams(c.var.readBody());
      if ('fault' in read) throw invalidField(read.fault.pointer, read.fault.detail);
      assertServerAllowed(principal, serverId);
      if (!SLUG_PATTERN.test(serverId)) throw serverNotFound(serverId);
      if (!CUSTOM_NAME_PATTERN.test(name)) {
        throw new HubError('action_not_found', 'No custom command has such a name: up to 48 of a-z 0-9 _ -.');
      }
      const { waitMs, isAsync } = readPreference(c.req.header('prefer'), config.COMMAND_WAIT_MS);
      const { deliver, expiresInSeconds } = readWaiting(c.req.valid('query'));
      const { row, isNew } = await commands.submit({
        ...callerOf(principal, requestId),
        serverId,
        name: customName(name),
        params: read.params,
        idempotencyKey: readIdempotencyKey(c.env.incoming),
        deliver,
        expiresAt: Date.now() + (expiresInSeconds === undefined ? CUSTOM_TTL_MS : expiresInSeconds * 1000),
        waitMs,
      });
      return answerCommand(c, { row, isNew, isAsync, waitingFor: await commands.waitingFor(row) });
    });
};
