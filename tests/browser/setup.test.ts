import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { simulate } from '../../simulator/simulate.ts';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import { startEmptyHub } from '../kit/empty-hub.ts';

const { visit } = openBrowser();
const PHONE = { width: 360, height: 740 };
const SHOTS = process.env['CAUSEWAY_SHOTS'];

const hashOf = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
};

describe('the setup of an empty hub', () => {
  it('leads from the link to the first players: names, key, zip, lines, wrong token, connected', async () => {
    const hub = await startEmptyHub();
    const token = await hub.newToken();
    const { page, expecting } = await visit(hub, `/setup#${token}`);
    expecting(/401/);
    const shoot = async (name: string): Promise<void> => {
      if (SHOTS === undefined) return;
      await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
      await page.setViewportSize(PHONE);
      await page.screenshot({ path: `${SHOTS}/${name}-phone.png`, fullPage: true });
      await page.setViewportSize({ width: 1200, height: 800 });
    };
    await page.getByLabel('Name of your community').fill('Liberty RP');
    expect(page.url()).toBe(`${hub.address}/setup`);
    await page.getByLabel('Name of your game server').fill('Main Server');
    await page.getByText('Its id will be main-server.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await shoot('setup-names');
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByText('This is the owner’s key.').waitFor();
    const key = (await page.locator('.secret').textContent()) ?? '';
    expect(key).toMatch(/^cw_live_\w{38}$/);
    expect(await violationsOf(page)).toEqual([]);
    await shoot('setup-key');
    await page.getByRole('button', { name: 'connect the game server' }).click();

    await page.getByRole('heading', { name: 'Connect' }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: /^Download/ }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^causeway-bridge-[\d.]+\.zip$/);
    expect(await page.locator('.sum').textContent()).toContain(await hashOf(await download.path()));
    await page.getByLabel('Where does the game server run?').selectOption('On the machine of the hub');
    const lines = (await page.locator('.secret').textContent()) ?? '';
    const secret = /causeway_token "(cwb_\w{38})"/.exec(lines)?.[1] ?? '';
    await page.getByText('Waiting for the game server.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await shoot('connect-waiting');

    const url = `${hub.address.replace('http', 'ws')}/bridge`;
    const wrong = simulate({ url, token: secret.slice(0, 20), players: 1, lifeEveryMs: 0 });
    onTestFinished(wrong.stop);
    await page.getByText('A game server came with a wrong token').waitFor();
    await shoot('connect-wrong');
    const game = simulate({ url, token: secret, players: 3, lifeEveryMs: 0 });
    onTestFinished(game.stop);
    await page.getByText('Try a command: choose a player').waitFor();
    await shoot('connect-connected');
    await page.getByRole('link', { name: 'Try a command' }).click();
    await expect.poll(() => page.locator('main').textContent()).toContain('char');
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toMatch(/cw/);
  });

  it('shows another key after a reload, until the owner signs in', async () => {
    const hub = await startEmptyHub();
    const { page } = await visit(hub);
    await page.getByText('run “causeway setup-link”').waitFor();
    expect(page.url()).toBe(`${hub.address}/setup`);
    await page.goto('about:blank');
    await page.goto(`${hub.address}/setup#${await hub.newToken()}`);
    await page.getByLabel('Name of your community').fill('Liberty RP');
    await page.getByLabel('Name of your game server').fill('Main Server');
    await page.getByRole('button', { name: 'Set up' }).click();
    const shown = async (): Promise<string> => (await page.locator('.secret').textContent()) ?? '';
    const first = await shown();
    await page.reload();
    await page.getByText('its key was never used').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/setup-again.png` });
    await page.getByRole('button', { name: 'Show another key' }).click();
    const second = await shown();
    expect(second).toMatch(/^cw_live_\w{38}$/);
    expect(second).not.toBe(first);
    await page.goto(hub.address);
    await page.getByText('its key was never used').waitFor();
    await page.getByRole('button', { name: 'Show another key' }).click();
    await page.getByText('This is the owner’s key.').waitFor();
    await page.getByRole('button', { name: 'connect the game server' }).click();
    await page
      .getByText(/set causeway_token "cwb_\w{38}"|Where does the game server run/)
      .first()
      .waitFor();
    await page.goto(hub.address);
    await page.getByRole('navigation').waitFor();
  });

  it('takes up a link that is opened in its tab, without a reload', async () => {
    const hub = await startEmptyHub();
    const used = await hub.newToken();
    const { page: first } = await visit(hub, `/setup#${used}`);
    await first.getByLabel('Name of your community').waitFor();
    const { page, expecting } = await visit(hub, `/setup#${used}`);
    expecting(/status of 410/);
    await page.getByText('run “causeway setup-link” for another one').waitFor();
    // In a tab with the same page, this changes the hash only.
    await page.goto(`${hub.address}/setup#${await hub.newToken()}`);
    await page.getByLabel('Name of your community').waitFor();
    expect(page.url()).toBe(`${hub.address}/setup`);
  });

  it('goes on after a reload, and tells another browser that the link is used', async () => {
    const hub = await startEmptyHub();
    const token = await hub.newToken();
    const { page } = await visit(hub, `/setup#${token}`);
    await page.getByLabel('Name of your community').waitFor();
    await page.reload();
    await page.getByLabel('Name of your community').waitFor();
    const other = await visit(hub, `/setup#${token}`);
    other.expecting(/status of 410/);
    await other.page.getByText('run “causeway setup-link” for another one').waitFor();
    expect(await violationsOf(other.page)).toEqual([]);
  });
});
