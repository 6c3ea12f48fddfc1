import type { IncomingMessage } from 'node:http';
import { Hono } from 'hono';
import * as z from 'zod';
import { SETUP_MS } from '../../admin/setup.ts';
import { HubError } from '../../platform/errors.ts';
import { plainText } from '../../platform/text-fields.ts';
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

/** The setup of an empty hub, for the page `/setup`: a link is exchanged for a cookie, and the last step writes everything. */
export const setupRoutes = (
  { config }: Pick<RestDeps, 'config'>,
  { setup, cookie, assertPrivate, assertOwnOrigin, counted, isSettingUp }: SetupDoor,
) =>
  new Hono<RestEnv>()
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
      const headers = { 'Set-Cookie': cookie.header(incoming, '', 0), 'Cache-Control': 'no-store' };
      return c.json({ key, token }, 201, headers);
    })
    .get('/setup/state', async (c) => {
      const { incoming } = c.env;
      assertPrivate(incoming);
      if (!(await isSettingUp(incoming))) throw new HubError('setup_link_gone');
      return c.json({ publicUrl: config.PUBLIC_URL ?? null }, 200, { 'Cache-Control': 'no-store' });
    });
