import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBrowser } from '../kit/browser.ts';
import type { TestHub } from '../kit/hub.ts';
import { ANA, order, phase, playerPath, startStage } from '../kit/panel-stage.ts';

const { enter, signIn } = openBrowser();

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
    const isFirst = !keys.has(key);
    keys.add(key);
    // A repeated request counts against the minute of people.
    if (isSent && isFirst) await route.fetch();
    return route.abort('failed');
  });
  page.on('dialog', (dialog) => dialog.accept());
  return { keys, stop: () => page.unrouteAll({ behavior: 'wait' }) };
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
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('bank');
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

describe('a payment without an answer is known', () => {
  it('in another tab, where the same happens once, and after the answer once more', async () => {
    const { hub, economy } = await startStage();
    const { page, context, expecting } = await enter(hub, playerPath(ANA));
    expecting(/net::ERR_FAILED/);
    const other = await context.newPage();
    onTestFinished(() => other.close());
    await other.goto(hub.address + playerPath(ANA));
    const lost = await loseAnswers(page);
    await give(page);
    await press(page);
    await phase(page, 'lost').waitFor();
    const keys = new Set<string | undefined>();
    other.on('request', (request) => {
      if (request.method() === 'POST') keys.add(request.headers()['idempotency-key']);
    });
    await give(other);
    await sentBefore(other).getByText('it cannot happen twice').waitFor();
    // The first tab still waits for it.
    expect(await left(other).count()).toBe(0);
    await press(other);
    await phase(other, 'done').getByText('12,300 → 12,307').waitFor();
    expect([...keys]).toEqual([...lost.keys]);
    await lost.stop();
    await phase(page, 'done').getByText('12,300 → 12,307').waitFor();
    await give(other);
    expect(await sentBefore(other).count()).toBe(0);
    await press(other);
    await phase(other, 'done').getByText('12,307 → 12,314').waitFor();
    expect(economy.applied.length).toBe(2);
  });

  it('and happens once although another tab got its answer before this one asks again', async () => {
    const { hub, economy } = await startStage();
    const { page, context, expecting } = await enter(hub, playerPath(ANA));
    expecting(/net::ERR_FAILED/);
    const other = await context.newPage();
    onTestFinished(() => other.close());
    await other.goto(hub.address + playerPath(ANA));
    const lost = await loseAnswers(page);
    await give(page);
    await press(page);
    await phase(page, 'lost').waitFor();
    await page.evaluate('{ const now = Date.now; Date.now = () => now() + 61_000; }');
    await phase(page, 'gaveUp').getByText('Ask again; it cannot happen twice.').waitFor();
    await lost.stop();
    await give(other);
    await press(other);
    await phase(other, 'done').getByText('12,300 → 12,307').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Ask again' }).click();
    await phase(page, 'done').getByText('12,300 → 12,307').waitFor();
    expect(economy.applied.length).toBe(1);
  });

  it('when its tab is closed', async () => {
    const { hub, economy } = await startStage();
    const { page, context, expecting } = await enter(hub, '/');
    expecting(/net::ERR_FAILED/);
    const other = await context.newPage();
    await other.goto(hub.address + playerPath(ANA));
    await loseAnswers(other);
    await give(other);
    await press(other);
    await phase(other, 'lost').waitFor();
    expect(await left(page).count()).toBe(0);
    await other.close();
    await left(page).getByText('no answer came: +7 bank · Name of char1:ana.').waitFor();
    await left(page).getByRole('link', { name: 'It happened.' }).waitFor();
    expect(economy.applied.length).toBe(1);
  });

  it('when its person signs in again, and its words are not kept meanwhile', async () => {
    const { hub, economy } = await startStage();
    const { page, expecting } = await enter(hub, playerPath(ANA));
    expecting(/net::ERR_(FAILED|INCOMPLETE)|status of 401/);
    const lost = await loseAnswers(page);
    await give(page);
    await press(page);
    await phase(page, 'lost').waitFor();
    await page.reload();
    await lost.stop();
    await left(page).getByText('+7 bank').waitFor();
    await page.getByRole('button', { name: /, Account and display$/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toMatch(/char1|bank|because/i);
    await signIn(page, hub.key);
    await left(page).getByText('no answer came: something from before you signed out.').waitFor();
    await left(page).getByRole('link', { name: 'It happened.' }).waitFor();
    await page.goto(hub.address + playerPath(ANA));
    await give(page);
    await sentBefore(page).waitFor();
    await press(page);
    await phase(page, 'done').getByText('12,300 → 12,307').waitFor();
    expect(economy.applied.length).toBe(1);
  });
});

it('after fifty requests without an answer, nothing more is sent until the person forgets one', async () => {
  const { hub, economy } = await startStage();
  const { page, expecting } = await enter(hub, playerPath(ANA));
  expecting(/net::ERR_FAILED/);
  const lost = await loseAnswers(page, false);
  await give(page);
  await press(page);
  await phase(page, 'lost').waitFor();
  // 49 other requests of the same person.
  await page.evaluate(`
    const place = Object.keys(localStorage).find((each) => each.startsWith('causeway-unanswered/'));
    for (let more = 1; more < 50; more += 1) localStorage.setItem(place + more, localStorage.getItem(place));
  `);
  await page.reload();
  await lost.stop();
  await page.getByText('47 more requests got no answer.').waitFor();
  expect(await left(page).count()).toBe(3);
  await order(page, 'Give money', '8');
  await page.getByRole('dialog').getByRole('button', { name: 'Give 8' }).click();
  await phase(page, 'refused').getByText('Not sent: this browser cannot keep').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  expect((await hub.request('/api/v2/commands')).body['data']).toEqual([]);
  await left(page).getByRole('button', { name: 'Forget it' }).first().click();
  await page.getByText('46 more requests got no answer.').waitFor();
  await order(page, 'Give money', '8');
  await page.getByRole('dialog').getByRole('button', { name: 'Give 8' }).click();
  await phase(page, 'done').getByText('12,300 → 12,308').waitFor();
  expect(economy.applied.length).toBe(1);
});

it('what this browser could not remember is not sent', async () => {
  const { hub, economy } = await startStage();
  const { page } = await enter(hub, playerPath(ANA));
  await give(page);
  await page.evaluate('Storage.prototype.setItem = () => { throw new Error("full"); }');
  await press(page);
  await phase(page, 'refused').getByText('Not sent: this browser cannot keep').waitFor();
  expect((await hub.request('/api/v2/commands')).body['data']).toEqual([]);
  expect(economy.applied).toEqual([]);
});

it('kicks of many players without an answer are listed, and the same again kick each once', async () => {
  const { hub } = await startStage();
  const { page, expecting } = await enter(hub, '/players');
  expecting(/net::ERR_FAILED|status of 409/);
  const kick = async (): Promise<void> => {
    await page.getByRole('checkbox', { name: 'Select all players found' }).click();
    await page.locator('.selection').getByRole('button', { name: 'Kick' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('restart');
  };
  const send = page.getByRole('button', { name: 'Kick 2 players' });
  const lost = await loseAnswers(page);
  await kick();
  expect(await sentBefore(page).count()).toBe(0);
  await send.click();
  await expect.poll(() => lost.keys.size).toBe(2);
  await page.reload();
  await lost.stop();
  await expect.poll(() => left(page).count()).toBe(2);
  await left(page).getByText('Name of char1:bob').waitFor();
  await kick();
  await sentBefore(page).waitFor();
  await send.click();
  await page.getByText('2 of 2 ended').waitFor();
  await expect.poll(() => left(page).count()).toBe(0);
  expect(await countOf(hub, '/api/v2/commands')).toBe(2);
});
