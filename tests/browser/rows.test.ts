import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { COMMAND_STATUSES } from '../../db/schema/commands.ts';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import { startHub } from '../kit/hub.ts';
import { insertCommand } from '../kit/journal.ts';
import { ANA, POLICE, playerPath, startStage } from '../kit/panel-stage.ts';

const { enter, visit } = openBrowser();

/** Texts of badges that are wider or higher than their place. */
const cutBadges = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('.state')]
    .filter((each) => each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1)
    .map((each) => each.textContent)`);

describe.each(['en-GB', 'de-DE', 'pt-BR'])('a row of the journal in %s', (locale) => {
  it.each([
    ['a desk', 1200],
    ['a phone', 390],
  ])('shows the whole outcome, on %s', async (_name, width) => {
    const hub = await startHub();
    for (const status of COMMAND_STATUSES) await insertCommand(hub, { status });
    const { page } = await visit(hub, '/journal', { locale, viewport: { width, height: 900 } });
    await page.getByLabel(/API/).fill(hub.key);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.commands li').count()).toBe(COMMAND_STATUSES.length);
    expect(await cutBadges(page)).toEqual([]);
  });
});

describe.each(['light', 'dark'] as const)('the outcomes in %s colours', (colorScheme) => {
  it('can be read', async () => {
    const hub = await startHub();
    for (const status of COMMAND_STATUSES) await insertCommand(hub, { status });
    const { page } = await enter(hub, '/journal', { colorScheme });
    await expect.poll(() => page.locator('.commands li').count()).toBe(COMMAND_STATUSES.length);
    expect(await violationsOf(page)).toEqual([]);
  });
});

describe('a row of an undo', () => {
  it('says so in the language of the panel, and shows a reason that was given', async () => {
    const { hub } = await startStage();
    const give = async (amount: number): Promise<string> => {
      const json = { target: ANA, type: 'bank', amount, action: 'add', reason: 'race' };
      return String((await hub.request('/api/v2/bridge/main/money', { json })).body['id']);
    };
    await hub.request(`/api/v2/commands/${await give(500)}/undo`, { json: {} });
    await hub.request(`/api/v2/commands/${await give(70)}/undo`, { json: { reason: 'too much' } });
    const { page } = await visit(hub, '/journal', { locale: 'de-DE' });
    await page.getByLabel(/API/).fill(hub.key);
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.locator('.commands .what > .why').allTextContents())
      .toEqual(['Rückgängig · too much', 'race', 'Rückgängig', 'race']);
    await page.locator('.commands a', { hasText: '−500' }).click();
    await page.getByRole('link', { name: 'diesen Befehl' }).waitFor();
    expect(await page.getByText('Undo of').count()).toBe(0);
  });
});

describe('a row of a custom command', () => {
  it('shows its parameters, in the journal and in the history of its player', async () => {
    const { hub } = await startStage();
    const params = { target: ANA, item: 'bread', count: 3, reason: 'hungry' };
    await insertCommand(hub, { name: 'custom:give_item', status: 'succeeded', params });
    const { page } = await enter(hub, '/journal');
    for (const [path, what] of [
      ['/journal', '.commands .what > *'],
      [playerPath(ANA), '.history .what > *'],
    ] as const) {
      await page.goto(hub.address + path);
      await expect
        .poll(() => page.locator(what).allTextContents())
        .toEqual(['\u2068give_item\u2069 from Main', 'item: bread, count: 3, reason: hungry']);
    }
  });
});

describe('a row of a job', () => {
  it('has its labels, names the job before, and its state stands behind the text', async () => {
    const { hub } = await startStage({ catalogues: POLICE });
    const params = { target: ANA, job: 'police', grade: 1 };
    const [before, after] = [
      { job: 'police', grade: 0 },
      { job: 'police', grade: 1 },
    ];
    await insertCommand(hub, { name: 'job', status: 'succeeded', params, result: { before, after } });
    await insertCommand(hub, { name: 'job', status: 'rejected', params: { ...params, reason: 'late' } });
    const { page } = await enter(hub, '/journal');
    const [what, was] = ['Set job \u2068LSPD\u2069, grade \u2068Officer\u2069', 'was LSPD (0)'];
    for (const [path, rows] of [
      ['/journal', '.commands li'],
      [playerPath(ANA), '.history tbody tr'],
    ] as const) {
      await page.goto(hub.address + path);
      const done = page.locator(rows, { hasText: was });
      await done.getByText(what, { exact: true }).waitFor();
      const refused = page.locator(rows, { hasText: 'late' });
      const at = async (text: string) => (await refused.getByText(text, { exact: true }).boundingBox())?.x ?? -1;
      expect(await at('Refused')).toBeGreaterThan(await at('late'));
    }
  });
});
