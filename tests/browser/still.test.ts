import { describe, expect, it } from 'vitest';
import { openBrowser } from '../kit/browser.ts';
import type { TestHub } from '../kit/hub.ts';
import { startBusyStage } from '../kit/panel-pages.ts';
import { ANA, playerPath, startStage } from '../kit/panel-stage.ts';

const { enter } = openBrowser();

/** Resolves when the page hears of events. */
const follows = (hub: TestHub): Promise<void> =>
  expect.poll(async () => (await hub.request('/metrics')).text).toContain('causeway_event_streams_open 1');

describe('rows under a still pointer', () => {
  it.each(['/journal', playerPath(ANA)])('do not move when a command comes, on %s', async (path) => {
    const { hub } = await startBusyStage();
    const { page } = await enter(hub, path);
    const rows = page.locator('.commands li, .history tbody tr');
    await expect.poll(() => rows.count()).toBe(2);
    await follows(hub);
    await rows.first().hover();
    const first = await rows.first().locator('.what').textContent();
    await hub.request('/api/v2/bridge/main/kick', { json: { target: ANA, reason: 'rude' } });
    await page.getByText('1 new: shown when the pointer leaves the list.').waitFor({ state: 'attached' });
    expect(await rows.first().locator('.what').textContent()).toBe(first);
    await page.mouse.move(600, 5);
    await rows.first().getByText('rude').waitFor();
    expect(await rows.count()).toBe(3);
  });

  it('do not move when a player joins, and show changed fields', async () => {
    const { hub, game } = await startStage({ players: { 'char1:bob': 50, 'char1:cid': 60 } });
    const { page } = await enter(hub, '/players');
    const rows = page.locator('.players .player');
    await expect.poll(() => rows.count()).toBe(2);
    await follows(hub);
    await rows.first().hover();
    const names = await rows.locator('a').allTextContents();
    const record = { online: true, identifiers: [], inventory: [], vehicles: [], metadata: {} };
    const ana = { ...record, identifier: ANA, name: 'Ana', accounts: { bank: 1 } };
    const bob = { ...record, identifier: 'char1:bob', name: 'Name of char1:bob', accounts: { bank: 77_777 } };
    game.bridge.changed({ players: [ana, bob] });
    await page.getByText('3 players').waitFor();
    await page.getByText('77,777').waitFor();
    expect(await rows.locator('a').allTextContents()).toEqual(names);
    await page.getByRole('button', { name: '1 new: show' }).click();
    await expect.poll(() => rows.count()).toBe(3);
  });
});
