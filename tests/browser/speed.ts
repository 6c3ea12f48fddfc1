import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { population } from '../../bench/population.ts';
import { delayAnswers, openBrowser } from '../kit/browser.ts';
import { startHub } from '../kit/hub.ts';
import { ANA, startStage } from '../kit/panel-stage.ts';

const { visit, enter, signIn } = openBrowser();
const PLAYERS = 1_000_000;
const ROWS = 10_000;
const ROW_PX = 36;
const EVENTS = 20_000;

const say = (what: string, figures: Record<string, number>): void => {
  const text = Object.entries(figures).map(([name, value]) => `${name} ${Math.round(value * 10) / 10}`);
  process.stdout.write(`${what}: ${text.join(', ')}\n`);
};

const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Milliseconds from the key press until a row shows the result. */
const timeKey = async (page: Page, key: string, wanted: string): Promise<number> => {
  await page.evaluate(`void (window.found = new Promise((resolve) => {
    const field = document.querySelector('input[type=search]');
    let start = 0;
    field.addEventListener('input', () => { start = performance.now(); }, { once: true });
    const look = () => {
      const isThere = new URL(location.href).searchParams.get('search') === ${JSON.stringify(wanted)};
      // As the hub compares: a Turkish I is an i.
      const fold = (text) => text.toLowerCase().replaceAll('ı', 'i').replaceAll('i\\u0307', 'i');
      const names = [...document.querySelectorAll('.players a')].map((row) => fold(row.textContent));
      if (start > 0 && isThere && names.length > 0 && names.every((name) => name.includes(${JSON.stringify(wanted)}))) {
        resolve(performance.now() - start);
      } else requestAnimationFrame(look);
    };
    look();
  }))`);
  await page.keyboard.press(key);
  return page.evaluate<number>('window.found');
};

it('is there at once, finds among a million, and scrolls', async () => {
  const { url, key } = await population(PLAYERS);
  const hub = await startHub({ env: { DATABASE_URL: url } });
  const first = await visit(hub, '/players');
  await signIn(first.page, key);
  await first.page.locator('.players a').first().waitFor();
  const storageState = await first.context.storageState();
  await first.context.close();

  const cold: number[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    // A browser that is open, and has never been here.
    const { page, context } = await visit(hub, '/livez', { storageState });
    const start = performance.now();
    await page.goto(`${hub.address}/players`);
    await page.locator('.players a').first().waitFor();
    cold.push(performance.now() - start);
    await context.close();
  }
  say('players page, cold, ms', { median: medianOf(cold), worst: Math.max(...cold) });

  const { page } = await visit(hub, '/players', { storageState });
  await page.locator('.players a').first().waitFor();
  const typed: Record<string, number> = {};
  for (const term of ['sou', 'andr', 'char1:1', 'lima']) {
    await page.getByRole('searchbox').fill('');
    for (let n = 1; n <= term.length; n += 1) {
      const wanted = term.slice(0, n);
      typed[wanted] = await timeKey(page, term.charAt(n - 1), wanted);
    }
  }
  const times = Object.values(typed);
  say('a key in the search until its rows, ms', { median: medianOf(times), worst: Math.max(...times), ...typed });

  await page.getByRole('searchbox').fill('');
  await page.getByText('1,000,000 players').waitFor();
  const deltas = await page.evaluate<number[]>(`new Promise((resolve) => {
    const deltas = [];
    let last = performance.now();
    const step = (now) => {
      deltas.push(now - last);
      last = now;
      scrollBy(0, ${ROW_PX} * 8);
      if (scrollY >= ${ROWS * ROW_PX} || deltas.length > 6000) resolve(deltas);
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  })`);
  const rows = (await page.evaluate<number>('scrollY')) / ROW_PX;
  const late = deltas.filter((delta) => delta > 25).length;
  say('scrolling', { rows, frames: deltas.length, lateFrames: late, latePercent: (late / deltas.length) * 100 });
  expect(rows).toBeGreaterThanOrEqual(ROWS - 1);
});

const ROUND_TRIP_MS = 150;
const KEYS_APART_MS = 150;

/** Milliseconds from the last change of the search until all rows match it. */
const timeSearch = async (page: Page, text: string, enter: () => Promise<void>): Promise<number> => {
  await page.evaluate(`void (window.found = new Promise((resolve) => {
    const field = document.querySelector('input[type=search]');
    let start = 0;
    field.addEventListener('input', () => { start = performance.now(); });
    const look = () => {
      const names = [...document.querySelectorAll('.players a')].map((row) => row.textContent.toLowerCase());
      const isThere = field.value === ${JSON.stringify(text)} && names.length > 0;
      if (isThere && names.every((name) => name.includes(field.value))) resolve(performance.now() - start);
      else requestAnimationFrame(look);
    };
    look();
  }))`);
  await enter();
  return page.evaluate<number>('window.found');
};

it('finds over a slow line', async () => {
  const players = Object.fromEntries(
    Array.from({ length: 400 }, (_, n) => [`char1:n${String((n * 211) % 400).padStart(3, '0')}`, n]),
  );
  const { hub } = await startStage({ players });
  const { page } = await enter(hub, '/players');
  await page.getByText('400 players').waitFor();
  await delayAnswers(page, ROUND_TRIP_MS);
  const field = page.getByRole('searchbox');
  const [typed, pasted]: [number[], number[]] = [[], []];
  const whole = async (): Promise<void> => {
    await field.fill('');
    await page.getByText('400 players').waitFor();
  };
  for (const text of ['n012', 'n123', 'n17', 'n321', 'n009', 'n255', 'n38', 'n204']) {
    await whole();
    typed.push(await timeSearch(page, text, () => page.keyboard.type(text, { delay: KEYS_APART_MS })));
  }
  for (const text of ['n05', 'n34', 'n266', 'n190', 'n08', 'n311', 'n14', 'n377']) {
    await whole();
    pasted.push(await timeSearch(page, text, () => field.fill(text)));
  }
  say('the last key until rows match, ms', { median: medianOf(typed), worst: Math.max(...typed) });
  say('a pasted text until rows match, ms', { median: medianOf(pasted), worst: Math.max(...pasted) });
});

it('does not grow while things happen', async () => {
  const { hub, game } = await startStage();
  const { page, context } = await enter(hub, '/players');
  await page.locator('.players a').first().waitFor();
  const cdp = await context.newCDPSession(page);
  const heap = async (): Promise<number> => {
    await cdp.send('HeapProfiler.collectGarbage');
    return (await cdp.send('Runtime.getHeapUsage')).usedSize / 1024;
  };
  const pay = async (events: number, from: number): Promise<void> => {
    for (let n = 1; n <= events; n += 1) {
      const record = { identifier: ANA, name: 'Ana', online: true, identifiers: [], accounts: { bank: from + n } };
      game.bridge.changed({ players: [{ ...record, inventory: [], vehicles: [], metadata: {} }] });
      if (n % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await page.getByText((from + events).toLocaleString('en')).waitFor({ timeout: 60_000 });
  };
  await pay(EVENTS / 4, 1_000_000);
  const before = await heap();
  await pay(EVENTS, 2_000_000);
  const after = await heap();
  say('memory of the tab, KiB', { before, after, events: EVENTS });
  expect(after).toBeLessThan(before * 1.1 + 1_024);
});
