import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Context, Hono } from 'hono';
import { HubError } from '../../platform/errors.ts';
import type { RestDeps, RestEnv } from '../context.ts';
import { createIdentify } from '../identify.ts';
import type { SetupDoor } from '../setup-door.ts';

const FOLDER = fileURLToPath(new URL('../../../dist/bridge', import.meta.url));
const ZIP = /^causeway-bridge-[\w.-]+\.zip$/;

type BridgeZip = { name: string; bytes: Uint8Array<ArrayBuffer>; sha256: string };

/** The zip beside this hub; undefined: it was installed without one, or a part of it is missing. */
export const readZip = (folder = FOLDER): BridgeZip | undefined => {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const name = files.find((each) => ZIP.test(each) && files.includes(`${each}.sha256`));
  if (name === undefined) return undefined;
  const bytes = new Uint8Array(readFileSync(join(folder, name)));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return readFileSync(join(folder, `${name}.sha256`), 'utf8').startsWith(sha256) ? { name, bytes, sha256 } : undefined;
};

/** Whether the caller has this file by RFC 9110, 13.1.2: one of a list matches, compared weakly, or it is `*`. */
const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === etag) === true;

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
