import type { IncomingMessage } from 'node:http';
import { Hono } from 'hono';
import * as z from 'zod';
import { createSetup, SETUP_MS } from '../../admin/setup.ts';
import { clientAddress } from '../../auth/client-address.ts';
import { HubError } from '../../platform/errors.ts';
import { plainText } from '../../platform/text-fields.ts';
import { invalidRequest } from '../answer.ts';
import { readJson } from '../body.ts';
import type { RestDeps, RestEnv } from '../context.ts';
import { createPanelCookie } from '../panel-cookie.ts';
import { SLUG_PATTERN } from '../schemas.ts';

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;
/** A proxy has sent the request on: then its address says nothing about the caller's. */
const FORWARDING = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

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

/**
 * The setup of an empty hub, for the page `/setup`: a link is exchanged for a cookie, and the last step writes everything.
 * From this machine or over TLS only, because the answer of the last step has secrets.
 */
export const setupRoutes = ({ store, config, credentials }: Pick<RestDeps, 'store' | 'config' | 'credentials'>) => {
  const setup = createSetup({ store });
  const cookie = createPanelCookie(config, 'causeway_setup');

  const assertPrivate = ({ headers, socket }: IncomingMessage): void => {
    const isOverTls = config.TRUST_PROXY > 0 && headers['x-forwarded-proto'] === 'https';
    const isHere = LOOPBACK.test(socket.remoteAddress ?? '') && !FORWARDING.some((name) => headers[name] !== undefined);
    if (!isOverTls && !isHere) throw new HubError('setup_not_private');
  };

  /** A page of another site may make the browser send the cookie. */
  const assertOwnOrigin = ({ headers: { origin, host } }: IncomingMessage): void => {
    const isOwn = origin === undefined || origin === config.PUBLIC_URL || origin.replace(/^https?:\/\//, '') === host;
    if (!isOwn) throw new HubError('origin_not_allowed');
  };

  /** Counts a link that does not work as a wrong secret of the address. */
  const counted = async <T>(request: IncomingMessage, work: () => Promise<T>): Promise<T> => {
    const address = clientAddress(request, config.TRUST_PROXY);
    credentials.assertNotBlocked(address);
    try {
      return await work();
    } catch (error) {
      if (error instanceof HubError && error.code === 'setup_link_gone') credentials.countWrong(address);
      throw error;
    }
  };

  return new Hono<RestEnv>()
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
      const isOpen = await setup.isOpen(cookie.tokenOf(c.env.incoming));
      if (!isOpen) throw new HubError('setup_link_gone');
      return c.json({ publicUrl: config.PUBLIC_URL ?? null }, 200, { 'Cache-Control': 'no-store' });
    });
};
