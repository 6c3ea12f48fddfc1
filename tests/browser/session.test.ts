import type { Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hashSecret } from '../../server/auth/credentials.ts';
import { openBrowser } from '../kit/browser.ts';
import { startHub } from '../kit/hub.ts';
import { createKey } from '../kit/make-tenant.ts';
import { ANA, order, phase, playerPath, startStage } from '../kit/panel-stage.ts';

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
    const problem = { code: 'rate_limited', title: 'Too many requests', status: 429, detail: '', requestId: 'req_1' };
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
    await page.clock.fastForward(50_000);
    expect(await streams()).toBe('1');
    await page.clock.fastForward(11_000);
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
    await page.getByText('No connection to the hub.').waitFor();
    expect(await page.locator('.players a').count()).toBeGreaterThan(0);
    expect(await page.locator('.players').evaluate((list) => list.getBoundingClientRect().top)).toBe(top);
    await startHub({ folder: hub.folder, env: { PORT: String(hub.port) } });
    await expect.poll(() => page.getByText('No connection to the hub.').count()).toBe(0);
    expect(await page.getByRole('searchbox').inputValue()).toBe('char1');
    await page.getByText('2 players').waitFor();
  });
});
