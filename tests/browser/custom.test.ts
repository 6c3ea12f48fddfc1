import { describe, expect, it } from 'vitest';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import { startHub } from '../kit/hub.ts';
import { phase } from '../kit/panel-stage.ts';
import { answerAll, playerFrame, reportPlayers, welcomeRaw } from '../kit/raw-bridge.ts';

const { enter } = openBrowser();

const GIVE = {
  name: 'give_item',
  description: 'Puts <b>items</b> into the inventory of a player',
  params: {
    type: 'object',
    properties: {
      target: { type: 'string' },
      item: { enum: ['bread', 'water'] },
      count: { type: 'integer', minimum: 1, maximum: 100, description: 'How many' },
      metadata: { type: 'object' },
    },
    required: ['target', 'item', 'count'],
    additionalProperties: false,
  },
};

const start = async () => {
  const hub = await startHub();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  bridge.send({ type: 'commands.custom', commands: [GIVE] });
  await expect.poll(async () => (await hub.request('/api/v2/bridge/main/actions')).body['data']).toHaveLength(1);
  return { hub, bridge };
};

describe('the commands of a game server', () => {
  it('are listed under it, filled in field by field, and run once', async () => {
    const { hub, bridge } = await start();
    answerAll(bridge, () => ({ status: 'done', data: { slots: '<i>2</i>' } }));
    const players = [playerFrame('char1:ana', { name: 'Ana <b>Souza</b>' })];
    await reportPlayers(hub, bridge, ...players);
    const { page } = await enter(hub, '/servers/main?target=char1%3Aana');
    await page.getByText('For the player Ana <b>Souza</b>, where a command takes one.').waitFor();
    await page.getByText('Puts <b>items</b>').waitFor();
    await page.getByRole('button', { name: 'Run give_item' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('target').inputValue()).toBe('char1:ana');
    await dialog.getByLabel('count').fill('101');
    await dialog.getByLabel('metadata').fill('{"a":');
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await dialog.getByText('This is needed.').waitFor();
    await dialog.getByText('From 1 to 100.').waitFor();
    await dialog.getByText('This cannot be read.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel('item').selectOption('bread');
    await dialog.getByLabel('count').fill('3');
    await dialog.getByLabel('metadata').fill('{"a":1}');
    await dialog.getByRole('button', { name: 'Run now' }).dblclick();
    await phase(page, 'done').waitFor();
    expect(await phase(page, 'done').textContent()).toContain('Done: give_item.slots <i>2</i>');
    const { data } = (await hub.request('/api/v2/commands')).body as { data: Record<string, unknown>[] };
    const params = { target: 'char1:ana', item: 'bread', count: 3, metadata: { a: 1 } };
    expect(data).toMatchObject([{ name: 'custom:give_item', params }]);
    await page.getByRole('link', { name: 'Open in the journal' }).click();
    await page.getByText('What the game server answered').waitFor();
  });

  it('keep their dialog, and tell what became of it, when the game server goes away', async () => {
    const { hub, bridge } = await start();
    const { page } = await enter(hub, '/servers/main');
    await page.getByRole('button', { name: 'Run give_item' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Run now' }).click();
    // The first field whose value is refused.
    await dialog.getByLabel('target').and(page.locator(':focus')).waitFor();
    await dialog.getByLabel('target').fill('char1:ana');
    await dialog.getByLabel('item').selectOption('bread');
    await dialog.getByLabel('count').fill('3');
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await bridge.command();
    bridge.kill();
    await page.getByText('Not connected').first().waitFor();
    await dialog.locator('[data-phase]').waitFor();
  });

  it('are refused in the words of the game server, and nothing that was typed is lost', async () => {
    const { hub, bridge } = await start();
    const error = { code: 'refused', message: 'The inventory is full.' };
    answerAll(bridge, () => ({ status: 'rejected', error }));
    const { page, expecting } = await enter(hub, '/servers/main');
    expecting(/status of 409/);
    await page.getByRole('button', { name: 'Run give_item' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('target').fill('char1:bob');
    await dialog.getByLabel('item').selectOption('water');
    await dialog.getByLabel('count').fill('1');
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('The inventory is full.').waitFor();
    await page.getByRole('button', { name: 'Change and try again' }).click();
    expect(await dialog.getByLabel('target').inputValue()).toBe('char1:bob');
  });

  it('are asked for by the roles of their parameters: player and item are searched, and the reason is needed', async () => {
    const { hub, bridge } = await start();
    answerAll(bridge, () => ({ status: 'done', data: {} }));
    const bonus = {
      ...GIVE,
      name: 'bonus',
      params: {
        type: 'object',
        properties: {
          note: { type: 'string' },
          officer: { type: 'string' },
          item: { type: 'string' },
          count: { type: 'integer' },
        },
        required: ['officer', 'item', 'count'],
      },
      roles: { player: 'officer', item: 'item', amount: 'count', reason: 'note', reasonRequired: true },
    };
    bridge.send({ type: 'commands.custom', commands: [bonus] });
    const entries = [{ name: 'gold_bar', label: 'Gold bar' }];
    bridge.send({ type: 'catalogue', kind: 'items', hash: 'h', part: 0, last: true, entries });
    await reportPlayers(hub, bridge, playerFrame('char1:ana', { name: 'Ana Souza' }));
    const items = async () => (await hub.request('/api/v2/servers/main/items')).body['data'];
    await expect.poll(items).toHaveLength(1);
    const { page } = await enter(hub, '/servers/main');
    await page.getByText('bonus from this server').waitFor();
    await page.getByRole('button', { name: 'Run bonus' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await dialog.getByText('Say why. It stays in the journal.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel('officer').fill('souza');
    await dialog.getByRole('option', { name: 'Ana Souza' }).click();
    await dialog.getByLabel('item').fill('gold');
    await dialog.getByRole('option', { name: 'Gold bar' }).click();
    await dialog.getByLabel('count').fill('50');
    await dialog.getByLabel('Reason').fill('Officer of the month');
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await phase(page, 'done').waitFor();
    const params = { officer: 'char1:ana', item: 'gold_bar', count: 50, note: 'Officer of the month' };
    expect((await hub.request('/api/v2/commands')).body['data']).toMatchObject([{ target: 'char1:ana', params }]);
    await page.goto(`${hub.address}/journal`);
    const row = page.locator('.commands li');
    await expect
      .poll(() => row.locator('.what > *').allTextContents())
      .toEqual(['\u2068bonus\u2069: 50 × \u2068gold_bar\u2069 from Main', 'Officer of the month']);
    expect(await row.locator('.target').textContent()).toBe('Ana Souza');
    await row.locator('a').click();
    await page.getByText('Officer of the month').first().waitFor();
  });

  it('are not offered to a key that may not run them', async () => {
    const { hub } = await start();
    const { page } = await enter(hub, '/servers/main', { key: await hub.newKey(['servers:read']) });
    await page.locator('.pairs code').first().waitFor();
    expect(await page.getByText('Commands of this game server').count()).toBe(0);
  });
});
