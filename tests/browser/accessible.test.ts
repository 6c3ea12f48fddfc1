import { describe, expect, it } from 'vitest';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import { panelPages, startBusyStage } from '../kit/panel-pages.ts';
import { ANA, order, phase } from '../kit/panel-stage.ts';

const { visit, enter } = openBrowser();

const LIGHT = { colorScheme: 'light' } as const;
const DARK = { colorScheme: 'dark' } as const;
const DESK = { viewport: { width: 1200, height: 800 } };
const PHONE = { viewport: { width: 390, height: 800 } };
/** Each size and each colour; `.ci/panel all` looks at all four pairs. */
const LOOKS = {
  'on a desk in light colours': { ...DESK, ...LIGHT },
  'on a phone in dark colours': { ...PHONE, ...DARK },
  ...(process.env['CAUSEWAY_ALL'] === '1' && {
    'on a phone in light colours': { ...PHONE, ...LIGHT },
    'on a desk in dark colours': { ...DESK, ...DARK },
  }),
};

it.each(Object.entries(LOOKS))('every page is accessible, %s', async (_name, look) => {
  const { hub } = await startBusyStage();
  const { page } = await enter(hub, '/', look);
  for (const { name, path, ready } of await panelPages(hub)) {
    await page.goto(hub.address + path);
    await page.locator(ready).first().waitFor();
    expect([name, await violationsOf(page)]).toEqual([name, []]);
    const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    expect([name, isWide]).toEqual([name, false]);
  }
});

describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
  it('the door, a dialog and its outcome, and the menu are accessible', async () => {
    const { hub, economy } = await startBusyStage();
    const outside = await visit(hub, '/', { colorScheme });
    await outside.page.getByLabel('API key').waitFor();
    expect(await violationsOf(outside.page)).toEqual([]);
    const { page, expecting } = await enter(hub, '/players/main/char1%3Aana', { colorScheme });
    expecting(/status of (409|404)/);
    await order(page, 'Take money', '12000');
    expect(await violationsOf(page)).toEqual([]);
    economy.banks.set(ANA, 1);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Take / })
      .click();
    await phase(page, 'refused').waitFor();
    await page.getByRole('button', { name: 'Change and try again' }).isEnabled();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.locator('.side .account').click();
    expect(await violationsOf(page)).toEqual([]);
    await page.goto(`${hub.address}/journal`);
    await page.getByRole('combobox', { name: 'Player' }).fill('ana');
    await page.locator('.choices > *').first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.goto(`${hub.address}/nowhere`);
    await page.getByRole('link', { name: 'Back to the start' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});

describe('in other languages', () => {
  it.each([
    ['de-DE', 'Spieler', 'Abmelden', '12.300'],
    ['pt-BR', 'Jogadores', 'Sair', '12.300'],
  ])('%s is the language of the panel for a browser that asks for it', async (locale, players, signOut, balance) => {
    const { hub } = await startBusyStage();
    await hub.request('/api/v2/bridge/main/money', {
      json: { target: 'char1:ana', type: 'bank', amount: 500, action: 'remove' },
    });
    const { page } = await visit(hub, '/players/main/char1%3Aana', { locale });
    await page.getByLabel(/API/).fill(hub.key);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: players }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe(locale.slice(0, 2));
    await expect.poll(() => page.locator('[data-account=bank]').textContent()).toBe(balance);
    await page.locator('.side .account').click();
    await page.getByRole('button', { name: signOut }).waitFor();
    await page.locator('.settings:popover-open select').first().selectOption('en');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Players' }).waitFor();
  });
});
