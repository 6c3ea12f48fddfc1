import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { simulate } from '../../simulator/simulate.ts';
import { openBrowser } from '../kit/browser.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { act, order, phase, rowOf } from '../kit/panel-stage.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'dist/screens');
/** The images in the README and the docs. */
const SHOWN = ['overview-desk-light', 'players-desk-light', 'dialog-desk-light', 'player-phone-dark'];
const STEP_MS = 5 * 60_000;
const { visit, signIn } = openBrowser();

/** A typical day: many players in the evening, few in the morning. */
const seedDay = async ({ store, project }: TestHub): Promise<void> => {
  const now = Math.floor(Date.now() / STEP_MS) * STEP_MS;
  const rows = Array.from({ length: 286 }, (_, back) => {
    const at = now - (back + 2) * STEP_MS;
    const evening = (1 + Math.sin(((new Date(at).getHours() - 15) / 24) * 2 * Math.PI)) / 2;
    const counts = { succeeded: Math.round(evening * 3), refused: back % 7 === 0 ? 1 : 0, failed: 0, unknown: 0 };
    return { projectId: project.id, serverId: 'main', at, online: Math.round(20 + 110 * evening), ...counts };
  });
  await store.statistics.add(rows);
};

const start = async () => {
  const hub = await startHub();
  await hub.store.projects.update(hub.project.id, { name: 'Los Cabos RP' }, Date.now());
  await hub.newServer('west');
  const simulation = simulate({ url: hub.bridgeUrl, token: hub.token, players: 200, lifeEveryMs: 3_600_000 });
  onTestFinished(simulation.stop);
  const players = async () => (await hub.request('/api/v2/players?online=true&limit=5&search=an')).body;
  await expect.poll(async () => (await players())['data'], { timeout: 15_000 }).toHaveLength(5);
  // The first ping is answered behind all players.
  const server = async () => (await hub.request('/api/v2/servers/main')).body['bridge'] as { pingMs?: number };
  await expect.poll(async () => (await server()).pingMs, { timeout: 60_000 }).toBeLessThan(500);
  const [player] = (await players())['data'] as { identifier: string }[];
  const target = player?.identifier ?? '';
  const money = (amount: number, action: string, reason: string) =>
    hub.request('/api/v2/bridge/main/money', { json: { target, type: 'bank', amount, action, reason } });
  await money(2_500, 'add', 'winner of the street race');
  await money(900, 'remove', 'fine: double parking at the hospital');
  await money(99_000_000, 'remove', 'typed one zero too many');
  await hub.request('/api/v2/batches', {
    json: {
      ...{ serverId: 'main', name: 'money', label: 'Christmas', targets: { online: true }, deliver: 'when_online' },
      params: { type: 'bank', amount: 500, action: 'add', reason: 'Christmas' },
    },
    headers: { 'Idempotency-Key': 'christmas' },
  });
  const when = { cron: '0 18 * * 5', timeZone: 'Europe/Berlin' };
  const task = { name: 'announce', params: { message: 'The street race begins in an hour' } };
  await hub.request('/api/v2/schedules', { json: { serverId: 'main', label: 'Friday race', task, when } });
  await seedDay(hub);
  const [gone] = (await hub.request('/api/v2/players?online=false&limit=1')).body['data'] as { identifier: string }[];
  return { hub, target, offline: gone?.identifier ?? '' };
};

const snap = async (page: Page, name: string): Promise<void> => {
  await page.evaluate('document.fonts.ready');
  await page.screenshot({ path: join(folder, `${name}.png`) });
};

it.each([
  ['desk', 'light'],
  ['desk', 'dark'],
  ['phone', 'light'],
  ['phone', 'dark'],
] as const)('pictures of the panel: %s, %s', async (size, colorScheme) => {
  await mkdir(folder, { recursive: true });
  const { hub, target, offline } = await start();
  const viewport = size === 'desk' ? { width: 1280, height: 800 } : { width: 390, height: 844 };
  const { page, expecting } = await visit(hub, '/', { viewport, colorScheme });
  expecting(/status of 40[49]/);
  const named = (name: string): string => `${name}-${size}-${colorScheme}`;
  await page.getByLabel('API key').waitFor();
  await snap(page, named('sign-in'));
  await signIn(page, hub.key);
  const [latest] = (await hub.request('/api/v2/commands?limit=1')).body['data'] as { id: string }[];
  const pages = [
    ['overview', '/', '.chart canvas'],
    ['players', '/players?search=an', '.players a'],
    ['player', `/players/main/${encodeURIComponent(target)}`, '.history tbody tr'],
    ['journal', '/journal', '.commands li'],
    ['command', `/journal/${latest?.id}`, '.timeline li'],
    ['batches', '/batches', '.commands li'],
    ['new-batch', '/batches/new', 'form select'],
    ['schedules', '/schedules', '.rows tbody tr'],
    ['new-schedule', '/schedules/new', 'form select'],
    ['servers', '/servers', '.rows tbody tr'],
    ['server', `/servers/main?target=${encodeURIComponent(target)}`, '.custom'],
    ['shops', '/shops', 'main .empty'],
    ['keys', '/keys', '.rows tbody tr'],
    ['project', '/project', 'meter'],
  ] as const;
  for (const [name, path, ready] of pages) {
    await page.goto(hub.address + path);
    await page.locator(ready).first().waitFor();
    await snap(page, named(name));
  }
  await page.goto(`${hub.address}/journal`);
  await page.getByRole('combobox', { name: 'Player' }).fill('an');
  await page.locator('.choices > *').nth(1).waitFor();
  await snap(page, named('choosing'));
  await page.goto(`${hub.address}/nowhere`);
  await page.getByRole('link', { name: 'Back to the start' }).waitFor();
  await snap(page, named('not-found'));
  await page.goto(`${hub.address}/servers/main?target=${encodeURIComponent(target)}`);
  await page.getByRole('button', { name: 'Run give_item' }).click();
  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByText('This is needed.').first().waitFor();
  await snap(page, named('custom'));
  await page.goto(`${hub.address}/players/main/${encodeURIComponent(offline)}`);
  await page.getByRole('button', { name: 'Kick' }).hover();
  await page.getByRole('tooltip').last().waitFor();
  await snap(page, named('why-not'));
  await order(page, 'Give money', '500');
  await page.getByLabel('Wait until the player is online').check();
  await snap(page, named('patient'));
  await page.getByRole('button', { name: 'Let it wait' }).click();
  await phase(page, 'waiting').waitFor();
  await snap(page, named('waiting'));
  await page.goto(`${hub.address}/servers`);
  await act(rowOf(page, 'west'), 'New token');
  await page.getByRole('dialog').getByRole('button', { name: 'New token' }).click();
  await page.locator('.secret').waitFor();
  await snap(page, named('token'));
  await page.goto(`${hub.address}/players/main/${encodeURIComponent(target)}`);
  await order(page, 'Take money', '500');
  await page.getByRole('textbox', { name: 'Reason' }).fill('entry fee of the race');
  await snap(page, named('dialog'));
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Take / })
    .click();
  await phase(page, 'done').waitFor();
  await snap(page, named('outcome'));
  await page.locator('.history').scrollIntoViewIfNeeded();
  await snap(page, named('player-end'));
  for (const name of SHOWN.filter((each) => each.endsWith(`-${size}-${colorScheme}`))) {
    await mkdir(join(root, 'docs/images'), { recursive: true });
    await copyFile(join(folder, `${name}.png`), join(root, 'docs/images', `${name}.png`));
  }
});
