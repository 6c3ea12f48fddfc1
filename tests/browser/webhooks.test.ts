import { describe, expect, it } from 'vitest';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import { startHub } from '../kit/hub.ts';
import { signaturesBy, startReceiver, tell } from '../kit/receiver.ts';

const { enter } = openBrowser();

describe('a webhook', () => {
  it('is made with its secret, tested, shows what was sent, and is paused and deleted', async () => {
    const hub = await startHub({ env: { WEBHOOKS_MAY_REACH: '127.0.0.1' } });
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
    expect(await violationsOf(page)).toEqual([]);
    await sheet.getByRole('button', { name: 'Make it' }).click();
    const secret = (await page.locator('pre.secret').textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'Close' }).click();

    const choose = async (action: string): Promise<void> => {
      await page.getByRole('button', { name: `Actions for` }).click();
      await page.getByRole('menuitem', { name: action }).click();
      await page.getByRole('dialog').getByRole('button', { name: action }).click();
    };
    await choose('Test');
    await page.getByText('The test has arrived.').waitFor();
    expect(receiver.posts.map((got) => signaturesBy(secret, got))).toEqual([1]);

    await tell(hub.store, hub.project.id);
    await expect.poll(() => receiver.posts.length).toBe(2);
    await page.getByRole('button', { name: receiver.url, exact: true }).click();
    await page.getByText('command.settled').waitFor();
    await page.getByText('arrived', { exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send again' }).click();
    await expect.poll(() => receiver.posts.length).toBe(3);
    await page.keyboard.press('Escape');

    await choose('Pause');
    await page.getByText('Paused').waitFor();
    await choose('Delete');
    await page.getByText('No webhooks').waitFor();
  });
});
