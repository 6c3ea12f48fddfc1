import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openBrowser } from '../kit/browser.ts';
import { startBusyStage } from '../kit/panel-pages.ts';
import { ANA, act, order, phase, playerPath, rowOf, startStage } from '../kit/panel-stage.ts';

const { enter } = openBrowser();

const isFocused = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).and(page.locator(':focus')).first().waitFor();

describe('the focus', () => {
  it('returns to the button that opened a dialog', async () => {
    const { hub } = await startStage();
    const { page } = await enter(hub, playerPath(ANA));
    for (const name of ['Kick', 'Take']) {
      await page.getByRole('button', { name, exact: true }).focus();
      await page.keyboard.press('Enter');
      if (name === 'Take') {
        await page.getByRole('menuitem').first().and(page.locator(':focus')).waitFor();
        await page.keyboard.press('Enter');
      }
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await isFocused(page, name);
    }
  });

  it('returns to the button that asks to undo', async () => {
    const { hub } = await startStage();
    const { page } = await enter(hub, playerPath(ANA));
    await order(page, 'Take money', '5');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Take / })
      .click();
    await phase(page, 'done').waitFor();
    await page.getByRole('button', { name: /^Undo: / }).click();
    await page.getByRole('textbox', { name: 'Reason' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page
      .getByRole('button', { name: /^Undo: / })
      .and(page.locator(':focus'))
      .waitFor();
  });

  it('stays in a dialog that another dialog opened, and returns to the row', async () => {
    const { hub } = await startBusyStage();
    const { page } = await enter(hub, '/keys');
    const other = rowOf(page, 'other key');
    await act(other, 'Replace');
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
    await page.locator('.secret').waitFor();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(1);
    await expect.poll(() => page.evaluate('document.activeElement.closest("[role=dialog]") !== null')).toBe(true);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await other
      .getByRole('button', { name: /^Actions for/ })
      .and(page.locator(':focus'))
      .waitFor();
  });

  it('stays on a button whose action was refused', async () => {
    const { hub } = await startBusyStage();
    const { page, expecting } = await enter(hub, '/servers');
    expecting(/status of 403/);
    let refuse = (): void => undefined;
    const seen = new Promise<void>((resolve) => {
      refuse = resolve;
    });
    await page.route('**/api/v2/servers/west', async (route) => {
      await seen;
      const problem = { code: 'insufficient_scope', status: 403, detail: '', requestId: 'req_1', executed: 'no' };
      await route.fulfill({ status: 403, contentType: 'application/problem+json', body: JSON.stringify(problem) });
    });
    await act(rowOf(page, 'west'), 'Delete');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete' }).focus();
    await page.keyboard.press('Enter');
    await dialog.locator('[aria-busy=true]:focus').waitFor();
    refuse();
    await dialog.getByRole('alert').waitFor();
    await isFocused(page, 'Delete');
  });

  it('is on the page when its button is gone', async () => {
    const { hub } = await startBusyStage();
    const { page } = await enter(hub, '/servers');
    const west = rowOf(page, 'west');
    await act(west, 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await west.waitFor({ state: 'detached' });
    await page.locator('main:focus').waitFor();
  });
});

describe('the menu of the account', () => {
  it.each([
    ['Escape', (page: Page) => page.keyboard.press('Escape')],
    ['a click beside it', (page: Page) => page.mouse.click(600, 600)],
    [
      'Tab beyond its end',
      async (page: Page) => {
        await page.getByRole('button', { name: 'Sign out' }).focus();
        await page.keyboard.press('Tab');
      },
    ],
    ['a link of the page', (page: Page) => page.getByRole('link', { name: 'Journal', exact: true }).click()],
  ])('closes by %s', async (_name, leave) => {
    const { hub } = await startStage();
    const { page } = await enter(hub, playerPath(ANA));
    await page.locator('.side .account').click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.getByText('Signed in as').click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await leave(page);
    await page.getByRole('button', { name: 'Sign out' }).waitFor({ state: 'hidden' });
  });

  it('gives the focus back to its button after Escape', async () => {
    const { hub } = await startStage();
    const { page } = await enter(hub, playerPath(ANA));
    await page.locator('.side .account').click();
    await page.getByLabel('Language').focus();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate('document.activeElement.className')).toContain('account');
  });
});
