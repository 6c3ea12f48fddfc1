import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openBrowser } from '../kit/browser.ts';
import type { TestHub } from '../kit/hub.ts';
import { ANA, order, phase, playerPath, startStage } from '../kit/panel-stage.ts';

const { visit, enter, signIn } = openBrowser();

const countOf = async (hub: TestHub, path: string): Promise<number> =>
  ((await hub.request(path)).body['data'] as unknown[]).length;
const left = (page: Page) => page.locator('[data-unanswered]');
const sentBefore = (page: Page) => page.locator('[data-sent-before]');

/** Lets the hub carry out what is sent, and loses its answers; `isSent: false`: nothing comes to the hub. */
const loseAnswers = async (page: Page, isSent = true): Promise<{ keys: Set<string>; stop: () => Promise<void> }> => {
  const keys = new Set<string>();
  await page.route('**/api/v2/**', async (route) => {
    const { 'idempotency-key': key } = route.request().headers();
    const isPreview = (route.request().postData() ?? '').includes('"dryRun":true');
    if (route.request().method() !== 'POST' || key === undefined || isPreview) return route.continue();
    keys.add(key);
    if (isSent) await route.fetch();
    return route.abort('failed');
  });
  page.on('dialog', (dialog) => dialog.accept());
  return { keys, stop: () => page.unroute('**/api/v2/**') };
};

const give = async (page: Page): Promise<void> => {
  await order(page, 'Give money', '7');
  await page.getByRole('dialog').locator('strong', { hasText: '12,3' }).waitFor();
};
const press = (page: Page): Promise<void> => page.getByRole('dialog').getByRole('button', { name: 'Give 7' }).click();

describe('a page that is loaded again before a payment is answered', () => {
  it('says so with what the hub knows, sends nothing by itself, and the same payment happens once', async () => {
    const { hub, economy } = await startStage();
    const { page, expecting } = await enter(hub, playerPath(ANA));
    expecting(/net::ERR_FAILED/);
    const lost = await loseAnswers(page);
    await give(page);
    await press(page);
    await phase(page, 'lost').waitFor();
    await expect.poll(() => economy.applied.length).toBe(1);
    await page.reload();
    await lost.stop();
    const sent: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.headers()['idempotency-key']);
    });
    await left(page).getByText('no answer came: +7 bank · Name of char1:ana.').waitFor();
    await left(page).getByRole('link', { name: 'It happened.' }).waitFor();
    expect(await sentBefore(page).count()).toBe(0);
    await order(page, 'Give money', '8');
    expect(await sentBefore(page).count()).toBe(0);
    await page.getByLabel('Amount').fill('7');
    await sentBefore(page).getByText('it cannot happen twice').waitFor();
    expect(sent).toEqual([]);
    await press(page);
    await phase(page, 'done').getByText('12,300 → 12,307').waitFor();
    expect([...new Set(sent)]).toEqual([...lost.keys]);
    expect(economy.applied.length).toBe(1);
    // It is answered: the same once more is another payment.
    await expect.poll(() => left(page).count()).toBe(0);
    await give(page);
    expect(await sentBefore(page).count()).toBe(0);
    await press(page);
    await phase(page, 'done').getByText('12,307 → 12,314').waitFor();
    expect(economy.applied.length).toBe(2);
  });

  it('says that the hub has not stored it, until the person forgets it', async () => {
    const { hub, economy } = await startStage();
    const { page, expecting } = await enter(hub, playerPath(ANA));
    expecting(/net::ERR_FAILED/);
    const lost = await loseAnswers(page, false);
    await give(page);
    await press(page);
    await phase(page, 'lost').waitFor();
    await page.reload();
    await left(page).getByText('The hub has not stored it so far.').waitFor();
    await page.reload();
    await left(page).getByRole('button', { name: 'Forget it' }).click();
    await expect.poll(() => left(page).count()).toBe(0);
    await give(page);
    expect(await sentBefore(page).count()).toBe(0);
    await press(page);
    await expect.poll(() => lost.keys.size).toBe(2);
    expect(economy.applied).toEqual([]);
  });

  it('says nothing of it to the next person', async () => {
    const { hub } = await startStage();
    const { page, expecting } = await enter(hub, playerPath(ANA));
    expecting(/net::ERR_(FAILED|INCOMPLETE)|status of 401/);
    await loseAnswers(page);
    await give(page);
    await press(page);
    await phase(page, 'lost').waitFor();
    await page.reload();
    await left(page).waitFor();
    // Without signing out: a cookie that ended while nobody looked.
    await page.context().clearCookies();
    await page.reload();
    await signIn(page, await hub.newKey(['players:read', 'commands:read', 'commands:money']));
    await page.getByRole('heading', { name: /Name of char1:ana/ }).waitFor();
    expect(await left(page).count()).toBe(0);
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain('panel-');
  });
});

/** What a person sends again by filling the form in once more. */
const FORMS: Record<string, { path: string; fill: (page: Page) => Promise<void>; send: string; list: string }> = {
  'a batch': {
    path: '/batches/new',
    fill: async (page) => {
      await page.getByLabel('Amount for each player').fill('7');
      await page.getByRole('textbox', { name: 'Reason' }).fill('gift');
      await page.getByLabel('Identifiers of the players').fill('char1:ana');
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.locator('[data-preview]').waitFor();
    },
    send: 'Pay 1 player',
    list: '/api/v2/batches',
  },
  'a schedule': {
    path: '/schedules/new',
    fill: async (page) => {
      const sheet = page.getByRole('dialog');
      await sheet.getByLabel('Label').fill('Salary');
      await sheet.getByLabel('Amount for each player').fill('7');
      await sheet.getByRole('textbox', { name: 'Reason' }).fill('salary');
      await sheet.getByLabel('Identifiers of the players').fill('char1:ana');
      await sheet.getByRole('button', { name: 'Preview' }).click();
    },
    send: 'Make it',
    list: '/api/v2/schedules',
  },
};

it.each(Object.entries(FORMS))('%s is made once, also over a reload', async (_name, { path, fill, send, list }) => {
  const { hub } = await startStage();
  const { page, expecting } = await enter(hub, path);
  expecting(/net::ERR_FAILED/);
  const lost = await loseAnswers(page);
  await fill(page);
  await page.getByRole('dialog').getByRole('button', { name: send }).click();
  await page.getByRole('dialog').locator('[data-lost]').waitFor();
  await page.reload();
  await lost.stop();
  await left(page)
    .getByRole('link', { name: /^(The hub has it\.|Look what became of it)$/ })
    .waitFor();
  await fill(page);
  await sentBefore(page).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: send }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => left(page).count()).toBe(0);
  expect(await countOf(hub, list)).toBe(1);
});

it('a browser that keeps nothing still knows it until the page is left', async () => {
  const { hub, economy } = await startStage();
  const { page, expecting } = await visit(hub, playerPath(ANA), {}, async (opened) => {
    await opened.addInitScript(
      'Object.defineProperty(window, "sessionStorage", { get() { throw new Error("off"); } })',
    );
  });
  expecting(/net::ERR_FAILED/);
  await signIn(page, hub.key);
  const lost = await loseAnswers(page);
  await give(page);
  await press(page);
  await phase(page, 'lost').waitFor();
  await expect.poll(() => economy.applied.length).toBe(1);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await left(page).waitFor();
  await lost.stop();
  await give(page);
  await sentBefore(page).waitFor();
  await press(page);
  await phase(page, 'done').getByText('12,300 → 12,307').waitFor();
  expect(economy.applied.length).toBe(1);
});
