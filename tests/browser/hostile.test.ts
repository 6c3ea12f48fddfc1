import { expect, it } from 'vitest';
import { openBrowser } from '../kit/browser.ts';
import { createKey } from '../kit/make-tenant.ts';
import { panelPages } from '../kit/panel-pages.ts';
import { ANA, startStage } from '../kit/panel-stage.ts';

const { enter } = openBrowser();

const IMAGE = '<img src=x onerror="document.title=1">';
const HOSTILE = `${IMAGE}\u202Enimda\u200B${'😀'.repeat(20)}`;
/** The visible part of it. */
const SEEN = HOSTILE.replaceAll(/[\u202E\u200B]/g, '\uFFFD');
/** The place on each page that shows a name from outside. */
const SHOWN: Record<string, string> = {
  overview: '.server',
  players: '.players a',
  player: 'h1',
  journal: '.commands li',
  command: '.timeline li',
  batches: '.commands li',
  batch: 'h1',
  'new batch': 'form select',
  schedules: '.rows tbody tr',
  schedule: 'h1',
  'new schedule': 'form select',
  servers: '.rows tbody tr',
  server: 'h1',
  shops: '.rows tbody tr',
  shop: 'h1',
  'change of a shop': 'h1',
  keys: '.rows tbody tr',
  // It has none yet: the name of the project is in the frame.
  webhooks: 'body',
  project: '.pairs dd',
};

/** A hub in which everything that has a name has this one. */
const startHostileStage = async () => {
  const stage = await startStage();
  const { hub, game } = stage;
  await hub.store.projects.update(hub.project.id, { name: HOSTILE }, Date.now());
  await hub.store.servers.update(hub.project.id, 'main', { name: HOSTILE }, Date.now());
  const { key } = await createKey(hub.store, hub.project.id, { name: HOSTILE });
  const json = { target: ANA, type: 'bank', amount: 5, action: 'add', reason: HOSTILE };
  expect((await hub.request('/api/v2/bridge/main/money', { json, key })).status).toBe(200);
  const record = { identifier: ANA, name: HOSTILE, online: true, identifiers: [], accounts: { bank: 1 } };
  game.bridge.changed({ players: [{ ...record, inventory: [], vehicles: [], metadata: {} }] });
  await expect.poll(async () => (await hub.request(`/api/v2/players/${ANA}`)).body['name']).toBe(HOSTILE);
  return { hub, key };
};

it.each([
  ['a desk', { width: 1200, height: 800 }],
  ['a phone', { width: 390, height: 800 }],
])('a name is text on every page, whatever it is, on %s', async (_name, viewport) => {
  const { hub, key } = await startHostileStage();
  const { page } = await enter(hub, '/', { key, viewport });
  for (const { name, path } of await panelPages(hub, HOSTILE)) {
    await page.goto(hub.address + path);
    await page
      .locator(SHOWN[name] ?? '', { hasText: IMAGE })
      .filter({ visible: true })
      .first()
      .waitFor();
    const text = await page.evaluate<string>('document.body.textContent');
    expect([name, text.includes(SEEN)]).toEqual([name, true]);
    expect([name, /[\u202E\u200B]/.test(text + (await page.title()))]).toEqual([name, false]);
    expect(await page.locator('main img, main script, main iframe').count()).toBe(0);
    expect(await page.title()).toMatch(/Causeway$/);
    const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    expect([name, isWide]).toEqual([name, false]);
  }
});
