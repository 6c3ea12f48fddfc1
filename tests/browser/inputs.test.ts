import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { panelPages, startBusyStage } from '../kit/panel-pages.ts';
import { ANA, choose, playerPath, startStage } from '../kit/panel-stage.ts';
import { playerFrame, type RawBridge, reportPlayers, welcomeRaw } from '../kit/raw-bridge.ts';

const { enter } = openBrowser();

/** Parts of the page that begin left of the window or end right of it, but for those in an area that scrolls. */
const offScreen = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const scrolls = (element) => {
      for (let each = element.parentElement; each !== null; each = each.parentElement) {
        if (getComputedStyle(each).overflowX !== 'visible') return true;
      }
      return false;
    };
    // The link that skips to the content is there for those who reach it with Tab.
    const found = [...document.querySelectorAll('body *:not(.skip)')].filter((element) => {
      if (!element.checkVisibility({ visibilityProperty: true }) || scrolls(element)) return false;
      const { left, right, width, height } = element.getBoundingClientRect();
      return width > 1 && height > 1 && (left < -1 || right > innerWidth + 1);
    });
    const wide = document.documentElement.scrollWidth > innerWidth ? ['the page'] : [];
    return [...wide, ...found.map((element) => element.outerHTML.slice(0, 120))];
  })()`);

const SMALL: Record<string, BrowserContextOptions> = {
  'a window of 320 pixels': { viewport: { width: 320, height: 640 } },
  'a window at 200 %': { viewport: { width: 640, height: 400 } },
};

it.each(Object.entries(SMALL))('nothing is off screen on any page in %s', async (_name, options) => {
  const { hub } = await startBusyStage();
  const { page } = await enter(hub, '/', options);
  for (const { name, path, ready } of await panelPages(hub)) {
    await page.goto(hub.address + path);
    await page.locator(ready).first().waitFor();
    expect([name, await offScreen(page)]).toEqual([name, []]);
  }
});

it.each(Object.entries(SMALL))('a dialog can be filled in and sent in %s', async (_name, options) => {
  const { hub, economy } = await startStage();
  const { page } = await enter(hub, playerPath(ANA), options);
  await choose(page, 'Give', 'Money');
  await page.getByLabel('Amount').fill('7');
  await page.getByRole('textbox', { name: 'Reason' }).fill('because');
  expect(await offScreen(page)).toEqual([]);
  await page.getByRole('button', { name: 'Give 7' }).click();
  await expect.poll(() => economy.applied.length).toBe(1);
});

it('the sheet of the other pages is whole on the smallest phone', async () => {
  const { hub } = await startStage();
  const { page } = await enter(hub, '/', { viewport: { width: 320, height: 640 } });
  const places = page.locator('.bottom > .place');
  expect((await places.allTextContents()).slice(0, 4)).toEqual(['Overview', 'Players', 'Journal', 'Jobs']);
  await page.getByRole('button', { name: 'More' }).last().click();
  for (const name of ['Schedules', 'Shops', 'Servers', 'Keys', 'Project', 'Help', 'Troubleshooting']) {
    const link = page.locator('.more').getByRole('link', { name });
    const { y = -1, height = 0 } = (await link.boundingBox()) ?? {};
    expect([name, y >= 48 && y + height <= 640]).toEqual([name, true]);
  }
});

/** Names as games have them. */
const NAMES = {
  'a hundred and twenty-eight letters': 'W'.repeat(128),
  'words of two hundred bytes': 'Ünïcödé '.repeat(16).trim(),
  'nothing but blanks': '     ',
  'no name at all': '',
  'letters from right to left': 'محمد عبد الرحمن',
  'thirty-two emoji': '👩‍🚒'.repeat(12) + '😀'.repeat(20),
  markup: '<b>Ana</b>',
};

/** Whether a link has a text that can be seen and pressed. */
const isSeen = async (link: Locator): Promise<boolean> => {
  const box = await link.boundingBox();
  return ((await link.textContent()) ?? '').trim() !== '' && (box?.width ?? 0) > 4 && (box?.height ?? 0) > 4;
};

describe('names of all kinds', () => {
  it.each([
    ['a desk', { width: 1280, height: 800 }],
    ['the smallest phone', { width: 320, height: 640 }],
  ])('can be read and opened, and push nothing away, on %s', async (_name, viewport) => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const players = Object.values(NAMES).map((name, at) => playerFrame(`char1:n${at}`, { name }));
    await reportPlayers(hub, bridge, ...players);
    const { page } = await enter(hub, '/players', { viewport });
    await expect.poll(() => page.locator('.players .player').count()).toBe(players.length);
    expect(await offScreen(page)).toEqual([]);
    for (const row of await page.locator('.players .player').all()) {
      expect(await isSeen(row.locator('a').first())).toBe(true);
    }
    for (const { identifier } of players) {
      await page.goto(hub.address + playerPath(identifier));
      await page.locator('[data-account=bank]').waitFor();
      expect([identifier, ((await page.locator('h1').textContent()) ?? '').trim() !== '']).toEqual([identifier, true]);
      expect([identifier, await offScreen(page)]).toEqual([identifier, []]);
      expect(await page.locator('main b', { hasText: 'Ana' }).count()).toBe(0);
      if (viewport.width > 320) continue;
      await choose(page, 'Give', 'Money');
      await page.getByRole('dialog').getByText('100 →').waitFor();
      expect([identifier, await offScreen(page)]).toEqual([identifier, []]);
      await page.keyboard.press('Escape');
    }
  });
});

const send = (bridge: RawBridge, kind: string, entries: object[]): void =>
  bridge.send({ type: 'catalogue', kind, hash: 'h', part: 0, last: true, entries });

describe('a player with much of everything', () => {
  const accounts = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`account_${at}`, at * 1_234_567]));
  const inventory = Array.from({ length: 400 }, (_, at) => ({
    ...{ slot: at + 1, name: `item_${at}`, label: '', count: 1, metadata: {} },
  }));
  const jobs = Array.from({ length: 90 }, (_, at) => ({
    name: `job_${at}`,
    label: '',
    grades: [{ grade: 0, label: '' }],
  }));

  it('has 40 accounts, 400 slots and a choice of 90 jobs without labels, all of them readable', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, {
      commands: ['money@1', 'job@1', 'items@1'],
      accounts: Object.keys(accounts),
    });
    send(bridge, 'jobs', jobs);
    send(
      bridge,
      'items',
      inventory.map(({ name }) => ({ name, label: '' })),
    );
    await reportPlayers(hub, bridge, playerFrame(ANA, { name: 'Ana', accounts, inventory }));
    const listed = async () => (await hub.request('/api/v2/servers/main/jobs?limit=200')).body['data'];
    await expect.poll(listed).toHaveLength(90);
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 320, height: 640 },
    ]) {
      const { page } = await enter(hub, playerPath(ANA), { viewport });
      await expect.poll(() => page.locator('[data-account]').count()).toBe(10);
      await page.getByRole('button', { name: 'Show all 40', exact: true }).click();
      await expect.poll(() => page.locator('[data-account]').count()).toBe(40);
      expect(await offScreen(page)).toEqual([]);
      const cut = await page
        .locator('.accounts td.figure')
        .evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).length);
      expect(cut).toBe(0);
      const slots = page.locator('.inventory tbody tr');
      await expect.poll(() => slots.count()).toBe(30);
      expect(await slots.first().textContent()).toContain('item_');
      await page.getByRole('button', { name: 'Show all 400' }).click();
      await expect.poll(() => slots.count()).toBe(400);
      await choose(page, 'Give', 'Money');
      await expect.poll(() => page.getByLabel('Account').locator('option').count()).toBe(40);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Other actions' }).click();
      await page.getByRole('menuitem', { name: 'Set job' }).click();
      await page.getByRole('combobox', { name: 'Job' }).fill('job_89');
      await page.getByRole('option', { name: 'job_89' }).click();
      await page.getByRole('dialog').getByText('job_89').first().waitFor();
      await expect.poll(() => page.getByLabel('Grade').locator('option').allTextContents()).toEqual(['0']);
      expect(await offScreen(page)).toEqual([]);
    }
  });
});

describe('a project of 60 servers', () => {
  const ids = Array.from({ length: 59 }, (_, at) => `s${String(at).padStart(2, '0')}`);
  const connect = async (hub: TestHub): Promise<void> => {
    await welcomeRaw(hub.bridgeUrl, hub.token);
    for (const [at, id] of ids.entries()) {
      const token = await hub.newServer(id);
      // Every twentieth one has never been there.
      if (at % 20 !== 0) await welcomeRaw(hub.bridgeUrl, token);
    }
  };

  it('shows those that are not normal, then ten, and each can be chosen', async () => {
    const hub = await startHub();
    await connect(hub);
    const { page } = await enter(hub);
    const rows = page.locator('.server');
    await expect.poll(() => rows.count()).toBe(13);
    const states = await rows.locator('.state').allTextContents();
    expect(states).toEqual(['Never connected yet', 'Never connected yet', 'Never connected yet']);
    expect(await page.locator('.attention li').count()).toBe(3);
    await page.getByRole('button', { name: 'All 60 servers' }).click();
    await expect.poll(() => rows.count()).toBe(60);
    await page.goto(`${hub.address}/players`);
    const server = page.getByLabel('Server', { exact: true });
    await expect.poll(() => server.locator('option').count()).toBe(61);
    await server.selectOption('s58');
    await expect.poll(() => new URL(page.url()).searchParams.get('serverId')).toBe('s58');
  });

  it('says what needs a person in ten lines at first', async () => {
    const hub = await startHub();
    for (const id of ids) await hub.newServer(id);
    const { page } = await enter(hub);
    await expect.poll(() => page.locator('.attention li').count()).toBe(10);
    await page.getByRole('button', { name: 'Show all 60' }).click();
    await expect.poll(() => page.locator('.attention li').count()).toBe(60);
    expect(await violationsOf(page)).toEqual([]);
  });
});

describe('with the colours of the system', () => {
  it.each(['light', 'dark'] as const)(
    'focus, selected rows, boxes and charts can be seen, in %s ones',
    async (colorScheme) => {
      const { hub } = await startBusyStage();
      const { page } = await enter(hub, '/players', { forcedColors: 'active', colorScheme });
      /** Whether an act changes how something looks. */
      const changes = async (shown: Locator, act: () => Promise<unknown>): Promise<boolean> => {
        const before = await shown.screenshot();
        await act();
        return !before.equals(await shown.screenshot());
      };
      const row = page.locator('.players .player').first();
      await row.waitFor();
      const box = row.getByRole('checkbox');
      await page.getByRole('searchbox').focus();
      const focused = () => page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle');
      expect(await focused()).toBe('solid');
      expect(await changes(row, () => page.keyboard.press('ArrowDown'))).toBe(true);
      expect(await focused()).toBe('solid');
      await page.locator('h1').click();
      await page.mouse.move(5, 5);
      expect(await changes(row, () => box.check())).toBe(true);
      const outline = await page.evaluate<string>(`(() => {
        const { outlineStyle, outlineWidth } = getComputedStyle(document.querySelector('.player[data-chosen]'));
        return outlineStyle + ' ' + outlineWidth;
      })()`);
      expect(outline).toBe('solid 2px');
      await page.keyboard.press('Escape');
      await page.locator('.side .account').click();
      const setting = page.getByLabel('No single-key shortcuts');
      expect(await changes(setting, () => setting.check())).toBe(true);
      await page.goto(hub.address);
      await page.locator('.chart canvas').nth(1).waitFor();
      const drawn = await page.evaluate<number>(`(() => {
        const canvas = document.querySelectorAll('.chart canvas')[1];
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        const ground = Number(getComputedStyle(document.body).backgroundColor.match(/[0-9]+/)[0]);
        let seen = 0;
        for (let at = 0; at < data.length; at += 4) {
          if (data[at + 3] > 200 && Math.abs(data[at] - ground) > 60) seen += 1;
        }
        return seen;
      })()`);
      expect(drawn).toBeGreaterThan(100);
    },
  );
});

it('with reduced motion, nothing moves by itself', async () => {
  const { hub } = await startBusyStage();
  const { page } = await enter(hub, '/', { reducedMotion: 'reduce' });
  const moving = (): Promise<string[]> =>
    page.evaluate<string[]>(`[...document.querySelectorAll('body *')]
      .filter((element) => {
        const { transitionDuration, animationDuration, animationName } = getComputedStyle(element);
        const lasts = (durations) => durations.split(', ').some((each) => Number.parseFloat(each) > 0.01);
        return lasts(transitionDuration) || (animationName !== 'none' && lasts(animationDuration));
      })
      .map((element) => element.outerHTML.slice(0, 120))`);
  for (const { name, path, ready } of await panelPages(hub)) {
    await page.goto(hub.address + path);
    await page.locator(ready).first().waitFor();
    expect([name, await moving()]).toEqual([name, []]);
  }
  await page.goto(hub.address + playerPath(ANA));
  await choose(page, 'Give', 'Money');
  expect(await moving()).toEqual([]);
});

it('a server that is not there is called by its id', async () => {
  const { hub } = await startStage();
  const { page, expecting } = await enter(hub, '/players?serverId=nowhere');
  expecting(/status of 404/);
  await page.getByText('There is no server with the id nowhere.').waitFor();
});
