import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import { createEconomy, startGameServer } from '../kit/game-server.ts';
import type { TestHub } from '../kit/hub.ts';
import { ANA, POLICE, playerPath, startStage } from '../kit/panel-stage.ts';

const { enter } = openBrowser();

const DESK = { viewport: { width: 1280, height: 800 } };
const names = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`char1:n${String(n).padStart(3, '0')}`, n + 1]));

const record = (identifier: string, more: object = {}) => ({
  ...{ identifier, name: `Name of ${identifier}`, online: true, identifiers: [], accounts: { bank: 5 } },
  ...{ inventory: [], vehicles: [], metadata: {} },
  ...more,
});

/** The top and the height of each drawn row, by place. */
const rowsOf = (page: Page): Promise<{ top: number; height: number; right: number }[]> =>
  page.locator('.player').evaluateAll((rows) =>
    rows.map((row) => {
      const { top, height, right } = row.getBoundingClientRect();
      return { top, height, right };
    }),
  );

const sentTo = async (hub: TestHub): Promise<string[]> => {
  const { data } = (await hub.request('/api/v2/commands?limit=100')).body as { data: { target: string }[] };
  return data.map(({ target }) => target).toSorted();
};

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

/** 120 policemen online, and one who is not. */
const startPolice = async () => {
  const stage = await startStage({ players: names(121), catalogues: POLICE });
  const metadata = { job: 'police', jobLabel: 'LSPD', jobGrade: 1 };
  const players = Object.keys(names(121)).map((id, at) => record(id, { metadata, online: at < 120 }));
  stage.game.bridge.changed({ players });
  const known = async () =>
    ((await stage.hub.request('/api/v2/players?job=police&online=true')).body['pagination'] as { total: number }).total;
  await expect.poll(known).toBe(120);
  return stage;
};

describe('the selection', () => {
  it('grows by the box, with Shift, by the keys and by the head, and is bound to players', async () => {
    const { hub } = await startStage({ players: names(12) });
    const { page } = await enter(hub, '/players?sort=name', DESK);
    const box = (at: number) => page.locator('.player').nth(at).getByRole('checkbox');
    await box(1).click();
    await box(4).click({ modifiers: ['Shift'] });
    await page.getByText('4 selected').waitFor();
    await page.locator('.players a').nth(6).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowUp');
    await page.getByText('6 selected').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('searchbox').fill('n001');
    await expect.poll(() => page.locator('.player').count()).toBe(1);
    expect(await box(0).isChecked()).toBe(true);
    await page.getByText('6 selected').waitFor();
    await page.getByRole('button', { name: 'End the selection' }).click();
    expect(await box(0).isChecked()).toBe(false);
    await page.getByRole('checkbox', { name: 'Select all players found' }).click();
    await page.getByText('1 selected').waitFor();
  });

  it('takes all that were found, also those that are not loaded, and copies them', async () => {
    const { hub } = await startStage({ players: names(150) });
    const { page, context } = await enter(hub, '/players', DESK);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('.player').first().getByRole('checkbox').click();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'all 150 found' }).click();
    await page.setViewportSize(DESK.viewport);
    await page.getByText('150 selected').waitFor();
    await page.getByRole('button', { name: 'Copy ids' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied.split('\n').toSorted()).toEqual(Object.keys(names(150)));
    const kick = page.locator('.selection').getByRole('button', { name: 'Kick' });
    expect(await kick.getAttribute('aria-disabled')).toBe('true');
    await kick.focus();
    await page.getByText('At most 50 at once.').last().waitFor();
  });

  it('is all of a filter by one click, and pays exactly those that the question counted', async () => {
    const { hub, economy } = await startPolice();
    const { page } = await enter(hub, '/players', DESK);
    await page.locator('.player').first().waitFor();
    await page.getByRole('group', { name: 'Online' }).getByRole('button', { name: 'Online' }).click();
    await page.getByRole('button', { name: 'Job', exact: true }).first().click();
    await page.getByRole('textbox', { name: 'Job' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('lsp');
    await page.getByRole('dialog').getByRole('button', { name: 'LSPD' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Pay all 120 found' }).click();
    await page.locator('[data-given]', { hasText: '120 players' }).waitFor();
    await page.getByLabel('Amount for each player').and(page.locator(':focus')).waitFor();
    expect(await page.getByLabel('Label (optional)').inputValue()).toBe('Online now · LSPD');
    await page.keyboard.type('7');
    await page.keyboard.press('Enter');
    await page.locator('[data-preview]', { hasText: '120 players' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Control+Enter');
    await page.getByText('120 of 120 ended').waitFor();
    expect(economy.applied.map(({ target }) => target).toSorted()).toEqual(Object.keys(names(121)).slice(0, 120));
  });

  it('leads nobody to a payment of a filter that was left before the hub had answered', async () => {
    const { hub } = await startPolice();
    const { page } = await enter(hub, '/players?online=true', DESK);
    let asked = 0;
    let answer = (): void => undefined;
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/v2/players/identifiers?*', async (route) => {
      asked += 1;
      await isAnswered;
      await route.continue();
    });
    await page.getByRole('button', { name: /^Pay all/ }).click();
    await expect.poll(() => asked).toBe(1);
    await page.getByRole('group', { name: 'Online' }).getByRole('button', { name: 'All', exact: true }).click();
    await page.getByRole('button', { name: /^Pay all/ }).waitFor({ state: 'detached' });
    const read = page.waitForResponse(/identifiers/);
    answer();
    await (await read).finished();
    // The form of a payment has no such field.
    await page.getByRole('searchbox').fill('n001');
    await page.waitForURL(/\/players\?.*search=n001/);
  });

  it('is all that were found by one click on the box in the head, and none by another one', async () => {
    const { hub } = await startStage({ players: names(150) });
    const { page } = await enter(hub, '/players', DESK);
    const all = page.getByRole('checkbox', { name: 'Select all players found' });
    await all.click();
    await page.getByText('150 selected').waitFor();
    expect(await all.isChecked()).toBe(true);
    await all.click();
    await page.locator('.selection').waitFor({ state: 'detached' });
  });

  it('is the list as the hub has it now, by the box in the head: nobody is chosen who is not shown', async () => {
    const { hub, game } = await startStage({ players: names(3) });
    const { page } = await enter(hub, '/players?online=true', DESK);
    await expect.poll(() => page.locator('.player').count()).toBe(3);
    game.bridge.changed({ players: [record('char1:new'), record('char1:n001', { online: false })] });
    await page.getByRole('button', { name: '1 new: show' }).waitFor();
    await page.getByRole('checkbox', { name: 'Select all players found' }).click();
    await page.getByText('3 selected').waitFor();
    const shown = ['Name of char1:n000', 'Name of char1:n002', 'Name of char1:new'];
    expect((await page.locator('.players a').allTextContents()).toSorted()).toEqual(shown);
    expect(await page.locator('.player [type=checkbox]:checked').count()).toBe(3);
  });

  it('is kicked, each player by a command of their own, and what happened to each is told', async () => {
    const { hub, game, economy } = await startStage({ players: names(6) });
    game.bridge.changed({ players: [record('char1:n003', { online: false })] });
    await expect.poll(async () => (await hub.request('/api/v2/players/char1:n003')).body['online']).toBe(false);
    await hub.request('/api/v2/project', { method: 'PATCH', json: { reasonFor: ['kick'] } });
    const { page, expecting } = await enter(hub, '/players', DESK);
    expecting(/status of 409/);
    await page.getByRole('checkbox', { name: 'Select all players found' }).click();
    await page.locator('.selection').getByRole('button', { name: 'Kick' }).click();
    await page.getByRole('button', { name: 'Kick 6 players' }).click();
    await page.getByText('Say why.').waitFor();
    expect(economy.kicked).toEqual([]);
    await page.getByRole('textbox', { name: 'Reason' }).fill('restart');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Kick 6 players' }).dblclick();
    await page.getByText('6 of 6 ended').waitFor();
    const told = page.locator('.outcomes > li');
    await expect.poll(() => told.filter({ hasText: 'Done' }).count()).toBe(economy.kicked.length);
    expect(await sentTo(hub)).toEqual(Object.keys(names(6)));
    expect(await violationsOf(page)).toEqual([]);
  });

  it('is told a text, by one announcement for each server', async () => {
    const { hub } = await startStage({ players: names(3) });
    const { page } = await enter(hub, '/players', DESK);
    await page.getByRole('checkbox', { name: 'Select all players found' }).click();
    await page.locator('.selection').getByRole('button', { name: 'Message' }).click();
    await page.getByLabel('Text').fill('Come to the square');
    await page.getByText('One announcement for each server.').waitFor();
    await page.getByRole('button', { name: 'Send to 3 players' }).click();
    await page.getByText('1 of 1 ended').waitFor();
    const { data } = (await hub.request('/api/v2/commands')).body as {
      data: { name: string; params: { targets: string[] } }[];
    };
    expect(data.map(({ name, params }) => [name, params.targets.toSorted()])).toEqual([
      ['announce', Object.keys(names(3))],
    ]);
  });

  it('becomes a batch for each server, and the last question says so', async () => {
    const { hub, economy } = await startStage({ players: { 'char1:ana': 5, 'char1:bob': 5 } });
    const token = await hub.newServer('west');
    await mkdir(join(hub.folder, 'west'));
    const west = createEconomy({ 'char1:cid': 5 });
    startGameServer({ url: () => hub.bridgeUrl, token, folder: join(hub.folder, 'west'), economy: west });
    await expect.poll(async () => (await hub.request('/api/v2/players/char1:cid')).status).toBe(200);
    const { page } = await enter(hub, '/players', DESK);
    await expect.poll(() => page.locator('.player').count()).toBe(3);
    await page.getByRole('checkbox', { name: 'Select all players found' }).click();
    await page.locator('.selection').getByRole('button', { name: 'Money' }).click();
    await page.locator('[data-given]').waitFor();
    const given = (await page.locator('[data-given]').textContent())?.replaceAll(/[\u2068\u2069]/g, '');
    expect(given).toMatch(/2 players \(Name of char1:(ana, Name of char1:bob|bob, Name of char1:ana)\)/);
    await page.getByLabel('Amount for each player').fill('7');
    await page.getByRole('textbox', { name: 'Reason' }).fill('gift');
    await page.getByLabel('Wait for players who are offline').check();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('One batch for each server:').waitFor();
    await expect.poll(() => page.locator('[data-preview]').allTextContents()).toHaveLength(2);
    expect(economy.applied).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Pay 3 players' }).click();
    await page.waitForURL('**/batches');
    const { data } = (await hub.request('/api/v2/batches')).body as { data: { serverId: string; total: number }[] };
    expect(data.map(({ serverId }) => serverId).toSorted()).toEqual(['main', 'west']);
    await expect.poll(() => [economy.applied.length, west.applied.length]).toEqual([2, 1]);
  });

  it('of which one is refused is sent again for that server only, whatever was changed', async () => {
    const { hub, economy } = await startStage({ players: { 'char1:ana': 5, 'char1:bob': 5 } });
    const token = await hub.newServer('west');
    await mkdir(join(hub.folder, 'west'));
    const west = createEconomy({ 'char1:cid': 5 });
    startGameServer({ url: () => hub.bridgeUrl, token, folder: join(hub.folder, 'west'), economy: west });
    await expect.poll(async () => (await hub.request('/api/v2/players/char1:cid')).status).toBe(200);
    const { page, expecting } = await enter(hub, '/players', DESK);
    expecting(/status of 422/);
    await expect.poll(() => page.locator('.player').count()).toBe(3);
    await page.getByRole('checkbox', { name: 'Select all players found' }).click();
    await page.locator('.selection').getByRole('button', { name: 'Money' }).click();
    await page.getByLabel('Amount for each player').fill('7');
    await page.getByRole('textbox', { name: 'Reason' }).fill('gift');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Pay 3 players' }).waitFor();
    let sent = 0;
    await page.route('**/api/v2/batches', (route) => {
      if (route.request().method() === 'POST') sent += 1;
      if (sent !== 2) return route.continue();
      const problem = { type: 'about:blank', title: 'No', status: 422, code: 'invalid_request', executed: 'no' };
      const body = JSON.stringify({ ...problem, detail: 'No.', instance: '/', requestId: 'r', retryable: false });
      return route.fulfill({ status: 422, contentType: 'application/problem+json', body });
    });
    await page.getByRole('button', { name: 'Pay 3 players' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('link', { name: 'begun' }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'begun' }).waitFor();
    await page.getByLabel('Label').fill('Gifts');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: /^Pay [12] players?$/ }).click();
    await page.waitForURL('**/batches');
    const { data } = (await hub.request('/api/v2/batches')).body as { data: { serverId: string }[] };
    expect(data.map(({ serverId }) => serverId).toSorted()).toEqual(['main', 'west']);
    await expect.poll(() => [economy.applied.length, west.applied.length]).toEqual([2, 1]);
  });

  it('pays only who is online, as long as that is ticked', async () => {
    const { hub, game } = await startStage();
    game.bridge.changed({ players: [record('char1:bob', { online: false })] });
    await expect.poll(async () => (await hub.request('/api/v2/players?online=true')).body['data']).toHaveLength(1);
    const { page } = await enter(hub, '/players', DESK);
    await page.getByRole('checkbox', { name: 'Select all players found' }).click();
    await page.locator('.selection').getByRole('button', { name: 'Money' }).click();
    const only = page.getByLabel('Only who is online (1)');
    expect(await only.isChecked()).toBe(true);
    await page.locator('[data-given]').getByText('1 player').waitFor();
    await page.getByLabel('Amount for each player').fill('7');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Pay 1 player' }).waitFor();
    await page.keyboard.press('Escape');
    await only.uncheck();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Pay 2 players' }).waitFor();
  });

  it('still follows the game after it was handed to a batch', async () => {
    const { hub, game } = await startStage();
    game.bridge.changed({ players: [record('char1:bob', { online: false })] });
    await expect.poll(async () => (await hub.request('/api/v2/players?online=true')).body['data']).toHaveLength(1);
    const { page } = await enter(hub, '/players', DESK);
    await page.getByRole('checkbox', { name: 'Select all players found' }).click();
    await page.locator('.selection').getByRole('button', { name: 'Money' }).click();
    await page.getByLabel('Only who is online (1)').waitFor();
    await page.goBack();
    for (const bank of [77, 88]) {
      game.bridge.changed({ players: [record(ANA, { accounts: { bank } })] });
      await page.locator('.player', { hasText: ANA }).getByText(String(bank), { exact: true }).waitFor();
    }
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
