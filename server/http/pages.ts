import { hash, timingSafeEqual } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Context, Hono } from 'hono';
import * as z from 'zod';
import { ping } from '../../db/database.ts';
import { createSetup, SETUP_MS, type SetupStep } from '../admin/projects.ts';
import { clientAddress } from '../auth/limits.ts';
import { HubError } from '../platform/errors.ts';
import { invalidRequest, plainText, SLUG_PATTERN } from '../platform/fields.ts';
import { inTime } from '../platform/time.ts';
import { createIdentify, isOfOwnOrigin, panelCookie } from './identify.ts';
import { type RestDeps, type RestEnv, readJson } from './request.ts';
import { isKnown } from './static.ts';

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;
/** A proxy or a tunnel has sent the request on: then its address says nothing about the caller's. */
const FORWARDING =
  /^(?:forwarded.*|via|cdn-loop|x-(?:forwarded|original|envoy)\b.*|(?:.*-)?(?:real|client|connecting|remote|originating)-(?:ip|addr))$/;

/**
 * The setup of a hub for callers over HTTP. From this machine or over TLS only, because the answer of the last step
 * has secrets. Wrong links and cookies count as wrong secrets of their address.
 */
export const createSetupDoor = ({
  store,
  config,
  credentials,
  servers,
  forgetKeys,
}: Pick<RestDeps, 'store' | 'config' | 'credentials' | 'servers' | 'forgetKeys'>) => {
  const setup = createSetup({ store, servers, forgetKeys });
  const cookie = panelCookie(config, 'causeway_setup');

  const isPrivate = ({ headers, socket }: IncomingMessage): boolean => {
    if (config.TRUST_PROXY > 0 && headers['x-forwarded-proto'] === 'https') return true;
    return LOOPBACK.test(socket.remoteAddress ?? '') && !Object.keys(headers).some((name) => FORWARDING.test(name));
  };

  const assertPrivate = (request: IncomingMessage): void => {
    if (!isPrivate(request)) throw new HubError('setup_not_private');
  };

  return {
    setup,
    cookie,
    assertPrivate,
    /** A page of another site may make the browser send the cookie. */
    assertOwn: (request: IncomingMessage): void => {
      assertPrivate(request);
      if (request.headers.origin !== undefined && !isOfOwnOrigin(request, config))
        throw new HubError('origin_not_allowed');
    },
    /** Runs a step, and counts a link or a cookie that does not work. */
    counted: async <T>(request: IncomingMessage, work: () => Promise<T>): Promise<T> => {
      const address = clientAddress(request, config.TRUST_PROXY);
      credentials.assertNotBlocked(address);
      try {
        return await work();
      } catch (error) {
        if (error instanceof HubError && error.code === 'setup_link_gone') credentials.countWrong(address);
        throw error;
      }
    },
    /** The step of this browser. Cookies from elsewhere, or of a hub that is set up, are not looked up. */
    stepOf: async (request: IncomingMessage): Promise<SetupStep | undefined> => {
      const token = cookie.tokenOf(request);
      if (token === undefined || setup.isKnownDone() || !isPrivate(request)) return undefined;
      const address = clientAddress(request, config.TRUST_PROXY);
      credentials.assertNotBlocked(address);
      const step = await setup.stepOf(token);
      if (step === undefined && !setup.isKnownDone()) credentials.countWrong(address);
      return step;
    },
  };
};
type SetupDoor = ReturnType<typeof createSetupDoor>;

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
  { setup, cookie, assertPrivate, assertOwn, counted, stepOf }: SetupDoor,
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
      assertOwn(incoming);
      const { token } = await bodyOf(incoming, openSchema);
      const session = await counted(incoming, () => setup.open(token));
      return c.body(null, 204, { 'Set-Cookie': cookie.header(incoming, session, SETUP_MS) });
    })
    .post('/setup/finish', async (c) => {
      const { incoming } = c.env;
      assertOwn(incoming);
      const { community, serverId, serverName } = await bodyOf(incoming, finishSchema);
      const first = { name: community, server: { id: serverId, name: serverName } };
      const { key, token } = await counted(incoming, () => setup.finish(cookie.tokenOf(incoming), first));
      const longer = cookie.header(incoming, cookie.tokenOf(incoming) ?? '', SETUP_MS);
      return c.json({ key, token }, 201, { 'Set-Cookie': longer, ...SECRET });
    })
    .post('/setup/renew', async (c) => {
      const { incoming } = c.env;
      assertOwn(incoming);
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

const FOLDER = fileURLToPath(new URL('../../dist/bridge', import.meta.url));
const ZIP = /^causeway-bridge-[\w.-]+\.zip$/;

type BridgeZip = { name: string; bytes: Uint8Array<ArrayBuffer>; sha256: string };

/** The zip beside this hub; undefined: it was installed without one, or a part of it is missing. */
export const readZip = (folder = FOLDER): BridgeZip | undefined => {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const name = files.find((each) => ZIP.test(each) && files.includes(`${each}.sha256`));
  if (name === undefined) return undefined;
  const bytes = new Uint8Array(readFileSync(join(folder, name)));
  const sha256 = hash('sha256', bytes);
  return readFileSync(join(folder, `${name}.sha256`), 'utf8').startsWith(sha256) ? { name, bytes, sha256 } : undefined;
};

const MISSING = 'This hub was installed without the bridge’s zip, or the file is damaged. Install the hub again.';

/**
 * The resource for FiveM and RedM that this hub was tested with. For API keys, the panel, and the browser that sets the
 * hub up.
 */
export const bridgeZipRoutes = (deps: RestDeps, { stepOf }: Pick<SetupDoor, 'stepOf'>) => {
  const zip = readZip();
  const { identify } = createIdentify(deps);

  const assertKnown = async (c: Context<RestEnv>): Promise<void> => {
    const { incoming } = c.env;
    if (incoming.headers['x-api-key'] === undefined && (await stepOf(incoming)) !== undefined) return;
    await identify(incoming);
  };

  const answer = (c: Context<RestEnv>, { name, bytes, sha256 }: BridgeZip): Response => {
    const headers = { ETag: `"${sha256}"`, 'Cache-Control': 'private, no-cache' };
    if (isKnown(c.req.header('if-none-match'), headers.ETag)) return c.body(null, 304, headers);
    return c.body(bytes, 200, {
      ...headers,
      'Content-Type': 'application/zip',
      'Content-Disposition': `attachment; filename="${name}"`,
    });
  };

  return new Hono<RestEnv>()
    .get('/bridge/latest', async (c) => {
      await assertKnown(c);
      if (zip === undefined) throw new HubError('not_found', MISSING);
      return c.json({ name: zip.name, bytes: zip.bytes.length, sha256: zip.sha256 }, 200);
    })
    .get('/bridge/:name{causeway-bridge-.+}', async (c) => {
      await assertKnown(c);
      const name = c.req.param('name');
      if (zip !== undefined && name === zip.name) return answer(c, zip);
      if (zip !== undefined && name === `${zip.name}.sha256`) return c.text(`${zip.sha256}  ${zip.name}\n`);
      throw new HubError('not_found', zip === undefined ? MISSING : `This hub has ${zip.name}.`);
    });
};

/** Deadline of a readiness check: proxies give up after some seconds. */
const PING_MS = 1_000;

const isSame = (given: string, wanted: string): boolean =>
  timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', wanted, 'buffer'));

/** Routes for operators: liveness, readiness, metrics. */
export const operationRoutes = ({ config, metrics, database, phase }: RestDeps) =>
  new Hono<RestEnv>()
    .get('/livez', (c) => c.text('ok\n'))
    .get('/readyz', async (c) => {
      if (phase.isLeaving) return c.text('draining\n', 503);
      const latencyMs = await inTime(ping(database), PING_MS);
      return latencyMs !== undefined ? c.text('ok\n') : c.text('database\n', 503);
    })
    .get('/metrics', async (c) => {
      const bearer = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
      const isLocal =
        LOOPBACK.test(c.env.incoming.socket.remoteAddress ?? '') && c.req.header('x-forwarded-for') === undefined;
      const isAllowed = config.METRICS_TOKEN === undefined ? isLocal : isSame(bearer, config.METRICS_TOKEN);
      if (!isAllowed) throw new HubError('not_found');
      return c.body(await metrics.registry.metrics(), 200, { 'Content-Type': metrics.registry.contentType });
    });
