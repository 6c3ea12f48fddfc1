import { describe, expect, it } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { ANA, startStage } from '../support/panel-stage.ts';
import { orderSignature, SECRET } from '../testkit/shop.ts';

const { enter } = openBrowser();

describe('a shop', () => {
  it('is connected with its packages, tried out, and its unknown buyer is given the package by hand', async () => {
    const { hub, economy } = await startStage();
    const { page } = await enter(hub, '/shops');
    await page.getByText('No shop is connected.').waitFor();
    await page.getByLabel('Kind of shop').selectOption('orders');
    await page.getByLabel('Name').fill('Web <b>shop</b>');
    await page.getByLabel('Secret of the webhooks').fill(SECRET);
    await page.getByRole('button', { name: 'Add a command' }).click();
    await page.getByLabel('Id of the package').fill('vip');
    await page.getByLabel('Account, such as bank').fill('bank');
    await page.getByLabel('Amount').fill('500');
    await page.getByRole('button', { name: 'Connect a shop' }).click();
    const url = (await page.locator('code').first().textContent()) ?? '';
    expect(url).toMatch(/\/api\/v2\/integrations\/int_\w+\/orders$/);
    await page.getByText('No webhook has come yet.').waitFor();

    await page.getByLabel('Identifier that the shop sends').fill('license:char1-ana');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText('would go to').waitFor();
    expect(economy.applied).toEqual([]);

    const body = JSON.stringify({ id: 'order-1', type: 'paid', buyer: 'fivem:404', packages: [{ id: 'vip' }] });
    const headers = { 'X-Causeway-Signature': orderSignature(body) };
    const path = new URL(url).pathname;
    expect((await hub.request(path, { key: null, method: 'POST', body, headers })).status).toBe(200);
    await page.getByText('No player of this server has the identifier of the buyer.').waitFor();
    await page.getByLabel('Identifier of the player').fill(ANA);
    await page.getByRole('button', { name: 'Give it' }).click();
    await page.getByText('There is nothing to decide.').waitFor();
    await expect.poll(() => economy.applied).toMatchObject([{ target: ANA, delta: 500 }]);
    await page.getByText('order-1').waitFor();

    await page.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('No shop is connected.').waitFor();
  });
});
