import { describe, expect, it } from 'vitest';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import { createGate } from '../kit/gate.ts';
import { ANA, POLICE, startStage } from '../kit/panel-stage.ts';

const { enter, signIn, visit } = openBrowser();

const textOf = (text: string): string => text.replaceAll(/[\u2068\u2069]/g, '');

describe('the palette', () => {
  it('fills in a payment from any page, sends nothing by itself, and tells that it is done', async () => {
    const { hub, economy } = await startStage();
    const { page } = await enter(hub, '/project');
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search or act' });
    await field.fill('give 500 bank char1:ana');
    await page.getByRole('option', { name: 'Name of char1:ana' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Control+Enter');
    await field.waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('12,300 → 12,800').waitFor();
    expect(economy.applied).toEqual([]);
    await page.getByRole('textbox', { name: 'Reason' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('race');
    await page.keyboard.press('Control+Enter');
    const toast = page.getByRole('status').getByText('12,300 → 12,800');
    await toast.waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(economy.banks.get(ANA)).toBe(12_800);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('status').getByText('12,800 → 12,300').waitFor();
    expect(economy.banks.get(ANA)).toBe(12_300);
  });

  it('loses nothing that is typed before it is there', async () => {
    const { hub } = await startStage();
    const asked = createGate();
    const { page } = await visit(hub, '/project', {}, async (opened) => {
      await opened.route(/\/assets\/palette-[^/]*\.js/, async (route) => {
        await asked.opened;
        await route.continue();
      });
    });
    await signIn(page, hub.key);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('give 50x');
    await page.keyboard.press('Backspace');
    asked.open();
    const field = page.getByRole('combobox', { name: 'Search or act' });
    await field.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('0 ana');
    expect(await field.inputValue()).toBe('give 500 ana');
  });

  it('leads to players, servers and pages, and Escape gives the focus back', async () => {
    const { hub } = await startStage();
    const { page } = await enter(hub, '/journal');
    await page.getByRole('button', { name: 'Search or act' }).click();
    await page.getByRole('combobox', { name: 'Search or act' }).fill('char1:bob');
    await page.getByRole('option', { name: 'Name of char1:bob' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/players/main/char1%3Abob');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or act' }).fill('sched');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/schedules');
    await page.getByRole('button', { name: 'Search or act' }).focus();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or act' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Search or act' }).and(page.locator(':focus')).waitFor();
  });

  it('tells players of one name apart, also in the dialog', async () => {
    const { hub } = await startStage();
    const { page } = await enter(hub, '/project');
    await page.route(/\/api\/v2\/players\?/, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { data: { identifier: string }[] };
      const job = { name: 'police', label: 'Police', grade: null };
      const data = body.data.map((each, at) => ({ ...each, name: 'Max', gameId: at + 1, job }));
      await route.fulfill({ response, json: { ...body, data } });
    });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or act' }).fill('give 5 char1');
    const option = page.getByRole('option');
    await expect.poll(() => option.count()).toBe(2);
    const lines = async (): Promise<string[]> =>
      (await option.allTextContents()).map((text) => textOf(text).replace(/#\d/, '#1')).toSorted();
    await expect.poll(lines).toEqual(['char1:ana', 'char1:bob'].map((id) => `MaxPolice · #1 · Main · ${id}`));
    await option.filter({ hasText: 'char1:bob' }).click();
    await page.getByRole('dialog').locator('form > p', { hasText: 'char1:bob' }).waitFor();
  });

  it('takes a number alone for the number in the game, too, and an amount once', async () => {
    const { hub, game } = await startStage();
    const record = { name: 'Max', online: true, identifiers: [], accounts: { bank: 5 } };
    const rest = { inventory: [], vehicles: [], metadata: {} };
    game.bridge.changed({
      players: [
        { ...record, ...rest, identifier: 'char1:max', gameId: 500 },
        { ...record, ...rest, identifier: 'char1:x500', name: 'Eve 500', gameId: 7 },
      ],
    });
    const found = async () => (await hub.request('/api/v2/players?search=%23500')).body['data'];
    await expect.poll(found).toHaveLength(1);
    const { page } = await enter(hub, '/project');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or act' }).fill('give 500 500');
    const lines = async (): Promise<string[]> => (await page.getByRole('option').allTextContents()).map(textOf);
    await expect.poll(lines).toEqual(['Max#500 · Main · char1:max', 'Eve 500#7 · Main · char1:x500']);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('5 → 505').waitFor();
  });

  it('leads to everybody of a job who is online, and fills in their payment', async () => {
    const { hub, economy } = await startStage({ catalogues: POLICE });
    const jobs = async () => (await hub.request('/api/v2/servers/main/jobs')).body['data'];
    await expect.poll(jobs).toHaveLength(1);
    const { page } = await enter(hub, '/batches/new');
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search or act' });
    await field.fill('pay 500 bank police');
    await page.getByRole('option', { name: 'LSPD' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.locator('[data-given]', { hasText: '2 players' }).waitFor();
    await page.getByRole('textbox', { name: 'Reason' }).and(page.locator(':focus')).waitFor();
    expect(await page.getByLabel('Amount for each player').inputValue()).toBe('500');
    await page.keyboard.type('raid');
    await page.keyboard.press('Control+Enter');
    await page.locator('[data-preview]', { hasText: 'Add 500 to bank' }).waitFor();
    await page.getByRole('dialog').locator(':focus').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('2 of 2 ended').waitFor();
    expect(economy.applied).toHaveLength(2);
    await page.keyboard.press('Control+k');
    await field.fill('lspd');
    await page.getByRole('option', { name: 'LSPD' }).click();
    await page.getByRole('button', { name: 'Pay all 2 found' }).waitFor();
    expect(await page.getByRole('button', { name: 'Online' }).getAttribute('aria-pressed')).toBe('true');
  });

  it('keeps the order of players and the marked one, whatever order the answer of the hub has', async () => {
    const { hub } = await startStage();
    const { page } = await enter(hub, '/players');
    await expect.poll(() => page.locator('.player').count()).toBe(2);
    let answer = (): void => {};
    const wanted = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/\/api\/v2\/players\?.*search=char1/, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { data: object[]; pagination: object };
      await wanted;
      const first = { ...body.data[0], name: 'Char1', identifier: 'char1:new' };
      const pagination = { ...body.pagination, total: 4_003 };
      await route.fulfill({ response, json: { data: [...body.data.toReversed(), first], pagination } });
    });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or act' }).fill('char1:');
    const options = page.getByRole('option');
    await expect.poll(() => options.count()).toBe(2);
    await options.filter({ hasText: 'Main' }).nth(1).waitFor();
    const shown = (await options.allTextContents()).map(textOf);
    await page.keyboard.press('ArrowDown');
    answer();
    await page.getByText('4,000 more match').waitFor();
    const after = (await options.allTextContents()).map(textOf);
    expect(after.filter((text) => !text.startsWith('Char1'))).toEqual(shown);
    expect(textOf((await page.locator('[role=option][aria-selected=true]').textContent()) ?? '')).toBe(shown[1]);
  });

  it('shows no balance of an account that the player does not have', async () => {
    const { hub } = await startStage();
    const { page } = await enter(hub, '/project');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or act' }).fill('give 5 cash char1:ana');
    await page.getByRole('option', { name: 'Name of char1:ana' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('… → …').waitFor();
  });

  it('offers only what the key may do', async () => {
    const { hub } = await startStage();
    const key = await hub.newKey(['players:read', 'servers:read', 'commands:kick']);
    const { page } = await enter({ ...hub, key }, '/players');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or act' }).fill('kick char1:ana');
    await page.getByText('Kick', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Search or act' }).fill('give 5 char1:ana');
    await page.getByText('Nothing found.').waitFor();
  });
});

describe('single keys', () => {
  it('lead to pages after g, not in fields, and can be switched off', async () => {
    const { hub } = await startStage();
    const { page } = await enter(hub, '/project');
    await page.locator('h1').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('j');
    await page.waitForURL('**/journal');
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await page.waitForURL('**/players');
    await page.getByRole('searchbox').fill('');
    await page.keyboard.type('gj');
    expect(await page.getByRole('searchbox').inputValue()).toBe('gj');
    await page.locator('.side .account').click();
    await page.getByLabel('No single-key shortcuts').check();
    await page.keyboard.press('Escape');
    await page.locator('h1').click();
    await page.keyboard.press('g');
    await page.keyboard.press('j');
    expect(new URL(page.url()).pathname).toBe('/players');
  });
});

describe('the list of keys', () => {
  it('opens by ?, says how single keys are switched off, and closes by Escape', async () => {
    const { hub } = await startStage();
    const { page } = await enter(hub, '/journal');
    const list = page.getByRole('dialog', { name: 'Keyboard' });
    await page.locator('h1').click();
    await page.keyboard.press('?');
    await list.getByText('Search or act').waitFor();
    expect((await list.textContent()) ?? '').toContain('gvServers');
    await list.getByText('“No single-key shortcuts” in the menu under your name').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Player' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('?/');
    expect(await page.getByRole('combobox', { name: 'Player' }).inputValue()).toBe('?/');
    await page.evaluate("localStorage.setItem('causeway-keys-off', 'yes')");
    await page.reload();
    await page.locator('h1').click();
    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or act' }).waitFor();
    expect(await list.count()).toBe(0);
  });
});

describe('a payment', () => {
  it('above the bound of the project is typed twice, and one that the balance would not do is not sent', async () => {
    const { hub, economy } = await startStage();
    await hub.request('/api/v2/project', { method: 'PATCH', json: { confirmAbove: 1_000 } });
    const { page } = await enter(hub, '/project');
    const pay = async (line: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search or act' }).fill(line);
      await page.getByRole('option', { name: 'Name of char1:ana' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('textbox', { name: 'Reason' }).fill('race');
    };
    await pay('take 99999 bank char1:ana');
    await page.getByText('87,699 short').waitFor();
    expect(await page.getByRole('button', { name: 'Take 99,999' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard it' }).click();
    await pay('give 2000 bank char1:ana');
    await page.getByRole('button', { name: 'Give 2,000' }).click();
    await page.getByText('This is not the amount above.').waitFor();
    expect(economy.applied).toEqual([]);
    await page.getByLabel('Type 2,000 to go on').fill('2000');
    await page.getByRole('button', { name: 'Give 2,000' }).click();
    await page.getByRole('status').getByText('12,300 → 14,300').waitFor();
    expect(economy.applied).toHaveLength(1);
  });
});
