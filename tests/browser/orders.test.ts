import { describe, expect, it } from 'vitest';
import { openBrowser } from '../kit/browser.ts';
import { createGate } from '../kit/gate.ts';
import { startHub } from '../kit/hub.ts';
import { ANA, choose, order, phase, playerPath, startStage } from '../kit/panel-stage.ts';

const { enter, visit } = openBrowser();

describe('an order', () => {
  it('shows the effect in advance, takes effect, shows before and after, and offers the opposite', async () => {
    const { hub, economy } = await startStage();
    const { page } = await enter(hub, playerPath(ANA));
    await order(page, 'Take money', '5000');
    await page.getByRole('dialog').getByText('12,300 → 7,300').waitFor();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Take / })
      .click();
    await phase(page, 'done').waitFor();
    expect(await phase(page, 'done').textContent()).toContain('12,300 → 7,300');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await phase(page, 'done').getByRole('button', { name: 'Undo' }).click();
    await phase(page, 'done').getByText('7,300 → 12,300').waitFor();
    expect(economy.banks.get(ANA)).toBe(12_300);
    // The page itself follows without a reload.
    await expect.poll(() => page.locator('[data-account=bank]').textContent()).toBe('12,300');
    await expect.poll(() => page.locator('.history tbody tr').count()).toBe(2);
  });

  it('is undone from the history of the player', async () => {
    const { hub, economy } = await startStage();
    const json = { target: ANA, type: 'bank', amount: 300, action: 'remove', reason: 'fine' };
    await hub.request('/api/v2/bridge/main/money', { json });
    await hub.request('/api/v2/bridge/main/kick', { json: { target: ANA, reason: 'rude' } });
    const { page } = await enter(hub, playerPath(ANA));
    await expect.poll(() => page.locator('.history tbody tr').count()).toBe(2);
    const undo = page.getByRole('button', { name: 'Undo: Deduct 300 from' });
    expect(await page.locator('.history').getByRole('button').count()).toBe(1);
    await undo.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true }).click();
    await phase(page, 'done').waitFor();
    expect(economy.banks.get(ANA)).toBe(12_300);
  });

  it('needs a whole number, and a reason where the project wants one', async () => {
    const { hub, economy } = await startStage();
    await hub.request('/api/v2/project', { method: 'PATCH', json: { reasonFor: ['money'] } });
    const { page } = await enter(hub, playerPath(ANA));
    await choose(page, 'Give', 'Money');
    for (const amount of ['', '0', '-5', '1.5', '1e3', 'x', '1.500', '1,50', '1,5000', ',100', '1 500']) {
      await page.getByLabel('Amount').fill(amount);
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Give / })
        .click();
      await page.getByText('Type a whole number').waitFor();
    }
    await page.getByText('such as 15000 or 15,000').waitFor();
    await page.getByLabel('Amount').fill('99999999999999999');
    await page.getByText('Too much: at most 9,007,199,254,740,991 in one command.').waitFor();
    await page.getByText('Say why').waitFor();
    expect(economy.applied).toEqual([]);
  });

  it.each([
    ['en-GB', 'Amount', '1,500'],
    ['de-DE', 'Betrag', '1.500'],
    ['pt-BR', 'Valor', ' 1.500 '],
  ])('takes the signs between thousands as they are written in %s', async (locale, label, amount) => {
    const { hub, economy } = await startStage();
    const { page } = await visit(hub, playerPath(ANA), { locale });
    await page.getByLabel(/API/).fill(hub.key);
    await page.keyboard.press('Enter');
    await page.locator('.page .button.primary').click();
    await page.getByRole('menuitem').first().click();
    await page.getByLabel(label).fill(amount);
    await page.getByRole('dialog').locator('input').last().fill('because');
    await page.locator('button[type=submit]').last().click();
    await phase(page, 'done').waitFor();
    expect(economy.applied).toMatchObject([{ delta: 1_500 }]);
  });

  it('is not offered where it cannot be, and it is said why', async () => {
    const { hub, game, economy } = await startStage();
    const record = { identifier: 'char1:cid', name: 'Cid', online: false, identifiers: [], accounts: {} };
    game.bridge.changed({ players: [{ ...record, inventory: [], vehicles: [], metadata: {} }] });
    await expect.poll(async () => (await hub.request('/api/v2/players/char1:cid')).status).toBe(200);
    const { page } = await enter(hub, playerPath('char1:cid'));
    const kick = page.getByRole('button', { name: 'Kick', exact: true });
    await kick.focus();
    expect(await kick.getAttribute('aria-disabled')).toBe('true');
    const id = (await kick.getAttribute('aria-describedby')) ?? '';
    expect(await page.locator(`[id="${id}"]`).textContent()).toBe('The player is not online.');
    await page.locator(`[id="${id}"]`).waitFor({ state: 'visible' });
    await page.keyboard.press('Enter');
    for (const menu of ['Give', 'Take']) {
      await page.getByRole('button', { name: menu, exact: true }).click();
      const money = page.getByRole('menuitem', { name: /^Money The game server reports no accounts/ });
      await money.and(page.locator(':focus')).waitFor();
      expect(await money.getAttribute('aria-disabled')).toBe('true');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Escape');
    }
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(economy.kicked).toEqual([]);
  });

  it('is refused in plain words, and the typed text stays', async () => {
    const { hub, economy } = await startStage();
    const { page, expecting } = await enter(hub, playerPath(ANA));
    expecting(/status of 409/);
    await order(page, 'Take money', '12000');
    // The player has spent it, and the page does not know yet.
    economy.banks.set(ANA, 11_000);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Take / })
      .click();
    await page.getByText('Not enough money: the account holds 11,000.').waitFor();
    await page.getByRole('button', { name: 'Change and try again' }).click();
    // The button is gone: the keys stay in the dialog, and none of them leads away from it.
    await page.getByLabel('Amount').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Control+k');
    for (let tab = 0; tab < 6; tab += 1) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.closest("[role=dialog]") !== null')).toBe(true);
    }
    expect(await page.getByRole('dialog').count()).toBe(1);
    expect(await page.getByRole('textbox', { name: 'Reason' }).inputValue()).toBe('because');
    await page.getByLabel('Amount').fill('300');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Take / })
      .click();
    await phase(page, 'done').getByText('11,000 → 10,700').waitFor();
  });

  it('happens once, however often the button is pressed', async () => {
    const { hub, economy } = await startStage();
    const { page } = await enter(hub, playerPath(ANA));
    await order(page, 'Give money', '7');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Give / })
      .dblclick();
    await phase(page, 'done').waitFor();
    expect(economy.applied).toHaveLength(1);
  });

  it('happens once when its answer is lost, and the truth is told', async () => {
    const { hub, economy } = await startStage();
    const { page, expecting } = await enter(hub, playerPath(ANA));
    expecting(/net::ERR_FAILED/);
    let lost = 0;
    await page.route('**/api/v2/bridge/**', async (route) => {
      if (lost === 2) return route.continue();
      lost += 1;
      await route.fetch();
      await route.abort('failed');
    });
    await order(page, 'Give money', '7');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Give / })
      .click();
    await phase(page, 'lost').waitFor();
    await phase(page, 'done').waitFor();
    expect(await phase(page, 'done').textContent()).toContain('12,300 → 12,307');
    expect([lost, economy.applied.length]).toEqual([2, 1]);
  });

  it('is not called undone because it could not be asked about: that would do it twice', async () => {
    const { hub, economy } = await startStage();
    const { page, expecting } = await enter(hub, playerPath(ANA));
    expecting(/net::ERR_FAILED|status of 429/);
    const refusal = { code: 'rate_limited', title: 'Too many requests', status: 429, executed: 'no', retryable: true };
    const turns: string[] = [];
    await page.route('**/api/v2/bridge/**', async (route) => {
      turns.push(route.request().headers()['idempotency-key'] ?? '');
      if (turns.length === 1) {
        await route.fetch();
        return route.abort('failed');
      }
      if (turns.length > 3) return route.continue();
      return route.fulfill({ status: 429, contentType: 'application/problem+json', body: JSON.stringify(refusal) });
    });
    await order(page, 'Give money', '7');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Give / })
      .click();
    await phase(page, 'lost').waitFor();
    await phase(page, 'done').waitFor();
    expect([turns.length, new Set(turns).size, economy.applied.length]).toEqual([4, 1, 1]);
  });

  it('is followed while it is indeterminate, until it settles', async () => {
    const door = createGate();
    const { hub, economy } = await startStage({ env: { COMMAND_WAIT_MS: '300' }, before: () => door.opened });
    const { page } = await enter(hub, playerPath(ANA));
    await page.route('**/api/v2/bridge/**', (route) =>
      route.continue({ headers: { ...route.request().headers(), prefer: 'wait=1' } }),
    );
    await order(page, 'Give money', '7');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Give / })
      .click();
    await phase(page, 'doubt').waitFor();
    expect(economy.applied).toEqual([]);
    door.open();
    await phase(page, 'done').waitFor();
    expect(economy.applied).toHaveLength(1);
  });

  it('keeps its page until it is known what became of it', async () => {
    const door = createGate();
    const { hub, economy } = await startStage({ before: () => door.opened });
    const { page } = await enter(hub, '/players');
    await page.locator('.players a', { hasText: ANA }).click();
    await order(page, 'Give money', '7');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Give / })
      .click();
    await phase(page, 'sending').waitFor();
    await page.goBack();
    await page.getByText('It is on its way. The page stays').waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toBe(playerPath(ANA));
    door.open();
    await phase(page, 'done').getByText('12,300 → 12,307').waitFor();
    expect(economy.applied).toHaveLength(1);
    await page.goBack();
    await page.getByRole('heading', { name: 'Players', level: 1 }).waitFor();
  });

  it.each([
    ['before it had begun: it is done by the next one, once', 'before started', 'done', 1],
    ['after its effect was known: it is done', 'after done', 'done', 1],
    ['during its effect: indeterminate', 'after started', 'unknown', 0],
  ] as const)('is followed across the death of a game server that died %s', async (_name, moment, end, applied) => {
    const { hub, economy, game, startGameAgain } = await startStage();
    const { page, expecting } = await enter(hub, playerPath(ANA));
    expecting(/status of 409/);
    await page.route('**/api/v2/bridge/**', (route) =>
      route.continue({ headers: { ...route.request().headers(), prefer: 'wait=1' } }),
    );
    game.stopAt(moment);
    await order(page, 'Give money', '7');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Give / })
      .click();
    await phase(page, 'doubt').waitFor();
    await game.crash();
    startGameAgain();
    await phase(page, end).waitFor();
    expect(economy.applied).toHaveLength(applied);
  });

  it('is followed across a restart of the hub in the middle of it', async () => {
    const door = createGate();
    const { hub, economy } = await startStage({ before: () => door.opened });
    const { page, expecting } = await enter(hub, playerPath(ANA));
    expecting(/ERR_(CONNECTION|INCOMPLETE|EMPTY)/);
    await order(page, 'Give money', '7');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Give / })
      .click();
    await expect.poll(async () => (await hub.request('/api/v2/commands')).body['data']).toHaveLength(1);
    await hub.crash();
    await phase(page, 'lost').waitFor();
    await startHub({ folder: hub.folder, env: { PORT: String(hub.port) } });
    door.open();
    await phase(page, 'done').waitFor();
    expect(await phase(page, 'done').textContent()).toContain('12,300 → 12,307');
    expect(economy.applied).toHaveLength(1);
  });

  it('is not sent to a server that is not there', async () => {
    const { hub, game } = await startStage();
    const { page, expecting } = await enter(hub, playerPath(ANA));
    expecting(/status of 503/);
    await game.stop();
    await order(page, 'Give money', '7');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Give / })
      .click();
    await page.getByText('The game server is not connected. Nothing was sent.').waitFor();
    expect(await phase(page, 'refused').count()).toBe(1);
  });

  it('kicks, with the keyboard alone', async () => {
    const { hub, economy } = await startStage();
    const { page } = await enter(hub, playerPath(ANA));
    await page.getByRole('button', { name: 'Kick' }).focus();
    const focused = page.locator(':focus');
    await page.keyboard.press('Enter');
    await page.getByLabel('Reason').and(focused).waitFor();
    await page.keyboard.type('rude');
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Kick now' }).and(focused).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('was kicked').waitFor();
    expect(economy.kicked).toEqual([ANA]);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });
});
