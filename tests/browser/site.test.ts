import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { readPages } from '../../panel/site/pages.ts';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import { startHub } from '../kit/hub.ts';
import { ROOT } from '../kit/pages.ts';

const { visit } = openBrowser();
const PHONE = { viewport: { width: 360, height: 740 } };
const all = readPages(ROOT).map(({ address }) => address);
/** `.ci/panel all` looks at each page. */
const isAll = process.env['CAUSEWAY_ALL'] === '1';
const some = [
  '/docs',
  '/docs/errors',
  '/docs/reference/api',
  '/docs/explanation/architecture',
  '/docs/explanation/performance',
];

const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');

const links = (page: Page) => page.locator('.found a');

describe('the search of the documentation', () => {
  it.each([
    ['a desk', {}],
    ['a phone', PHONE],
  ])('finds a section with the keyboard alone, on %s', async (_name, options) => {
    const hub = await startHub();
    const { page } = await visit(hub, '/docs/guides/write-a-bot', options);
    await page.getByRole('searchbox').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('insufficient fun');
    await links(page).first().waitFor();
    expect(await page.getByRole('status').textContent()).toMatch(/^\d+ results?$/);
    expect(await violationsOf(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate('document.activeElement.textContent')).toContain('insufficient_funds');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/errors#insufficient_funds');
    expect(await page.locator(':target').textContent()).toContain('insufficient_funds');
  });

  it('says when there is nothing, and closes with Escape', async () => {
    const hub = await startHub();
    const { page } = await visit(hub, '/docs');
    await page.getByRole('searchbox').fill('xyzzyxyzzy');
    await page.getByText('No results').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('No results').waitFor({ state: 'hidden' });
  });

  it('says when its index cannot be loaded, and tries again', async () => {
    const hub = await startHub();
    const { page, expecting } = await visit(hub, '/docs');
    expecting(/ERR_FAILED/);
    await page.route('**/search-*.json', (route) => route.abort());
    await page.getByRole('searchbox').fill('settings');
    await page.getByText('could not be loaded').waitFor();
    await page.unroute('**/search-*.json');
    await page.getByRole('searchbox').fill('setting');
    await links(page).first().waitFor();
  });
});

it.each([
  ['pages are accessible and fit, on a desk in light colours', some, { colorScheme: 'light' }],
  ['pages are accessible and fit, on a phone in dark colours', isAll ? all : some, { colorScheme: 'dark', ...PHONE }],
] as const)('%s', { timeout: 600_000 }, async (_name, pages, options) => {
  const hub = await startHub();
  const { page, expecting } = await visit(hub, '/docs/none', options);
  expecting(/status of 404/);
  for (const address of ['/docs/none', ...pages]) {
    if (address !== '/docs/none') await page.goto(hub.address + address);
    expect([address, await violationsOf(page)]).toEqual([address, []]);
    expect([address, await isTooWide(page)]).toEqual([address, false]);
  }
});

it.each(['performance', 'scale', 'large-servers'])('%s fits on two printed pages', async (name) => {
  const hub = await startHub();
  const { page } = await visit(hub, `/docs/explanation/${name}`);
  const pdf = (
    await page.pdf({ format: 'A4', margin: { top: '1cm', bottom: '1cm', left: '1cm', right: '1cm' } })
  ).toString('latin1');
  const printed = pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  expect(printed).toBeGreaterThan(0);
  expect(printed).toBeLessThanOrEqual(2);
});

describe('a page of the documentation', () => {
  it('follows the colours that were chosen in the panel', async () => {
    const hub = await startHub();
    const { page } = await visit(hub, '/docs/explanation/architecture', { colorScheme: 'light' });
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const box = () => page.evaluate<string>(`getComputedStyle(document.querySelector('figure rect[stroke]')).fill`);
    const light = [await background(), await box()];
    await page.evaluate(`localStorage.setItem('causeway-scheme', 'dark')`);
    await page.reload();
    const dark = [await background(), await box()];
    expect(light[0]).toBe('rgb(255, 255, 255)');
    expect(dark[0]).toBe('rgb(20, 22, 26)');
    expect(dark[1]).not.toBe(light[1]);
  });

  it('has code that is copied by one click, and its contents open on a wide screen only', async () => {
    const hub = await startHub();
    const { page, context } = await visit(hub, '/docs/reference/api', { viewport: { width: 1280, height: 800 } });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: hub.address });
    const list = page.locator('.contents > ul');
    await list.waitFor();
    const code = page.locator('.code').first();
    await code.hover();
    await code.getByRole('button', { name: 'Copy' }).click();
    await code.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      ((await code.locator('code').textContent()) ?? '').trimEnd(),
    );
    expect(await violationsOf(page)).toEqual([]);
    await page.setViewportSize(PHONE.viewport);
    await page.reload();
    await code.getByRole('button').waitFor();
    expect(await list.isVisible()).toBe(false);
    await page.getByText('On this page').click();
    await list.waitFor();
  });

  it('has a menu on a phone, and wide tables scroll in their box', async () => {
    const hub = await startHub();
    const { page } = await visit(hub, '/docs/reference/settings', PHONE);
    const menu = page.getByRole('navigation', { name: 'Pages' });
    expect(await menu.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Pages' }).click();
    expect(await menu.getByRole('link', { name: 'Settings' }).getAttribute('aria-current')).toBe('page');
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'hidden' });
    const table = page.locator('.box[tabindex="0"]').first();
    await table.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => table.evaluate<number, { scrollLeft: number }>((box) => box.scrollLeft)).toBeGreaterThan(0);
  });

  it('leads to the next one, to the panel and to the API reference', async () => {
    const hub = await startHub();
    const { page } = await visit(hub, '/docs/guides/overview');
    await page.getByRole('navigation', { name: 'Previous and next page' }).getByRole('link').click();
    await page.waitForURL('**/docs/guides/getting-started');
    await page.getByRole('link', { name: 'API', exact: true }).click();
    await page.getByText('/api/v2/players', { exact: true }).first().waitFor();
    await page.getByRole('navigation', { name: 'Causeway' }).getByRole('link', { name: 'Panel' }).click();
    await page.getByLabel('API key').waitFor();
  });

  it('sends old links into the API reference to its new address', async () => {
    const hub = await startHub();
    const { page } = await visit(hub, '/docs#/Players/listPlayers');
    await page.waitForURL('**/docs/api#/Players/listPlayers');
  });
});
