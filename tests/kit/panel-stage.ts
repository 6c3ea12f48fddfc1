import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { createEconomy, startGameServer } from './game-server.ts';
import { startHub } from './hub.ts';

type Options = Parameters<typeof startHub>[0] & {
  players?: Record<string, number>;
  before?: (target: string) => Promise<void>;
  catalogues?: Parameters<typeof startGameServer>[0]['catalogues'];
};

export const ANA = 'char1:ana';

/** A hub with a game server whose players the test knows. */
export const startStage = async ({
  players = { [ANA]: 12_300, 'char1:bob': 50 },
  before,
  catalogues,
  ...options
}: Options = {}) => {
  const hub = await startHub(options);
  const economy = createEconomy(players);
  const gameOptions = { url: () => hub.bridgeUrl, token: hub.token, folder: hub.folder, economy };
  const game = startGameServer({
    ...gameOptions,
    ...(before !== undefined && { before }),
    ...(catalogues !== undefined && { catalogues }),
  });
  const known = async (): Promise<unknown> =>
    ((await hub.request('/api/v2/project')).body['totals'] as { players: number }).players;
  await expect.poll(known).toBe(Object.keys(players).length);
  return { hub, economy, game, startGameAgain: () => startGameServer(gameOptions) };
};

/** The catalogue of a game server whose players are all policemen. */
export const POLICE = {
  jobs: () => [{ name: 'police', label: 'LSPD', grades: [{ grade: 1, label: 'Officer' }] }],
};

/** A window of a desk. */
export const DESK = { viewport: { width: 1280, height: 800 } };
/** Players, this many, with their bank accounts. */
export const names = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`char1:n${String(n).padStart(3, '0')}`, n + 1]));

/** The record of a player, as a game server reports it. */
export const record = (identifier: string, more: object = {}) => ({
  ...{ identifier, name: `Name of ${identifier}`, online: true, identifiers: [], accounts: { bank: 5 } },
  ...{ inventory: [], vehicles: [], metadata: {} },
  ...more,
});

export const playerPath = (identifier: string): string => `/players/main/${encodeURIComponent(identifier)}`;

/** Chooses an action of one of a player's menus. */
export const choose = async (page: Page, menu: string, item: string): Promise<void> => {
  await page.getByRole('button', { name: menu, exact: true }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};

/** Fills a money dialog in. */
export const order = async (page: Page, kind: 'Give money' | 'Take money', amount: string): Promise<void> => {
  await choose(page, kind === 'Give money' ? 'Give' : 'Take', 'Money');
  await page.getByLabel('Amount').fill(amount);
  await page.getByRole('textbox', { name: 'Reason' }).fill('because');
};

export const phase = (page: Page, name: string) => page.locator(`[data-phase=${name}]`);

/** A row of a table, by a text in it. */
export const rowOf = (page: Page, text: string): Locator => page.locator('.rows tbody tr', { hasText: text });

/** Chooses an action of a row's menu. */
export const act = async (row: Locator, action: string): Promise<void> => {
  await row.getByRole('button', { name: /^Actions for/ }).click();
  await row.getByRole('menuitem', { name: action, exact: true }).click();
};
