import { describe, expect, it } from 'vitest';
import { createKey } from '../../server/cli/provision.ts';
import { hashSecret } from '../../server/secrets.ts';
import { openBrowser } from '../support/browser.ts';
import { startHub } from '../support/hub.ts';
import { ANA, order, phase, playerPath, startStage } from '../support/panel-stage.ts';

const { visit, enter, signIn } = openBrowser();
const HOUR_MS = 60 * 60 * 1000;
type Stage = Awaited<ReturnType<typeof startStage>>;

describe('who signs in', () => {
  it('with a wrong key is told so, and stays outside', async () => {
    const hub = await startHub();
    const { page, expecting } = await visit(hub);
    expecting(/status of 401/);
    await page.getByLabel('API key').fill('cw_live_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This key does not open anything.').waitFor();
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
    const { page, context } = await enter(hub);
    const [cookie] = await context.cookies();
    await page.locator('.account summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    const headers = { Cookie: `causeway_panel=${cookie?.value}` };
    expect((await hub.request('/api/v2/players', { key: null, headers })).status).toBe(401);
  });

  it('is offered what the key may do, and nothing else', async () => {
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
        const { body } = await hub.request(`/api/v2/keys/${hub.keyId}/rotate`, { method: 'POST' });
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
    await page.getByRole('button', { name: 'Add now' }).click();
    await phase(page, 'done').waitFor();
    expect(stage.economy.applied).toHaveLength(1);
  });
});

describe('a key that is revoked', () => {
  it('ends what it was doing; who comes next sees nothing of it', async () => {
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

describe('a hub that goes away', () => {
  it('is missed at once, and everything is there again when it comes back', async () => {
    const { hub } = await startStage();
    const { page, expecting } = await enter(hub, '/players');
    expecting(/ERR_(CONNECTION|INCOMPLETE|EMPTY)/);
    await page.locator('.players a').first().waitFor();
    await page.getByRole('searchbox').fill('char1');
    await hub.crash();
    await page.getByText('No connection to the hub.').waitFor();
    expect(await page.locator('.players a').count()).toBeGreaterThan(0);
    await startHub({ folder: hub.folder, env: { PORT: String(hub.port) } });
    await expect.poll(() => page.getByText('No connection to the hub.').count(), { timeout: 15_000 }).toBe(0);
    expect(await page.getByRole('searchbox').inputValue()).toBe('char1');
    await page.getByText('2 players').waitFor();
  });
});
