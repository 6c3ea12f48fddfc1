import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import { startHub } from '../kit/hub.ts';
import { act, rowOf } from '../kit/panel-stage.ts';
import { signaturesBy, startReceiver, tell } from '../kit/receiver.ts';

const { enter } = openBrowser();

const start = () => startHub({ env: { WEBHOOKS_MAY_REACH: '127.0.0.1' } });
const dialogOf = (page: Page) => page.getByRole('dialog');

/** Chooses an action of the only webhook. */
const choose = async (page: Page, action: string): Promise<void> => {
  await page.getByRole('button', { name: 'Actions for' }).click();
  await page.getByRole('menuitem', { name: action }).click();
};

const confirm = async (page: Page, action: string, button = action): Promise<void> => {
  await choose(page, action);
  await dialogOf(page).getByRole('button', { name: button }).click();
};

describe('a webhook', () => {
  it('is made with its secret, tested, shows what was sent, and is paused and deleted', async () => {
    const hub = await start();
    const receiver = await startReceiver();
    const { page, expecting } = await enter(hub, '/webhooks');
    // The address that the hub must not reach.
    expecting(/status of 422/);
    await page.getByText('No webhooks').waitFor();
    await page.getByRole('button', { name: 'New webhook' }).click();
    const sheet = page.getByRole('dialog', { name: 'New webhook' });
    await sheet.getByLabel('Address').fill('http://10.0.0.1/');
    await sheet.getByRole('button', { name: 'Make it' }).click();
    await sheet.getByText('not public').waitFor();
    await sheet.getByLabel('Address').fill(receiver.url);
    await sheet.getByLabel('Name').fill('Staff site');
    expect(await violationsOf(page)).toEqual([]);
    await sheet.getByRole('button', { name: 'Make it' }).click();
    const secret = (await page.locator('pre.secret').textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'Close' }).click();

    await confirm(page, 'Test');
    await page.getByText(/^The test has arrived at .Staff site., in [\d,]+ ms\.$/).waitFor();
    expect(receiver.posts.map((got) => signaturesBy(secret, got))).toEqual([1]);

    const params = { type: 'bank', amount: 500, action: 'add' };
    const body = JSON.stringify({ serverId: 'main', data: { name: 'money', target: 'char1:ana', params } });
    const [event = ''] = await tell(hub.store, hub.project.id, [{ body, subject: 'cmd_7' }]);
    await expect.poll(() => receiver.posts.length).toBe(2);
    await page.getByRole('button', { name: 'Staff site', exact: true }).click();
    await dialogOf(page).getByText(receiver.url).waitFor();
    const link = page.getByRole('link', { name: 'Money · char1:ana · +500 bank' });
    expect(await link.getAttribute('href')).toBe('/journal/cmd_7');
    await page.getByTitle(event).waitFor();
    await page.getByText('A command has ended').waitFor();
    await page.getByText(/HTTP 204 · .* · 1 attempt/).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send again' }).click();
    await expect.poll(() => receiver.posts.length).toBe(3);
    await page.keyboard.press('Escape');

    await confirm(page, 'Pause');
    await page.getByText('Paused').waitFor();
    await confirm(page, 'Switch on');
    await page.getByText('Paused').waitFor({ state: 'detached' });
    await confirm(page, 'Delete');
    await page.getByText('No webhooks').waitFor();
  });

  it('gets what is chosen, which can be changed', async () => {
    const hub = await start();
    const receiver = await startReceiver();
    const { page } = await enter(hub, '/webhooks');
    const types = async (): Promise<unknown> => {
      const { data } = (await hub.request('/api/v2/webhooks')).body as { data: { types: unknown }[] };
      return data[0]?.types;
    };
    await page.getByRole('button', { name: 'New webhook' }).click();
    await dialogOf(page).getByLabel('Address').fill(receiver.url);
    await dialogOf(page)
      .getByLabel(/^Everything/)
      .uncheck();
    for (const label of ['A new player', 'A command waits']) await dialogOf(page).getByLabel(label).uncheck();
    await dialogOf(page).getByRole('button', { name: 'Make it' }).click();
    await page.locator('pre.secret').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('11 kinds').waitFor();
    expect(await types()).not.toContain('player.first_seen');
    expect(await types()).toContain('command.settled');
    await choose(page, 'Change');
    await dialogOf(page)
      .getByLabel(/^Everything/)
      .check();
    expect(await violationsOf(page)).toEqual([]);
    await dialogOf(page).getByRole('button', { name: 'Save' }).click();
    await dialogOf(page).waitFor({ state: 'detached' });
    expect(await types()).toBe(null);
  });

  it('sends again what has happened since a time, under the same ids, and signs with a new secret', async () => {
    const hub = await start();
    const receiver = await startReceiver();
    await hub.request('/api/v2/webhooks', { json: { url: receiver.url } });
    const [id] = await tell(hub.store, hub.project.id);
    await expect.poll(() => receiver.ids()).toEqual([id]);
    const { page } = await enter(hub, '/webhooks');
    await confirm(page, 'Replace the secret');
    const secret = (await page.locator('pre.secret').textContent()) ?? '';
    await page.getByRole('button', { name: 'Close' }).click();
    await choose(page, 'Send again since');
    await dialogOf(page).getByLabel('Since').selectOption('The last hour');
    expect(await violationsOf(page)).toEqual([]);
    await dialogOf(page).getByRole('button', { name: 'Send again' }).click();
    await expect.poll(() => receiver.ids()).toEqual([id, id]);
    expect(receiver.posts.map((got) => signaturesBy(secret, got))).toEqual([0, 1]);
  });

  it('that does not arrive says why, with the answer; one that is gone is told by the overview', async () => {
    const hub = await start();
    const receiver = await startReceiver((_, nth) => ({ status: nth === 1 ? 500 : 410, text: 'out of order' }));
    await hub.request('/api/v2/webhooks', { json: { url: receiver.url, name: 'Staff site' } });
    const { page } = await enter(hub, '/webhooks');
    await confirm(page, 'Test');
    await page.getByText(/^The test did not arrive at .*: .*500/).waitFor();
    await page.getByText('out of order').waitFor();
    await tell(hub.store, hub.project.id);
    await page.getByText('Off: gone').waitFor();
    await page.getByText('The answer was 410.').waitFor();
    await page.goto(hub.address);
    const need = page.locator('.attention li', { hasText: 'Nothing arrives at 1 webhook.' });
    await need.getByText('Staff site').waitFor();
    await need.getByRole('link', { name: 'Show' }).click();
    await page.getByText('Off: gone').waitFor();
  });
});

it('a key that is revoked leaves its webhooks, and the question names them', async () => {
  const hub = await start();
  const receiver = await startReceiver();
  const json = { name: 'bot', scopes: ['webhooks:write', 'commands:read'], servers: null };
  const key = String((await hub.request('/api/v2/keys', { json })).body['key']);
  await hub.request('/api/v2/webhooks', { key, json: { url: receiver.url } });
  const { page } = await enter(hub, '/keys');
  await act(rowOf(page, 'bot'), 'Revoke');
  await dialogOf(page).getByText('Its webhooks go on').waitFor();
  await dialogOf(page).getByText(receiver.url).waitFor();
  await dialogOf(page).getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('Revoked').waitFor();
});
