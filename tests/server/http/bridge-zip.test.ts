import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeZip } from '../../../bridge/build.ts';
import { VERSION } from '../../../bridge/version.ts';
import { readZip } from '../../../server/http/pages.ts';
import { startEmptyHub } from '../../kit/empty-hub.ts';
import { newFolder } from '../../kit/folder.ts';
import { startHub } from '../../kit/hub.ts';

const NAME = `causeway-bridge-${VERSION}.zip`;

describe('the zip of the resource', () => {
  it('is served to a key, with its SHA-256, and not again to a caller that has it', async () => {
    const { address, key } = await startHub();
    const get = (path: string, headers = {}) => fetch(`${address}/bridge/${path}`, { headers });
    const headers = { 'X-API-Key': key };
    const zip = await get(NAME, headers);
    const bytes = Buffer.from(await zip.arrayBuffer());
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(zip.status).toBe(200);
    expect(zip.headers.get('content-type')).toBe('application/zip');
    expect(zip.headers.get('content-length')).toBe(String(bytes.length));
    expect(zip.headers.get('content-disposition')).toBe(`attachment; filename="${NAME}"`);
    expect(await (await get(`${NAME}.sha256`, headers)).text()).toBe(`${sha256}  ${NAME}\n`);
    expect(await (await get('latest', headers)).json()).toEqual({ name: NAME, bytes: bytes.length, sha256 });
    const again = await get(NAME, { ...headers, 'If-None-Match': `"${sha256}"` });
    expect([again.status, await again.text()]).toEqual([304, '']);
    for (const known of [`W/"${sha256}"`, `"other", W/"${sha256}"`, '*']) {
      expect((await get(NAME, { ...headers, 'If-None-Match': known })).status).toBe(304);
    }
    expect((await get(NAME, { ...headers, 'If-None-Match': '"other", W/"another"' })).status).toBe(200);
    const head = await fetch(`${address}/bridge/${NAME}`, { method: 'HEAD', headers });
    expect([head.status, head.headers.get('etag')]).toEqual([200, `"${sha256}"`]);
    expect((await get(NAME)).status).toBe(401);
    expect((await get(NAME, { 'X-API-Key': 'cw_live_wrong' })).status).toBe(401);
  });

  it('names its version to a caller that asks for another one', async () => {
    const { address, key } = await startHub();
    const other = await fetch(`${address}/bridge/causeway-bridge-0.9.0.zip`, { headers: { 'X-API-Key': key } });
    expect(other.status).toBe(404);
    expect(await other.json()).toMatchObject({ code: 'not_found', detail: `This hub has ${NAME}.` });
  });

  it('is open to the browser that sets the hub up', async () => {
    const hub = await startEmptyHub();
    const browser = await hub.open(await hub.newToken());
    expect((await hub.send(`/bridge/${NAME}`, undefined, browser.headers)).status).toBe(200);
    await hub.newToken();
    expect((await hub.send(`/bridge/${NAME}`, undefined, browser.headers)).status).toBe(401);
  });

  it('counts as missing when a file was cut off or its SHA-256 is not there', async () => {
    const folder = newFolder();
    await writeZip(folder);
    expect(readZip(folder)?.name).toBe(NAME);
    const whole = readFileSync(join(folder, NAME));
    writeFileSync(join(folder, NAME), whole.subarray(0, -1));
    expect(readZip(folder)).toBeUndefined();
    writeFileSync(join(folder, NAME), whole);
    rmSync(join(folder, `${NAME}.sha256`));
    expect(readZip(folder)).toBeUndefined();
  });
});
