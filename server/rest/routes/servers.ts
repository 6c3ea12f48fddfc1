import { OpenAPIHono, type z } from '@hono/zod-openapi';
import type { ServerRow } from '../../../db/queries/servers.ts';
import type { Principal } from '../../auth/credentials.ts';
import type { SessionView } from '../../cluster/session-views.ts';
import { HubError } from '../../platform/errors.ts';
import { assertServerAllowed } from '../admission.ts';
import type { RestDeps, RestEnv } from '../context.ts';
import { validationHook } from '../problem.ts';
import { SLUG_PATTERN } from '../schemas.ts';
import { serverApi, type serverSchema } from './server-api.ts';

const time = (ms: number): string => new Date(ms).toISOString();
const timeOrNull = (ms: number | undefined): string | null => (ms === undefined ? null : time(ms));

const bridgeOf = (session: SessionView, software: Record<string, unknown>): z.infer<typeof serverSchema>['bridge'] => {
  const { players, database, tickMs, draining } = session.state;
  return {
    software,
    commands: [...session.commands],
    customCommands: [...session.customCommands],
    accounts: [...session.accounts],
    journalClass: session.journalClass,
    classes: { ...session.classes },
    connectedAt: time(session.connectedAt),
    draining: draining === true,
    ...(players === undefined ? {} : { players }),
    ...(database === undefined ? {} : { database }),
    ...(tickMs === undefined ? {} : { tickMs }),
  };
};

/** Game servers of the project. */
export const serverRoutes = ({ store, sessionViews, servers, commands, credentials }: RestDeps) => {
  const find = async (principal: Principal, serverId: string): Promise<ServerRow> => {
    assertServerAllowed(principal, serverId);
    const row = SLUG_PATTERN.test(serverId) ? await store.servers.get(principal.project.id, serverId) : undefined;
    if (row === undefined) throw new HubError('server_not_found');
    return row;
  };

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
    createdAt: time(row.createdAt),
    bridge: session === undefined ? null : bridgeOf(session, stored?.software ?? {}),
    lastConnectedAt: stored === undefined ? null : time(stored.connectedAt),
    lastDisconnectedAt: stored?.disconnectedAt == null ? null : time(stored.disconnectedAt),
    tokenRefusedAt: timeOrNull(credentials.tokenRefusedAt(row.tokenPrefix)),
  });

  const viewOne = async (row: ServerRow) => {
    const views = await sessionViews.of(row.projectId, [row.id]);
    return view(row, await store.sessions.get(row.projectId, row.id), views.get(row.id));
  };

  return new OpenAPIHono<RestEnv>({ defaultHook: validationHook })
    .openapi(serverApi.list, async (c) => {
      const { project, servers } = c.var.principal;
      const sessions = new Map((await store.sessions.list(project.id)).map((session) => [session.serverId, session]));
      const { limit, cursor } = c.req.valid('query');
      const { rows, next } = await store.servers.page(project.id, { limit, cursor, ids: servers });
      const views = await sessionViews.of(
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
      const { name, disabled } = c.req.valid('json');
      const patch = {
        ...(name === undefined ? {} : { name }),
        ...(disabled === undefined ? {} : { disabled }),
      };
      const changed = await servers.change(row, patch);
      if (changed === undefined) throw new HubError('server_not_found');
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
