import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { ServerRow } from '../../db/servers.ts';
import type { Principal } from '../credentials.ts';
import { HubError } from '../errors.ts';
import type { Session } from '../router.ts';
import { createSecret, hashSecret, secretPrefix } from '../secrets.ts';
import type { RestDeps, RestEnv } from './context.ts';
import { assertServerAllowed, requireScope } from './middleware.ts';
import { validationHook } from './problem.ts';
import { body, instant, json, plainText, problems, SLUG_PATTERN, security, serverIdParam } from './schemas.ts';

const serverSchema = z
  .object({
    serverId: z.string(),
    name: z.string(),
    disabled: z.boolean(),
    connected: z.boolean(),
    tokenPrefix: z.string(),
    createdAt: instant,
    bridge: z
      .object({
        software: z.record(z.string(), z.unknown()),
        commands: z.array(z.string()),
        accounts: z.array(z.string()),
        journalClass: z.string(),
        connectedAt: instant,
        draining: z.boolean(),
        players: z.object({ online: z.int(), max: z.int().optional() }).optional(),
        database: z
          .object({ engine: z.string(), status: z.string(), latencyMs: z.number().optional() })
          .optional(),
        tickMs: z.number().optional(),
      })
      .nullable()
      .openapi({ description: 'What the bridge said of itself; null while it is not connected.' }),
    lastConnectedAt: instant.nullable(),
    lastDisconnectedAt: instant.nullable(),
  })
  .openapi('Server');

const tokenSchema = z
  .object({ serverId: z.string(), token: z.string().openapi({ description: 'Shown once.', example: 'cwb_…' }) })
  .openapi('BridgeToken');

const params = z.object({ serverId: serverIdParam });
const graceSeconds = z.int().min(0).max(604_800).default(0);

const base = { tags: ['Servers'], security };
const read = { ...base, middleware: requireScope('servers:read') };
const write = { ...base, middleware: requireScope('servers:write') };

const routes = {
  list: createRoute({
    ...read,
    method: 'get',
    path: '/servers',
    operationId: 'listServers',
    summary: 'Game servers and their live state',
    request: { query: z.strictObject({}) },
    responses: { 200: json(z.object({ data: z.array(serverSchema) }), 'The servers of the project.'), ...problems() },
  }),
  create: createRoute({
    ...write,
    method: 'post',
    path: '/servers',
    operationId: 'createServer',
    summary: 'Add a game server',
    request: {
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
    method: 'get',
    path: '/servers/{serverId}',
    operationId: 'getServer',
    summary: 'One game server',
    request: { params, query: z.strictObject({}) },
    responses: { 200: json(serverSchema, 'The server.'), ...problems(404) },
  }),
  update: createRoute({
    ...write,
    method: 'patch',
    path: '/servers/{serverId}',
    operationId: 'updateServer',
    summary: 'Rename, disable or enable a game server',
    request: {
      params,
      body: body(
        z.strictObject({ name: plainText(128).optional(), disabled: z.boolean().optional() }).openapi('ServerChange'),
      ),
    },
    responses: { 200: json(serverSchema, 'The server as it is now.'), ...problems(400, 404, 413, 415) },
  }),
  remove: createRoute({
    ...write,
    method: 'delete',
    path: '/servers/{serverId}',
    operationId: 'deleteServer',
    summary: 'Delete a game server with its players; its commands stay in the journal',
    request: { params },
    responses: { 204: { description: 'It is gone.' }, ...problems(404) },
  }),
  rotate: createRoute({
    ...write,
    method: 'post',
    path: '/servers/{serverId}/token',
    operationId: 'rotateServerToken',
    summary: 'Make a new bridge token',
    request: { params, body: body(z.strictObject({ graceSeconds }).openapi('Rotation'), { required: false }) },
    responses: { 200: json(tokenSchema, 'The new token. The old one ends after graceSeconds.'), ...problems(400, 404, 413, 415) },
  }),
};

const time = (ms: number): string => new Date(ms).toISOString();

const bridgeOf = (session: Session, software: Record<string, unknown>): z.infer<typeof serverSchema>['bridge'] => {
  const { players, database, tickMs, draining } = session.state;
  return {
    software,
    commands: [...session.commands],
    accounts: [...session.accounts],
    journalClass: session.journalClass,
    connectedAt: time(session.connectedAt),
    draining: draining === true,
    ...(players === undefined ? {} : { players }),
    ...(database === undefined ? {} : { database }),
    ...(tickMs === undefined ? {} : { tickMs }),
  };
};

/** Game servers of the project. */
export const serverRoutes = ({ store, router, closeServer }: RestDeps) => {
  const find = async (principal: Principal, serverId: string): Promise<ServerRow> => {
    assertServerAllowed(principal, serverId);
    const row = SLUG_PATTERN.test(serverId) ? await store.servers.get(principal.project.id, serverId) : undefined;
    if (row === undefined) throw new HubError('server_not_found');
    return row;
  };

  const view = (
    row: ServerRow,
    stored: Awaited<ReturnType<typeof store.sessions.get>>,
  ): z.infer<typeof serverSchema> => {
    const session = router.find(row.projectId, row.id);
    return {
      serverId: row.id,
      name: row.name,
      disabled: row.disabled,
      connected: session !== undefined,
      tokenPrefix: row.tokenPrefix,
      createdAt: time(row.createdAt),
      bridge: session === undefined ? null : bridgeOf(session, stored?.software ?? {}),
      lastConnectedAt: stored === undefined ? null : time(stored.connectedAt),
      lastDisconnectedAt: stored?.disconnectedAt == null ? null : time(stored.disconnectedAt),
    };
  };

  const viewOne = async (row: ServerRow) => view(row, await store.sessions.get(row.projectId, row.id));

  return new OpenAPIHono<RestEnv>({ defaultHook: validationHook })
    .openapi(routes.list, async (c) => {
      const { project, servers } = c.var.principal;
      const sessions = new Map((await store.sessions.list(project.id)).map((session) => [session.serverId, session]));
      const rows = (await store.servers.list(project.id)).filter((row) => servers?.includes(row.id) ?? true);
      return c.json({ data: rows.map((row) => view(row, sessions.get(row.id))) }, 200);
    })
    .openapi(routes.create, async (c) => {
      const { principal } = c.var;
      const { serverId, name } = c.req.valid('json');
      assertServerAllowed(principal, serverId);
      const token = createSecret('bridge_token');
      const row = await store.servers.create({
        projectId: principal.project.id,
        id: serverId,
        name: name ?? serverId,
        tokenPrefix: secretPrefix(token),
        tokenHash: hashSecret(token),
        createdAt: Date.now(),
        updatedAt: Date.now(),
      });
      if (row === undefined) throw new HubError('already_exists', `The project has a server "${serverId}" already.`);
      return c.json({ ...(await viewOne(row)), token }, 201);
    })
    .openapi(routes.get, async (c) => c.json(await viewOne(await find(c.var.principal, c.req.valid('param').serverId)), 200))
    .openapi(routes.update, async (c) => {
      const row = await find(c.var.principal, c.req.valid('param').serverId);
      const { name, disabled } = c.req.valid('json');
      const patch = { ...(name === undefined ? {} : { name }), ...(disabled === undefined ? {} : { disabled }) };
      const changed = await store.servers.update(row.projectId, row.id, patch, Date.now());
      if (changed === undefined) throw new HubError('server_not_found');
      if (changed.disabled) closeServer(row.projectId, row.id, 'disabled');
      return c.json(await viewOne(changed), 200);
    })
    .openapi(routes.remove, async (c) => {
      const row = await find(c.var.principal, c.req.valid('param').serverId);
      await store.servers.update(row.projectId, row.id, { disabled: true }, Date.now());
      closeServer(row.projectId, row.id, 'deleted');
      await store.servers.remove(row.projectId, row.id);
      return c.body(null, 204);
    })
    .openapi(routes.rotate, async (c) => {
      const row = await find(c.var.principal, c.req.valid('param').serverId);
      const grace = c.req.valid('json')?.graceSeconds ?? 0;
      const token = createSecret('bridge_token');
      const at = Date.now();
      await store.servers.update(
        row.projectId,
        row.id,
        {
          tokenHash: hashSecret(token),
          tokenPrefix: secretPrefix(token),
          previousTokenHash: grace === 0 ? null : row.tokenHash,
          previousTokenExpiresAt: grace === 0 ? null : at + grace * 1000,
        },
        at,
      );
      if (grace === 0) closeServer(row.projectId, row.id, 'invalid_token');
      return c.json({ serverId: row.id, token }, 200);
    });
};
