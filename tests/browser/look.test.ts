import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openBrowser } from '../kit/browser.ts';
import { panelPages, startBusyStage } from '../kit/panel-pages.ts';
import { ANA, choose, playerPath, startStage } from '../kit/panel-stage.ts';

const { enter } = openBrowser();

/** Texts that stand on other texts, as far as both are seen. */
const OVERLAPS = `(() => {
  const seenOf = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    let boxes = [...range.getClientRects()].map(({ left, top, right, bottom }) => ({ left, top, right, bottom }));
    for (let each = node.parentElement; each !== null; each = each.parentElement) {
      const { overflow, position, clipPath } = getComputedStyle(each);
      if (['fixed', 'sticky'].includes(position) || clipPath !== 'none') return [];
      if (overflow === 'visible') continue;
      const clip = each.getBoundingClientRect();
      boxes = boxes.map(({ left, top, right, bottom }) => ({
        left: Math.max(left, clip.left), top: Math.max(top, clip.top),
        right: Math.min(right, clip.right), bottom: Math.min(bottom, clip.bottom),
      }));
    }
    return boxes.filter(({ left, top, right, bottom }) => right - left > 2 && bottom - top > 4);
  };
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!node.parentElement.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    texts.push(...seenOf(node).map((box) => ({ box, node, text: node.textContent })));
  }
  return texts.flatMap((one, at) => texts.slice(at + 1).filter(({ box, node }) => node !== one.node &&
    Math.min(one.box.right, box.right) - Math.max(one.box.left, box.left) > 2 &&
    Math.min(one.box.bottom, box.bottom) - Math.max(one.box.top, box.top) > 6,
  ).map(({ text }) => 'overlap: ' + one.text + ' and ' + text));
})()`;

/** Sizes of type that are none of the four. */
const SIZES = `[...document.querySelectorAll('body *')]
  .filter((each) => each.checkVisibility() && [...each.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim() !== ''))
  .map((each) => [getComputedStyle(each).fontSize, each.outerHTML.slice(0, 80)])
  .filter(([size]) => !['12px', '14px', '16px', '20px'].includes(size))
  .map((each) => 'size: ' + each.join(' '))`;

/** Heads, filters, tables and lists whose text begins elsewhere than the title does. */
const EDGES = `(() => {
  const leftOf = (each) => each.getBoundingClientRect().left + Number.parseFloat(getComputedStyle(each).paddingLeft);
  const title = leftOf(document.querySelector('h1'));
  const first = '.filter-line > :first-child, .rows :is(th, td):first-child, .player-head .box,' +
    '.commands > li > .command > :first-child, .attention > li > :first-child, .sums > span';
  return [...document.querySelectorAll('main :is(h2, ' + first + ')')]
    .filter((each) => each.checkVisibility() && each.closest('.rows th:first-child') === null || each.matches('th'))
    .filter((each) => each.closest('.charts, .grid, .two-columns, .halves, .sides, [popover], [role="dialog"]') === null)
    .filter((each) => !each.matches('.choosing, .find') && Math.abs(leftOf(each) - title) > 0.5)
    .map((each) => 'edge: ' + (leftOf(each) - title) + ' ' + each.outerHTML.slice(0, 80));
})()`;

/** More than one primary button. */
const BUTTONS = `(() => {
  const primary = [...document.querySelectorAll('main .button.primary:not(:disabled)')]
    .filter((each) => each.checkVisibility() && each.closest('[role="dialog"]') === null);
  return primary.length > 1 ? ['primary: ' + primary.map((each) => each.textContent).join(', ')] : [];
})()`;
/** Inner and outer distances that are none of the eight, and no part of what centres a thing. */
const SPACES = `[...document.querySelectorAll('main :not(.modal)')].filter((each) => each.checkVisibility()).flatMap((each) => {
  const style = getComputedStyle(each);
  const sides = ['Top', 'Right', 'Bottom', 'Left'];
  const names = [...sides.map((side) => 'padding' + side), 'rowGap', 'columnGap'];
  return names.map((name) => [name, style[name]])
    .filter(([, size]) => !['normal', '0px', '2px', '4px', '6px', '8px', '12px', '16px', '24px'].includes(size))
    .map((found) => 'space: ' + found.join(' ') + ' ' + each.outerHTML.slice(0, 80));
})`;
/** How far what is seen moved since the page was loaded, beyond what a reader takes for still. */
const SHIFTS = `new Promise((resolve) => {
  let sum = 0;
  const moved = [];
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      sum += value;
      moved.push(...sources.map(({ node }) => node?.parentElement?.outerHTML.slice(0, 80)));
    }
  }).observe({ type: 'layout-shift', buffered: true });
  // The observer is told of earlier shifts in a task of its own.
  setTimeout(() => requestAnimationFrame(() => setTimeout(() =>
    resolve(sum > 0.1 ? ['shift: ' + [sum, ...moved].join(' ')] : []))));
})`;
/** Rows of more than one line. */
const ROWS = `[...document.querySelectorAll('.rows td, .player, .commands > li > .command')]
  .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height > 40)
  .map((each) => 'row: ' + each.outerHTML.slice(0, 80))`;

/** Controls that a finger misses. */
const TARGETS = `[...document.querySelectorAll('.button, .choice, .segments > button, .ghost, .bottom > *, .field :is(input, select)')]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !['checkbox', 'radio'].includes(each.type))
  .filter((each) => each.getBoundingClientRect().height < 44)
  .map((each) => 'target: ' + each.outerHTML.slice(0, 80))`;

const faultsOf = async (page: Page, rules: readonly string[]): Promise<string[]> => {
  const found: string[] = [];
  for (const rule of rules) found.push(...(await page.evaluate<string[]>(rule)));
  return found;
};

/** The share of a picture that is neither white, grey nor black. */
const saturation = (page: Page, picture: Buffer): Promise<number> =>
  page.evaluate<number>(`(async () => {
    const bytes = Uint8Array.from(atob('${picture.toString('base64')}'), (sign) => sign.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes]));
    const { width, height } = image;
    const context = new OffscreenCanvas(width, height).getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    let seen = 0;
    for (let at = 0; at < data.length; at += 4) {
      const [r, g, b] = [0, 1, 2].map((nth) => data[at + nth]);
      if (Math.max(r, g, b) - Math.min(r, g, b) < 8) continue;
      const [red, green, blue] = [r, g, b].map((value) => linear(value / 255));
      const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
      const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
      const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
      const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
      const y = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
      if (Math.hypot(a, y) > 0.05) seen += 1;
    }
    return seen / (width * height);
  })()`);

it('every page on a desk has four sizes of type, one left edge, one primary button and no text on another', async () => {
  const { hub } = await startBusyStage();
  const { page } = await enter(hub, '/', { viewport: { width: 1280, height: 800 } });
  for (const { name, path, ready } of await panelPages(hub)) {
    await page.goto(hub.address + path);
    await page.locator(ready).first().waitFor();
    expect([name, await faultsOf(page, [OVERLAPS, SIZES, EDGES, BUTTONS, ROWS, SHIFTS])]).toEqual([name, []]);
  }
});

it('the players and a payment keep to eight distances', async () => {
  const { hub } = await startBusyStage();
  const { page } = await enter(hub, '/players', { viewport: { width: 1280, height: 800 } });
  await page.locator('.player').first().waitFor();
  expect(await faultsOf(page, [SPACES])).toEqual([]);
  await page.goto(hub.address + playerPath(ANA));
  await choose(page, 'Give', 'Money');
  await page.getByRole('dialog').waitFor();
  expect(await faultsOf(page, [SPACES])).toEqual([]);
});

it('every page on a phone has controls for fingers and no text on another', async () => {
  const { hub } = await startBusyStage();
  const { page } = await enter(hub, '/', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  for (const { name, path, ready } of await panelPages(hub)) {
    await page.goto(hub.address + path);
    await page.locator(ready).first().waitFor();
    expect([name, await faultsOf(page, [OVERLAPS, SIZES, TARGETS, SHIFTS])]).toEqual([name, []]);
  }
});

it.each([1280, 390])(
  'balances and identifiers of any length are whole at %i, and stay within the page',
  async (width) => {
    const balance = 900_000_000_000_000;
    const { hub, game } = await startStage({ players: { [ANA]: balance } });
    const identifiers = [`license:${'ab12'.repeat(10)}`];
    const more = { inventory: [], vehicles: [], metadata: {}, accounts: { bank: balance }, identifiers };
    game.bridge.changed({ players: [{ identifier: ANA, name: 'Ana', online: true, ...more }] });
    const { page } = await enter(hub, playerPath(ANA), { viewport: { width, height: 800 } });
    await page.locator('.identifiers').getByText('license:ab12').waitFor();
    const faults = await page.evaluate<
      string[]
    >(`[...document.querySelectorAll('.section td, .identifiers :is(code, .icon)')]
    .filter((each) => each.scrollWidth > each.clientWidth + 1 ||
      each.getBoundingClientRect().right > document.querySelector('main').getBoundingClientRect().right - 15)
    .map((each) => each.outerHTML)`);
    expect(faults).toEqual([]);
  },
);

it.each(['light', 'dark'] as const)('lists have little colour in %s ones', async (colorScheme) => {
  const { hub } = await startBusyStage();
  const { page } = await enter(hub, '/', { viewport: { width: 1280, height: 800 }, colorScheme });
  const lists = ['overview', 'players', 'journal', 'batches', 'schedules', 'servers', 'shops', 'keys', 'webhooks'];
  const pages = (await panelPages(hub)).filter(({ name }) => lists.includes(name));
  expect(pages).toHaveLength(lists.length);
  for (const { name, path, ready } of pages) {
    await page.goto(hub.address + path);
    await page.locator(ready).first().waitFor();
    const share = await saturation(page, await page.screenshot());
    expect(share, name).toBeLessThanOrEqual(0.03);
  }
});
