import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openBrowser } from '../kit/browser.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { insertCommand } from '../kit/journal.ts';
import { ANA, act, rowOf, startStage } from '../kit/panel-stage.ts';
import { connectShop } from '../kit/shop.ts';

const { enter } = openBrowser();

type Row = Record<string, unknown>;
const rowsOf = async (hub: TestHub, path: string): Promise<Row[]> => (await hub.request(path)).body['data'] as Row[];
const dialogOf = (page: Page) => page.getByRole('dialog');

const MARIA = { name: 'Maria', scopes: ['players:read'], servers: null };
const madeKey = async (hub: TestHub): Promise<string> => {
  await hub.request('/api/v2/keys', { json: MARIA });
  return '/keys';
};
/** The secret that the page shows once is good. */
const shown = (page: Page): Promise<void> => page.locator('.secret').waitFor();
const gone = (page: Page): Promise<void> => dialogOf(page).waitFor({ state: 'detached' });

/**
 * A dialog that asks for a change without a key of its own. `made`: what the hub then has; `end`: what the page shows after the
 * second click.
 */
type Asking = {
  start: (hub: TestHub, game: Awaited<ReturnType<typeof startStage>>['game']) => Promise<string>;
  fill: (page: Page) => Promise<void>;
  send: string;
  end: (page: Page) => Promise<void>;
  made: (hub: TestHub) => Promise<unknown>;
  is: unknown;
  /** The page shows by itself what became of it, and asks no more. */
  isOver?: boolean;
};

const ASKED: Record<string, Asking> = {
  'the stop of a batch': {
    start: async (hub, game) => {
      const away = { identifier: ANA, name: 'Ana', online: false, identifiers: [], accounts: { bank: 5 } };
      game.bridge.changed({ players: [{ ...away, inventory: [], vehicles: [], metadata: {} }] });
      await expect.poll(async () => (await hub.request(`/api/v2/players/${ANA}`)).body['online']).toBe(false);
      const params = { type: 'bank', amount: 7, action: 'add', reason: 'gift' };
      const json = { serverId: 'main', name: 'money', params, targets: [ANA], deliver: 'when_online' };
      const { body } = await hub.request('/api/v2/batches', { json, headers: { 'Idempotency-Key': 'gift' } });
      return `/batches/${String(body['id'])}`;
    },
    fill: async (page) => {
      await page.getByRole('button', { name: 'Stop', exact: true }).click();
      // Its button has the same name as the one of the page.
      await dialogOf(page).waitFor();
    },
    send: 'Stop',
    end: gone,
    made: async (hub) => (await rowsOf(hub, '/api/v2/commands')).map(({ status }) => status),
    is: ['voided'],
    isOver: true,
  },
  'a key that is replaced': {
    start: madeKey,
    fill: (page) => act(rowOf(page, 'Maria'), 'Replace'),
    send: 'Replace',
    end: shown,
    made: async (hub) => (await rowsOf(hub, '/api/v2/keys')).filter(({ name }) => name === 'Maria').length,
    is: 1,
  },
  'a key that is revoked': {
    start: madeKey,
    fill: (page) => act(rowOf(page, 'Maria'), 'Revoke'),
    send: 'Revoke',
    end: (page) => dialogOf(page).getByText('There is no such key, or it was revoked.').waitFor(),
    made: async (hub) => (await rowsOf(hub, '/api/v2/keys')).map(({ name, revokedAt }) => [name, revokedAt === null]),
    is: expect.arrayContaining([['Maria', false]]),
  },
  'a new token of a server': {
    start: () => Promise.resolve('/servers'),
    fill: (page) => act(rowOf(page, 'Main'), 'New token'),
    send: 'New token',
    end: (page) => page.getByText('server.cfg').first().waitFor(),
    made: async (hub) => (await rowsOf(hub, '/api/v2/servers')).length,
    is: 1,
  },
  'a decision about an unknown command': {
    start: async (hub) => `/journal/${await insertCommand(hub, { status: 'indeterminate' })}`,
    fill: (page) => page.getByLabel('How do you know?').fill('I looked'),
    send: 'It did not happen',
    end: (page) => page.getByText('decided that it did not happen: I looked').waitFor(),
    made: async (hub) => (await rowsOf(hub, '/api/v2/commands')).map(({ status }) => status),
    is: ['resolved_not_applied'],
    isOver: true,
  },
  'events of a webhook that are sent again': {
    start: async (hub) => {
      await hub.request('/api/v2/webhooks', { json: { url: 'https://receiver.test/hook', name: 'Staff site' } });
      return '/webhooks';
    },
    fill: async (page) => {
      await page.getByRole('button', { name: 'Actions for' }).click();
      await page.getByRole('menuitem', { name: 'Send again since …' }).click();
    },
    send: 'Send again',
    end: gone,
    made: async (hub) => (await rowsOf(hub, '/api/v2/webhooks')).length,
    is: 1,
  },
  'a shop that is changed': {
    start: async (hub) => `/shops/${(await connectShop(hub, 'orders', { vip: [] })).id}/edit`,
    fill: (page) => page.getByLabel('Name').fill('Night shop'),
    send: 'Save',
    end: (page) => page.getByRole('heading', { name: 'Night shop' }).waitFor(),
    made: async (hub) => (await rowsOf(hub, '/api/v2/integrations')).map(({ name }) => name),
    is: ['Night shop'],
  },
};

it.each(Object.entries(ASKED))(
  '%s, when the hub dies before it answers, is told truly, and is done once',
  async (_name, asked) => {
    const { hub, game } = await startStage();
    const { page, expecting } = await enter(hub, await asked.start(hub, game));
    expecting(/ERR_(CONNECTION|INCOMPLETE|EMPTY|FAILED|CONTENT)|dynamically imported|status of (404|409|503)/);
    await asked.fill(page);
    let isDead = false;
    await page.route('**/api/v2/**', async (route) => {
      if (isDead || route.request().method() === 'GET') return route.continue();
      isDead = true;
      await route.fetch();
      await hub.crash();
      return route.abort('connectionreset');
    });
    const send = page.getByRole('button', { name: asked.send, exact: true }).last();
    await send.click();
    await page.locator('[data-lost]', { hasText: 'it is not known whether this was done' }).waitFor();
    const next = await startHub({ folder: hub.folder, env: { PORT: String(hub.port) } });
    expect(await asked.made(next)).toEqual(asked.is);
    await page.getByText('No connection since').waitFor({ state: 'detached' });
    if (asked.isOver !== true) await send.click();
    await asked.end(page);
    expect(await asked.made(next)).toEqual(asked.is);
  },
);
