import { describe, expect, it } from 'vitest';
import { openBrowser } from '../kit/browser.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { insertCommand } from '../kit/journal.ts';

const { visit, enter } = openBrowser();
const STEP_MS = 5 * 60_000;

/** Numbers that need room. */
const MANY = { succeeded: 12_345, refused: 2_000, failed: 300, unknown: 40 };

/** A day with these numbers. */
const seedDay = async ({ store, project }: TestHub, counts = MANY): Promise<void> => {
  const now = Math.floor(Date.now() / STEP_MS) * STEP_MS;
  const rows = Array.from({ length: 286 }, (_, back) => {
    const at = now - (back + 2) * STEP_MS;
    return { projectId: project.id, serverId: 'main', at, online: 123_456, ...counts };
  });
  await store.statistics.add(rows);
};

/** Keeps where each text of a canvas begins and ends, beside the width of the canvas. */
const RECORD = `window.drawn = [];
  const draw = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    const { width } = this.measureText(text);
    const left = this.getTransform().e + x - { left: 0, start: 0, center: 0.5, right: 1, end: 1 }[this.textAlign] * width;
    window.drawn.push({ text, left, right: left + width, canvas: this.canvas.width });
    draw.call(this, text, x, y);
  };`;

type Drawn = { text: string; left: number; right: number; canvas: number };

/** The hue of a colour as a browser writes it, in sixths of a circle. */
const hueOf = (color: string): number => {
  const [r = 0, g = 0, b = 0] = (color.match(/[\d.]+/g) ?? []).map(Number);
  return (Math.atan2(Math.sqrt(3) * (g - b), 2 * r - g - b) * 3) / Math.PI;
};

describe('the charts', () => {
  it.each(['en-US', 'de-DE', 'pt-BR'])('have labels that are whole, in %s', async (locale) => {
    const hub = await startHub();
    await seedDay(hub);
    for (const width of [1200, 390]) {
      const { page } = await visit(hub, '/', { locale, viewport: { width, height: 900 } }, async (opened) => {
        await opened.addInitScript(RECORD);
      });
      await page.getByLabel(/API/).fill(hub.key);
      await page.keyboard.press('Enter');
      await page.locator('.chart canvas').nth(1).waitFor();
      await expect.poll(() => page.evaluate('window.drawn.length')).toBeGreaterThan(10);
      const drawn = await page.evaluate<Drawn[]>('window.drawn');
      expect(drawn.filter(({ left, right, canvas }) => left < 0 || right > canvas)).toEqual([]);
    }
  });

  it('have the colours of the states', async () => {
    const hub = await startHub();
    for (const status of ['succeeded', 'rejected', 'failed', 'indeterminate'] as const) {
      await insertCommand(hub, { status });
    }
    const { page } = await visit(hub, '/journal');
    await page.getByLabel('API key').fill(hub.key);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.commands li').count()).toBe(4);
    const hues = async (selector: string, property: string): Promise<number[]> => {
      const colors = await page.evaluate<string[]>(
        `[...document.querySelectorAll('${selector}')].map((each) => getComputedStyle(each).${property})`,
      );
      return colors.map(hueOf);
    };
    const badges = (await hues('.commands .state', 'color')).toReversed();
    await page.goto(hub.address);
    await page.locator('.legend .key').nth(4).waitFor();
    const [failed, unknown] = (await hues('.legend .key', 'backgroundColor')).slice(3);
    // Done has no badge.
    expect(badges).toHaveLength(3);
    expect(Math.abs((badges[1] ?? 9) - (failed ?? 0))).toBeLessThan(0.25);
    expect(Math.abs((badges[2] ?? 9) - (unknown ?? 0))).toBeLessThan(0.25);
  });

  it('have bars in the colours of their legend', async () => {
    const hub = await startHub();
    await seedDay(hub, { succeeded: 9, refused: 9, failed: 9, unknown: 9 });
    const { page } = await enter(hub);
    await page.locator('.chart canvas').nth(1).waitFor();
    const missing = (): Promise<string[]> =>
      page.evaluate(`(() => {
        const canvas = document.querySelectorAll('.chart canvas')[1];
        const readable = (width, height) => new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
        const copy = readable(canvas.width, canvas.height);
        copy.drawImage(canvas, 0, 0);
        const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
        const drawn = new Set();
        for (let at = 0; at < data.length; at += 4) drawn.add([data[at], data[at + 1], data[at + 2], data[at + 3]].join());
        const probe = readable(1, 1);
        return [...document.querySelectorAll('.legend .key:not(.batches)')].flatMap((key) => {
          probe.fillStyle = getComputedStyle(key).backgroundColor;
          probe.fillRect(0, 0, 1, 1);
          return drawn.has([...probe.getImageData(0, 0, 1, 1).data].join()) ? [] : [key.className];
        });
      })()`);
    await expect.poll(missing).toEqual([]);
  });
});
