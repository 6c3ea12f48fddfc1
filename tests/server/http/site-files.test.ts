import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../../server/platform/errors.ts';
import { shared } from '../../kit/ends.ts';
import { type Got, get } from '../../kit/get.ts';
import { startHub } from '../../kit/hub.ts';
import { PAGES, ROOT } from '../../kit/pages.ts';

const files = readdirSync(join(ROOT, 'dist/docs'), { recursive: true, encoding: 'utf8' });
const pages = files
  .filter((name) => name.endsWith('.html') && name !== '404.html')
  .map((name) => `/docs/${name.slice(0, -'.html'.length)}`.replace(/\/index$/, ''));
const assets = files.filter((name) => /^assets\/.*\.(css|js|json|png|svg)$/.test(name)).map((name) => `/docs/${name}`);
const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const text = ({ body }: Got): string => body.toString();

/** The addresses in a page, with what they are for. */
const linksOf = (html: string): string[] =>
  [...html.matchAll(/ (?:src|href|data-index)="([^"]+)"/g)].map(([, link = '']) => link);

const hub = shared(() => startHub({ panel: true }));

describe('the documentation', () => {
  it('is at /docs, without a key and without a cookie', async () => {
    const { address } = hub();
    const index = await get(`${address}/docs`);
    expect(index.status).toBe(200);
    expect(index.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
    expect(index.headers['set-cookie']).toBeUndefined();
    for (const part of ['Guides', 'Reference', 'Explanation', 'Decisions']) expect(text(index)).toContain(part);
  });

  it('has an address for every page of docs/', async () => {
    const { address } = hub();
    expect(pages).toHaveLength(PAGES.length + 3);
    for (const each of [...pages, ...assets]) expect([each, (await get(address + each)).status]).toEqual([each, 200]);
  });

  it('runs no script and shows no style but its own', async () => {
    const { address } = hub();
    for (const path of ['/docs', '/docs/explanation/architecture', '/docs/errors']) {
      const { headers, body } = await get(address + path);
      const policy = String(headers['content-security-policy']);
      expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(body.toString()).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|<[^>]+\son\w+=/);
    }
  });

  it('has no dead link, inside or outside of a page', async () => {
    const { address } = hub();
    const texts = new Map<string, string>();
    for (const path of pages) texts.set(path, text(await get(address + path)));
    const others = new Map<string, number>();
    const dead: string[] = [];
    for (const [path, html] of texts) {
      for (const link of linksOf(html).filter((each) => !/^(https?|wss?|mailto):/.test(each))) {
        const [target = '', anchor] = link.split('#');
        const page = target === '' ? html : texts.get(target);
        if (page === undefined && !others.has(target)) others.set(target, (await get(address + target)).status);
        const isThere = page === undefined ? others.get(target) === 200 : true;
        const hasAnchor = anchor === undefined || page?.includes(` id="${decodeURIComponent(anchor)}"`) === true;
        if (!isThere || !hasAnchor) dead.push(`${path}: ${link}`);
      }
    }
    expect(dead).toEqual([]);
    expect(others.size).toBeGreaterThan(5);
  });

  it('has the section of each error where problem documents point to', async () => {
    const { address } = hub();
    const problem = await get(`${address}/api/v2/players`);
    expect(JSON.parse(text(problem))).toMatchObject({ type: '/docs/errors#missing_api_key' });
    const html = text(await get(`${address}/docs/errors`));
    for (const code of Object.keys(ERRORS)) expect(html).toContain(`<h2 id="${code}">`);
  });

  it('comes packed as the browser can take it, and is kept', async () => {
    const { address } = hub();
    const path = '/docs/guides/run-a-hub';
    const plain = await get(address + path);
    expect(plain.headers).toMatchObject({ vary: 'Accept-Encoding' });
    const br = await get(address + path, { 'Accept-Encoding': 'gzip, deflate, br' });
    expect([br.headers['content-encoding'], brotliDecompressSync(br.body).equals(plain.body)]).toEqual(['br', true]);
    const gzip = await get(address + path, { 'Accept-Encoding': 'br;q=0, gzip' });
    expect([gzip.headers['content-encoding'], gunzipSync(gzip.body).equals(plain.body)]).toEqual(['gzip', true]);
    const again = await get(address + path, { 'If-None-Match': String(plain.headers['etag']) });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    const head = await get(address + path, {}, 'HEAD');
    expect([head.status, head.body.length, head.headers['etag']]).toEqual([200, 0, plain.headers['etag']]);
    for (const asset of linksOf(text(plain)).filter((link) => link.startsWith('/docs/assets/'))) {
      expect((await get(address + asset)).headers['cache-control']).toBe('public, max-age=31536000, immutable');
    }
  });

  it('serves pictures as they are', async () => {
    const { address } = hub();
    const picture = assets.find((each) => each.endsWith('.png')) ?? '';
    const { status, headers, body } = await get(address + picture, { 'Accept-Encoding': 'br' });
    expect([status, headers['content-type'], headers['content-encoding']]).toEqual([200, 'image/png', undefined]);
    expect(body.subarray(1, 4).toString()).toBe('PNG');
  });

  it.each([
    '/docs/none',
    '/docs/guides/none',
    '/docs/guides',
    '/docs/lab/2026-11-22-chaos',
    '/docs/assets/none.js',
    '/docs/404',
    '/docs/files.json',
  ])('has a page of its own for %s, which does not exist', async (path) => {
    const { address } = hub();
    const missing = await get(address + path, BROWSER);
    expect(missing.status).toBe(404);
    const problem = await get(address + path);
    expect([problem.status, problem.headers['content-type']]).toEqual([404, 'application/problem+json']);
    // An asset is no page, also for browsers.
    if (path.startsWith('/docs/assets/')) return;
    expect(missing.headers['content-security-policy']).toMatch(/style-src 'self';/);
    expect(text(missing)).toContain('There is no such page');
  });

  it('is read only', async () => {
    const { address } = hub();
    const { status, headers } = await get(`${address}/docs/guides/run-a-hub`, {}, 'POST');
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
  });
});
