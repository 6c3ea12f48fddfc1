import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import { createEconomy, startGameServer } from '../kit/game-server.ts';
import type { TestHub } from '../kit/hub.ts';
import { ANA, DESK, names, POLICE, record, startStage } from '../kit/panel-stage.ts';

const { enter } = openBrowser();

const sentTo = async (hub: TestHub): Promise<string[]> => {
  const { data } = (await hub.request('/api/v2/commands?limit=100')).body as { data: { target: string }[] };
  return data.map(({ target }) => target).toSorted();
};

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

/** Two game servers, with two players and one. */
const startTwo = async () => {
  const { hub, economy } = await startStage({ players: { 'char1:ana': 5, 'char1:bob': 5 } });
  const token = await hub.newServer('west');
  await mkdir(join(hub.folder, 'west'));
  const west = createEconomy({ 'char1:cid': 5 });
  startGameServer({ url: () => hub.bridgeUrl, token, folder: join(hub.folder, 'west'), economy: west });
  await expect.poll(async () => (await hub.request('/api/v2/players/char1:cid')).status).toBe(200);
  return { hub, economy, west };
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
    const { hub, economy, west } = await startTwo();
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
    const { hub, economy, west } = await startTwo();
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
    // A player who comes meanwhile is not paid: the same once more must be the same.
    game.bridge.changed({ players: [record('char1:bob')] });
    await expect.poll(async () => (await hub.request('/api/v2/players?online=true')).body['data']).toHaveLength(2);
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
