import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { Principal } from '../../auth/credentials.ts';
import { targetNames, viewOf } from '../../commands/view.ts';
import { plainText, sentFields } from '../../platform/fields.ts';
import { validationHook } from '../answer.ts';
import type { Exports } from '../csv.ts';
import { actorOf, assertServerAllowed, visibleRow } from '../identify.ts';
import { needs } from '../middleware.ts';
import { type RestDeps, type RestEnv, readPreference } from '../request.ts';
import { at, body, commandStatus, json, limitQuery, noQuery, pageJson, preferHeader, problems } from '../schemas.ts';
import { answerState, commandSchema, pendingSchema } from './bridge.ts';

const ID = /^cmd_[0-9a-z]{20,60}$/;
const params = z.object({ id: z.string().openapi({ example: 'cmd_01j9z3k7v8' }) });

const filters = z.strictObject({
  serverId: plainText(63).optional(),
  target: plainText(128).optional(),
  name: plainText(64).optional(),
  status: commandStatus.optional(),
  actor: plainText(128).optional().openapi({ description: 'The id of a key, or a part of its name in any case.' }),
  since: z.iso.datetime().optional().openapi({ description: 'Made at that time or later.' }),
  until: z.iso.datetime().optional().openapi({ description: 'Made before.' }),
});

/** The journal's query. @throws HubError server_not_allowed */
const requestOf = (principal: Principal, { serverId, since, until, ...rest }: z.infer<typeof filters>) => {
  if (serverId !== undefined) assertServerAllowed(principal, serverId);
  const servers = serverId === undefined ? principal.servers : [serverId];
  return {
    projectId: principal.project.id,
    ...sentFields({
      ...rest,
      servers,
      since: since === undefined ? since : Date.parse(since),
      until: until === undefined ? until : Date.parse(until),
    }),
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
    202: json(pendingSchema, 'The bridge has been asked; see Location.'),
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

/** The journal of commands. */
export const commandRoutes = ({ store, commands, config, exportJournal }: RestDeps & { exportJournal: Exports }) => {
  const find = async (principal: Principal, id: string) => {
    const row = ID.test(id) ? await store.commands.get(principal.project.id, id) : undefined;
    return visibleRow(principal, row, 'command_not_found');
  };

  return new OpenAPIHono<RestEnv>({ defaultHook: validationHook })
    .openapi(listRoute, async (c) => {
      const { principal } = c.var;
      const { limit, cursor, ...wanted } = c.req.valid('query');
      const page = await store.commands.list({ ...requestOf(principal, wanted), limit, ...sentFields({ cursor }) });
      const nameOf = await targetNames({ store }, principal, page.rows);
      const data = await Promise.all(
        page.rows.map(async (row) => viewOf(row, nameOf(row), await commands.waitingFor(row))),
      );
      return c.json({ data, pagination: { limit, next: page.next } }, 200);
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
      const nameOf = await targetNames({ store }, principal, [row]);
      return c.json(viewOf(row, nameOf(row), await commands.waitingFor(row)), 200);
    })
    .openapi(voidRoute, async (c) => {
      const row = await find(c.var.principal, c.req.valid('param').id);
      const { waitMs, isAsync } = readPreference(c.req.header('prefer'), config.COMMAND_WAIT_MS);
      return answerState(c, await commands.takeBack(row, isAsync ? 0 : waitMs), undefined);
    })
    .openapi(resolveRoute, async (c) => {
      const { principal } = c.var;
      const row = await find(principal, c.req.valid('param').id);
      const { applied, note } = c.req.valid('json');
      return c.json(viewOf(await commands.resolve(row, { applied, note, actor: actorOf(principal) })), 200);
    });
};
