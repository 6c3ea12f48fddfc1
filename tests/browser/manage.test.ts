import { describe, expect, it } from 'vitest';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import { startHub } from '../kit/hub.ts';
import { ANA, act, playerPath, rowOf, startStage } from '../kit/panel-stage.ts';
import { welcomeRaw } from '../kit/raw-bridge.ts';

const { enter, visit, signIn } = openBrowser();

describe('the overview', () => {
  it('shows what needs an operator, and follows changes', async () => {
    const { hub, game } = await startStage();
    const { page } = await enter(hub);
    await page.getByText('There is nothing to do.').waitFor();
    await game.stop();
    await page.getByText('Start the game server, or look at its console.').waitFor();
    await page.getByText('Not connected', { exact: true }).waitFor();
  });
});

describe('a server that was added', () => {
  it('is not called broken before it has ever been there, and it is said how to connect it', async () => {
    const { hub, game } = await startStage();
    await hub.newServer('west');
    const { page } = await enter(hub);
    await page.getByText('west\u2069 has never connected yet').waitFor();
    await page.locator('.server', { hasText: 'west' }).getByText('Never connected yet').waitFor();
    expect(await page.getByText('Not connected', { exact: true }).count()).toBe(0);
    await page.getByRole('link', { name: 'How to connect it' }).click();
    await page.getByText('The token was shown once, when it was made.').waitFor();
    await page.goto(`${hub.address}/project`);
    await page.getByText('Works; something is missing').waitFor();
    expect(await page.getByText(/^Version .*, started (now|\d+ seconds? ago)$/).count()).toBe(1);
    await page.goto(`${hub.address}/servers/main`);
    await page.getByText(/^Connected (now|\d+ seconds? ago)$/).waitFor();
    await game.stop();
    await page.getByText(/^Last connected /).waitFor();
  });
});

describe('a server that is disabled', () => {
  it('is named by the overview, and the buttons of its players say why they are off', async () => {
    const { hub, economy } = await startStage();
    await hub.request('/api/v2/servers/main', { method: 'PATCH', json: { disabled: true } });
    const { page } = await enter(hub);
    await page.getByText('Main\u2069 is disabled: no commands reach it until it is enabled.').waitFor();
    expect(await page.getByText('There is nothing to do.').count()).toBe(0);
    await page.goto(hub.address + playerPath(ANA));
    const kick = page.getByRole('button', { name: 'Kick', exact: true });
    await expect.poll(() => kick.getAttribute('aria-disabled')).toBe('true');
    const reason = async (): Promise<string | null> => {
      const id = (await kick.getAttribute('aria-describedby')) ?? '';
      return page.locator(`[id="${id}"]`).textContent();
    };
    // The players of a disabled server are offline, which may be heard first.
    await expect.poll(reason).toBe('This server is disabled.');
    for (const menu of ['Give', 'Take']) {
      await page.getByRole('button', { name: menu, exact: true }).click();
      await page.getByRole('menuitem', { name: /^Money This server is disabled/ }).click({ force: true });
      expect(await page.getByRole('dialog').count()).toBe(0);
      await page.keyboard.press('Escape');
    }
    expect(economy.applied).toEqual([]);
    await page.goto(hub.address);
    await page.getByRole('link', { name: 'Enable it' }).click();
    await act(rowOf(page, 'Main'), 'Enable');
    await expect.poll(async () => (await hub.request('/api/v2/servers/main')).body['disabled']).toBe(false);
  });
});

describe('a server that is in trouble', () => {
  it('is shown so, with advice', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const { page } = await enter(hub);
    await page.getByText('There is nothing to do.').waitFor();
    const database = { engine: 'mysql', status: 'fail' };
    bridge.send({ type: 'status', players: { online: 3, max: 64 }, tickMs: 4_200, database, draining: true });
    await page.reload();
    await page.getByText('3 / 64').waitFor();
    for (const state of ['Restarting', 'Game hangs', 'down']) {
      await page.locator('.server').getByText(state, { exact: true }).waitFor();
    }
    await page.getByText('the game answers slowly (4,200 ms)').waitFor();
    await page.getByText('is about to restart. New commands wait until it is back.').waitFor();
    await page.getByText('Balances there may be old.').waitFor();
  });
});

describe('servers', () => {
  it('are added with the lines for their configuration, and lose their old token', async () => {
    const { hub, game } = await startStage();
    const { page } = await enter(hub, '/servers');
    await page.getByRole('button', { name: 'New server' }).click();
    await page.getByLabel('Id, such as main').fill('Not This');
    await page.getByText('Small letters, digits').waitFor();
    await page.getByLabel('Id, such as main').fill('west');
    await page.getByLabel('Name', { exact: true }).fill('Wild West');
    await page.getByRole('button', { name: 'Add it' }).click();
    const lines = async (): Promise<string> => (await page.locator('.secret').textContent()) ?? '';
    expect(await lines()).toContain('set causeway_url "…"');
    await page.getByRole('heading', { name: 'Connect' }).waitFor();
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0);
    await page.getByLabel('Where does the game server run?').selectOption('On another machine');
    for (const wrong of ['127.0.0.1', 'localhost:8080', 'http://[::1]:80', 'a b', 'ftp://x']) {
      await page.getByLabel('Address of the hub').fill(wrong);
      await page.getByText('No other machine reaches this address.').waitFor();
    }
    for (const [typed, url] of [
      ['10.0.0.5', `ws://10.0.0.5:${hub.port}/bridge`],
      ['hub.lan:9000', 'ws://hub.lan:9000/bridge'],
      ['https://hub.example.org/', 'wss://hub.example.org/bridge'],
    ] as const) {
      await page.getByLabel('Address of the hub').fill(typed);
      await expect.poll(lines).toContain(`set causeway_url "${url}"`);
    }
    await page.getByLabel('Where does the game server run?').selectOption('On the machine of the hub');
    await page.getByRole('button', { name: 'Copy' }).waitFor();
    expect(await lines()).toMatch(
      new RegExp(`^set causeway_url "ws://127.0.0.1:${hub.port}/bridge"\\nset causeway_token "cwb_\\w{38}"`),
    );
    await page.getByRole('link', { name: 'Back to the servers' }).click();
    await rowOf(page, 'Wild West').getByText('Never connected yet', { exact: true }).waitFor();
    const main = rowOf(page, 'Main');
    // What is normal has no word.
    await main.getByText('test-game').waitFor();
    expect(await main.locator('.state').count()).toBe(0);
    await act(main, 'New token');
    await page.getByRole('dialog').getByRole('button', { name: 'New token' }).click();
    await page.locator('.secret').waitFor();
    await page.getByText('Waiting for the game server.').waitFor();
    await page.getByRole('link', { name: 'Back to the servers' }).click();
    await main.getByText('Not connected').waitFor();
    await game.stop();
    await act(main, 'Disable');
    await page.getByText('is disconnected at once').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect((await hub.request('/api/v2/servers/main')).body['disabled']).toBe(false);
    await act(main, 'Disable');
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await main.getByText('Disabled').waitFor();
    await act(main, 'Delete');
    await page.getByText(/were not sent are taken back: 0\..*can say how they ended: 0\./).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await main.waitFor({ state: 'detached' });
    expect((await hub.request('/api/v2/servers/main')).status).toBe(404);
  });
});

describe('a server', () => {
  it('that is as it should be has no head for its state, until another one is not', async () => {
    const { hub } = await startStage();
    const { page } = await enter(hub, '/servers');
    const head = page.getByRole('columnheader', { name: 'State', exact: true });
    await rowOf(page, 'Main').waitFor();
    expect((await head.boundingBox())?.width).toBe(160);
    expect(await head.locator('.unseen').count()).toBe(1);
    await hub.request('/api/v2/servers', { json: { serverId: 'west', name: 'West' } });
    await page.reload();
    await rowOf(page, 'West').getByText('Never connected yet').waitFor();
    expect(await head.locator('.unseen').count()).toBe(0);
  });

  it('is renamed, and stands in a line of 36 pixels that begins below the head', async () => {
    const { hub } = await startStage();
    const { page } = await enter(hub, '/servers');
    await act(rowOf(page, 'Main'), 'Rename');
    await page.getByLabel('Name', { exact: true }).fill('Los Santos');
    await page.getByRole('button', { name: 'Save' }).click();
    const row = rowOf(page, 'Los Santos');
    await row.waitFor();
    expect((await hub.request('/api/v2/servers/main')).body['name']).toBe('Los Santos');
    const { y = Infinity, height = Infinity } = (await row.boundingBox()) ?? {};
    expect(height).toBeLessThanOrEqual(37);
    expect(y).toBeLessThanOrEqual(190);
  });
});

describe('the page that connects a server', () => {
  it('says which framework came, and how many play', async () => {
    const hub = await startHub();
    const software = { name: 'causeway-bridge', version: '1.0.0', framework: 'esx', frameworkVersion: '1.13.5' };
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { software });
    bridge.send({ type: 'status', players: { online: 64, max: 128 } });
    const { page } = await enter(hub, '/servers/main/connect');
    await page.getByText('Connected: esx 1.13.5, 64 of 128 players').waitFor();
    await page.getByText('causeway-bridge 1.0.0', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Try a command' }).waitFor();
  });
});

describe('the lines for a game server', () => {
  it('have a new token only for the user who made it, and only while it is valid', async () => {
    const { hub } = await startStage();
    const reader = await hub.newKey(['servers:read']);
    const { page, expecting } = await enter(hub, '/servers');
    // After the sign-out, the hub may cut the stream of events before the page has closed it.
    expecting(/status of 401|ERR_INCOMPLETE_CHUNKED_ENCODING/);
    const renew = async (ask: () => Promise<void>): Promise<void> => {
      await ask();
      await page.getByRole('dialog').getByRole('button', { name: 'New token' }).click();
      await page.getByText(/set causeway_token "cwb_\w{38}"/).waitFor();
    };
    await renew(() => act(rowOf(page, 'Main'), 'New token'));
    await hub.request('/api/v2/servers/main/token', { method: 'POST', json: {} });
    await page.getByText('set causeway_token "cwb_…"').waitFor();
    await renew(() => page.getByRole('button', { name: 'New token' }).click());
    await page.locator('.side .account').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, reader);
    await page.getByText('The token was shown once, when it was made.').waitFor();
    expect(await page.locator('.secret').textContent()).toContain('set causeway_token "cwb_…"');
  });

  it('have the public address of the hub, wherever the panel was opened', async () => {
    const { hub } = await startStage({ env: { PUBLIC_URL: 'http://hub.example.org' } });
    const { page } = await enter(hub, '/servers');
    await act(rowOf(page, 'Main'), 'New token');
    await page.getByRole('dialog').getByRole('button', { name: 'New token' }).click();
    await page.getByText('set causeway_url "ws://hub.example.org/bridge"').waitFor();
    await page.getByText('This address is plain http over the internet').waitFor();
    expect(await page.getByLabel('Where does the game server run?').count()).toBe(0);
  });
});

describe('keys', () => {
  it('say which is the own one, and the last that manages keys cannot be revoked', async () => {
    const { hub } = await startStage();
    const key = await hub.newKey(['players:read']);
    const { page } = await enter(hub, '/keys');
    const own = rowOf(page, 'test key');
    await own.getByText('This is you').waitFor();
    await own.getByText('Admin', { exact: true }).waitFor();
    expect(await page.getByText('This is you').count()).toBe(1);
    await own.getByRole('button', { name: /^Actions for/ }).click();
    const revoke = own.getByRole('menuitem', { name: 'Revoke' });
    expect(await revoke.getAttribute('aria-disabled')).toBe('true');
    expect(await revoke.textContent()).toContain('This is the last key that may manage all keys.');
    await page.keyboard.press('Escape');
    await act(rowOf(page, 'other key'), 'Revoke');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await expect.poll(async () => (await hub.request('/api/v2/players', { key })).status).toBe(401);
  });

  it('of people who may start batches can have bounds for them', async () => {
    const { hub } = await startStage();
    const { page } = await enter(hub, '/keys', { viewport: { width: 1920, height: 1080 } });
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name of the person').fill('Events');
    const players = page.getByLabel('Most players in one batch');
    expect(await players.count()).toBe(0);
    await page.getByLabel('One command for many players').check();
    await players.fill('10001');
    await page.getByText('At most 10,000.').waitFor();
    const make = page.getByRole('button', { name: 'Make it' });
    expect(await make.isDisabled()).toBe(true);
    await players.fill('50');
    await page.getByLabel('Most money in one batch').fill('9,000');
    await make.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    const row = rowOf(page, 'Events');
    await row.getByText('Most players in one batch: 50 · Most money in one batch: 9,000').waitFor();
  });

  it('are made, work, are replaced and revoked', async () => {
    const { hub } = await startStage();
    const { page } = await enter(hub, '/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name of the person').fill('=Maria <b>');
    expect(await page.getByRole('radio', { name: 'Moderator' }).isChecked()).toBe(true);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Make it' }).click();
    const key = (await page.locator('.secret').textContent()) ?? '';
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    expect((await hub.request('/api/v2/players', { key })).status).toBe(200);
    expect((await hub.request('/api/v2/keys', { key })).status).toBe(403);
    const maria = await visit(hub, '/players');
    maria.expecting(/status of 401|ERR_INCOMPLETE_CHUNKED_ENCODING/);
    await signIn(maria.page, key);
    const row = rowOf(page, '=Maria <b>');
    await row.getByText('Moderator', { exact: true }).waitFor();
    await act(row, 'Revoke');
    await page.getByText('=Maria <b> can do nothing more').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.getByText(/^Revoked/).waitFor();
    await maria.page.getByText('Your session has ended.').waitFor();
  });

  it('are changed and keep the rest; a preset fills the grid', async () => {
    const { hub } = await startStage();
    await hub.newServer('west');
    await hub.newKey(['players:read', 'commands:batch'], ['main']);
    const { page } = await enter(hub, '/keys');
    await page.getByRole('button', { name: 'other key', exact: true }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByRole('radio', { name: 'Bot' }).waitFor();
    expect(await sheet.getByRole('radio', { checked: true }).count()).toBe(0);
    expect(await sheet.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await sheet.getByRole('radio', { name: 'Bot' }).check();
    expect(await sheet.getByLabel('Give and take money').isChecked()).toBe(true);
    await sheet.getByLabel('Most requests in a minute').fill('30');
    await sheet.getByLabel('Ends (empty: never)').fill('2099-01-02T03:04');
    await sheet.getByRole('button', { name: 'Save' }).click();
    const row = rowOf(page, 'other key');
    await row.getByText('Bot', { exact: true }).waitFor();
    const { body } = await hub.request('/api/v2/keys');
    const [changed] = (body['data'] as Record<string, unknown>[]).filter(({ name }) => name === 'other key');
    expect(changed).toMatchObject({ servers: ['main'], rateLimit: 30, maxBatchTargets: null });
    expect(String(changed?.['expiresAt'])).toContain('2099-01-0');
  });
});

describe('the project', () => {
  it('is renamed and gets bounds below those of the operator', async () => {
    const { hub } = await startStage();
    await hub.store.projects.update(hub.project.id, { maxAmount: 50_000 }, Date.now());
    const { page, expecting } = await enter(hub, '/project');
    expecting(/status of 403/);
    await page.getByText('50,000 (the operator’s)').waitFor();
    await page.getByRole('button', { name: 'Change' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel('Name of your community').fill('Night City');
    const largest = sheet.getByLabel('Largest amount of one money command');
    await largest.fill('50,001');
    await expect.poll(() => sheet.getByText('The operator allows at most 50,000.').count()).toBe(2);
    expect(await sheet.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await largest.fill('20,000');
    await sheet.getByLabel('Money', { exact: true }).check();
    expect(await violationsOf(page)).toEqual([]);
    await page.route('**/api/v2/project', (route) =>
      route.fulfill({
        status: 403,
        contentType: 'application/problem+json',
        body: JSON.stringify({ code: 'above_ceiling', status: 403, detail: '', requestId: 'req_1', executed: 'no' }),
      }),
    );
    await sheet.getByRole('button', { name: 'Save' }).click();
    await sheet.getByText('The operator of the hub allows less.').waitFor();
    await page.unrouteAll();
    await sheet.getByRole('button', { name: 'Save' }).click();
    await sheet.waitFor({ state: 'detached' });
    await page.getByText('20,000', { exact: true }).waitFor();
    await page.locator('.side .brand', { hasText: 'Night City' }).waitFor();
    expect((await hub.request('/api/v2/project')).body).toMatchObject({
      ...{ name: 'Night City', maxAmount: 20_000, reasonFor: ['money'] },
    });
  });

  it('has a language, which the panel speaks to those who chose none', async () => {
    const { hub } = await startStage();
    const { page } = await enter(hub, '/project');
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('dialog').getByLabel('Language of the panel').selectOption('Deutsch');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Projekt' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Projekt' }).waitFor();
    await page.locator('.side .account').click();
    await page.locator('.settings:popover-open select').first().selectOption('en');
    await page.reload();
    await page.getByRole('heading', { name: 'Project' }).waitFor();
    await page.getByText('Set by the operator').waitFor();
  });

  it('cannot be changed with a key that may not, or of some servers only', async () => {
    const { hub } = await startStage();
    const { page } = await enter(hub, '/project', { key: await hub.newKey(['project:write'], ['main']) });
    await page.getByText('Set by the operator').waitFor();
    expect(await page.locator('main').getByRole('button').count()).toBe(0);
  });
});
