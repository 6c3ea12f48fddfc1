import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import { startHub } from '../kit/hub.ts';
import { act, rowOf } from '../kit/panel-stage.ts';

const { enter, signIn } = openBrowser();
const SHOTS = process.env['CAUSEWAY_SHOTS'];

const replaceOwn = async (page: Page): Promise<string> => {
  await act(rowOf(page, 'This is you'), 'Replace');
  await page.getByText('The old one works until you sign in').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
  await page.getByText('Your new key.').waitFor();
  return (await page.locator('.secret').textContent()) ?? '';
};

describe('the own key, replaced in the panel', () => {
  it('is shown, and ends the old one when it signs in', async () => {
    const hub = await startHub();
    const { page, expecting } = await enter(hub, '/keys');
    // The stream of events ends with the session.
    expecting(/status of 401|ERR_INCOMPLETE_CHUNKED_ENCODING/);
    const fresh = await replaceOwn(page);
    expect(fresh).toMatch(/^cw_live_\w{38}$/);
    expect(await violationsOf(page)).toEqual([]);
    if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/own-key.png` });
    expect((await hub.request('/api/v2/keys')).status).toBe(200);
    await page.getByRole('button', { name: 'sign in with it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await hub.request('/api/v2/keys')).status).toBe(401);
    expect((await hub.request('/api/v2/keys', { key: fresh })).status).toBe(200);
    await page.reload();
    await page.getByText('This is you').waitFor();
  });

  it('leaves its user signed in when the new one is lost, by a reload or by hand', async () => {
    const hub = await startHub();
    const { page, expecting } = await enter(hub, '/keys');
    expecting(/status of 401|ERR_INCOMPLETE_CHUNKED_ENCODING/);
    await replaceOwn(page);
    await page.reload();
    const fresh = await replaceOwn(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.reload();
    await page.getByText('This is you').waitFor();
    await page.locator('.side .account').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, fresh);
    await page.getByText('This is you').waitFor();
    expect((await hub.request('/api/v2/keys')).status).toBe(401);
  });
});
