import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { ServerRow } from '../../../db/queries/servers.ts';
import type { Principal } from '../../auth/credentials.ts';
import type { SessionView } from '../../cluster/router.ts';
import { HubError } from '../../platform/errors.ts';
import { plainText, SLUG_PATTERN, sentFields, serverNotFound } from '../../platform/fields.ts';
import { isoTime, optionalTime } from '../../platform/time.ts';
import { validationHook } from '../answer.ts';
import { assertServerAllowed, serverOf } from '../identify.ts';
import { needs } from '../middleware.ts';
import type { RestDeps, RestEnv } from '../request.ts';
import {
  at,
  body,
  graceSeconds,
  instant,
  json,
  noQuery,
  pageJson,
  pageQuery,
  problems,
  serverIdParam,
} from '../schemas.ts';

const serverSchema = z
  .object({
    serverId: z.string(),
    name: z.string(),
    disabled: z.boolean(),
    deleting: z.boolean().openapi({ description: 'Its deletion has begun and ends in a moment.' }),
    connected: z.boolean(),
    tokenPrefix: z.string(),
    createdAt: instant,
    bridge: z
      .object({
        software: z.record(z.string(), z.unknown()),
        commands: z.array(z.string()),
        customCommands: z.array(z.string()).openapi({ description: 'See GET /api/v2/bridge/{serverId}/actions.' }),
        accounts: z.array(z.string()),
        journalClass: z.string(),
        classes: z.record(z.string(), z.string()).openapi({
          description: 'The class of single commands (items@1: saved), where it is not journalClass.',
        }),
        connectedAt: instant,
        draining: z.boolean(),
        players: z.object({ online: z.int(), max: z.int().optional() }).optional(),
        database: z.object({ engine: z.string(), status: z.string(), latencyMs: z.number().optional() }).optional(),
        tickMs: z.number().optional(),
        pingMs: z.int().optional().openapi({ description: "How long it took to answer the hub's last ping." }),
      })
      .nullable()
      .openapi({ description: 'What the bridge reported of itself; null while it is not connected.' }),
    lastConnectedAt: instant.nullable(),
    lastDisconnectedAt: instant.nullable(),
    tokenRefusedAt: instant.nullable().openapi({
      description:
        'When a bridge last came to this node with a wrong token that begins with `tokenPrefix`; null: not in ten minutes.',
    }),
  })
  .openapi('Server');

const tokenSchema = z
  .object({
    serverId: z.string(),
    token: z.string().openapi({ description: 'Shown once.', example: 'cwb_…' }),
  })
  .openapi('BridgeToken');

const params = z.object({ serverId: serverIdParam });

const read = { tags: ['Servers'], ...needs(['servers:read']) };
const write = { tags: ['Servers'], ...needs(['servers:write']) };

const serverApi = {
  list: createRoute({
    ...read,
    ...at('get', '/servers', 'listServers'),
    summary: 'Game servers and their live state',
    request: { query: pageQuery },
    responses: {
      200: pageJson(serverSchema, 'The servers of the project, by their id.'),
      ...problems(),
    },
  }),
  create: createRoute({
    ...write,
    ...at('post', '/servers', 'createServer'),
    summary: 'Add a game server',
    request: {
      query: noQuery,
      body: body(
        z
          .strictObject({
            serverId: z.string().regex(SLUG_PATTERN, 'must be 1 to 63 of a-z 0-9 _ - and begin with a letter or digit'),
            name: plainText(128).optional(),
          })
          .openapi('NewServer'),
      ),
    },
    responses: {
      201: json(serverSchema.extend({ token: tokenSchema.shape.token }), 'The server with its bridge token.'),
      ...problems(400, 409, 413, 415),
    },
  }),
  get: createRoute({
    ...read,
    ...at('get', '/servers/{serverId}', 'getServer'),
    summary: 'One game server',
    request: { params, query: noQuery },
    responses: { 200: json(serverSchema, 'The server.'), ...problems(404) },
  }),
  update: createRoute({
    ...write,
    ...at('patch', '/servers/{serverId}', 'updateServer'),
    summary: 'Rename, disable or enable a game server',
    request: {
      params,
      query: noQuery,
      body: body(
        z.strictObject({ name: plainText(128).optional(), disabled: z.boolean().optional() }).openapi('ServerChange'),
      ),
    },
    responses: { 200: json(serverSchema, 'The server as it is now.'), ...problems(400, 404, 413, 415) },
  }),
  deletion: createRoute({
    ...read,
    ...at('get', '/servers/{serverId}/deletion', 'previewServerDeletion'),
    summary: 'Preview a deletion: the commands it would end',
    request: { params, query: noQuery },
    responses: {
      200: json(
        z
          .object({
            waiting: z.int().openapi({ description: 'Commands that were not sent; a deletion takes them back.' }),
            sent: z.int().openapi({ description: 'Commands without an outcome; a deletion makes them indeterminate.' }),
          })
          .openapi('ServerDeletion'),
        'How many commands of it have not ended.',
      ),
      ...problems(404),
    },
  }),
  remove: createRoute({
    ...write,
    ...needs(
      ['servers:write'],
      'Commands that were not sent are taken back. Commands that were sent become indeterminate; if the bridge comes back with its journal, under a server of the same id, it reports how they ended.',
    ),
    ...at('delete', '/servers/{serverId}', 'deleteServer'),
    summary: 'Delete a game server with its players; its commands stay in the journal',
    request: { params, query: noQuery },
    responses: { 204: { description: 'The server is deleted.' }, ...problems(404, 413, 415) },
  }),
  rotate: createRoute({
    ...write,
    ...at('post', '/servers/{serverId}/token', 'rotateServerToken'),
    summary: 'Replace the bridge token',
    request: {
      params,
      query: noQuery,
      body: body(z.strictObject({ graceSeconds }).openapi('Rotation'), { required: false }),
    },
    responses: {
      200: json(tokenSchema, 'The new token. The old one ends after graceSeconds.'),
      ...problems(400, 404, 413, 415),
    },
  }),
};

const bridgeOf = (session: SessionView, software: Record<string, unknown>): z.infer<typeof serverSchema>['bridge'] => {
  const { players, database, tickMs, pingMs, draining } = session.state;
  return {
    software,
    commands: [...session.commands],
    customCommands: [...session.customCommands],
    accounts: [...session.accounts],
    journalClass: session.journalClass,
    classes: { ...session.classes },
    connectedAt: isoTime(session.connectedAt),
    draining: draining === true,
    ...sentFields({ players, database, tickMs, pingMs }),
  };
};

/** Game servers of the project. */
export const serverRoutes = ({ store, router, servers, commands, credentials }: RestDeps) => {
  const find = (principal: Principal, serverId: string): Promise<ServerRow> => serverOf(store, principal, serverId);

  const view = (
    row: ServerRow,
    stored: Awaited<ReturnType<typeof store.sessions.get>>,
    session: SessionView | undefined,
  ): z.infer<typeof serverSchema> => ({
    serverId: row.id,
    name: row.name,
    disabled: row.disabled,
    deleting: row.deletingAt !== null,
    connected: session !== undefined,
    tokenPrefix: row.tokenPrefix,
    createdAt: isoTime(row.createdAt),
    bridge: session === undefined ? null : bridgeOf(session, stored?.software ?? {}),
    lastConnectedAt: optionalTime(stored?.connectedAt),
    lastDisconnectedAt: optionalTime(stored?.disconnectedAt),
    tokenRefusedAt: optionalTime(credentials.tokenRefusedAt(row.tokenPrefix)),
  });

  const viewOne = async (row: ServerRow) => {
    const views = await router.views(row.projectId, [row.id]);
    return view(row, await store.sessions.get(row.projectId, row.id), views.get(row.id));
  };

  return new OpenAPIHono<RestEnv>({ defaultHook: validationHook })
    .openapi(serverApi.list, async (c) => {
      const { project, servers } = c.var.principal;
      const sessions = new Map((await store.sessions.list(project.id)).map((session) => [session.serverId, session]));
      const { limit, cursor } = c.req.valid('query');
      const { rows, next } = await store.servers.page(project.id, { limit, cursor, ids: servers });
      const views = await router.views(
        project.id,
        rows.map(({ id }) => id),
      );
      return c.json(
        { data: rows.map((row) => view(row, sessions.get(row.id), views.get(row.id))), pagination: { limit, next } },
        200,
      );
    })
    .openapi(serverApi.create, async (c) => {
      const { principal } = c.var;
      const { serverId, name } = c.req.valid('json');
      assertServerAllowed(principal, serverId);
      const made = await servers.create(principal.project, { id: serverId, name: name ?? serverId });
      if (made === undefined) throw new HubError('already_exists', `The project has a server "${serverId}" already.`);
      return c.json({ ...(await viewOne(made.row)), token: made.token }, 201);
    })
    .openapi(serverApi.get, async (c) =>
      c.json(await viewOne(await find(c.var.principal, c.req.valid('param').serverId)), 200),
    )
    .openapi(serverApi.update, async (c) => {
      const row = await find(c.var.principal, c.req.valid('param').serverId);
      const changed = await servers.change(row, sentFields(c.req.valid('json')));
      if (changed === undefined) throw serverNotFound(row.id);
      return c.json(await viewOne(changed), 200);
    })
    .openapi(serverApi.remove, async (c) => {
      await servers.remove(await find(c.var.principal, c.req.valid('param').serverId));
      return c.body(null, 204);
    })
    .openapi(serverApi.deletion, async (c) => {
      const row = await find(c.var.principal, c.req.valid('param').serverId);
      const { waiting, sent } = await store.commands.openCounts(row.projectId, row.id);
      const unwritten = commands.unwritten({ projectId: row.projectId, serverId: row.id });
      return c.json({ waiting: waiting + unwritten, sent }, 200);
    })
    .openapi(serverApi.rotate, async (c) => {
      const row = await find(c.var.principal, c.req.valid('param').serverId);
      const grace = c.req.valid('json')?.graceSeconds ?? 0;
      return c.json({ serverId: row.id, token: await servers.rotate(row, grace) }, 200);
    });
};
