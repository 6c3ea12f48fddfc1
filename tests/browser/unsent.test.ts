import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import { startBusyStage } from '../kit/panel-pages.ts';
import { ANA, order, playerPath, startStage } from '../kit/panel-stage.ts';

const { enter } = openBrowser();

const LOST = 'What you typed was not sent.';
const amount = (page: Page): Promise<string> => page.getByLabel('Amount').inputValue();

const WAYS: [string, (page: Page) => Promise<unknown>][] = [
  ['Escape', (page) => page.keyboard.press('Escape')],
  ['Back', (page) => page.goBack()],
  ['a click beside it', (page) => page.mouse.click(5, 300)],
];

/** Comes to the player from the list, so that there is a page to go back to. */
const openDialog = async () => {
  const stage = await startStage();
  const { page } = await enter(stage.hub, '/players');
  await page.locator('.players a', { hasText: ANA }).click();
  await order(page, 'Give money', '700');
  return { ...stage, page };
};

describe('typed text', () => {
  it.each(WAYS)('of a dialog is not lost by %s before it is asked', async (_name, leave) => {
    const { page, economy } = await openDialog();
    await leave(page);
    await page.getByText(LOST).waitFor();
    await page.getByRole('button', { name: 'Keep typing' }).and(page.locator(':focus')).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText(LOST).waitFor({ state: 'detached' });
    expect(await amount(page)).toBe('700');
    await leave(page);
    await page.getByRole('button', { name: 'Discard it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(economy.applied).toEqual([]);
  });

  it('has the focus again when it is kept', async () => {
    const { page } = await openDialog();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Keep typing' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('textbox', { name: 'Reason' }).and(page.locator(':focus')).waitFor();
  });

  it('leaves with the page when it is discarded, and not before', async () => {
    const { page } = await openDialog();
    await page.goBack();
    await page.getByRole('button', { name: 'Keep typing' }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe(playerPath(ANA));
    await page.goBack();
    await page.getByRole('button', { name: 'Discard it' }).click();
    await page.getByRole('heading', { name: 'Players', level: 1 }).waitFor();
  });

  it('is not asked about when there is none', async () => {
    const { hub } = await startStage();
    const { page } = await enter(hub, playerPath(ANA));
    await page.getByRole('button', { name: 'Kick' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('of a sheet is kept, too, and its empty form closes at once', async () => {
    const { hub } = await startBusyStage();
    const { page } = await enter(hub, '/keys');
    await page.getByRole('link', { name: 'Servers', exact: true }).click();
    const add = page.getByRole('button', { name: 'New server' });
    await add.click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await add.and(page.locator(':focus')).waitFor();
    await add.click();
    await page.getByLabel('Id, such as main').fill('east');
    await page.keyboard.press('Escape');
    await page.getByText(LOST).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Keep typing' }).click();
    expect(await page.getByLabel('Id, such as main').inputValue()).toBe('east');
    await page.goBack();
    await page.getByText(LOST).waitFor();
    await page.getByRole('button', { name: 'Discard it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('of a form on a page is kept, too', async () => {
    const { hub } = await startBusyStage();
    const { page } = await enter(hub, '/batches/new');
    await page.getByLabel('Identifiers of the players').fill('char1:ana');
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByText(LOST).waitFor();
    await page.getByRole('button', { name: 'Keep typing' }).click();
    expect(await page.getByLabel('Identifiers of the players').inputValue()).toBe('char1:ana');
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('button', { name: 'Discard it' }).click();
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
  });
});
