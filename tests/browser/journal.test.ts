import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openBrowser } from '../kit/browser.ts';
import { startBusyStage } from '../kit/panel-pages.ts';
import { ANA, playerPath } from '../kit/panel-stage.ts';

const { enter } = openBrowser();

/** The sentence about filters that find nothing. */
const nothingWith = async (page: Page): Promise<string> =>
  (await page.getByText('Nothing with').innerText()).replaceAll(/[\u2068\u2069]/g, '');

describe('the journal', () => {
  it('is filtered by outcome and player, keeps that in its address, and is exported', async () => {
    const { hub } = await startBusyStage();
    const { page } = await enter(hub, '/journal');
    await expect.poll(() => page.locator('.commands li').count()).toBe(2);
    await page.getByLabel('State').selectOption('rejected');
    await expect.poll(() => page.locator('.commands li').count()).toBe(1);
    const player = page.getByRole('combobox', { name: 'Player' });
    await player.fill('char1:nobody');
    await player.press('Enter');
    expect(await nothingWith(page)).toBe('Nothing with Player: char1:nobody · State: Refused.');
    expect(new URL(page.url()).search).toBe('?status=rejected&target=char1%3Anobody');
    await player.fill('');
    await page.locator('.commands li').waitFor();
    expect(new URL(page.url()).search).toBe('?status=rejected');
    await page.getByRole('button', { name: 'More' }).first().click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export as CSV' }).click(),
    ]);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
    expect([lines.length, lines[1]?.includes('"rejected"')]).toEqual([2, true]);
    await page.getByRole('button', { name: 'Custom' }).click();
    await page.getByLabel('From').fill('2099-01-01T00:00');
    expect(await nothingWith(page)).toBe('Nothing with State: Refused.');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('No command matches this.').waitFor();
    await page.getByRole('button', { name: '7 days' }).click();
    await expect.poll(() => page.locator('.commands li').count()).toBe(2);
  });

  it('has its filters again after Back, by the link of a command and by the browser', async () => {
    const { hub } = await startBusyStage();
    const { page } = await enter(hub, '/journal');
    await page.getByLabel('State').selectOption('rejected');
    await page.getByRole('button', { name: 'By', exact: true }).click();
    await page.getByLabel('Done by').fill('TEST ke');
    await page.keyboard.press('Escape');
    await expect.poll(() => new URL(page.url()).search).toBe('?status=rejected&actor=TEST+ke');
    await expect.poll(() => page.locator('.commands a').count()).toBe(1);
    await page.locator('.commands a').click();
    await page.getByRole('link', { name: 'Back to the journal' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?status=rejected&actor=TEST+ke');
    await page.getByRole('button', { name: 'By: TEST ke' }).waitFor();
    await page.getByRole('link', { name: 'Journal', exact: true }).click();
    await page.getByRole('button', { name: 'By', exact: true }).waitFor();
    await expect.poll(() => page.locator('.commands li').count()).toBe(2);
    await page.goBack();
    await page.getByRole('button', { name: 'By: TEST ke' }).waitFor();
    await expect.poll(() => page.locator('.commands li').count()).toBe(1);
  });

  it('has times with their zone in its address, which another viewer sees as their own', async () => {
    const { hub } = await startBusyStage();
    const { page } = await enter(hub, '/journal', { timezoneId: 'America/Sao_Paulo' });
    await page.getByRole('button', { name: 'Custom' }).click();
    await page.getByLabel('From').fill('2026-01-15T10:30');
    await expect.poll(() => new URL(page.url()).searchParams.get('since')).toBe('2026-01-15T13:30:00Z');
    await expect.poll(() => page.locator('.commands li').count()).toBe(2);
    const { pathname, search } = new URL(page.url());
    const other = await enter(hub, pathname + search, { timezoneId: 'Europe/Berlin' });
    expect(await other.page.getByLabel('From').inputValue()).toBe('2026-01-15T14:30');
    await page.goto(`${hub.address}/journal?since=2026-01-15T10:30`);
    await expect.poll(() => page.getByLabel('From').inputValue()).toBe('2026-01-15T10:30');
  });

  it('is filtered by a command of a game server that is gone, and takes a slash at the end of its address', async () => {
    const { hub } = await startBusyStage();
    const [latest] = (await hub.request('/api/v2/commands')).body['data'] as { id: string }[];
    const row = await hub.store.commands.get(hub.project.id, latest?.id ?? '');
    if (row === undefined) throw new Error('there is no command');
    const revived = { ...row, id: 'cmd_00000000000000000000000b', name: 'custom:revive', requestId: 'revived' };
    await hub.store.commands.insert(revived, { durable: true });
    const { page } = await enter(hub, '/journal/');
    await expect.poll(() => page.locator('.commands li').count()).toBe(3);
    const commands = page.getByLabel('What', { exact: true });
    const labels = (await commands.locator('option').allTextContents()).map((text) =>
      text.replaceAll(/[\u2068\u2069]/g, ''),
    );
    expect(labels).toContain('Revive');
    expect(labels).toContain('revive (of a game server)');
    expect(new Set(labels.map((label) => label.toLowerCase())).size).toBe(labels.length);
    await commands.selectOption('custom:revive');
    await expect.poll(() => page.locator('.commands li').count()).toBe(1);
    expect(new URL(page.url()).pathname).toBe('/journal');
  });

  it('shows the events of a command, and resolves an indeterminate one', async () => {
    const { hub, economy } = await startBusyStage();
    const [latest] = (await hub.request('/api/v2/commands?status=succeeded')).body['data'] as { id: string }[];
    const row = await hub.store.commands.get(hub.project.id, latest?.id ?? '');
    if (row === undefined) throw new Error('there is no command');
    const id = 'cmd_00000000000000000000000a';
    const known = { account: 'bank', balance: 12_300, at: Date.now() };
    const error = { code: 'indeterminate', message: 'lost', details: { knownBalance: known } };
    const lost = { ...row, id, status: 'indeterminate' as const, result: null, requestId: 'lost', error };
    await hub.store.commands.insert(lost, { durable: true });
    const { page } = await enter(hub);
    const need = page.locator('.attention li', { hasText: '1 command has an unknown outcome.' });
    await need.getByRole('link', { name: 'Show' }).click();
    await page.locator('.commands a', { hasText: 'Unknown' }).click();
    await page.getByText('test key asked for it').waitFor();
    await page.getByText('Ended: Unknown · lost').waitFor();
    expect(await page.locator('[data-known=bank]').textContent()).toBe('bank 12,300');
    await expect.poll(() => page.locator('[data-balance=bank]').textContent()).toBe('bank 12,800');
    await page.getByLabel('How do you know?').fill('I looked');
    await page.getByRole('button', { name: 'It did not happen' }).click();
    await page.getByText('test key decided that it did not happen: I looked').waitFor();
    expect(await page.locator('main .state').textContent()).toBe('Decided: did not happen');
    expect(await page.getByText('It is not known whether it happened').count()).toBe(0);
    expect((await hub.request(`/api/v2/commands/${id}`)).body['status']).toBe('resolved_not_applied');
    expect(economy.applied).toHaveLength(1);
  });
});

describe('the players of the journal', () => {
  it('have their names, and are found by them or by the whole identifier', async () => {
    const { hub } = await startBusyStage();
    const kick = (target: string) => hub.request('/api/v2/bridge/main/kick', { json: { target, reason: 'rude' } });
    for (const target of ['char1:bob', 'char1:gone']) await kick(target);
    const { page } = await enter(hub, '/journal');
    const rows = page.locator('.commands li');
    const whom = (): Promise<string[]> => page.locator('.commands .target').allTextContents();
    const named = (identifier: string): string => `Name of ${identifier}`;
    await expect.poll(whom).toEqual(['char1:gone', named('char1:bob'), named(ANA), named(ANA)]);
    const player = page.getByRole('combobox', { name: 'Player' });
    await player.fill('NAME OF');
    const options = page.getByRole('listbox').getByRole('option');
    await expect.poll(() => options.count()).toBe(2);
    await options.filter({ hasText: 'char1:bob' }).click();
    await expect.poll(whom).toEqual([named('char1:bob')]);
    expect(await player.inputValue()).toBe('Name of char1:bob');
    expect(new URL(page.url()).search).toBe('?target=char1%3Abob');
    await page.reload();
    await expect.poll(() => player.inputValue()).toBe('Name of char1:bob');
    await player.fill('ame of char1');
    await options.nth(1).waitFor();
    await player.press('ArrowDown');
    const second = (await page.locator('[role=option][aria-selected=true] strong').textContent()) ?? '';
    await player.press('Enter');
    await expect.poll(async () => [...new Set(await whom())]).toEqual([second]);
    await player.fill('char1:gone');
    await player.press('Enter');
    await expect.poll(whom).toEqual(['char1:gone']);
    await player.fill('');
    await expect.poll(() => rows.count()).toBe(4);
    await page.getByLabel('What', { exact: true }).selectOption('Kick');
    await expect.poll(whom).toEqual(['char1:gone', named('char1:bob')]);
    expect(new URL(page.url()).search).toBe('?name=kick');
    await rows.nth(1).getByRole('link').click();
    await page.getByRole('link', { name: /^Name of char1:bob/ }).waitFor();
  });

  it('are not requested with a key that may not see them', async () => {
    const { hub } = await startBusyStage();
    const { page } = await enter(hub, '/journal', { key: await hub.newKey(['commands:read']) });
    await expect.poll(() => page.locator('.commands .target').allTextContents()).toEqual([ANA, ANA]);
    const player = page.getByRole('combobox', { name: 'Player' });
    await player.fill('bob');
    await page.getByRole('option', { name: 'Exactly the identifier' }).click();
    expect(await nothingWith(page)).toBe('Nothing with Player: bob.');
  });

  it('lead from their page to their commands', async () => {
    const { hub } = await startBusyStage();
    await hub.request('/api/v2/bridge/main/kick', { json: { target: 'char1:bob', reason: 'rude' } });
    const { page } = await enter(hub, playerPath('char1:bob'));
    await page.getByRole('link', { name: 'All in the journal' }).click();
    await expect.poll(() => page.locator('.commands li').count()).toBe(1);
    expect(new URL(page.url()).search).toBe('?target=char1%3Abob&serverId=main&range=custom');
  });
});
