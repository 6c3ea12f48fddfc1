import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import { ANA, DESK, names, playerPath, record, startStage } from '../kit/panel-stage.ts';

const { enter } = openBrowser();

/** The top and the height of each drawn row, by place. */
const rowsOf = (page: Page): Promise<{ top: number; height: number; right: number }[]> =>
  page.locator('.player').evaluateAll((rows) =>
    rows.map((row) => {
      const { top, height, right } = row.getBoundingClientRect();
      return { top, height, right };
    }),
  );

describe('the rows of the players', () => {
  it('are 36 pixels high, one below the other, the first one at 176 or above, and 32 if the person wants them low', async () => {
    const { hub } = await startStage({ players: names(60) });
    const { page } = await enter(hub, '/players', DESK);
    await page.locator('.player').nth(20).waitFor();
    const rows = await rowsOf(page);
    expect(rows[0]?.top).toBeLessThanOrEqual(176);
    expect(rows.map(({ top }) => top - (rows[0]?.top ?? 0))).toEqual(rows.map((_, at) => at * 36));
    expect(new Set(rows.map(({ height }) => height))).toEqual(new Set([36]));
    expect(rows.filter(({ top }) => top + 36 <= 800).length).toBeGreaterThanOrEqual(14);
    await page.evaluate("localStorage.setItem('causeway-compact', 'yes')");
    await page.reload();
    await page.locator('.player').nth(20).waitFor();
    expect((await rowsOf(page))[0]?.height).toBe(32);
  });

  it.each([320, 390])('have two lines on a phone of %i, and nothing is off screen', async (width) => {
    const { hub } = await startStage({ players: names(20) });
    const { page } = await enter(hub, '/players', { viewport: { width, height: 800 } });
    await page.locator('.player').nth(9).waitFor();
    for (const { height, right } of await rowsOf(page)) {
      expect(height).toBe(56);
      expect(right).toBeLessThanOrEqual(width);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await page.getByRole('button', { name: 'List' }).click();
    await page.getByRole('menuitem', { name: 'Select', exact: true }).click();
    await page.getByRole('checkbox').first().click();
    await page.getByText('1 selected').waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  it('have all actions behind one button on a phone', async () => {
    const { hub, economy } = await startStage();
    const { page } = await enter(hub, '/players', { viewport: { width: 320, height: 800 }, hasTouch: true });
    const button = page.locator('.player', { hasText: ANA }).getByRole('button', { name: /^Other actions: / });
    const { width, height, x } = (await button.boundingBox()) ?? { width: 0, height: 0, x: 0 };
    expect([width, height, x + width]).toEqual([44, 44, 304]);
    expect(await violationsOf(page)).toEqual([]);
    await button.click();
    await page.getByRole('menuitem', { name: 'Give money' }).waitFor();
    await page.getByRole('menuitem', { name: 'Kick' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('rude');
    await page.getByRole('button', { name: 'Kick now' }).click();
    await expect.poll(() => economy.kicked).toEqual([ANA]);
  });

  it('are sorted by a click on a heading, which the address keeps', async () => {
    const { hub } = await startStage({ players: { 'char1:bob': 50, 'char1:ana': 7, 'char1:cid': 60 } });
    const { page } = await enter(hub, '/players', DESK);
    const shown = (): Promise<string[]> => page.locator('.players a').allTextContents();
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await expect.poll(shown).toEqual(['Name of char1:ana', 'Name of char1:bob', 'Name of char1:cid']);
    expect(new URL(page.url()).search).toBe('?sort=name');
    await page.reload();
    await expect.poll(shown).toEqual(['Name of char1:ana', 'Name of char1:bob', 'Name of char1:cid']);
    expect(await page.locator('[aria-sort=ascending]').textContent()).toBe('Name');
    await page.getByRole('button', { name: 'Seen' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('');
  });

  it('stay where they are when another order comes, until it is asked for', async () => {
    const { hub, game } = await startStage({ players: { 'char1:ana': 5, 'char1:bob': 5 } });
    const { page } = await enter(hub, '/players?sort=name', DESK);
    await expect.poll(() => page.locator('.player').count()).toBe(2);
    await page.mouse.move(600, 5);
    game.bridge.changed({ players: [record('char1:aaa')] });
    await page.getByRole('button', { name: '1 new: show' }).waitFor();
    expect(await page.locator('.players a').allTextContents()).toEqual(['Name of char1:ana', 'Name of char1:bob']);
    await page.getByRole('button', { name: '1 new: show' }).click();
    await expect.poll(() => page.locator('.players a').first().textContent()).toBe('Name of char1:aaa');
  });

  it('follow the events when hundreds of others have pushed them out of the pages in view', async () => {
    const { hub, game } = await startStage({ players: names(150) });
    const { page } = await enter(hub, '/players', DESK);
    const row = page.locator('.player').first();
    const name = (await row.locator('a').textContent()) ?? '';
    const others = Object.keys(names(250)).map((identifier) => record(identifier.replace('n', 'm')));
    game.bridge.changed({ players: others });
    await page.getByText('400 players').waitFor();
    await page.getByRole('button', { name: 'Order changed: show' }).waitFor();
    const identifier = name.replace('Name of ', '');
    game.bridge.changed({ players: [record(identifier, { online: false, accounts: { bank: 77_777 } })] });
    await row.getByText('77,777').waitFor();
    await row.getByText('Offline').waitFor({ state: 'attached' });
    expect(await row.locator('a').textContent()).toBe(name);
  });

  it('have no columns that nobody fills, and those that are chosen, which the browser remembers', async () => {
    const { hub, game } = await startStage();
    game.bridge.changed({ players: [record(ANA, { identifiers: ['discord:123456789012345678'] })] });
    const { page } = await enter(hub, '/players', DESK);
    const heads = async (): Promise<string[]> =>
      (await page.getByRole('columnheader').filter({ visible: true }).allTextContents()).filter((text) => text !== '');
    await expect.poll(heads).toEqual(['Name', 'Seen', 'Job', 'Discord', 'bank']);
    await page.getByRole('button', { name: 'List' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Discord' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Identifier' }).click();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await heads()).toEqual(['Name', 'Seen', 'Job', 'Identifier', 'bank']);
    await page.reload();
    await expect.poll(heads).toEqual(['Name', 'Seen', 'Job', 'Identifier', 'bank']);
  });

  it('copy an identifier, whole, at a click, and open the player anywhere else', async () => {
    const { hub, game } = await startStage();
    const identifier = `char1:${'ab12'.repeat(10)}`;
    game.bridge.changed({ players: [record(identifier, { identifiers: ['discord:123456789012345678'] })] });
    const { page, context } = await enter(hub, '/players', { viewport: { width: 1920, height: 800 } });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByText('char1:ab12…12').click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(identifier);
    await page.getByText('123456789012345678').click();
    await page.locator('.copied[title="123456789012345678"]').getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('123456789012345678');
    await page.locator('.player', { hasText: 'ab12ab12' }).locator('.figure').last().click();
    await page.waitForURL(`**${playerPath(identifier)}`);
  });

  it('have their commands at hand', async () => {
    const { hub, economy } = await startStage();
    const { page } = await enter(hub, '/players', DESK);
    const row = page.locator('.player', { hasText: ANA });
    await row.hover();
    await row.getByRole('button', { name: /^Kick: / }).click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('rude');
    await page.getByRole('button', { name: 'Kick now' }).click();
    await expect.poll(() => economy.kicked).toEqual([ANA]);
    await row.hover();
    await row.getByRole('button', { name: /^Other actions: / }).click();
    await page.getByRole('menuitem', { name: 'Take money' }).click();
    await page.getByRole('dialog').getByText(`Take money: \u2068Name of ${ANA}\u2069`).waitFor();
  });
});

describe('what tells players apart', () => {
  const facts = (job: string, label: string, minutes: number) => ({
    gameId: 143,
    accounts: { bank: minutes, cash: 3 },
    metadata: { job, jobLabel: label, jobGrade: 2, group: 'user', playedMinutes: minutes },
  });
  const start = async () => {
    const stage = await startStage();
    const players = [record(ANA, facts('police', 'LSPD', 59_100)), record('char1:bob', facts('taxi', 'Taxi', 90))];
    stage.game.bridge.changed({ players });
    const known = async () => (await stage.hub.request(`/api/v2/players?job=police`)).body['data'];
    await expect.poll(known).toHaveLength(1);
    return stage;
  };

  it('stands in columns, of which a narrow window leaves some out', async () => {
    const { hub } = await start();
    const { page } = await enter(hub, '/players?sort=name', { viewport: { width: 1920, height: 800 } });
    const cells = async (): Promise<string[]> =>
      (await page.locator('.player').first().locator('[role=cell]').filter({ visible: true }).allInnerTexts()).slice(2);
    await expect.poll(cells).toEqual(['#143', 'LSPD · 2', 'user', ANA, '59,100', '3', '41 d', '']);
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect.poll(cells).toEqual(['#143', 'LSPD · 2', '59,100', '3', '']);
    await page.locator('.players a').first().click();
    await expect
      .poll(() => page.locator('.head-line').textContent())
      .toContain('Online · Main · #143 · LSPD · 2 · char1:ana');
  });

  it('leaves the focus in a field of a filter that was reached before it was told to be open', async () => {
    const { hub } = await start();
    const { page } = await enter(hub, '/players', DESK);
    await page.getByRole('button', { name: 'Balance' }).waitFor();
    const focused = await page.evaluate(`(async () => {
      [...document.querySelectorAll('button')].find((each) => each.textContent.startsWith('Balance')).click();
      const field = document.querySelector('form.balance input');
      const isTold = new Promise((resolve) => field.closest('[popover]').addEventListener('toggle', resolve));
      field.focus();
      await isTold;
      return document.activeElement === field;
    })()`);
    expect(focused).toBe(true);
  });

  it('is filtered by, in chips that the address keeps, and the balance is sorted by', async () => {
    const { hub } = await start();
    const { page } = await enter(hub, '/players', DESK);
    const shown = (): Promise<string[]> => page.locator('.players a').allTextContents();
    await page.getByRole('button', { name: 'bank', exact: true }).click();
    await expect.poll(shown).toEqual(['Name of char1:ana', 'Name of char1:bob']);
    expect(new URL(page.url()).search).toBe('?sort=balance&account=bank');
    await page.getByRole('button', { name: 'Balance' }).click();
    await page.getByLabel('At most').fill('100');
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(shown).toEqual(['Name of char1:bob']);
    expect(await page.getByRole('button', { name: 'cash', exact: true }).getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('button', { name: 'Job', exact: true }).first().click();
    await page.getByRole('textbox', { name: 'Job' }).fill('police');
    await page.keyboard.press('Enter');
    await page.getByText('No player matches Job: \u2068police\u2069 · Balance: \u2068bank ≤ 100\u2069.').waitFor();
    await page.reload();
    await page.getByText('No player matches').waitFor();
    await page.getByRole('button', { name: 'Clear', exact: true }).first().click();
    await expect.poll(shown).toHaveLength(2);
  });
});

describe('the page of a player', () => {
  it('has two columns that begin at 144 or above, and one below the other on a phone', async () => {
    const { hub } = await startStage();
    await hub.request('/api/v2/bridge/main/money', {
      json: { target: ANA, type: 'bank', amount: 250, action: 'add', reason: 'prize' },
    });
    const { page } = await enter(hub, playerPath(ANA), DESK);
    await page.locator('.history tbody tr').waitFor();
    const top = async (selector: string): Promise<number> => (await page.locator(selector).boundingBox())?.y ?? 999;
    expect(await top('.accounts')).toBeLessThanOrEqual(144);
    expect(await top('.history')).toBe(await top('.accounts'));
    const cells = page.locator('.history tbody td');
    await expect
      .poll(() => cells.allTextContents())
      .toEqual([expect.any(String), '+250 \u2068bank\u2069prize', '12,300 → 12,550', 'test key']);
    expect(await page.locator('.accounts tbody tr').first().textContent()).toMatch(/^bank12,550\+250 · /);
    const heights = await page
      .locator('.page-head button')
      .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().height));
    expect(new Set(heights.slice(-5))).toEqual(new Set([32]));
    await page.setViewportSize({ width: 390, height: 844 });
    const order = ['.accounts', '.history', '.inventory', '.vehicles', '.about', '.identifiers'];
    const tops = await Promise.all(order.map(top));
    expect(tops).toEqual(tops.toSorted((a, b) => a - b));
    await page.setViewportSize({ width: 320, height: 640 });
    const more = await page.locator('.page-head .only').boundingBox();
    expect((more?.x ?? 320) + (more?.width ?? 0)).toBeLessThanOrEqual(320);
  });

  it('shows thirty slots of a full inventory, and all when they are asked for', async () => {
    const { hub, game } = await startStage();
    const inventory = Array.from({ length: 45 }, (_, n) => ({
      ...{ slot: n + 1, name: `item_${n}`, label: `Item ${n}`, count: n + 1, metadata: {} },
    }));
    game.bridge.changed({ players: [record(ANA, { inventory })] });
    const { page } = await enter(hub, playerPath(ANA), DESK);
    await expect.poll(() => page.locator('.inventory tbody tr').count()).toBe(30);
    await page.getByRole('button', { name: 'Show all 45' }).click();
    expect(await page.locator('.inventory tbody tr').count()).toBe(45);
  });
});
