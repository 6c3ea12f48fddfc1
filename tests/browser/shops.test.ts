import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { simulate } from '../../simulator/simulate.ts';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { ANA, startStage } from '../kit/panel-stage.ts';
import { connectShop, orderSignature, SECRET } from '../kit/shop.ts';

const { enter } = openBrowser();

const MONEY = { name: 'money', params: { type: 'bank', amount: 500, action: 'add' } };
const NEW_SECRET = 'another-secret-of-the-shop';

const sendOrder = async (hub: TestHub, path: string, order: object, secret = SECRET): Promise<number> => {
  const body = JSON.stringify({ type: 'paid', ...order });
  const headers = { 'X-Causeway-Signature': orderSignature(body, secret) };
  return (await hub.request(path, { key: null, method: 'POST', body, headers })).status;
};

/** A hub with a simulated game server, which has catalogues and a command of its own. */
const startWorld = async () => {
  const hub = await startHub();
  const game = simulate({ url: hub.bridgeUrl, token: hub.token, players: 9, lifeEveryMs: 0 });
  onTestFinished(() => game.stop());
  const players = async (filter = '') =>
    (await hub.request(`/api/v2/players${filter}`)).body['data'] as { identifier: string }[];
  await expect.poll(async () => (await players()).length).toBe(9);
  await expect.poll(async () => (await hub.request('/api/v2/servers/main/jobs')).body['data']).not.toEqual([]);
  // A package waits for a player who is away.
  const [{ identifier = '' } = {}] = await players('?online=true');
  return { hub, identifier };
};

/** Types a part of a name and takes the first thing of the list. */
const choose = async (page: Page, field: string, text: string, option: string): Promise<void> => {
  await page.getByRole('combobox', { name: field }).last().fill(text);
  await page.getByRole('option', { name: option }).first().waitFor();
  await page.keyboard.press('Enter');
};

describe('a shop', () => {
  it('is connected with its packages, tried out, and its unknown buyer is given the package by hand', async () => {
    const { hub, economy } = await startStage();
    const { page } = await enter(hub, '/shops');
    await page.getByText('No shop is connected.').waitFor();
    await page.getByRole('button', { name: 'Connect a shop' }).click();
    await page.getByLabel('Kind of shop').selectOption('orders');
    await page.getByLabel('Name').fill('Web <b>shop</b>');
    await page.getByLabel('Secret of the webhooks').fill(SECRET);
    await page.getByRole('button', { name: 'Add a package' }).click();
    await page.getByRole('button', { name: 'Connect it' }).click();
    await page.getByText('This is needed.').waitFor();
    await page.getByText('Type a whole number').waitFor();
    await page.getByLabel('Id of the package').fill('vip');
    await page.getByLabel('Account').selectOption('bank');
    await page.getByLabel('Amount').fill('500');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Connect it' }).click();
    const url = (await page.locator('code').first().textContent()) ?? '';
    expect(url).toMatch(/\/api\/v2\/integrations\/int_\w+\/orders$/);
    await page.getByText('No webhook has come yet.').waitFor();

    await page.getByLabel('Identifier that the shop sends').fill('license:char1-ana');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText('would go to').waitFor();
    expect(economy.applied).toEqual([]);

    const order = { id: 'order-1', buyer: 'fivem:404', packages: [{ id: 'vip' }] };
    expect(await sendOrder(hub, new URL(url).pathname, order)).toBe(200);
    await page.getByText('The buyer has not been on this server yet.').waitFor();
    await page.getByRole('combobox', { name: 'Player' }).fill('ana');
    await page.getByRole('option', { name: ANA }).first().click();
    await page.getByRole('button', { name: 'Give it', exact: true }).click();
    await page.getByRole('button', { name: 'Give it to' }).click();
    await page.getByRole('dialog').getByText('The player has it.').waitFor();
    await page.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('There is nothing to decide.').waitFor();
    await expect.poll(() => economy.applied).toMatchObject([{ target: ANA, delta: 500 }]);
    await page.getByText('order-1').first().waitFor();

    await page.getByRole('button', { name: 'More', exact: true }).first().click();
    await page.getByRole('menuitem', { name: 'Disconnect' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('No shop is connected.').waitFor();
  });

  it('gives what its changed packages say, after a preview of what is not saved yet', async () => {
    const { hub, identifier } = await startWorld();
    const shop = await connectShop(hub, 'orders', { vip: [MONEY] });
    const { page } = await enter(hub, `/shops/${shop.id}`);
    await page.getByRole('link', { name: 'Change' }).click();
    await page.getByRole('button', { name: 'Change vip' }).click();
    expect(await page.getByLabel('Amount').inputValue()).toBe('500');
    const gives = page.getByLabel('Gives');
    for (const [place, command] of ['items', 'vehicles', 'job', 'custom:give_item'].entries()) {
      await page.getByRole('button', { name: 'Add a command' }).click();
      await gives.nth(place + 1).selectOption(command);
    }
    await page.getByRole('combobox', { name: 'Item', exact: true }).fill('gol');
    await page.getByRole('option', { name: 'Gold bar' }).click();
    await choose(page, 'Model', 'adder', 'Truffade Adder');
    await choose(page, 'Job', 'LSPD', 'LSPD');
    await page.getByLabel('Grade').selectOption({ label: 'Manager' });
    await choose(page, 'item', 'bread', 'Bread');
    await page.getByLabel('count', { exact: true }).fill('3');
    await page.getByLabel('Most money of one command').fill('400');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Too much: at most 400 in one command.').waitFor();
    await page.getByText('Something above is missing or wrong.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel('Amount').fill('300');

    await page.getByLabel('Identifier that the shop sends').fill(identifier);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    const previews = page.locator('[data-preview] li');
    await previews.nth(4).waitFor();
    const told = await previews.allTextContents();
    expect(told.join('\n').replaceAll(/[\u2068\u2069]/g, '')).toBe(
      [
        'Add 300 to bank',
        'Give 1 × gold_bar',
        'Give vehicle adder',
        'Set job police, grade 3',
        'give_item: item: bread, count: 3',
      ]
        .map((what) => `${what} would go to ${identifier}.`)
        .join('\n'),
    );
    expect((await hub.request(shop.path)).body).toMatchObject({ packages: { vip: [MONEY] }, maxAmount: null });
    expect((await hub.request('/api/v2/commands')).body['data']).toEqual([]);

    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('At most 400 in one command').waitFor();
    expect((await hub.request(shop.path)).body).toMatchObject({
      maxAmount: 400,
      packages: {
        vip: [
          { name: 'money', params: { type: 'bank', amount: 300, action: 'add' } },
          { name: 'items', params: { item: 'gold_bar', count: 1, action: 'add' } },
          { name: 'vehicles', params: { model: 'adder', action: 'give' } },
          { name: 'job', params: { job: 'police', grade: 3 } },
          { name: 'custom:give_item', params: { item: 'bread', count: 3 } },
        ],
      },
    });
    const order = { id: 'order-1', buyer: identifier, packages: [{ id: 'vip' }] };
    expect(await sendOrder(hub, `${shop.path}/orders`, order)).toBe(200);
    await page.getByText('order-1').waitFor();
    const done = async () =>
      ((await hub.request('/api/v2/commands')).body['data'] as { name: string; status: string }[])
        .map(({ name, status }) => `${name} ${status}`)
        .toSorted();
    await expect
      .poll(done)
      .toEqual(['custom:give_item', 'items', 'job', 'money', 'vehicles'].map((name) => `${name} succeeded`));
  });

  it('is on the overview as long as lines of its orders need a decision', async () => {
    const { hub } = await startStage();
    const shop = await connectShop(hub, 'orders', { vip: [MONEY] });
    const { page } = await enter(hub, '/');
    await page.getByText('There is nothing to do.').waitFor();
    const packages = [{ id: 'vip', quantity: 2 }];
    expect(await sendOrder(hub, `${shop.path}/orders`, { id: 'order-1', buyer: 'fivem:404', packages })).toBe(200);
    const attention = page.locator('.attention li');
    await attention.getByText('2 purchases wait for a decision.').waitFor();
    expect(await page.getByText('There is nothing to do.').count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    await page.goto(`${hub.address}/shops`);
    await page.getByRole('link', { name: '2 to decide' }).waitFor();
    await page.goBack();
    await attention.getByRole('link', { name: 'Show' }).click();
    await page.getByRole('checkbox').last().uncheck();
    await page.getByRole('button', { name: 'Take it off the list' }).click();
    await page.getByLabel('Why?').fill('Given by hand.');
    await page.getByRole('dialog').getByRole('button', { name: 'Take it off the list' }).click();
    await expect.poll(async () => (await shop.staff()).length).toBe(1);
    await page.getByRole('link', { name: 'Overview' }).click();
    await attention.getByText('1 purchase waits for a decision.').waitFor();
    const [{ id: last = '' } = {}] = await shop.staff();
    expect(
      (await hub.request(`${shop.path}/unmatched/${last}`, { json: { dismiss: true, note: 'Settled by hand.' } }))
        .status,
    ).toBe(200);
    await page.getByText('There is nothing to do.').waitFor();
  });

  it('is tried out with hints at what the server does not have, and with the money of the day', async () => {
    const { hub, identifier } = await startWorld();
    const bread = { name: 'items', params: { item: 'braed', count: 1, action: 'add' } };
    const own = { name: 'custom:give_item', params: { item: 'braed', count: 1 } };
    const shop = await connectShop(hub, 'orders', { vip: [MONEY, bread, own] }, { maxDaily: 700 });
    const { page } = await enter(hub, `/shops/${shop.id}/edit`);
    const previews = page.locator('[data-preview] li');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    const hint = previews.getByText('Check this item: the list of the game server does not have it.');
    await expect.poll(() => hint.count()).toBe(2);
    await page.getByLabel('Identifier that the shop sends').fill(identifier);
    await page.getByLabel('How many').fill('2');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await previews
      .getByText('The integration allows 700 in one day (UTC). With this command it would be 1000.')
      .waitFor();
    await page.getByLabel('Most money of one day').fill('1000');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await expect.poll(() => previews.getByText('would go to').count()).toBe(6);
    expect(await violationsOf(page)).toEqual([]);
  });

  it('keeps parameters that have no field, and sends only what was changed', async () => {
    const { hub } = await startStage();
    const params = { ...MONEY.params, allowNegative: true };
    const away = { name: 'custom:welcome', params: { text: 'Hello' } };
    const shop = await connectShop(hub, 'orders', { vip: [{ name: 'money', params }, away], bike: [] });
    const scopes = ['integrations:write', 'servers:read', 'commands:money', 'commands:custom'] as const;
    const key = await hub.newKey([...scopes]);
    const { page } = await enter({ ...hub, key }, `/shops/${shop.id}/edit`);
    await page.getByText('No commands: the hub does nothing for this package.').waitFor();
    await page.getByLabel('Name').fill('Another name');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Another name' }).waitFor();
    await page.getByRole('link', { name: 'Change' }).click();
    expect((await hub.request(shop.path)).body).toMatchObject({ name: 'Another name', maker: { keyId: hub.keyId } });
    await page.getByRole('button', { name: 'Change vip' }).click();
    await page.getByText('Also: ').waitFor();
    await page.getByLabel('Amount').fill('600');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Add 600 to').waitFor();
    const { body } = await hub.request(shop.path);
    expect(body['packages']).toEqual({
      vip: [{ name: 'money', params: { ...params, amount: 600 } }, away],
      bike: [],
    });
    expect((body['maker'] as { keyId: string }).keyId).not.toBe(hub.keyId);
  });

  it('is renamed without the reasons that its packages lack, and needs those of a changed package only', async () => {
    const { hub } = await startStage();
    const shop = await connectShop(hub, 'orders', { vip: [MONEY], gold: [MONEY] });
    await hub.request('/api/v2/project', { method: 'PATCH', json: { reasonFor: ['money'] } });
    const { page } = await enter(hub, `/shops/${shop.id}/edit`);
    await page.getByLabel('Name').fill('Another name');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Another name' }).waitFor();
    await page.getByRole('link', { name: 'Change' }).click();
    await page.getByRole('button', { name: 'Change vip' }).click();
    await page.getByLabel('Amount').fill('600');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Say why. It stays in the journal.').waitFor();
    await page.getByRole('textbox', { name: 'Reason' }).fill('Bought');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Change' }).waitFor();
    expect((await hub.request(shop.path)).body['packages']).toMatchObject({
      vip: [{ params: { amount: 600, reason: 'Bought' } }],
      gold: [MONEY],
    });
  });

  it('shows what the hub does not accept at the field', async () => {
    const { hub } = await startStage();
    const shop = await connectShop(hub, 'orders', { vip: [MONEY] });
    const { page, expecting } = await enter(hub, `/shops/${shop.id}/edit`);
    expecting(/status of 422/);
    await page.getByRole('button', { name: 'Change vip' }).click();
    await page.getByLabel('Id of the package').fill('a package');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The hub does not accept some fields. They are marked.').waitFor();
    const field = page.getByLabel('Id of the package');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await page.getByText('must be 1 to 64 printable ASCII characters').waitFor();
    await field.fill('a/package');
    expect(await field.getAttribute('aria-invalid')).not.toBe('true');
    await page.getByLabel('Gives').selectOption('custom:');
    await page.getByLabel('Name of the command').fill('welcome');
    await page.getByLabel('Parameters as JSON').fill('{"target": "char1:ana"}');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('must be absent: the buyer is the player').waitFor();
    await page.getByLabel('Parameters as JSON').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('dt').getByText('a/package').waitFor();
    const stored = (await hub.request(shop.path)).body['packages'];
    expect(stored).toEqual({ 'a/package': [{ name: 'custom:welcome', params: {} }] });
  });

  it('has its secret replaced, at once or after a while, and shows neither of the two', async () => {
    const { hub } = await startStage();
    const shop = await connectShop(hub, 'orders', { vip: [MONEY] });
    const { page } = await enter(hub, `/shops/${shop.id}`);
    const dialog = page.getByRole('dialog');
    const replace = async (secret: string, grace: string): Promise<void> => {
      await page.getByRole('button', { name: 'Replace the secret' }).click();
      await dialog.getByLabel('New secret').fill(secret);
      await dialog.getByLabel('The secret before stays valid').selectOption({ label: grace });
      await dialog.getByRole('button', { name: 'Replace it' }).click();
    };
    const order = (id: string) => ({ id, buyer: ANA, packages: [{ id: 'vip' }] });
    await replace('short', 'for an hour');
    await dialog.getByRole('alert').or(dialog.getByText('At least 16 characters.')).first().waitFor();
    await dialog.getByLabel('New secret').fill(NEW_SECRET);
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Replace it' }).click();
    await page.getByText('The secret before is valid until').waitFor();
    expect(await sendOrder(hub, `${shop.path}/orders`, order('order-1'))).toBe(200);
    expect(await sendOrder(hub, `${shop.path}/orders`, order('order-2'), NEW_SECRET)).toBe(200);
    await page.getByRole('button', { name: 'Replace the secret' }).click();
    await dialog.getByRole('button', { name: 'Make one up' }).click();
    const made = await dialog.getByLabel('New secret').inputValue();
    expect(made).toMatch(/^[0-9a-f]{48}$/);
    await dialog.getByLabel('The secret before stays valid').selectOption({ label: 'not at all' });
    await dialog.getByRole('button', { name: 'Replace it' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await sendOrder(hub, `${shop.path}/orders`, order('order-3'), NEW_SECRET)).toBe(401);
    expect(await sendOrder(hub, `${shop.path}/orders`, order('order-4'), made)).toBe(200);
    expect(await page.content()).not.toContain(made);
  });
});
