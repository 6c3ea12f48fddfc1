import { describe, expect, it } from 'vitest';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import { startHub } from '../kit/hub.ts';
import { answerAll, playerFrame, reportPlayers, welcomeRaw } from '../kit/raw-bridge.ts';
import { becomes, connectShop, payment } from '../kit/shop.ts';

const { enter } = openBrowser();

const NAME = 'Ana Silva';
const money = (amount: number) => ({ name: 'money', params: { type: 'bank', amount, action: 'add' } });
const HOSTILE = '<b>VIP</b> \u202egold';

/** A hub with the banks of three players of one name, and a shop whose order names no buyer. */
const open = async (packages = [{ id: 7, name: HOSTILE }]) => {
  const hub = await startHub();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  const banks = new Map<string, number>();
  answerAll(bridge, ({ params }) => {
    const target = String(params['target']);
    const before = banks.get(target) ?? 0;
    const after = before + (params['action'] === 'add' ? 1 : -1) * Number(params['amount']);
    banks.set(target, after);
    return { status: 'done', data: { account: 'bank', before, after } };
  });
  const players = [1, 2, 3].map((n) =>
    playerFrame(`char${n}:a1b2c3d4e5f6a7b8c9d0`, { name: NAME, identifiers: [`discord:12345678901234567${n}`] }),
  );
  await reportPlayers(hub, bridge, ...players);
  const shop = await connectShop(hub, 'tebex', { 7: [money(10)], 8: [money(5)] });
  await shop.send(payment('tbx-1', packages, { subject: { customer: { username: null } } }));
  await becomes(
    hub,
    shop,
    'tbx-1',
    packages.map(() => 'unmatched'),
  );
  const { page } = await enter(hub, `/shops/${shop.id}`);
  /** Chooses the second of the players, and asks for the gift. */
  const ask = async (): Promise<void> => {
    await page.getByRole('combobox', { name: 'Player' }).fill('char2');
    await page.getByRole('option', { name: 'char2:' }).first().click();
    await page.getByRole('button', { name: 'Give it', exact: true }).click();
  };
  return { hub, shop, banks, page, ask, dialog: page.getByRole('dialog') };
};
const SECOND = 'char2:a1b2c3d4e5f6a7b8c9d0';
/** Without the marks that isolate the text of strangers. */
const textOf = (text: string | null): string => (text ?? '').replaceAll(/[\u2068\u2069]/g, '');

describe('what the staff decides', () => {
  it('is asked with who gets what, said with what happened, and undone', async () => {
    const { hub, shop, banks, page, ask, dialog } = await open();
    await page.getByRole('heading', { name: 'Packages' }).waitFor();
    expect(await page.locator('main h2').first().textContent()).toBe('To decide');
    await ask();
    await dialog.getByText('3 players have this name.').waitFor();
    const asked = textOf(await dialog.textContent());
    for (const part of [
      NAME,
      'char2:a1b2…a7b8c9d0',
      'discord:12…',
      '<b>VIP</b> \ufffdgold',
      'Add 10 to bank',
      'On Main',
    ]) {
      expect(asked).toContain(part);
    }
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(banks.size).toBe(0);

    await page.getByRole('button', { name: 'Give it', exact: true }).click();
    await dialog.getByRole('button', { name: 'Give it to' }).click();
    await dialog.getByText('The player has it.').waitFor();
    expect([...banks]).toEqual([[SECOND, 10]]);
    expect(textOf(await dialog.getByRole('status').textContent())).toContain('Add 10 to bank: The player has it.');
    await dialog.getByRole('heading', { name: 'What became of it' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await dialog.getByText('It is on the list again.').waitFor();
    expect([...banks]).toEqual([[SECOND, 0]]);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('It was given to a player and taken back.').waitFor();
    // Nobody is proposed: the last one was wrong.
    expect(await page.getByRole('combobox', { name: 'Player' }).inputValue()).toBe('');
    await becomes(hub, shop, 'tbx-1', ['unmatched']);
  });

  it('is still undone from the list of decisions, when the window is closed', async () => {
    const { hub, shop, banks, page, ask, dialog } = await open();
    await ask();
    await dialog.getByRole('button', { name: 'Give it to' }).click();
    await dialog.getByText('The player has it.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    const decided = page.getByRole('region', { name: 'Decided in the last 30 days' });
    expect(textOf(await decided.textContent())).toContain('test key gave it to char2:a1b2…d0.');
    expect(await decided.getByRole('link', { name: 'char2:' }).getAttribute('title')).toBe(SECOND);
    await decided.getByRole('link', { name: 'Open in the journal' }).click();
    // The command is the shop's, after the person who decided.
    await expect
      .poll(async () => textOf(await page.locator('dd', { hasText: 'The shop' }).textContent()))
      .toBe('test key · The shop');
    await page.locator(`dd a[href="/shops/${shop.id}"]`).click();
    await decided.getByRole('button', { name: 'Undo' }).click();
    await becomes(hub, shop, 'tbx-1', ['unmatched']);
    await page.getByText('It was given to a player and taken back.').waitFor();
    expect([...banks]).toEqual([[SECOND, 0]]);
  });

  it('is taken off the list with a note only, and put back as it was', async () => {
    const { hub, shop, page, dialog } = await open();
    const off = page.getByRole('button', { name: 'Take it off the list' });
    await off.click();
    const send = dialog.getByRole('button', { name: 'Take it off the list' });
    expect(await send.isDisabled()).toBe(true);
    await dialog.getByLabel('Why?').fill('Given by hand <i>twice</i>');
    expect(await violationsOf(page)).toEqual([]);
    await send.click();
    await page.getByText('There is nothing to decide.').waitFor();
    await becomes(hub, shop, 'tbx-1', ['dismissed']);
    const decided = page.getByRole('region', { name: 'Decided in the last 30 days' });
    await decided.getByText('Given by hand <i>twice</i>').waitFor();
    await decided.getByRole('button', { name: 'Put it back' }).click();
    await page.getByText('The shop names no buyer. Choose the player.').waitFor();
    await becomes(hub, shop, 'tbx-1', ['unmatched']);
  });

  it('is one decision for the lines of an order, and each says what became of it', async () => {
    const { hub, shop, banks, ask, dialog } = await open([
      { id: 7, name: 'VIP' },
      { id: 8, name: 'Starter' },
      { id: 9, name: 'Ghost' },
    ]);
    await ask();
    await dialog.getByText(/First seen .*(now|ago)/).waitFor();
    expect(await dialog.getByRole('listitem').allTextContents()).toHaveLength(2);
    // Another member of the staff is faster with one of them.
    const [, starter] = await shop.staff();
    await hub.request(`${shop.path}/unmatched/${starter?.id}`, { json: { target: 'char1:a1b2c3d4e5f6a7b8c9d0' } });
    await dialog.getByRole('button', { name: 'Give it to' }).click();
    await dialog.getByText('The player has it.').waitFor();
    const failed = textOf(await dialog.getByRole('alert').textContent());
    expect(failed).toContain('Starter: This is not possible: test key gave it to char1:a1b2c3d4e5f6a7b8c9d0.');
    await becomes(hub, shop, 'tbx-1', ['delivered', 'delivered', 'unmatched']);
    expect(banks.get(SECOND)).toBe(10);
  });
});
