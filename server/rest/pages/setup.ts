import type { IncomingMessage } from 'node:http';
import { Hono } from 'hono';
import * as z from 'zod';
import { SETUP_MS } from '../../admin/projects.ts';
import { HubError } from '../../platform/errors.ts';
import { plainText } from '../../platform/fields.ts';
import { inTime } from '../../platform/time.ts';
import { invalidRequest } from '../answer.ts';
import type { RestDeps, RestEnv } from '../context.ts';
import { readJson } from '../request.ts';
import { SLUG_PATTERN } from '../schemas.ts';
import type { SetupDoor } from '../setup-door.ts';

const openSchema = z.strictObject({ token: z.string().max(256) });
const finishSchema = z.strictObject({
  community: plainText(128),
  serverId: z.string().regex(SLUG_PATTERN, 'must be 1 to 63 of a-z 0-9 _ - and begin with a letter or digit'),
  serverName: plainText(128),
});

const bodyOf = async <T>(request: IncomingMessage, schema: z.ZodType<T>): Promise<T> => {
  const read = await readJson(request);
  const parsed = schema.safeParse(read());
  if (!parsed.success) throw invalidRequest(parsed.error.issues);
  return parsed.data;
};

/** Deadline for the look whether the first page of the panel is the setup: the panel must load without a database. */
const LOOK_MS = 1_000;

/**
 * The setup of a hub, for the page `/setup`: a link is exchanged for a cookie, and the last step writes everything. The
 * browser can ask for other secrets until the key was used.
 */
export const setupRoutes = (
  { config }: Pick<RestDeps, 'config'>,
  { setup, cookie, assertPrivate, assertOwnOrigin, counted, stepOf }: SetupDoor,
  { hasPanel }: { hasPanel: boolean },
) => {
  const SECRET = { 'Cache-Control': 'no-store' };
  const isFirstPage = async (request: IncomingMessage): Promise<boolean> => {
    if (setup.isKnownDone()) return false;
    return (await setup.isEmpty()) || (await setup.stepOf(cookie.tokenOf(request))) !== undefined;
  };

  const routes = new Hono<RestEnv>();
  // A hub without its panel has no page for the setup.
  if (hasPanel)
    routes.get('/', async (c, next) => {
      if ((await inTime(isFirstPage(c.env.incoming), LOOK_MS)) === true)
        return c.body(null, 302, { ...SECRET, Location: '/setup' });
      return next();
    });
  return routes
    .post('/setup/open', async (c) => {
      const { incoming } = c.env;
      assertPrivate(incoming);
      assertOwnOrigin(incoming);
      const { token } = await bodyOf(incoming, openSchema);
      const session = await counted(incoming, () => setup.open(token));
      return c.body(null, 204, { 'Set-Cookie': cookie.header(incoming, session, SETUP_MS) });
    })
    .post('/setup/finish', async (c) => {
      const { incoming } = c.env;
      assertPrivate(incoming);
      assertOwnOrigin(incoming);
      const { community, serverId, serverName } = await bodyOf(incoming, finishSchema);
      const first = { name: community, server: { id: serverId, name: serverName } };
      const { key, token } = await counted(incoming, () => setup.finish(cookie.tokenOf(incoming), first));
      const longer = cookie.header(incoming, cookie.tokenOf(incoming) ?? '', SETUP_MS);
      return c.json({ key, token }, 201, { 'Set-Cookie': longer, ...SECRET });
    })
    .post('/setup/renew', async (c) => {
      const { incoming } = c.env;
      assertPrivate(incoming);
      assertOwnOrigin(incoming);
      const { key, token, server } = await counted(incoming, () => setup.renew(cookie.tokenOf(incoming)));
      return c.json({ key, token, serverId: server }, 200, SECRET);
    })
    .get('/setup/state', async (c) => {
      const { incoming } = c.env;
      assertPrivate(incoming);
      // A browser without a cookie learns where the link is, as long as one can be made.
      const isNew = cookie.tokenOf(incoming) === undefined && !(await setup.isDone());
      const step = isNew ? 'link' : await stepOf(incoming);
      if (step === undefined) throw new HubError('setup_link_gone');
      return c.json({ publicUrl: config.PUBLIC_URL ?? null, step }, 200, SECRET);
    });
};
