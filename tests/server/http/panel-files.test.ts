import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../db/open.ts';
import { createHub } from '../../../server/hub.ts';
import { readConfig } from '../../../server/platform/config.ts';
import { shared } from '../../kit/ends.ts';
import { newFolder } from '../../kit/folder.ts';
import { get } from '../../kit/get.ts';
import { startHub } from '../../kit/hub.ts';
import { silentLog } from '../../kit/silent-log.ts';

const root = join(import.meta.dirname, '../../..');
const built = join(root, 'dist/panel');
const PAGES = [
  '/',
  '/players',
  '/players/main/char1%3Aa.b',
  '/journal',
  '/journal/cmd_1',
  '/batches',
  '/batches/new',
  '/batches/bat_1',
  '/schedules',
  '/schedules/new',
  '/schedules/sch_1',
  '/servers',
  '/servers/main',
  '/shops',
  '/shops/int_1',
  '/shops/int_1/edit',
  '/keys',
  '/webhooks',
  '/project',
  '/setup',
  '/servers/main/connect',
];
/** Scripts of a first visit, and of each part that is loaded later, in bytes as they are sent. */
const FIRST_BYTES = 144_000;
const LATER_BYTES = 19_000;

const assetsOf = (html: string): string[] =>
  [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');

const hub = shared(() => startHub({ panel: true }));

describe('the panel', () => {
  it.each([...PAGES, '/players/'])('is at %s, without a key', async (path) => {
    const { address } = hub();
    const { status, headers, body } = await get(address + path);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ]);
    expect(body.toString()).toContain('<div id="panel">');
  });

  it('runs no script and shows no style but its own', async () => {
    const { address } = hub();
    const { headers, body } = await get(address);
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
    const html = body.toString();
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
    const assets = assetsOf(html);
    expect(assets.length).toBeGreaterThanOrEqual(4);
    for (const asset of assets) {
      expect(asset).toMatch(/^\//);
      expect((await get(address + asset)).status, asset).toBe(200);
    }
  });

  it('comes packed as the browser can take it, and is kept', async () => {
    const { address } = hub();
    const script = assetsOf((await get(address)).body.toString()).find((path) => /^\/assets\/.*\.js$/.test(path)) ?? '';
    const plain = await get(address + script);
    expect(plain.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    const br = await get(address + script, { 'Accept-Encoding': 'gzip, deflate, br' });
    expect(br.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true);
    const gzip = await get(address + script, { 'Accept-Encoding': 'gzip' });
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
    const refused = await get(address + script, { 'Accept-Encoding': 'br;q=0, gzip' });
    expect(refused.headers['content-encoding']).toBe('gzip');
    const none = await get(address + script, { 'Accept-Encoding': 'br; q=0.000, gzip;q=0, brotli' });
    expect([none.headers['content-encoding'], none.body.equals(plain.body)]).toEqual([undefined, true]);
    const head = await get(address + script, { 'Accept-Encoding': 'br' }, 'HEAD');
    expect(head).toMatchObject({ status: 200, body: { length: 0 } });
    for (const name of ['etag', 'content-encoding', 'content-length', 'content-security-policy'])
      expect([name, head.headers[name]]).toEqual([name, br.headers[name]]);
    const again = await get(address, { 'If-None-Match': String((await get(address)).headers['etag']) });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  });

  it('is light at the start: sign-in and players, in English', () => {
    const sizeOf = (names: Iterable<string>): number =>
      [...names].reduce((sum, name) => sum + statSync(join(built, `${name}.br`)).size, 0);
    const html = readFileSync(join(built, 'index.html'), 'utf8');
    const first = new Set<string>();
    const visit = (name: string): void => {
      if (first.has(name)) return;
      first.add(name);
      const code = readFileSync(join(built, name), 'utf8');
      const imports = code.matchAll(/(?:^|[;}])import(?:[^"'()]*?from)?["']\.\/([^"']+)["']/g);
      for (const [, other = ''] of imports) visit(`assets/${other}`);
    };
    for (const [, script = ''] of html.matchAll(/src="\/(assets\/[^"]+\.js)"/g)) visit(script);
    expect(first.size).toBeGreaterThan(1);
    expect(sizeOf(first)).toBeLessThan(FIRST_BYTES);
    const all = readdirSync(join(built, 'assets')).filter((name) => name.endsWith('.js'));
    const later = all.map((name) => `assets/${name}`).filter((name) => !first.has(name));
    expect(later.filter((name) => sizeOf([name]) > LATER_BYTES)).toEqual([]);
  });

  it('has a page in the hub for each of its own', () => {
    const routes = readFileSync(join(root, 'panel/src/router.tsx'), 'utf8');
    const own = [...routes.matchAll(/path: '([^']+)'/g)].map((match) => match[1]?.replaceAll('$', ':'));
    const served = readFileSync(join(root, 'server/http/static.ts'), 'utf8');
    expect(own.length).toBe(PAGES.length);
    for (const path of own) expect(served).toContain(`'${path}'`);
  });

  it.each([
    '/admin',
    '/players/main',
    '/assets/',
    '/assets/none.js',
    '/fingerprint',
    '/index.html',
    '/assets/..%2findex.html',
  ])('is not at %s', async (path) => {
    const { address } = hub();
    expect((await get(address + path)).status).toBe(404);
  });

  it.each(['/admin', '/players/main', '/players/a/b/c'])(
    'tells a browser at %s that there is no such page',
    async (path) => {
      const { address } = hub();
      const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
      const { status, headers, body } = await get(address + path, browser);
      expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(headers['content-security-policy']).toMatch(/script-src 'self'/);
      expect(body.toString()).toContain('<div id="panel">');
      expect((await get(address + path)).headers['content-type']).toBe('application/problem+json');
      expect((await get(address + path, { Accept: 'text/html;q=0' })).headers['content-type']).toMatch(/json$/);
      const post = await fetch(address + path, { method: 'POST', headers: browser });
      expect([post.status, post.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
    },
  );

  it('is not where the API is, also for a browser', async () => {
    const { address } = hub();
    for (const path of ['/api/v2/none', '/api', '/api/v1/players']) {
      const { headers } = await get(address + path, { Accept: 'text/html' });
      expect([path, headers['content-type']]).toEqual([path, 'application/problem+json']);
    }
  });

  it('leaves no file open behind its answers', async () => {
    const { address } = hub();
    const script = assetsOf((await get(address)).body.toString()).find((path) => path.endsWith('.js')) ?? '';
    const { headers } = await get(address + script);
    await get(address + script, { 'If-None-Match': String(headers['etag']) });
    await get(address + script, {}, 'HEAD');
    await get(`${address}/admin`, { Accept: 'text/html' });
    await new Promise<void>((resolve, reject) => {
      const abandoned = request(address + script, { agent: false }, (incoming) => {
        incoming.destroy();
        resolve();
      });
      abandoned.on('error', reject).end();
    });
    const openFiles = () =>
      readdirSync('/proc/self/fd')
        .map((name) => {
          try {
            return readlinkSync(`/proc/self/fd/${name}`);
          } catch {
            return '';
          }
        })
        .filter((file) => file.startsWith(built));
    await expect.poll(openFiles).toEqual([]);
  });

  it('is built with the production React in every environment', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
    expect(scripts).toMatchObject({ 'build:panel': expect.stringMatching(/^NODE_ENV=production /) });
    const script = readdirSync(join(built, 'assets')).find((name) => name.endsWith('.js')) ?? '';
    expect(readFileSync(join(built, 'assets', script), 'utf8')).not.toContain('react-jsx-dev-runtime.development');
  });

  it('is missing where it was not built, and nothing else is', async () => {
    const folder = newFolder();
    const config = readConfig({ PORT: '0', DATABASE_URL: `file:${join(folder, 'hub.db')}` });
    const database = await openDatabase({ url: config.DATABASE_URL });
    await database.migrate();
    const hub = createHub({ database, config, log: silentLog(), panelFolder: join(folder, 'none') });
    const { port } = await hub.start();
    onTestFinished(hub.stop);
    expect((await get(`http://127.0.0.1:${port}/`)).status).toBe(404);
    expect((await get(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    expect((await get(`http://127.0.0.1:${port}/docs`)).status).toBe(404);
    expect((await get(`http://127.0.0.1:${port}/api/v2/openapi.json`)).status).toBe(200);
  });
});
