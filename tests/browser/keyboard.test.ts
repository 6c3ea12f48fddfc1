import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openBrowser } from '../kit/browser.ts';
import { startBusyStage } from '../kit/panel-pages.ts';
import { ANA, startStage } from '../kit/panel-stage.ts';
import { becomes, connectShop, payment } from '../kit/shop.ts';

const { enter } = openBrowser();

const PRIZE = { type: 'bank', amount: 7, action: 'add' };
/** More steps than any page has controls before the wanted one. */
const MOST_STEPS = 80;

/** Presses Tab until a control has the focus. */
const walkTo = async (page: Page, control: Locator): Promise<void> => {
  await control.waitFor();
  const isThere = () => control.evaluate((element) => element === element.ownerDocument.activeElement);
  for (let step = 0; step < MOST_STEPS; step += 1) {
    if (await isThere()) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${String(control)}`);
};

const press = async (page: Page, control: Locator): Promise<void> => {
  await walkTo(page, control);
  await page.keyboard.press('Enter');
};

/** Leads to a page by its letter. */
const goTo = async (page: Page, letter: string, path: string): Promise<void> => {
  await page.locator('main').focus();
  await page.keyboard.press('g');
  await page.keyboard.press(letter);
  await expect.poll(() => new URL(page.url()).pathname).toBe(path);
};

describe('with the keyboard alone', () => {
  it('a wrong batch is undone', async () => {
    const { hub, economy } = await startStage();
    const params = { type: 'bank', amount: 7, action: 'add', reason: 'gift' };
    const json = { serverId: 'main', name: 'money', label: 'Christmas', params, targets: [ANA, 'char1:bob'] };
    const { body } = await hub.request('/api/v2/batches', { json, headers: { 'Idempotency-Key': 'gift' } });
    const path = `/api/v2/batches/${String(body['id'])}`;
    await expect.poll(async () => (await hub.request(path)).body['status']).toBe('settled');
    const { page } = await enter(hub);
    await goTo(page, 'b', '/batches');
    await press(page, page.getByRole('link', { name: 'Christmas' }));
    await press(page, page.getByRole('button', { name: 'Undo', exact: true }));
    await page.getByLabel('Reason').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('wrong month');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => economy.applied.map(({ delta }) => delta)).toEqual([7, 7, -7, -7]);
  });

  it('the sums of each person are read, and lead to the payments', async () => {
    const { hub } = await startBusyStage();
    const { page } = await enter(hub);
    await goTo(page, 'j', '/journal');
    await press(page, page.getByRole('button', { name: 'By person and account' }));
    const table = page.getByRole('dialog', { name: 'By person and account' });
    await press(page, table.getByRole('button', { name: '500' }));
    await expect.poll(() => new URL(page.url()).searchParams.get('direction')).toBe('give');
    await table.waitFor({ state: 'hidden' });
  });

  it('a key for a bot is made', async () => {
    const { hub } = await startStage();
    const { page } = await enter(hub);
    await goTo(page, 'k', '/keys');
    await press(page, page.getByRole('button', { name: 'New key' }));
    await walkTo(page, page.getByLabel('Name of the person'));
    await page.keyboard.type('Discord bot');
    await walkTo(page, page.getByRole('radio', { name: 'Moderator' }));
    await page.keyboard.press('ArrowDown');
    expect(await page.getByRole('radio', { name: 'Bot' }).isChecked()).toBe(true);
    await page.keyboard.press('Control+Enter');
    const key = (await page.locator('.secret').textContent()) ?? '';
    const { name, scopes } = (await hub.request('/api/v2/me', { key })).body;
    expect([name, (scopes as string[]).includes('commands:money')]).toEqual(['Discord bot', true]);
  });

  it('a command of which nobody knows is settled', async () => {
    const { hub } = await startBusyStage();
    const [latest] = (await hub.request('/api/v2/commands?status=succeeded')).body['data'] as { id: string }[];
    const row = await hub.store.commands.get(hub.project.id, latest?.id ?? '');
    if (row === undefined) throw new Error('there is no command');
    const id = 'cmd_00000000000000000000000a';
    await hub.store.commands.insert(
      { ...row, id, status: 'indeterminate', result: null, requestId: 'lost' },
      { durable: true },
    );
    const { page } = await enter(hub);
    const need = page.locator('.attention li', { hasText: '1 command has an unknown outcome.' });
    await press(page, need.getByRole('link', { name: 'Show' }));
    await press(page, page.locator('.commands a', { hasText: 'Unknown' }));
    await walkTo(page, page.getByLabel('How do you know?'));
    await page.keyboard.type('I looked');
    await press(page, page.getByRole('button', { name: 'It did not happen' }));
    await page.getByText('test key decided that it did not happen: I looked').waitFor();
  });

  it('a salary is scheduled', async () => {
    const { hub } = await startStage();
    const { page } = await enter(hub);
    await goTo(page, 's', '/schedules');
    await press(page, page.getByRole('button', { name: 'New schedule' }));
    await page.getByLabel('Label').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Salary');
    await walkTo(page, page.getByLabel('Amount for each player'));
    await page.keyboard.type('2000');
    await walkTo(page, page.getByLabel('Identifiers of the players'));
    await page.keyboard.type(ANA);
    await page.keyboard.press('Control+Enter');
    const make = page.getByRole('dialog').getByRole('button', { name: 'Make it' });
    await press(page, make);
    await page.getByText('It has not run yet.').waitFor();
    const { data } = (await hub.request('/api/v2/schedules')).body;
    expect(data).toMatchObject([{ label: 'Salary', task: { name: 'money', targets: [ANA] } }]);
  });

  it('an order of an unknown buyer is decided', async () => {
    const { hub, economy } = await startStage();
    const shop = await connectShop(hub, 'tebex', { 7: [{ name: 'money', params: PRIZE }] });
    await shop.send(payment('tbx-1', [{ id: 7 }], { subject: { customer: { username: null } } }));
    await becomes(hub, shop, 'tbx-1', ['unmatched']);
    const { page } = await enter(hub);
    await press(page, page.locator('.attention').getByRole('link', { name: 'Show' }));
    await walkTo(page, page.getByRole('combobox', { name: 'Player' }));
    await page.keyboard.type(ANA);
    await page.getByRole('option', { name: ANA }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await press(page, page.getByRole('button', { name: 'Give it', exact: true }));
    const dialog = page.getByRole('dialog');
    await press(page, dialog.getByRole('button', { name: 'Give it to' }));
    await dialog.getByText('The player has it.').waitFor();
    expect(economy.applied.map(({ target, delta }) => [target, delta])).toEqual([[ANA, 7]]);
  });
});
