import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { simulate } from '../../simulator/simulate.ts';
import { openBrowser } from '../kit/browser.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { choose, phase, playerPath } from '../kit/panel-stage.ts';

const { enter } = openBrowser();

/** From the game server: the hub hears of a change after the result of its command. */
const FRESH = { headers: { 'Cache-Control': 'no-cache' } };

/** A hub with a simulated game server whose players do nothing. */
const startWorld = async () => {
  const hub = await startHub();
  const game = simulate({ url: hub.bridgeUrl, token: hub.token, players: 3, lifeEveryMs: 0 });
  onTestFinished(() => game.stop());
  const players = async () => (await hub.request('/api/v2/players')).body['data'] as { identifier: string }[];
  await expect.poll(async () => (await players()).length).toBe(3);
  const [{ identifier = '' } = {}] = await players();
  const bread = async (): Promise<number> => {
    const { body } = await hub.request(`/api/v2/players/${encodeURIComponent(identifier)}`, FRESH);
    const stacks = body['inventory'] as { name: string; count: number }[];
    return stacks.reduce((all, { name, count }) => all + (name === 'gold_bar' ? count : 0), 0);
  };
  return { hub, identifier, bread };
};

/** Says yes to the question of Undo. */
const confirm = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true }).click();

/** Undoes the gift of two gold bars from the history, and waits for this end. */
const undo = async (hub: TestHub, identifier: string, reason: string, end: string) => {
  const { page, expecting } = await enter(hub, playerPath(identifier));
  expecting(/status of 4(09|22)/);
  // The newest command is the first.
  await page.getByRole('button', { name: 'Undo: Give 2 × ' }).last().click();
  await page.getByRole('textbox', { name: 'Reason' }).fill(reason);
  await confirm(page);
  await phase(page, end).waitFor();
  return page;
};

describe('an item', () => {
  it('that was chosen is not sent by Enter while another one is typed', async () => {
    const { hub, identifier, bread } = await startWorld();
    const before = await bread();
    const { page } = await enter(hub, playerPath(identifier));
    await choose(page, 'Give', 'Items');
    const item = page.getByRole('combobox', { name: 'Item' });
    await item.fill('gol');
    await page.getByRole('option', { name: 'Gold bar' }).click();
    await item.fill('no such thing');
    await page.getByRole('option').first().waitFor({ state: 'detached' });
    await item.press('Enter');
    await item.press('Control+Enter');
    expect(await phase(page, 'sending').count()).toBe(0);
    expect(await item.inputValue()).toBe('no such thing');
    expect(await bread()).toBe(before);
    await item.blur();
    expect(await item.inputValue()).toBe('Gold bar');
  });

  it('is given by the keyboard alone from the row of the player, and is taken back', async () => {
    const { hub, identifier, bread } = await startWorld();
    const before = await bread();
    const { page } = await enter(hub, `/players?search=${encodeURIComponent(identifier)}`);
    await page.locator('.players a').first().focus();
    await page.keyboard.press('Enter');
    const button = page.getByRole('button', { name: 'Give', exact: true });
    await button.waitFor();
    // The page has the focus: the identifier that is copied, Give.
    for (let tab = 0; tab < 2; tab += 1) await page.keyboard.press('Tab');
    expect(await button.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Money' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Item' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('gol');
    await page.getByRole('option', { name: 'Gold bar' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.sentence').textContent()).toContain(`${before} now, ${before + 1} then.`);
    await page.keyboard.press('Enter');
    await phase(page, 'done').waitFor();
    expect(await phase(page, 'done').textContent()).toContain(`has ${before + 1} × gold_bar now, ${before} before.`);
    expect(await bread()).toBe(before + 1);
    await phase(page, 'done').getByRole('button', { name: 'Undo' }).click();
    await page.getByText(`has ${before} × gold_bar now, ${before + 1} before.`).waitFor();
    expect(await bread()).toBe(before);
  });

  it('is taken back from the history once, also if two users ask', async () => {
    const { hub, identifier, bread } = await startWorld();
    const before = await bread();
    const json = { target: identifier, item: 'gold_bar', count: 2, action: 'add' };
    await hub.request('/api/v2/bridge/main/items', { json });
    const asking = async () => {
      const { page } = await enter(hub, playerPath(identifier));
      await page.getByRole('button', { name: 'Undo: Give 2 × ' }).click();
      return page;
    };
    const [first, second] = [await asking(), await asking()];
    await confirm(first);
    await phase(first, 'done').waitFor();
    await confirm(second);
    const told = await phase(second, 'before').textContent();
    expect(told).toContain('This was undone before: by ');
    expect(told).toContain('Nothing new happened.');
    expect(await bread()).toBe(before);
    await first.getByRole('button', { name: 'Undo: Give 2 × ' }).waitFor({ state: 'detached' });
  });

  it('is not taken back twice when the second user gives another reason', async () => {
    const { hub, identifier, bread } = await startWorld();
    const before = await bread();
    const json = { target: identifier, item: 'gold_bar', count: 2, action: 'add' };
    await hub.request('/api/v2/bridge/main/items', { json });
    const { page } = await enter(hub, playerPath(identifier));
    await page.getByRole('button', { name: 'Undo: Give 2 × ' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('another');
    await undo(hub, identifier, 'mine', 'done');
    await confirm(page);
    expect(await phase(page, 'before').textContent()).toContain('This was undone before: by ');
    expect(await page.getByRole('button', { name: 'Change and try again' }).count()).toBe(0);
    await page.getByRole('dialog').getByRole('link', { name: 'Open in the journal' }).click();
    await page.getByText('mine', { exact: true }).waitFor();
    expect(await bread()).toBe(before);
  });

  it.each(['mine', 'another'])('is taken back after an undo that failed, with the reason %s', async (reason) => {
    const { hub, identifier, bread } = await startWorld();
    const before = await bread();
    const json = { target: identifier, item: 'gold_bar', count: 2, action: 'add' };
    await hub.request('/api/v2/bridge/main/items', { json });
    const taken = { ...json, count: before + 2, action: 'remove' };
    await hub.request('/api/v2/bridge/main/items', { json: taken });
    await undo(hub, identifier, 'mine', 'refused');
    await hub.request('/api/v2/bridge/main/items', { json: { ...taken, action: 'add' } });
    await undo(hub, identifier, reason, 'done');
    expect(await bread()).toBe(before);
  });

  it('is taken back without touching another one with properties of its own', async () => {
    const { hub, identifier } = await startWorld();
    const stacks = async () => {
      const { body } = await hub.request(`/api/v2/players/${encodeURIComponent(identifier)}`, FRESH);
      return (body['inventory'] as { name: string; metadata: object }[]).filter(({ name }) => name === 'house_key');
    };
    const order = { target: identifier, item: 'house_key', count: 2, action: 'add' };
    await hub.request('/api/v2/bridge/main/items', { json: { ...order, metadata: { house: 'mine' } } });
    await hub.request('/api/v2/bridge/main/items', { json: order });
    const { page, expecting } = await enter(hub, playerPath(identifier));
    expecting(/status of 409/);
    // The newest command is the first.
    await page.getByRole('button', { name: 'Undo: Give 2 × ' }).first().click();
    await hub.request('/api/v2/bridge/main/items', { json: { ...order, count: 1, action: 'remove', metadata: {} } });
    const before = await stacks();
    await confirm(page);
    await phase(page, 'refused').waitFor();
    expect(await phase(page, 'refused').textContent()).toContain('Not enough: the player has 1.');
    expect(await stacks()).toEqual(before);
    expect(before.length).toBeGreaterThan(1);
  });

  it('keeps its key when a refusal of the undo stored no command', async () => {
    const { hub, identifier, bread } = await startWorld();
    const before = await bread();
    const json = { target: identifier, item: 'gold_bar', count: 2, action: 'add' };
    const { id } = (await hub.request('/api/v2/bridge/main/items', { json })).body as { id: string };
    const { page, expecting } = await enter(hub, playerPath(identifier));
    expecting(/status of 403/);
    await page.getByRole('button', { name: 'Undo: Give 2 × ' }).click();
    await hub.request('/api/v2/servers/main', { method: 'PATCH', json: { disabled: true } });
    await confirm(page);
    await phase(page, 'refused').waitFor();
    expect((await hub.request('/api/v2/commands')).body['data']).toHaveLength(1);
    await hub.request('/api/v2/servers/main', { method: 'PATCH', json: { disabled: false } });
    // A bridge that was refused dials again after up to 25 s.
    await expect
      .poll(async () => ((await hub.request('/api/v2/servers/main')).body as { connected: boolean }).connected, {
        timeout: 60_000,
      })
      .toBe(true);
    await page.getByRole('button', { name: 'Change and try again' }).click();
    await confirm(page);
    await phase(page, 'done').waitFor();
    const undone = await hub.store.commands.byIdempotencyKey(hub.project.id, `undo/${id}`);
    expect(undone).toMatchObject({ name: 'items', status: 'succeeded' });
    expect(await bread()).toBe(before);
  });

  it('that does not fit is not given, and the reason is a sentence', async () => {
    const { hub, identifier } = await startWorld();
    const { page, expecting } = await enter(hub, playerPath(identifier));
    expecting(/status of 409/);
    await choose(page, 'Give', 'Items');
    await page.getByRole('combobox', { name: 'Item' }).fill('water');
    await page.getByRole('option', { name: 'Water' }).click();
    await page.getByLabel('Count').fill('1000');
    await page.getByRole('button', { name: 'Give now' }).click();
    await phase(page, 'refused').waitFor();
    expect(await phase(page, 'refused').textContent()).toMatch(/Too heavy: \d+ fit\./);
  });

  it('cannot be given on a server whose bridge does not offer it', async () => {
    const { hub, identifier } = await startWorld();
    const key = await hub.newKey(['players:read', 'servers:read', 'commands:kick']);
    const { page } = await enter({ ...hub, key }, playerPath(identifier));
    await page.getByRole('button', { name: 'Kick' }).waitFor();
    expect(await page.getByRole('button', { name: 'Give', exact: true }).count()).toBe(0);
  });
});

describe('the other actions', () => {
  it('give a vehicle, set a job and freeze a player, and are all undone where they can be', async () => {
    const { hub, identifier } = await startWorld();
    await hub.request('/api/v2/bridge/main/money', {
      json: { target: identifier, type: 'bank', amount: 1, action: 'add' },
    });
    const player = async () => (await hub.request(`/api/v2/players/${encodeURIComponent(identifier)}`, FRESH)).body;
    const { page } = await enter(hub, playerPath(identifier));
    const finish = async (submit: string) => {
      await page.getByRole('button', { name: submit }).click();
      await phase(page, 'done').last().waitFor();
    };
    await choose(page, 'Give', 'Vehicle');
    await page.getByRole('combobox', { name: 'Model' }).fill('adder');
    await page.getByRole('option', { name: 'Truffade Adder' }).click();
    await page.getByLabel('Plate').fill('lucky 7');
    await finish('Give now');
    expect(await phase(page, 'done').last().textContent()).toContain('LUCKY 7');
    const plates = async () => ((await player())['vehicles'] as { plate: string }[]).map(({ plate }) => plate);
    await expect.poll(plates).toContain('LUCKY 7');
    await phase(page, 'done').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(plates).not.toContain('LUCKY 7');

    await choose(page, 'Other actions', 'Set job');
    await page.getByRole('combobox', { name: 'Job' }).fill('LSPD');
    await page.getByRole('option', { name: 'LSPD' }).click();
    await page.getByLabel('Grade').selectOption({ label: 'Manager' });
    await finish('Set now');
    await expect.poll(async () => (await player())['metadata']).toMatchObject({ job: 'police', jobGrade: 3 });

    await hub.request('/api/v2/bridge/main/heal', { json: { target: identifier } });
  });
});
