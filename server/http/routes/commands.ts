import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { LIMITS } from '../../../bridge-protocol/index.ts';
import type { CommandRow } from '../../../db/queries/commands/read.ts';
import type { Principal } from '../../auth/credentials.ts';
import { scopeOf } from '../../commands/catalogue.ts';
import { decidersOf, targetNames, undoingOf, viewOf } from '../../commands/view.ts';
import { plainText, sentFields } from '../../platform/fields.ts';
import { optionalTime } from '../../platform/time.ts';
import { validationHook } from '../answer.ts';
import type { Exports } from '../csv.ts';
import { actorOf, assertScopes, assertServerAllowed, callerOf, visibleRow } from '../identify.ts';
import { needs } from '../middleware.ts';
import { type RestDeps, type RestEnv, readPreference } from '../request.ts';
import {
  actor,
  actorQuery,
  at,
  body,
  instant,
  json,
  limitQuery,
  madeWithin,
  noQuery,
  pageJson,
  preferHeader,
  problems,
  statusList,
  timesOf,
} from '../schemas.ts';
import { answerCommand, answerState, commandSchema, pendingSchema } from './bridge.ts';

/** The reason of an undo; absent: the id of what is undone. */
export const undoReason = plainText(LIMITS.reasonLength)
  .optional()
  .openapi({ description: 'Absent: the id of what is undone.' });

const ID = /^cmd_[0-9a-z]{20,60}$/;
const params = z.object({ id: z.string().openapi({ example: 'cmd_01j9z3k7v8' }) });

const filters = z.strictObject({
  serverId: plainText(63).optional(),
  target: plainText(128).optional(),
  name: plainText(64).optional(),
  status: statusList.optional(),
  batches: z
    .string()
    .regex(/^(all|none|bat_[0-9a-z]{10,60})$/, 'must be all, none, or the id of a batch')
    .optional()
    .openapi({
      example: 'none',
      description: 'Absent or all: also those of batches. none: without them. An id: of this batch only.',
    }),
  actor: actorQuery.optional(),
  direction: z
    .enum(['give', 'take'])
    .optional()
    .openapi({ description: 'Only payments that give money to a player, or take it.' }),
  ...madeWithin,
});

/** The journal's query. @throws HubError server_not_allowed */
const requestOf = (principal: Principal, { serverId, status, ...rest }: z.infer<typeof filters>) => {
  if (serverId !== undefined) assertServerAllowed(principal, serverId);
  const servers = serverId === undefined ? principal.servers : [serverId];
  return {
    projectId: principal.project.id,
    ...sentFields({ ...rest, ...timesOf(rest), statuses: status, servers }),
  };
};

const read = { tags: ['Commands'], ...needs(['commands:read']) };

const listRoute = createRoute({
  ...at('get', '/commands', 'listCommands'),
  ...read,
  summary: 'List commands: caller, outcome, times',
  request: {
    query: filters.extend({ limit: limitQuery(50), cursor: plainText(1_024).optional() }),
  },
  responses: {
    200: pageJson(commandSchema, 'Commands, the newest first.'),
    ...problems(),
  },
});

const sumsRoute = createRoute({
  ...at('get', '/commands/sums', 'sumCommands'),
  ...read,
  summary: 'Money that was given and taken, by person and account',
  request: { query: filters },
  responses: {
    200: json(
      z
        .object({
          data: z.array(
            z.object({
              actor,
              account: z.string().openapi({ example: 'bank' }),
              given: z.number(),
              taken: z.number(),
              commands: z.int(),
            }),
          ),
          since: instant.nullable().openapi({
            description:
              'Only the newest 100,000 payments are counted, made at that time or later; null: all that match.',
          }),
        })
        .openapi('CommandSums'),
      'By the balances before and after; the largest sums first.',
    ),
    ...problems(),
  },
});

const exportRoute = createRoute({
  ...at('get', '/commands.csv', 'exportCommands'),
  tags: ['Commands'],
  summary: 'Export commands as CSV',
  ...needs(['commands:read'], 'The newest 10,000 that match. No cell is ever a formula.'),
  request: { query: filters },
  responses: {
    200: {
      description: 'Comma-separated values with a header line, in UTF-8.',
      content: { 'text/csv': { schema: z.string() } },
    },
    ...problems(),
  },
});

const getRoute = createRoute({
  ...at('get', '/commands/{id}', 'getCommand'),
  ...read,
  summary: 'One command',
  request: { params, query: noQuery },
  responses: { 200: json(commandSchema, 'The command as it stands.'), ...problems(404) },
});

const voidRoute = createRoute({
  ...at('post', '/commands/{id}/void', 'voidCommand'),
  tags: ['Commands'],
  summary: 'Take back a command that has not started',
  ...needs(['commands:resolve']),
  request: {
    params,
    query: noQuery,
    headers: z.object({ prefer: preferHeader }),
    body: body(z.strictObject({}), { required: false }),
  },
  responses: {
    200: json(commandSchema, 'It was taken back and never takes effect.'),
    202: json(pendingSchema, 'The bridge has been asked; see Location.', 'Location'),
    ...problems(400, 404, 409, 413, 415),
  },
});

const resolveRoute = createRoute({
  ...at('post', '/commands/{id}/resolve', 'resolveCommand'),
  tags: ['Commands'],
  summary: 'Settle an indeterminate command',
  ...needs(['commands:resolve']),
  request: {
    params,
    query: noQuery,
    body: body(z.strictObject({ applied: z.boolean(), note: plainText(1000) }).openapi('Resolution')),
  },
  responses: { 200: json(commandSchema, 'The command, resolved.'), ...problems(400, 404, 409, 413, 415) },
});

const undoRoute = createRoute({
  ...at('post', '/commands/{id}/undo', 'undoCommand'),
  tags: ['Commands'],
  summary: 'Undo a command, once',
  ...needs([], 'It needs the scope of the command.'),
  request: {
    params,
    query: noQuery,
    headers: z.object({ prefer: preferHeader }),
    body: body(z.strictObject({ reason: undoReason }).openapi('Undo'), { required: false }),
  },
  responses: {
    200: json(
      commandSchema,
      'The command that undoes it; of one that was not sent, the command itself, taken back.',
      'Idempotency-Replayed',
    ),
    202: json(pendingSchema, 'The undo has no outcome yet; see Location.', 'Location', 'Idempotency-Replayed'),
    ...problems(400, 404, 409, 413, 415, 501, 502),
  },
});

const againRoute = createRoute({
  ...at('post', '/commands/{id}/again', 'repeatCommand'),
  tags: ['Commands'],
  summary: 'Send a command again that had no effect',
  ...needs([], 'It needs the scope of the command.'),
  request: {
    params,
    query: noQuery,
    headers: z.object({ prefer: preferHeader }),
    body: body(z.strictObject({}), { required: false }),
  },
  responses: {
    200: json(commandSchema, 'The new command, which the game server did.', 'Idempotency-Replayed'),
    202: json(pendingSchema, 'The new command has no outcome yet; see Location.', 'Location', 'Idempotency-Replayed'),
    ...problems(400, 404, 409, 413, 415, 501, 502, 504),
  },
});

/** Commands of the journal as callers see them. */
export const viewsOf =
  ({ store, commands }: Pick<RestDeps, 'store' | 'commands'>) =>
  async (principal: Principal, rows: readonly CommandRow[]) => {
    const nameOf = await targetNames({ store }, principal, rows);
    const undoing = await undoingOf({ store }, principal, rows);
    const deciderOf = await decidersOf(store, rows);
    return Promise.all(
      rows.map(async (row) =>
        viewOf(row, {
          ...{ targetName: nameOf(row), decidedBy: deciderOf(row), waitingFor: await commands.waitingFor(row) },
          ...undoing(row),
        }),
      ),
    );
  };

/** The longest wait of an opposite in the queue of its server. */
const UNDO_MS = 30_000;

/** The journal of commands. */
export const commandRoutes = ({ store, commands, config, exportJournal }: RestDeps & { exportJournal: Exports }) => {
  const find = async (principal: Principal, id: string) => {
    const row = ID.test(id) ? await store.commands.get(principal.project.id, id) : undefined;
    return visibleRow(principal, row, 'command_not_found');
  };

  const viewAll = viewsOf({ store, commands });

  return new OpenAPIHono<RestEnv>({ defaultHook: validationHook })
    .openapi(listRoute, async (c) => {
      const { principal } = c.var;
      const { limit, cursor, ...wanted } = c.req.valid('query');
      const page = await store.commands.list({ ...requestOf(principal, wanted), limit, ...sentFields({ cursor }) });
      const data = await viewAll(principal, page.rows);
      return c.json({ data, pagination: { limit, next: page.next } }, 200);
    })
    .openapi(sumsRoute, async (c) => {
      const { sums, since } = await store.commands.sums(requestOf(c.var.principal, c.req.valid('query')));
      return c.json({ data: sums, since: optionalTime(since) }, 200);
    })
    .openapi(exportRoute, async (c) => {
      const { principal } = c.var;
      const request = requestOf(principal, c.req.valid('query'));
      return exportJournal(c, 'journal.csv', {
        list: (page) => store.commands.list({ ...request, ...page, aside: true }),
        namesOf: (rows) => targetNames({ store }, principal, rows),
      });
    })
    .openapi(getRoute, async (c) => {
      const { principal } = c.var;
      const row = await find(principal, c.req.valid('param').id);
      const [view = viewOf(row)] = await viewAll(principal, [row]);
      return c.json(view, 200);
    })
    .openapi(voidRoute, async (c) => {
      const row = await find(c.var.principal, c.req.valid('param').id);
      const { waitMs, isAsync } = readPreference(c.req.header('prefer'), config.COMMAND_WAIT_MS);
      return answerState(c, await commands.takeBack(row, isAsync ? 0 : waitMs), undefined);
    })
    .openapi(undoRoute, async (c) => {
      const { principal, requestId } = c.var;
      const command = await find(principal, c.req.valid('param').id);
      assertScopes(principal, [scopeOf(command.name)]);
      const { reason } = c.req.valid('json') ?? {};
      const { waitMs, isAsync } = readPreference(c.req.header('prefer'), config.COMMAND_WAIT_MS);
      const { row, isNew } = await commands.undo(command, {
        ...callerOf(principal, requestId),
        reason,
        expiresAt: Date.now() + UNDO_MS,
        waitMs,
      });
      const waitingFor = await commands.waitingFor(row);
      if (row.id !== command.id) return answerCommand(c, { row, isNew, isAsync, waitingFor });
      if (isAsync) c.header('Preference-Applied', 'respond-async');
      return answerState(c, row, waitingFor);
    })
    .openapi(againRoute, async (c) => {
      const { principal, requestId } = c.var;
      const command = await find(principal, c.req.valid('param').id);
      assertScopes(principal, [scopeOf(command.name)]);
      const { waitMs, isAsync } = readPreference(c.req.header('prefer'), config.COMMAND_WAIT_MS);
      const { row, isNew } = await commands.again(command, { ...callerOf(principal, requestId), waitMs });
      return answerCommand(c, { row, isNew, isAsync, waitingFor: await commands.waitingFor(row) });
    })
    .openapi(resolveRoute, async (c) => {
      const { principal } = c.var;
      const row = await find(principal, c.req.valid('param').id);
      const { applied, note } = c.req.valid('json');
      return c.json(viewOf(await commands.resolve(row, { applied, note, actor: actorOf(principal) })), 200);
    });
};
