import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { delayAnswers, openBrowser } from '../kit/browser.ts';
import { startBusyStage } from '../kit/panel-pages.ts';

const { enter, visit, signIn } = openBrowser();

/** Adds up how far things move without a hand of the person, as browsers measure it. */
const RECORD = `window.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });`;

const shiftOf = (page: Page): Promise<number> => page.evaluate<number>('window.shift');

describe('the overview', () => {
  it.each([
    ['a desk', { width: 1280, height: 800 }],
    ['a phone', { width: 390, height: 844 }],
  ])('does not move while it loads, on %s', async (_name, viewport) => {
    const { hub } = await startBusyStage();
    const { page } = await visit(hub, '/project', { viewport }, async (opened) => {
      await opened.addInitScript(RECORD);
    });
    await signIn(page, hub.key);
    await delayAnswers(page, 300);
    await page.goto(hub.address);
    await page.locator('.last .commands li').nth(1).waitFor();
    await page.locator('.chart canvas').nth(1).waitFor();
    expect(await shiftOf(page)).toBeLessThanOrEqual(0.1);
  });

  it('shows servers that are not normal first, and a row leads to its server', async () => {
    const { hub } = await startBusyStage();
    const { page } = await enter(hub);
    const rows = page.locator('.server');
    await expect.poll(() => rows.count()).toBe(2);
    expect((await rows.first().textContent()) ?? '').toContain('Never connected yet');
    expect(await rows.nth(1).locator('.state').count()).toBe(0);
    await rows.nth(1).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/servers/main');
  });

  it('has one range for its charts, in its address, and its numbers lead to the journal', async () => {
    const { hub } = await startBusyStage();
    const { page } = await enter(hub);
    await page.getByRole('button', { name: '7 d' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?range=7d');
    await page.locator('.legend li', { hasText: 'Refused' }).getByRole('link').click();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/journal');
    expect(new URL(page.url()).searchParams.get('status')).toBe('rejected,voided,expired');
    await expect.poll(() => page.locator('.commands .state').allTextContents()).toEqual(['Refused']);
  });
});
