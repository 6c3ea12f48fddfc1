import { describe, expect, it } from 'vitest';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import { startHub } from '../kit/hub.ts';
import { order, phase, playerPath } from '../kit/panel-stage.ts';
import { answerAll, playerFrame, type RawBridge, welcomeRaw } from '../kit/raw-bridge.ts';

const { enter } = openBrowser();
const ANA = 'char1:ana';
const WAIT = 'Wait until the player is online';

const report = (bridge: RawBridge, revision: number, online: boolean): void => {
  const players = [playerFrame(ANA, { name: 'Ana', accounts: { bank: 5 }, online })];
  bridge.send({ type: 'players.snapshot', revision, part: 0, last: true, players });
};

/** A hub that knows Ana, who does not play. */
const start = async () => {
  const hub = await startHub();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: ['kick@1', 'money@1', 'items@1'] });
  answerAll(bridge, () => ({ status: 'done', data: { account: 'bank', before: 5, after: 12 }, sequence: 1 }));
  report(bridge, 1, false);
  await expect.poll(async () => (await hub.request(`/api/v2/players/${ANA}`)).status).toBe(200);
  const statuses = async (): Promise<string[]> => {
    const { data } = (await hub.request('/api/v2/commands')).body as { data: { status: string }[] };
    return data.map(({ status }) => status);
  };
  return { hub, bridge, statuses };
};

describe('an order for a player who is offline', () => {
  it('waits if it is told to, says so everywhere, and takes effect when the player comes', async () => {
    const { hub, bridge, statuses } = await start();
    const { page } = await enter(hub, playerPath(ANA));
    await order(page, 'Give money', '7');
    expect(await page.getByLabel(WAIT).isChecked()).toBe(false);
    await page.getByLabel(WAIT).check();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Let it wait' }).click();
    await phase(page, 'waiting').waitFor();
    expect(await phase(page, 'waiting').textContent()).toBe('It waits until Ana plays, at most 7 days.');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await page.locator('.history tbody tr', { hasText: 'Waits until the player plays · because' }).waitFor();
    await page.goto(`${hub.address}/journal`);
    await page.locator('.commands li', { hasText: 'Waits until the player plays' }).waitFor();
    report(bridge, 2, true);
    await expect.poll(statuses).toEqual(['succeeded']);
  });

  it('is taken back where it was ordered', async () => {
    const { hub, statuses } = await start();
    const { page } = await enter(hub, playerPath(ANA));
    await order(page, 'Give money', '7');
    await page.getByLabel(WAIT).check();
    await page.getByRole('button', { name: 'Let it wait' }).click();
    await page.getByRole('button', { name: 'Take it back' }).click();
    await page.getByText('Taken back. It did not happen.').waitFor();
    expect(await page.getByRole('button', { name: 'Take it back' }).count()).toBe(0);
    expect(await statuses()).toEqual(['voided']);
    // The same once more waits, too, and says so before.
    await page.getByRole('link', { name: 'Open in the journal' }).click();
    await page.getByRole('button', { name: 'Do it again' }).click();
    await page.getByText('If it cannot be done at once, it waits again.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Do it again' }).click();
    await phase(page, 'waiting').getByText('It waits until Ana plays').waitFor();
    expect((await statuses()).toSorted()).toEqual(['voided', 'waiting']);
  });

  it('is taken back on its own page, while the game server is away', async () => {
    const { hub, bridge, statuses } = await start();
    bridge.socket.close();
    const isConnected = async () => (await hub.request('/api/v2/servers/main')).body['connected'];
    await expect.poll(isConnected).toBe(false);
    const { page } = await enter(hub, playerPath(ANA));
    await order(page, 'Give money', '7');
    await page.getByLabel(WAIT).check();
    await page.getByRole('button', { name: 'Let it wait' }).click();
    await page.getByRole('link', { name: 'Open in the journal' }).click();
    await page.locator('.timeline li', { hasText: 'Waits for the game server' }).waitFor();
    await page.locator('main').getByRole('button', { name: 'Take it back' }).first().click();
    await expect.poll(statuses).toEqual(['voided']);
  });
});

describe('an order for a player who plays', () => {
  it('does not offer to wait', async () => {
    const { hub, bridge } = await start();
    report(bridge, 2, true);
    await expect.poll(async () => (await hub.request(`/api/v2/players/${ANA}`)).body['online']).toBe(true);
    const { page } = await enter(hub, playerPath(ANA));
    await order(page, 'Give money', '7');
    expect(await page.getByLabel(WAIT).count()).toBe(0);
  });
});
