import type { Page, Request } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openBrowser } from '../kit/browser.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { ANA, choose, order, phase, playerPath, startStage } from '../kit/panel-stage.ts';
import { connectShop, SECRET } from '../kit/shop.ts';

const { enter } = openBrowser();

const dialogOf = (page: Page) => page.getByRole('dialog');
/** It would change something: previews do not. */
const isOrder = (request: Request): boolean =>
  request.method() === 'POST' && !(request.postData() ?? '').includes('"dryRun":true');
const anaPage = (): Promise<string> => Promise.resolve(playerPath(ANA));
const countOf = async (hub: TestHub, path: string): Promise<number> =>
  ((await hub.request(path)).body['data'] as unknown[]).length;

/** Whether the game server is back, and its player with it. */
const isOnline = async (hub: TestHub): Promise<unknown> => (await hub.request(`/api/v2/players/${ANA}`)).body['online'];

/** Each dialog that orders something: where it is, how it is filled in, and the button that sends. */
type Ordering = { path: (hub: TestHub) => Promise<string>; fill: (page: Page) => Promise<void>; send: string | RegExp };

const ORDERS: Record<string, Ordering> = {
  kick: {
    path: anaPage,
    fill: async (page) => {
      await page.getByRole('button', { name: 'Kick', exact: true }).click();
      await dialogOf(page).getByLabel('Reason').fill('rude');
    },
    send: 'Kick now',
  },
  money: { path: anaPage, fill: (page) => order(page, 'Give money', '7'), send: /^Give / },
  items: {
    path: anaPage,
    fill: async (page) => {
      await choose(page, 'Give', 'Items');
      await page.getByRole('combobox', { name: 'Item' }).fill('bread');
      await page.getByRole('option', { name: 'bread' }).click();
    },
    send: 'Give now',
  },
  'a message': {
    path: anaPage,
    fill: async (page) => {
      await page.getByRole('button', { name: 'Message', exact: true }).click();
      await dialogOf(page).getByRole('textbox').fill('Hello');
    },
    send: 'Send now',
  },
};

describe('a hub that dies before a dialog has sent', () => {
  it.each(Object.entries(ORDERS))('is asked again under the same key: %s happens once', async (_name, ordering) => {
    const { hub } = await startStage();
    const { page, expecting } = await enter(hub, await ordering.path(hub));
    expecting(/ERR_(CONNECTION|INCOMPLETE|EMPTY)|status of (409|503)/);
    await ordering.fill(page);
    await hub.crash();
    // It is asked as long as the game server has not found it again.
    let isBack = false;
    await page.route('**/api/v2/bridge/**', (route) => (isBack ? route.continue() : route.abort('connectionrefused')));
    const keys = new Set<string | undefined>();
    page.on('request', (request) => {
      if (request.method() === 'POST') keys.add(request.headers()['idempotency-key']);
    });
    await dialogOf(page).getByRole('button', { name: ordering.send }).click();
    await phase(page, 'lost')
      .getByText('The answer was lost on the way. Asking again: it cannot happen twice.')
      .waitFor();
    const next = await startHub({ folder: hub.folder, env: { PORT: String(hub.port) } });
    await expect.poll(() => isOnline(next)).toBe(true);
    isBack = true;
    await phase(page, 'done').waitFor();
    expect(keys.size).toBe(1);
    expect((await next.request('/api/v2/commands')).body['data']).toMatchObject([{ status: 'succeeded' }]);
  });
});

/** The other dialogs, which a person sends again. `made`: how often it is done, as the hub tells. */
type Making = Ordering & { lost: string; end: (page: Page) => Promise<void>; made: (hub: TestHub) => Promise<number> };

const LOST_ONCE = 'it cannot happen twice';
const MAKINGS: Record<string, Making> = {
  'a batch': {
    path: () => Promise.resolve('/batches/new'),
    fill: async (page) => {
      await page.getByLabel('Amount for each player').fill('7');
      await page.getByRole('textbox', { name: 'Reason' }).fill('gift');
      await page.getByLabel('Identifiers of the players').fill('char1:ana');
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.locator('[data-preview]').waitFor();
    },
    send: 'Pay 1 player',
    lost: LOST_ONCE,
    end: (page) => page.getByText('1 of 1 ended').waitFor(),
    made: (hub) => countOf(hub, '/api/v2/batches'),
  },
  'a schedule': {
    path: () => Promise.resolve('/schedules/new'),
    fill: async (page) => {
      const sheet = dialogOf(page);
      await sheet.getByLabel('Label').fill('Salary');
      await sheet.getByLabel('Amount for each player').fill('7');
      await sheet.getByRole('textbox', { name: 'Reason' }).fill('salary');
      await sheet.getByLabel('Identifiers of the players').fill('char1:ana');
      await sheet.getByRole('button', { name: 'Preview' }).click();
      await sheet.getByRole('button', { name: 'Make it' }).waitFor();
    },
    send: 'Make it',
    lost: LOST_ONCE,
    end: (page) => page.getByRole('heading', { name: 'Salary' }).waitFor(),
    made: (hub) => countOf(hub, '/api/v2/schedules'),
  },
  'a key': {
    path: () => Promise.resolve('/keys'),
    fill: async (page) => {
      await page.locator('.rows tbody tr').first().waitFor();
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByLabel('Name of the person').fill('Maria');
    },
    send: 'Make it',
    lost: 'if it is there, it only gets another secret',
    end: (page) => page.locator('.secret').waitFor(),
    made: async (hub) => {
      const { data } = (await hub.request('/api/v2/keys')).body as { data: { name: string }[] };
      return data.filter(({ name }) => name === 'Maria').length;
    },
  },
  'a webhook': {
    path: () => Promise.resolve('/webhooks'),
    fill: async (page) => {
      await page.getByText('No webhooks').waitFor();
      await page.getByRole('button', { name: 'New webhook' }).click();
      await page.getByLabel('Address').fill('https://receiver.test/hook');
    },
    send: 'Make it',
    lost: 'if it is there, it only gets another secret',
    end: (page) => page.locator('.secret').waitFor(),
    made: (hub) => countOf(hub, '/api/v2/webhooks'),
  },
  'a shop': {
    path: () => Promise.resolve('/shops'),
    fill: async (page) => {
      await page.getByRole('button', { name: 'Connect a shop' }).click();
      await page.getByLabel('Name').fill('Web shop');
      await page.getByLabel('Secret of the webhooks').fill(SECRET);
    },
    send: 'Connect it',
    lost: LOST_ONCE,
    end: (page) => page.getByText('No webhook has come yet.').waitFor(),
    made: (hub) => countOf(hub, '/api/v2/integrations'),
  },
  'a line of an order that is given': {
    path: async (hub) => `/shops/${await startShop(hub)}`,
    fill: async (page) => {
      await page.getByRole('combobox', { name: 'Player' }).fill('char1:ana');
      await page.getByRole('option', { name: 'char1:ana' }).first().click();
      await page.getByRole('button', { name: 'Give it', exact: true }).click();
      await dialogOf(page).getByText('Name of char1:ana').first().waitFor();
    },
    send: /^Give it to/,
    lost: LOST_ONCE,
    end: (page) => dialogOf(page).getByText('The player has it.').waitFor(),
    made: (hub) => countOf(hub, '/api/v2/commands'),
  },
  'a line of an order that is taken off the list': {
    path: async (hub) => `/shops/${await startShop(hub)}`,
    fill: async (page) => {
      await page.getByRole('button', { name: 'Take it off the list' }).click();
      await page.getByLabel('Why?').fill('Given by hand.');
    },
    send: 'Take it off the list',
    lost: LOST_ONCE,
    end: (page) => page.getByText('There is nothing to decide.').waitFor(),
    made: async (hub) => {
      const { data } = (await hub.request('/api/v2/integrations')).body as { data: { id: string }[] };
      return countOf(hub, `/api/v2/integrations/${data[0]?.id}/decided`);
    },
  },
};

const startShop = async (hub: TestHub): Promise<string> => {
  const params = { type: 'bank', amount: 7, action: 'add' };
  const shop = await connectShop(hub, 'orders', { vip: [{ name: 'money', params }] });
  await shop.send({ type: 'paid', id: 'order-1', buyer: 'fivem:404', packages: [{ id: 'vip', quantity: 1 }] });
  await expect.poll(async () => (await shop.staff()).length).toBe(1);
  return shop.id;
};

describe('a dialog without an answer says that nobody knows, and its repeat does it once:', () => {
  it.each(Object.entries(MAKINGS))('%s, after a crash of the hub', async (_name, making) => {
    const { hub } = await startStage();
    const { page, expecting } = await enter(hub, await making.path(hub));
    expecting(/ERR_(CONNECTION|INCOMPLETE|EMPTY)|status of (409|503)/);
    await making.fill(page);
    await hub.crash();
    const send = dialogOf(page).getByRole('button', { name: making.send });
    await send.click();
    await dialogOf(page).locator('[data-lost]', { hasText: making.lost }).waitFor();
    const next = await startHub({ folder: hub.folder, env: { PORT: String(hub.port) } });
    await page.getByText('No connection since').waitFor({ state: 'detached' });
    await expect.poll(() => isOnline(next)).toBe(true);
    await send.click();
    await making.end(page);
    await expect.poll(() => making.made(next)).toBe(1);
  });

  it.each(Object.entries(MAKINGS))('%s, when only its answer was lost', async (_name, making) => {
    const { hub } = await startStage();
    const { page, expecting } = await enter(hub, await making.path(hub));
    expecting(/net::ERR_FAILED|status of 4/);
    await making.fill(page);
    const lost = new Set<string>();
    await page.route('**/api/v2/**', async (route) => {
      const request = route.request();
      if (!isOrder(request) || lost.size > 0) return route.continue();
      lost.add(request.url());
      await route.fetch();
      return route.abort('failed');
    });
    const send = dialogOf(page).getByRole('button', { name: making.send });
    await send.click();
    await dialogOf(page).locator('[data-lost]', { hasText: making.lost }).waitFor();
    await expect.poll(() => making.made(hub)).toBe(1);
    await send.click();
    await making.end(page);
    expect(await making.made(hub)).toBe(1);
  });

  it.each(['a batch', 'a schedule', 'a key'])('%s, when the hub cannot say whether it was stored', async (name) => {
    const making = MAKINGS[name] as Making;
    const { hub } = await startStage();
    const { page, expecting } = await enter(hub, await making.path(hub));
    expecting(/status of 503/);
    await making.fill(page);
    let isDoubtful = true;
    await page.route('**/api/v2/**', async (route) => {
      if (!isOrder(route.request()) || !isDoubtful) return route.continue();
      isDoubtful = false;
      await route.fetch();
      const about = {
        title: 'Store unavailable',
        detail: 'It may have been stored.',
        instance: '',
        requestId: 'req_1',
      };
      const json = { ...about, status: 503, code: 'store_unavailable', executed: 'unknown', retryable: true };
      return route.fulfill({ status: 503, contentType: 'application/problem+json', json });
    });
    const send = dialogOf(page).getByRole('button', { name: making.send });
    await send.click();
    await dialogOf(page).locator('[data-lost]', { hasText: making.lost }).waitFor();
    await send.click();
    await making.end(page);
    expect(await making.made(hub)).toBe(1);
  });

  it.each([
    {
      ...(MAKINGS['a key'] as Making),
      change: (page: Page) => dialogOf(page).getByLabel('Ends (empty: never)').fill('2099-01-01T00:00'),
      stored: { name: 'Maria', expiresAt: expect.stringMatching(/^(2098|2099)-/) },
      list: '/api/v2/keys',
    },
    {
      ...(MAKINGS['a webhook'] as Making),
      change: (page: Page) => page.getByLabel('Address').fill('https://other.test/hook'),
      stored: { url: 'https://other.test/hook' },
      list: '/api/v2/webhooks',
    },
  ])('what is changed before the repeat counts: $list', async ({ change, stored, list, ...making }) => {
    const { hub } = await startStage();
    const { page, expecting } = await enter(hub, await making.path(hub));
    expecting(/net::ERR_FAILED/);
    await making.fill(page);
    let isLost = false;
    await page.route(`**${list}`, async (route) => {
      if (route.request().method() !== 'POST' || isLost) return route.continue();
      isLost = true;
      await route.fetch();
      return route.abort('failed');
    });
    const send = dialogOf(page).getByRole('button', { name: making.send });
    await send.click();
    await dialogOf(page).locator('[data-lost]').waitFor();
    await change(page);
    await send.click();
    await making.end(page);
    expect(await making.made(hub)).toBe(1);
    const { data } = (await hub.request(list)).body as { data: unknown[] };
    expect(data.at(-1)).toMatchObject(stored);
  });
});

it('the repeat of a command says that nothing is changed, and a change makes it a new one', async () => {
  const { hub, game, economy } = await startStage();
  const json = { target: ANA, type: 'bank', amount: 20_000, action: 'remove', reason: 'fine' };
  const refused = await hub.request('/api/v2/bridge/main/money', { json });
  const id = String((refused.body['command'] as { id: string }).id);
  economy.banks.set(ANA, 50_000);
  const { page, expecting } = await enter(hub, `/journal/${id}`);
  expecting(/net::ERR_FAILED|status of 409/);
  const record = { identifier: ANA, name: 'Ana', online: true, identifiers: [], accounts: { bank: 50_000 } };
  game.bridge.changed({ players: [{ ...record, inventory: [], vehicles: [], metadata: {} }] });
  await expect.poll(async () => (await hub.request(`/api/v2/players/${ANA}`)).body['name']).toBe('Ana');
  await page.getByRole('button', { name: 'Do it again' }).click();
  const dialog = dialogOf(page);
  await dialog.getByText('50,000 → 30,000').waitFor();
  expect(await dialog.getByRole('textbox', { name: 'Reason' }).inputValue()).toBe('fine');
  await dialog.getByText('Nothing is changed: the same command goes once more').waitFor();
  await dialog.getByLabel('Amount').fill('300');
  await dialog.getByText('You changed something: this is a new command.').waitFor();
  await dialog.getByRole('button', { name: 'Take 300' }).click();
  await page.getByText('50,000 → 49,700').first().waitFor();
  expect(await page.getByText('It repeats').count()).toBe(0);
  // And the same values again, whose answer is lost on the way.
  await page.goto(`${hub.address}/journal/${id}`);
  await page.getByRole('button', { name: 'Do it again' }).click();
  const sent: string[] = [];
  await page.route('**/api/v2/commands/*/again', async (route) => {
    sent.push(route.request().url());
    if (sent.length > 1) return route.continue();
    await route.fetch();
    return route.abort('failed');
  });
  await dialog.getByRole('button', { name: 'Do it again' }).click();
  await page.getByText('It repeats').waitFor();
  await page.locator('main .state', { hasText: 'Done' }).waitFor();
  expect(sent.length).toBeGreaterThan(1);
  expect(economy.applied.map(({ delta }) => delta)).toEqual([-300, -20_000]);
});
