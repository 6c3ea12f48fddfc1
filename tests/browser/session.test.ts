import type { BrowserContext, Page, Route } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hashSecret } from '../../server/auth/credentials.ts';
import { openBrowser } from '../kit/browser.ts';
import { startHub } from '../kit/hub.ts';
import { createKey } from '../kit/make-tenant.ts';
import { ANA, act, order, phase, playerPath, rowOf, startStage } from '../kit/panel-stage.ts';

const { visit, enter, signIn } = openBrowser();
const HOUR_MS = 60 * 60 * 1000;
type Stage = Awaited<ReturnType<typeof startStage>>;

describe('a person who signs in', () => {
  it('with a wrong key is told so, and stays outside', async () => {
    const hub = await startHub();
    const { page, expecting } = await visit(hub);
    expecting(/status of 401/);
    await page.getByLabel('API key').fill('cw_live_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This key is not valid.').waitFor();
    expect(await page.getByRole('navigation').count()).toBe(0);
  });

  it('leaves no key in the browser, and is still in after a reload', async () => {
    const hub = await startHub();
    const { page, context } = await enter(hub);
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    expect(kept).not.toMatch(/cw_live|cwp_/);
    const cookies = await context.cookies();
    expect(cookies).toMatchObject([{ name: 'causeway_panel', httpOnly: true, sameSite: 'Strict' }]);
    await page.reload();
    await page.getByRole('navigation').waitFor();
  });

  it('is out after signing out', async () => {
    const hub = await startHub();
    const { page, context, expecting } = await enter(hub);
    // The hub may end the event stream, and refuse a request that is under way, before the panel has gone.
    expecting(/ERR_INCOMPLETE_CHUNKED_ENCODING|status of 401/);
    const [cookie] = await context.cookies();
    await page.locator('.side .account').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    const headers = { Cookie: `causeway_panel=${cookie?.value}` };
    expect((await hub.request('/api/v2/players', { key: null, headers })).status).toBe(401);
  });

  it('is told when signing out did not work, and can try again', async () => {
    const hub = await startHub();
    const { page, expecting } = await enter(hub);
    // When the hub answers again, everything is asked again, and may come too late.
    expecting(/status of 4(29|01)|ERR_FAILED/);
    const why = { code: 'rate_limited', title: 'Too many requests', status: 429, detail: '', executed: 'no' };
    const problem = { ...why, requestId: 'req_1' };
    const answers = [
      (route: Route) =>
        route.fulfill({ status: 429, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
      (route: Route) => route.abort('failed'),
    ];
    await page.route('**/api/v2/panel/session', (route) =>
      route.request().method() === 'DELETE' ? (answers.shift()?.(route) ?? route.continue()) : route.continue(),
    );
    await page.locator('.side .account').click();
    const out = page.getByRole('button', { name: 'Sign out' });
    await out.click();
    await page.locator('.settings:popover-open').getByText('Too many requests. Wait a moment').waitFor();
    await out.click();
    await page.locator('.settings:popover-open').getByText('No connection to the hub.').waitFor();
    await out.click();
    await page.getByLabel('API key').waitFor();
    expect((await page.context().cookies()).map(({ name }) => name)).toEqual([]);
  });

  it('sees the actions that the key allows, and no others', async () => {
    const { hub } = await startStage();
    const key = await hub.newKey(['players:read']);
    const { page } = await enter(hub, playerPath(ANA), { key });
    await page.getByRole('heading', { name: /Name of char1:ana/ }).waitFor();
    expect(await page.getByRole('navigation').getByRole('link').allTextContents()).toEqual(['Players', 'Project']);
    expect(await page.getByRole('button', { name: /Kick|money/ }).count()).toBe(0);
    await page.goto(`${hub.address}/keys`);
    await page.getByText('Your key may not see this.').waitFor();
  });
});

describe('a session that ends', () => {
  it.each([
    [
      'because its key was replaced',
      async ({ hub }: Stage) => {
        const { key } = await createKey(hub.store, hub.project.id, { name: 'other' });
        const { body } = await hub.request(`/api/v2/keys/${hub.keyId}/rotate`, { method: 'POST', key });
        return String(body['key']);
      },
    ],
    [
      'because nobody used it for 12 hours',
      async ({ hub }: Stage, token: string) => {
        await hub.store.panelSessions.touch(hashSecret(token), Date.now() - 12 * HOUR_MS);
        return hub.key;
      },
    ],
  ])('%s, asks for the key again and loses nothing that was typed', async (_name, end) => {
    const stage = await startStage();
    const { page, context, expecting } = await enter(stage.hub, playerPath(ANA));
    expecting(/status of 401|ERR_INCOMPLETE_CHUNKED_ENCODING/);
    await order(page, 'Give money', '7');
    const [cookie] = await context.cookies();
    const key = await end(stage, cookie?.value ?? '');
    await page.getByText('Your session has ended.').waitFor();
    expect(await page.getByRole('navigation').count()).toBe(0);
    await signIn(page, key);
    expect(await page.getByRole('textbox', { name: 'Reason' }).inputValue()).toBe('because');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Give / })
      .click();
    await phase(page, 'done').waitFor();
    expect(stage.economy.applied).toHaveLength(1);
  });
});

describe('a key that is revoked', () => {
  it('ends its requests; the next person sees nothing of them', async () => {
    const { hub, economy } = await startStage();
    const { page, expecting } = await enter(hub, playerPath(ANA));
    expecting(/status of 401|ERR_INCOMPLETE_CHUNKED_ENCODING/);
    await order(page, 'Give money', '7');
    await hub.store.apiKeys.update(hub.project.id, hub.keyId, { revokedAt: Date.now() }, Date.now());
    await page.getByText('Your session has ended.').waitFor();
    const { key } = await createKey(hub.store, hub.project.id, { name: 'second', scopes: ['servers:read'] });
    await signIn(page, key);
    await page.getByText('Your key may not see this.').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(economy.applied).toEqual([]);
  });
});

/** Another tab of the same browser, at the same page. */
const secondTab = async ({ context, page }: { context: BrowserContext; page: Page }): Promise<Page> => {
  const other = await context.newPage();
  onTestFinished(() => other.close());
  await other.goto(page.url());
  await other.getByRole('navigation').waitFor();
  return other;
};

const signOut = async (page: Page): Promise<void> => {
  await page.locator('.side .account').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').waitFor();
};

describe('two tabs of one browser', () => {
  it('are signed out together, and the next person finds nothing of the one before in either', async () => {
    const { hub } = await startStage();
    // Without a stream of events, which would tell it, too.
    const tab = await enter(hub, playerPath(ANA), { key: await hub.newKey(['players:read']) });
    tab.expecting(/status of 40[13]/);
    const other = await secondTab(tab);
    await other.getByRole('heading', { name: /Name of char1:ana/ }).waitFor();
    await signOut(tab.page);
    await other.getByText('Your session has ended.').waitFor();
    await signIn(tab.page, await hub.newKey(['servers:read']));
    await other.getByText('Your key may not see this.').waitFor();
    expect(await other.getByText('Name of char1:ana').count()).toBe(0);
  });

  it('both stay signed in when one replaces the own key', async () => {
    const { hub } = await startStage();
    const tab = await enter(hub, '/keys');
    tab.expecting(/status of 401|ERR_INCOMPLETE_CHUNKED_ENCODING/);
    const other = await secondTab(tab);
    await act(rowOf(tab.page, 'This is you'), 'Replace');
    await tab.page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
    await tab.page.getByRole('button', { name: 'sign in with it' }).click();
    await tab.page.getByRole('dialog').waitFor({ state: 'detached' });
    await other.getByRole('link', { name: 'Players' }).click();
    await other.locator('.players a').first().waitFor();
    expect(await other.getByLabel('API key').count()).toBe(0);
  });

  it('both show what one of them undoes', async () => {
    const { hub, economy } = await startStage();
    const tab = await enter(hub, playerPath(ANA));
    const other = await secondTab(tab);
    await order(tab.page, 'Take money', '300');
    await tab.page.keyboard.press('Control+Enter');
    // The pointer holds it.
    await phase(tab.page, 'done').hover();
    await other.getByRole('button', { name: /^Undo: / }).waitFor();
    await expect.poll(() => other.locator('[data-account=bank]').textContent()).toBe('12,000');
    await phase(tab.page, 'done').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => other.locator('[data-account=bank]').textContent()).toBe('12,300');
    await other.getByRole('button', { name: /^Undo: / }).waitFor({ state: 'detached' });
    expect(economy.banks.get(ANA)).toBe(12_300);
  });
});

describe('a browser whose clock is wrong', () => {
  it.each([
    ['five minutes ahead', 5],
    ['five minutes behind', -5],
  ])('by %s shows times and ends by the clock of the hub', async (_name, minutes) => {
    const { hub } = await startStage();
    const inTwoMinutes = new Date(Date.now() + 2 * 60_000).toISOString();
    const fourMinutesAgo = new Date(Date.now() - 4 * 60_000).toISOString();
    const task = { name: 'announce', params: { message: 'The race begins' } };
    const json = { serverId: 'main', label: 'Race', task, when: { at: inTwoMinutes } };
    expect((await hub.request('/api/v2/schedules', { json })).status).toBe(201);
    const key = { name: 'Guest', scopes: ['players:read'], expiresAt: inTwoMinutes };
    const guest = await hub.request('/api/v2/keys', { json: key });
    expect(guest.status).toBe(201);
    const { page } = await visit(hub, '/servers/main', {}, (opened) =>
      opened.clock.install({ time: Date.now() + minutes * 60_000 }),
    );
    await signIn(page, hub.key);
    await page.getByText(/^Connected (now|\d+ seconds? ago)$/).waitFor();
    await page.goto(`${hub.address}/schedules`);
    await rowOf(page, 'Race').locator('time').waitFor();
    await page.goto(`${hub.address}/keys`);
    await rowOf(page, 'Guest').waitFor();
    expect(await rowOf(page, 'Guest').getByText('Expired').count()).toBe(0);
    // An end that is over for the hub is over here, too.
    await hub.store.apiKeys.update(
      hub.project.id,
      String(guest.body['id']),
      { expiresAt: Date.parse(fourMinutesAgo) },
      Date.now(),
    );
    await page.reload();
    await rowOf(page, 'Guest').getByText('Expired', { exact: true }).waitFor();
  });
});

describe('a hidden tab', () => {
  it('closes its event stream after a minute, and loads missed events when it is visible again', async () => {
    const { hub, game } = await startStage();
    const { page } = await visit(hub, '/players', {}, (opened) => opened.clock.install());
    await signIn(page, hub.key);
    await page.locator('.players a').first().waitFor();
    const streams = async (): Promise<string | undefined> =>
      /^causeway_event_streams_open (\d+)$/m.exec((await hub.request('/metrics')).text)?.[1];
    const look = (state: 'hidden' | 'visible'): Promise<unknown> =>
      page.evaluate(`Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
        document.dispatchEvent(new Event('visibilitychange'));`);
    await expect.poll(streams).toBe('1');
    await look('hidden');
    // Not longer at once: the hub's signs of life do not run with the clock of the page.
    await page.clock.fastForward(35_000);
    await expect.poll(streams).toBe('1');
    await page.clock.fastForward(26_000);
    await expect.poll(streams).toBe('0');
    const record = { identifier: ANA, name: 'Ana', online: true, identifiers: [], accounts: { bank: 77_777 } };
    game.bridge.changed({ players: [{ ...record, inventory: [], vehicles: [], metadata: {} }] });
    await expect.poll(async () => (await hub.request(`/api/v2/players/${ANA}`)).body['name']).toBe('Ana');
    await look('visible');
    await expect.poll(streams).toBe('1');
    await page.getByText('77,777').waitFor();
  });
});

describe('a hub that goes away', () => {
  it('is missed at once, and everything is there again when it comes back', async () => {
    const { hub } = await startStage();
    const { page, expecting } = await enter(hub, '/players');
    expecting(/ERR_(CONNECTION|INCOMPLETE|EMPTY)/);
    await page.locator('.players a').first().waitFor();
    await page.getByRole('searchbox').fill('char1');
    const top = await page.locator('.players').evaluate((list) => list.getBoundingClientRect().top);
    await hub.crash();
    await page.getByText('No connection since').waitFor();
    expect(await page.locator('.players a').count()).toBeGreaterThan(0);
    expect(await page.locator('.players').evaluate((list) => list.getBoundingClientRect().top)).toBe(top);
    await startHub({ folder: hub.folder, env: { PORT: String(hub.port) } });
    await expect.poll(() => page.getByText('No connection since').count()).toBe(0);
    expect(await page.getByRole('searchbox').inputValue()).toBe('char1');
    await page.getByText('2 players').waitFor();
  });
});
