import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { moneyBounds } from '../../../db/queries/projects.ts';
import { type Principal, SCOPES } from '../../auth/credentials.ts';
import { PANEL_SESSION_MS } from '../../auth/panel-sessions.ts';
import { type Config, isLoopbackHost } from '../../platform/config.ts';
import { validationHook } from '../answer.ts';
import { panelCookie } from '../identify.ts';
import { needs } from '../middleware.ts';
import type { RestDeps, RestEnv } from '../request.ts';
import { at, body, json, noQuery, problems, scope } from '../schemas.ts';

const sessionSchema = z
  .object({
    key: z.object({ id: z.string(), name: z.string() }),
    scopes: z.array(scope).openapi({ description: 'The scopes of this key, which it may also grant.' }),
    servers: z.array(z.string()).nullable().openapi({ description: 'null: every server of the project.' }),
    publicUrl: z.string().nullable().openapi({ description: 'PUBLIC_URL of the hub; null: not set.' }),
    listensHereOnly: z
      .boolean()
      .openapi({ description: 'True: HOST of the hub is an address of its own machine only.' }),
    project: z.object({ slug: z.string(), name: z.string(), maxAmount: z.int().nullable() }),
  })
  .openapi('PanelSession');

const tags = ['Panel'];

const signInRoute = createRoute({
  tags,
  ...at('post', '/panel/session', 'signIn'),
  summary: 'Exchange the key for a cookie of the panel',
  ...needs([], 'The cookie opens this API for pages of this hub only; it ends after 12 idle hours, and with its key.'),
  request: { query: noQuery, body: body(z.strictObject({}), { required: false }) },
  responses: { 201: json(sessionSchema, 'Signed in; the cookie is set.'), ...problems(400, 413, 415) },
});

const readRoute = createRoute({
  tags,
  ...at('get', '/panel/session', 'getPanelSession'),
  summary: 'The current user and their permissions',
  ...needs([]),
  request: { query: noQuery },
  responses: { 200: json(sessionSchema, 'The key, as a person of the panel.'), ...problems() },
});

const signOutRoute = createRoute({
  tags,
  ...at('delete', '/panel/session', 'signOut'),
  summary: 'End the session of the panel',
  ...needs([]),
  request: { query: noQuery },
  responses: { 204: { description: 'The session has ended.' }, ...problems(413, 415) },
});

const viewOf = (
  { key, servers, scopes, project }: Principal,
  { PUBLIC_URL, HOST }: Pick<Config, 'PUBLIC_URL' | 'HOST'>,
): z.infer<typeof sessionSchema> => ({
  key: { id: key.id, name: key.name },
  scopes: SCOPES.filter((each) => scopes.has(each)),
  servers: servers === undefined ? null : [...servers],
  publicUrl: PUBLIC_URL ?? null,
  listensHereOnly: isLoopbackHost(HOST),
  project: { slug: project.slug, name: project.name, maxAmount: moneyBounds(project).maxAmount },
});

/** Sessions of the panel: exchanges a key for an opaque cookie. */
export const panelSessionRoutes = ({ panelSessions, config }: RestDeps) => {
  const cookie = panelCookie(config);
  const setCookie = (c: Context<RestEnv>, value: string, maxAgeMs: number): void =>
    c.header('Set-Cookie', cookie.header(c.env.incoming, value, maxAgeMs));

  const closeCookie = async (c: Context<RestEnv>): Promise<void> => {
    const token = cookie.tokenOf(c.env.incoming);
    if (token !== undefined) await panelSessions.close(token);
  };

  return new OpenAPIHono<RestEnv>({ defaultHook: validationHook })
    .openapi(signInRoute, async (c) => {
      const { principal } = c.var;
      const key = c.req.header('x-api-key');
      // A request with only the cookie is signed in already.
      if (key !== undefined) {
        await closeCookie(c);
        setCookie(c, await panelSessions.open(principal, key), PANEL_SESSION_MS);
      }
      return c.json(viewOf(principal, config), 201);
    })
    .openapi(readRoute, (c) => c.json(viewOf(c.var.principal, config), 200))
    .openapi(signOutRoute, async (c) => {
      await closeCookie(c);
      setCookie(c, '', 0);
      return c.body(null, 204);
    });
};
