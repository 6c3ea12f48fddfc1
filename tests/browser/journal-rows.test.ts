import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import { insertCommand } from '../kit/journal.ts';
import { startBusyStage } from '../kit/panel-pages.ts';
import { ANA, startStage } from '../kit/panel-stage.ts';

const { enter } = openBrowser();
const HOUR_MS = 3_600_000;

const heightsOf = (page: Page): Promise<number[]> =>
  page.evaluate(`[...document.querySelectorAll('.commands > li')].map((row) => row.getBoundingClientRect().height)`);

describe('a row of the journal', () => {
  it('is one line of 36 on a desk, below one line of filters and one of sums, and two lines on a phone', async () => {
    const { hub } = await startBusyStage();
    await insertCommand(hub, { status: 'resolved_not_applied' });
    const desk = await enter(hub, '/journal', { viewport: { width: 1280, height: 800 } });
    await expect.poll(() => heightsOf(desk.page)).toEqual([36, 36, 36]);
    const top = await desk.page.evaluate<number>(`document.querySelector('.commands > li').getBoundingClientRect().y`);
    expect(top).toBeLessThanOrEqual(190);
    const state = desk.page.locator('.commands .state', { hasText: 'Decided: did not happen' });
    await state.waitFor();
    expect((await state.boundingBox())?.height).toBe(20);
    const phone = await enter(hub, '/journal', { viewport: { width: 390, height: 844 } });
    await expect.poll(() => heightsOf(phone.page)).toEqual([56, 56, 56]);
    await phone.page.evaluate("localStorage.setItem('causeway-compact', 'yes')");
    await phone.page.reload();
    await expect.poll(() => heightsOf(phone.page)).toEqual([56, 56, 56]);
  });

  it('has its place before it is known, which is not drawn for a quick answer', async () => {
    const { hub } = await startBusyStage();
    const { page } = await enter(hub, '/servers', { viewport: { width: 1280, height: 800 } });
    let answer: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/v2/commands?*', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${hub.address}/journal`);
    const waiting = page.getByRole('status', { name: 'Loading' });
    await waiting.locator('> div').first().waitFor();
    const heights = `[...document.querySelectorAll('.skeletons > div')].map((each) => each.offsetHeight)`;
    expect(await page.evaluate<number[]>(heights)).toEqual(Array.from({ length: 12 }, () => 36));
    const delay = `getComputedStyle(document.querySelector('.skeletons')).animationDelay`;
    expect(await page.evaluate(delay)).toBe('0.2s');
    answer?.();
    await expect.poll(() => heightsOf(page)).toEqual([36, 36]);
  });

  it('says what changed and why, and the text of a message', async () => {
    const { hub } = await startBusyStage();
    await hub.request('/api/v2/bridge/main/message', { json: { target: ANA, message: 'Come to the town hall' } });
    const { page } = await enter(hub, '/journal');
    const rows = page.locator('.commands li');
    await expect.poll(() => rows.count()).toBe(3);
    const paid = rows.nth(2);
    expect((await paid.locator('.what').textContent())?.replaceAll(/[\u2068\u2069]/g, '')).toBe('+500 bankevent prize');
    expect(await paid.locator('.delta').textContent()).toBe('12,300 → 12,800');
    expect(await paid.locator('.state').count()).toBe(0);
    expect(await rows.nth(1).locator('.state').textContent()).toBe('Refused');
    await rows.first().getByText('Come to the town hall').waitFor();
  });

  it('asks a person only about a command that counts', async () => {
    const { hub } = await startBusyStage();
    await insertCommand(hub, { status: 'indeterminate' });
    await insertCommand(hub, { name: 'kick', status: 'indeterminate', params: { target: ANA } });
    await insertCommand(hub, { status: 'dispatched', settledAt: null });
    const { page } = await enter(hub, '/journal');
    const words = page.locator('.commands .state');
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => page.locator('.bottom [aria-current] > b').textContent()).toBe('2');
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect.poll(() => words.allTextContents()).toEqual(['On its way', 'Not confirmed', 'Unknown', 'Refused']);
    await page.locator('.commands a', { hasText: 'Kick' }).click();
    await page.locator('.timeline li').first().waitFor();
    expect(await page.getByLabel('How do you know?').count()).toBe(0);
  });

  it('that came since the last visit stands above a mark', async () => {
    const { hub } = await startBusyStage();
    const { page } = await enter(hub, '/journal');
    await expect.poll(() => page.locator('.commands li').count()).toBe(2);
    // The visit was an hour ago. Another page notes no visit.
    await page.goto(`${hub.address}/project`);
    await page.evaluate(`for (const [place, text] of Object.entries(localStorage).filter(([name]) => name.startsWith('causeway-journal')))
      localStorage.setItem(place, JSON.stringify({ ...JSON.parse(text), at: Date.now() - ${HOUR_MS} }))`);
    await hub.request('/api/v2/bridge/main/kick', { json: { target: ANA, reason: 'rude' } });
    await page.goto(`${hub.address}/journal`);
    await expect.poll(() => page.locator('.commands li').count()).toBe(3);
    await page.locator('.commands li').nth(1).getByText('Since your last visit').waitFor();
    expect(await page.getByText('Since your last visit').count()).toBe(1);
  });
});

describe('the money of the journal', () => {
  it('is summed in one line, by whom, and each number sets the filter to the payments that it counts', async () => {
    const { hub } = await startBusyStage();
    const { page } = await enter(hub, '/journal');
    await page.locator('.sums', { hasText: 'Given 500 · Taken 0' }).waitFor();
    await page.locator('.by-whom', { hasText: 'test key+500' }).waitFor();
    await page.getByRole('button', { name: 'By person and account' }).click();
    expect(await violationsOf(page)).toEqual([]);
    await page.locator('.sums-table').getByRole('button', { name: '500' }).click();
    await expect.poll(() => page.locator('.commands li').count()).toBe(1);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      ...{ name: 'money', status: 'succeeded', direction: 'give', actor: hub.keyId },
    });
    await page.getByRole('button', { name: 'By: test key' }).waitFor();
    await page.getByLabel('Money', { exact: true }).selectOption('Taken');
    await page.locator('.sums', { hasText: 'No payment is done.' }).waitFor();
    await page.getByLabel('Money', { exact: true }).selectOption('Given');
    await page.locator('.sums', { hasText: 'Given 500' }).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(() => page.locator('.commands li').count()).toBe(2);
  });
});

describe('the sums of many people', () => {
  it.each([1280, 390])('stay in one line with the whole total, at %s pixels', async (width) => {
    const { hub } = await startBusyStage();
    for (let nth = 0; nth < 12; nth++) {
      const actor = { keyId: `key_${nth}`, name: `A person of the staff ${nth}` };
      const result = { account: 'bank', before: 0, after: 1_000_000 + nth };
      await insertCommand(hub, { status: 'succeeded', actor, result });
    }
    for (let nth = 0; nth < 9 && width === 1280; nth++) {
      const result = { account: `an_account_of_the_game_${nth}`, before: 0, after: 1 };
      await insertCommand(hub, { status: 'succeeded', result });
    }
    const { page } = await enter(hub, '/journal', { viewport: { width, height: 844 } });
    const sums = page.locator('.sums');
    await sums.getByText(/Given 12,00/).waitFor();
    expect((await sums.boundingBox())?.height).toBe(32);
    const number = await sums.locator('> span > button').last().boundingBox();
    const total = await sums.locator('> span').boundingBox();
    expect((number?.x ?? 0) + (number?.width ?? 0)).toBeLessThan((total?.x ?? 0) + (total?.width ?? 0));
    expect(await page.locator('.by-whom').first().isVisible()).toBe(width === 1280);
  });
});

describe('a batch in the journal', () => {
  it('is one row that opens its first commands, alone or left out', async () => {
    const { hub } = await startStage();
    const params = { type: 'bank', amount: 7, action: 'add', reason: 'gift' };
    const targets = [ANA, 'char1:bob', 'char1:nobody'];
    const json = { serverId: 'main', name: 'money', label: 'Christmas', params, targets };
    await hub.request('/api/v2/batches', { json, headers: { 'Idempotency-Key': 'gift' } });
    await hub.request('/api/v2/bridge/main/kick', { json: { target: ANA, reason: 'rude' } });
    const { page } = await enter(hub, '/journal');
    const row = page.locator('.commands > li', { hasText: 'Christmas' });
    await row.locator('.target', { hasText: '2 of 3 done' }).waitFor();
    for (const width of [1280, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      for (const column of ['.what', '.target', '.delta', '.on']) {
        const left = `[...document.querySelectorAll('.commands > li > .command > ${column}')]
          .map((cell) => (cell.checkVisibility() ? cell : cell.firstChild).getBoundingClientRect().left)`;
        const [one, other] = await page.evaluate<number[]>(left);
        expect([width, column, other]).toEqual([width, column, one]);
      }
    }
    await row.getByText('+14 bank').waitFor();
    expect(await page.locator('.commands > li').count()).toBe(2);
    await row.getByRole('button', { name: 'First commands of Christmas' }).click();
    await expect.poll(() => row.locator('.inside > li').count()).toBe(4);
    await row.getByRole('link', { name: 'All of this batch' }).waitFor();
    await page.getByLabel('Batches', { exact: true }).selectOption('Without batches');
    await expect.poll(() => page.locator('.commands > li').count()).toBe(1);
    await page.getByRole('button', { name: 'More' }).first().click();
    const csv = await page.getByRole('menuitem', { name: 'Export as CSV' }).getAttribute('href');
    await page.keyboard.press('Escape');
    const { text } = await hub.request(csv ?? '');
    expect(text.trim().split('\r\n')).toHaveLength(2);
    await page.getByLabel('Batches', { exact: true }).selectOption('Only batches');
    await row.waitFor();
    expect(await page.locator('.commands > li').count()).toBe(1);
    expect(await page.locator('main').getByRole('button', { name: 'More' }).count()).toBe(0);
    await page.getByLabel('State').selectOption('Refused');
    await page.locator('.commands > li', { hasText: 'char1:nobody' }).waitFor();
    await row.getByText('+14 bank').waitFor({ state: 'detached' });
  });
});

describe('the list of batches', () => {
  it('has room for their names, as the journal has for a range of its own', async () => {
    const { hub } = await startStage();
    const params = { type: 'bank', amount: 7, action: 'add', reason: 'gift' };
    const json = { serverId: 'main', name: 'money', label: 'Christmas for everybody', params, targets: [ANA] };
    await hub.request('/api/v2/batches', { json, headers: { 'Idempotency-Key': 'gift' } });
    const pages = await Promise.all(
      [1280, 390].map(async (width) => (await enter(hub, '/batches', { viewport: { width, height: 800 } })).page),
    );
    for (const page of pages) {
      const name = page.locator('.batches .what > strong');
      await name.waitFor();
      expect((await name.boundingBox())?.width).toBeGreaterThanOrEqual(100);
      await page.goto(`${hub.address}/journal?range=custom`);
      await page.locator('.moment').first().waitFor();
      await page.locator('.commands > li').first().waitFor();
      const wider = await page.evaluate<number>(`document.documentElement.scrollWidth - window.innerWidth`);
      expect(wider).toBeLessThanOrEqual(0);
    }
  });
});

const RICH = { identifier: ANA, name: 'Ana', online: true, identifiers: [], inventory: [], vehicles: [], metadata: {} };

describe('the page of a command', () => {
  it('undoes it once, and leads to the undo and back', async () => {
    const { hub, economy } = await startBusyStage();
    const { page } = await enter(hub, '/journal?status=succeeded');
    await page.locator('.commands a').click();
    await page.getByRole('button', { name: 'Undo' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason (optional)').fill('wrong player');
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('It was undone by').waitFor();
    expect(economy.banks.get(ANA)).toBe(12_300);
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await page.getByRole('link', { name: 'this command' }).click();
    await page.getByText('It was to undo').waitFor();
    await page.getByText('wrong player').waitFor();
  });

  it('shows the undo to a key that has no stream of events', async () => {
    const { hub } = await startBusyStage();
    const key = await hub.newKey(['commands:read', 'commands:money']);
    const { page } = await enter(hub, '/journal?status=succeeded', { key });
    await page.locator('.commands a').click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
    await page.getByText('It was undone by').waitFor();
  });

  it('says after a time without events that it was undone meanwhile', async () => {
    const { hub } = await startBusyStage();
    const { page, expecting } = await enter(hub, '/journal?status=succeeded');
    expecting(/ERR_FAILED/);
    const done = page.locator('.commands a');
    const id = (await done.getAttribute('href'))?.split('/').at(-1);
    let isCut = true;
    let attempts = 0;
    await page.route('**/api/v2/events*', (route) => {
      attempts += 1;
      return isCut ? route.abort() : route.fallback();
    });
    let reads = 0;
    page.on('request', (request) => (reads += Number(request.url().endsWith('/api/v2/project'))));
    await page.reload();
    await done.click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await hub.request(`/api/v2/commands/${id}/undo`, { json: {} });
    await expect.poll(() => attempts).toBeGreaterThan(1);
    isCut = false;
    await page.getByText('It was undone by').waitFor();
    // The hub answers all the while, so nothing is read anew for each attempt.
    expect(reads).toBeLessThan(10);
  });

  it('sends it again if it had no effect', async () => {
    const { hub, economy, game } = await startBusyStage();
    const { page } = await enter(hub, '/journal?status=rejected');
    await page.locator('.commands a').click();
    await page.getByText('Not enough money').waitFor();
    economy.banks.set(ANA, 2_000_000);
    game.bridge.changed({ players: [{ ...RICH, accounts: { bank: 2_000_000 } }] });
    const bank = async () => (await hub.request(`/api/v2/players/${ANA}`)).body['accounts'];
    await expect.poll(bank).toEqual({ bank: 2_000_000 });
    await page.getByRole('button', { name: 'Do it again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Do it again' }).click();
    await page.getByText('It repeats').waitFor();
    await page.locator('main .state', { hasText: 'Done' }).waitFor();
    expect(economy.banks.get(ANA)).toBe(1_000_000);
  });
});
