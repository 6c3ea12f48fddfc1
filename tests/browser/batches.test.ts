import { describe, expect, it } from 'vitest';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import { startHub } from '../kit/hub.ts';
import { ANA, startStage } from '../kit/panel-stage.ts';
import { answerAll, playerFrame, type RawBridge, welcomeRaw } from '../kit/raw-bridge.ts';

const { enter } = openBrowser();

const report = (bridge: RawBridge, revision: number, online: boolean, name = 'Ana'): void => {
  const players = [playerFrame(ANA, { name, accounts: { bank: 5 }, online })];
  bridge.send({ type: 'players.snapshot', revision, part: 0, last: true, players });
};

/** A hub with a batch that waits for Ana, who does not play. */
const startPatient = async () => {
  // This bridge answers no ping.
  const hub = await startHub({ tuning: { pingTimeoutMs: 600_000 } });
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: ['money@1'] });
  answerAll(bridge, () => ({ status: 'done', data: { account: 'bank', before: 5, after: 12 }, sequence: 1 }));
  report(bridge, 1, false);
  await expect.poll(async () => (await hub.request(`/api/v2/players/${ANA}`)).status).toBe(200);
  const params = { type: 'bank', amount: 7, action: 'add', reason: 'event' };
  const json = { serverId: 'main', name: 'money', params, targets: [ANA], deliver: 'when_online' };
  const { body } = await hub.request('/api/v2/batches', { json, headers: { 'Idempotency-Key': 'event' } });
  const path = `/batches/${String(body['id'])}`;
  const status = async () => (await hub.request(`/api/v2${path}`)).body['status'];
  await expect.poll(status).toBe('running');
  return { hub, bridge, path, status };
};

describe('a batch', () => {
  it('is previewed, started, and shown with its outcomes', async () => {
    const { hub, economy } = await startStage();
    await hub.request('/api/v2/project', { method: 'PATCH', json: { reasonFor: ['money'] } });
    const { page } = await enter(hub, '/');
    await page.getByRole('link', { name: 'Batches' }).click();
    await page.getByText('No batch yet').waitFor();
    await page.getByLabel('State').selectOption('ended');
    await page.getByText('Nothing with State: ').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('No batch yet').waitFor();
    await page.getByRole('link', { name: 'New batch' }).click();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('Say why. It stays in the journal.').waitFor();
    await page.getByLabel('Label (optional)').fill('Christmas');
    await page.getByLabel('Amount for each player').fill('7');
    await page.getByRole('textbox', { name: 'Reason' }).fill('gift');
    await page.getByLabel('Identifiers of the players').fill('char1:ana, char1:nobody char1:ana');
    await page.getByRole('combobox', { name: 'Add a player' }).fill('bob');
    await page.getByRole('option', { name: 'Name of char1:bob' }).click();
    await page.getByText('4 players').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.locator('[data-preview]').waitFor();
    expect(await page.locator('[data-preview]').textContent()).toBe(
      '3 players · Add 7 to bank · 14 in all · Main · 1 unknown · 1 listed twice',
    );
    expect(await violationsOf(page)).toEqual([]);
    expect(economy.applied).toEqual([]);
    await page.getByRole('button', { name: 'Pay 2 players' }).click();
    await page.getByText('3 of 3 ended').waitFor();
    await page.locator('[data-status=succeeded]', { hasText: '2' }).waitFor();
    await page.locator('[data-status=rejected]', { hasText: '1' }).waitFor();
    await expect.poll(() => page.locator('.commands li').count()).toBe(3);
    await page.locator('[data-status=rejected]').getByRole('button').click();
    await expect.poll(() => page.locator('.commands li').count()).toBe(1);
    await page.locator('[data-status=rejected]').getByRole('button').click();
    await expect.poll(() => page.locator('.commands li').count()).toBe(3);
    expect([economy.banks.get(ANA), economy.banks.get('char1:bob')]).toEqual([12_307, 57]);
    await page.getByRole('button', { name: 'More' }).first().click();
    const csv = await page.getByRole('menuitem', { name: 'Export as CSV' }).getAttribute('href');
    await page.keyboard.press('Escape');
    const table = await fetch(hub.address + csv, { headers: { 'X-API-Key': hub.key } });
    const lines = (await table.text()).trim().split('\r\n');
    expect(lines[0]).toMatch(/,error_code$/);
    expect(lines.filter((line) => line.includes('char1:bob') && line.endsWith(','))).toHaveLength(1);
    expect(lines.filter((line) => line.endsWith(',"player_not_found"'))).toHaveLength(1);
    await page.getByRole('link', { name: 'Back to the batches' }).click();
    await page.getByRole('link', { name: 'Christmas' }).waitFor();
  });

  it('whose answer was lost is the same one when its form is previewed and sent again', async () => {
    const { hub, economy } = await startStage();
    const { page, expecting } = await enter(hub, '/batches/new');
    expecting(/net::ERR_FAILED/);
    await page.getByLabel('Amount for each player').fill('7');
    await page.getByRole('textbox', { name: 'Reason' }).fill('gift');
    await page.getByLabel('Identifiers of the players').fill(ANA);
    const preview = page.getByRole('button', { name: 'Preview' });
    await preview.click();
    const pay = page.getByRole('button', { name: 'Pay 1 player' });
    await pay.waitFor();
    await page.route('**/api/v2/batches', async (route) => {
      await route.fetch();
      return route.abort('failed');
    });
    await pay.click();
    await page.locator('[data-lost]').waitFor();
    await page.unrouteAll();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await preview.click();
    await pay.click();
    await page.getByText('1 of 1 ended').waitFor();
    expect(economy.applied.map(({ delta }) => delta)).toEqual([7]);
  });

  it('that got no answer goes on, and the stream of events with it', async () => {
    const { hub, bridge } = await startPatient();
    const { page, expecting } = await enter(hub, '/batches/new');
    expecting(/net::ERR_FAILED/);
    await page.getByLabel('Amount for each player').fill('9');
    await page.getByRole('textbox', { name: 'Reason' }).fill('gift');
    await page.getByLabel('Identifiers of the players').fill(ANA);
    await page.getByLabel('Wait for players who are offline').check();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.route('**/api/v2/batches', async (route) => {
      await route.fetch();
      return route.abort('failed');
    });
    await page.getByRole('button', { name: 'Pay 1 player' }).click();
    await page.locator('[data-lost]').waitFor();
    await page.unrouteAll();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.locator('[data-unanswered]').getByRole('link', { name: 'The hub has it.' }).waitFor();
    await page.getByLabel('Amount for each player').fill('');
    await page.getByRole('textbox', { name: 'Reason' }).fill('');
    await page.getByLabel('Identifiers of the players').fill('');
    report(bridge, 2, true, 'Anabel');
    await page.getByRole('link', { name: 'Players', exact: true }).click();
    await page.locator('.player').getByText('Anabel').waitFor();
    const states = async () =>
      ((await hub.request('/api/v2/batches')).body['data'] as { status: string }[]).map(({ status }) => status);
    await expect.poll(states).toEqual(['settled', 'settled']);
    // No list is read again.
    await page.route('**/api/v2/players?*', () => undefined);
    bridge.send({ type: 'players.changed', revision: 3, offline: [ANA], players: [] });
    await page.locator('.player').getByText('Offline').waitFor();
  });

  it('whose sum is above the bound of the project begins once the sum is typed', async () => {
    const { hub, economy } = await startStage();
    await hub.request('/api/v2/project', { method: 'PATCH', json: { confirmAbove: 1_000 } });
    const { page } = await enter(hub, '/batches/new');
    await page.getByLabel('Identifiers of the players').fill(`${ANA} char1:bob`);
    const amount = page.getByLabel('Amount for each player');
    await amount.fill('500');
    await page.getByRole('button', { name: 'Preview' }).click();
    const pay = page.getByRole('button', { name: 'Pay 2 players' });
    await pay.waitFor();
    expect(await pay.isEnabled()).toBe(true);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await amount.fill('600');
    await page.getByRole('button', { name: 'Preview' }).click();
    const again = page.getByLabel('Type 1,200 to go on').and(page.locator(':focus'));
    await again.waitFor();
    await again.fill('600');
    await page.keyboard.press('Control+Enter');
    expect(await pay.isDisabled()).toBe(true);
    expect((await hub.request('/api/v2/batches')).body['data']).toEqual([]);
    await again.fill('1200');
    await page.keyboard.press('Control+Enter');
    await page.getByText('2 of 2 ended').waitFor();
    expect(economy.applied.map(({ delta }) => delta)).toEqual([600, 600]);
  });

  it('without a label is called by its command, without marks in it', async () => {
    const { hub, path } = await startPatient();
    const { page } = await enter(hub, '/batches');
    const link = page.locator(`a[href="${path}"]`);
    await link.waitFor();
    expect((await link.locator('.what').textContent())?.replaceAll(/[\u2068\u2069]/g, '')).toBe('Add 7 to bank');
    expect(await page.locator('main').textContent()).not.toContain('\ufffd');
  });

  it('for all players online gives items', async () => {
    const { hub } = await startStage();
    const { page } = await enter(hub, '/batches/new');
    await page.getByLabel('Command').selectOption('Give item');
    await page.getByRole('combobox', { name: 'Item' }).fill('bread');
    await page.getByRole('option', { name: 'bread' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('gift');
    await page.getByLabel('All players online').check();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.locator('[data-preview]', { hasText: '2 players' }).waitFor();
    await page.getByRole('button', { name: 'Send for 2 players' }).click();
    await page.locator('[data-status=succeeded]', { hasText: '2' }).waitFor();
  });

  it('for a job that nobody has says so, and is not sent', async () => {
    const jobs = () => [{ name: 'nurse', label: 'Nurse', grades: [] }];
    const { hub } = await startStage({ catalogues: { jobs } });
    await expect.poll(async () => (await hub.request('/api/v2/servers/main/jobs')).body['data']).toHaveLength(1);
    const { page } = await enter(hub, '/batches/new');
    await page.getByLabel('Amount for each player').fill('500');
    await page.getByRole('combobox', { name: 'All players with this job' }).fill('nu');
    await page.getByRole('option', { name: 'Nurse' }).click();
    await page.getByLabel('All players online').check();
    await page.getByText('Only who is online and has this job.').waitFor();
    await page.getByRole('button', { name: 'Preview' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('[data-preview]', { hasText: '0 players · Online now · Job: \u2068nurse\u2069' }).waitFor();
    await dialog.getByText('Nobody matches now').waitFor();
    expect(await dialog.getByRole('button', { name: 'Pay 0 players' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    // A text that is only typed is never forgotten: that would be everybody.
    const job = page.getByRole('combobox', { name: 'All players with this job' });
    for (const [typed, shown] of [
      ['medic', 'medic'],
      ['nurse', 'Nurse'],
    ] as const) {
      await job.fill(typed);
      await job.press('Control+Enter');
      await page.getByRole('button', { name: 'Preview' }).click();
      const text = `0 players · Online now · Job: \u2068${typed}\u2069`;
      await dialog.locator('[data-preview]', { hasText: text }).waitFor();
      await page.keyboard.press('Escape');
      expect(await job.inputValue()).toBe(shown);
    }
  });

  it('gives vehicles, sets jobs and runs declared commands, each with the fields of its own dialog', async () => {
    const hub = await startHub();
    const commands = ['money@1', 'items@1', 'vehicles@1', 'job@1'];
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { commands });
    answerAll(bridge, () => ({ status: 'rejected', error: { code: 'refused', message: 'No.' } }));
    const declared = (name: string, properties: object, required: string[]) => ({
      ...{ name, description: '', params: { type: 'object', properties, required, additionalProperties: false } },
    });
    const text = { type: 'string' };
    const bonus = declared('bonus', { target: text, count: { type: 'integer', minimum: 1 } }, ['target', 'count']);
    bridge.send({ type: 'commands.custom', commands: [bonus, declared('weather', { kind: text }, ['kind'])] });
    const grades = [0, 1].map((grade) => ({ grade, label: `Grade ${grade}` }));
    const entries = [{ name: 'police', label: 'LSPD', grades }];
    bridge.send({ type: 'catalogue', kind: 'jobs', hash: 'h', part: 0, last: true, entries });
    report(bridge, 1, true);
    const jobs = async () => (await hub.request('/api/v2/servers/main/jobs')).body['data'];
    await expect.poll(jobs).toHaveLength(1);
    const { page } = await enter(hub, '/batches/new');
    const kind = page.getByLabel('Command');
    const [player, reason] = [
      page.getByLabel('Identifiers of the players'),
      page.getByRole('textbox', { name: 'Reason' }),
    ];
    await expect
      .poll(() => kind.locator('option').allTextContents())
      .toEqual(['Give money', 'Take money', 'Give item', 'Take item', 'Give vehicle', 'Set job', 'bonus']);
    // The accounts are those that the game server reports.
    expect(await page.getByLabel('Account').locator('option').allTextContents()).toEqual(['bank', 'cash']);
    const start = async (says: string): Promise<void> => {
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.locator('[data-preview]', { hasText: says }).waitFor();
      await page.getByRole('button', { name: 'Send for 1 player' }).click();
      await page.getByText('1 of 1 ended').waitFor();
      await page.goto(`${hub.address}/batches/new`);
    };
    await kind.selectOption('Set job');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('Type a part of the name and choose one.').waitFor();
    await page.getByRole('combobox', { name: 'Job', exact: true }).fill('lspd');
    await page.getByRole('option', { name: 'LSPD' }).click();
    await page.getByLabel('Grade').selectOption('Grade 1');
    await reason.fill('academy');
    await player.fill(ANA);
    expect(await violationsOf(page)).toEqual([]);
    await start('Set job');
    await kind.selectOption('Give vehicle');
    await page.getByRole('combobox', { name: 'Model' }).fill('adder');
    await page.getByRole('option', { name: 'adder' }).click();
    await reason.fill('lottery');
    await player.fill(ANA);
    await start('Give vehicle');
    await kind.selectOption('bonus');
    await player.fill(ANA);
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('This is needed.').waitFor();
    await page.getByLabel('count').fill('3');
    await start('bonus');
    const { data } = (await hub.request('/api/v2/batches')).body as { data: Record<string, unknown>[] };
    expect(data.map(({ name, params }) => [name, params])).toEqual([
      ['custom:bonus', { count: 3 }],
      ['vehicles', { action: 'give', model: 'adder', reason: 'lottery' }],
      ['job', { job: 'police', grade: 1, reason: 'academy' }],
    ]);
  });

  it('moves on while it is looked at, in the list and on its page', async () => {
    const { hub, bridge, path } = await startPatient();
    const { page } = await enter(hub, path);
    await page.getByText('0 of 1 ended').waitFor();
    report(bridge, 2, true);
    await page.getByText('1 of 1 ended').waitFor();
    await page.locator('[data-status=succeeded]', { hasText: '1' }).waitFor();
    await page.locator('.commands li', { hasText: '5 → 12' }).waitFor();
  });

  it('is taken back as far as it has not left', async () => {
    const { hub, path, status } = await startPatient();
    const { page } = await enter(hub, path);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await page.locator('[data-status=voided]', { hasText: '1' }).waitFor();
    await expect.poll(status).toBe('settled');
    await expect.poll(() => page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
  });

  it('is undone after a question that says what would happen, and shows who did not get it', async () => {
    const { hub, economy } = await startStage();
    const params = { type: 'bank', amount: 7, action: 'add', reason: 'gift' };
    const json = { serverId: 'main', name: 'money', label: 'Christmas', params, targets: [ANA, 'char1:nobody'] };
    const { body } = await hub.request('/api/v2/batches', { json, headers: { 'Idempotency-Key': 'gift' } });
    const { page } = await enter(hub, `/batches/${String(body['id'])}`);
    await page.locator('[data-status=owed]', { hasText: 'Did not get it 1' }).getByRole('button').click();
    await expect.poll(() => page.locator('.commands .target').allTextContents()).toEqual(['char1:nobody']);
    await page.getByRole('button', { name: 'Undo' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^Add 7 to bank · .+ · 1 command to undo · 7 in all · 1 had no effect$/).waitFor();
    await dialog
      .getByRole('textbox', { name: /^Reason/ })
      .and(page.locator(':focus'))
      .waitFor();
    await dialog.getByLabel('Reason').fill('Wrong event');
    expect(economy.banks.get(ANA)).toBe(12_307);
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'The batch that this undoes' }).waitFor();
    await page.getByRole('heading', { name: 'Undo of Christmas' }).waitFor();
    await expect
      .poll(async () => {
        const { data } = (await hub.request('/api/v2/commands')).body as { data: { params: object }[] };
        return data[0]?.params;
      })
      .toMatchObject({ action: 'remove', reason: 'Wrong event' });
    await expect.poll(() => economy.banks.get(ANA)).toBe(12_300);
    await page.goto(`${hub.address}/batches`);
    await page
      .locator('.command', { hasText: /^Christmas/ })
      .getByText('Undo ended')
      .waitFor();
  });
});

describe('the batches', () => {
  it('are there for keys that may see them, and the form for those that may start one', async () => {
    const { hub, path } = await startPatient();
    const reader = await enter(hub, '/journal', { key: await hub.newKey(['commands:read']) });
    await reader.page.getByRole('link', { name: 'Batches' }).click();
    await reader.page.getByText('0 of 1 ended').waitFor();
    expect(await reader.page.getByRole('link', { name: 'New batch' }).count()).toBe(0);
    await reader.page.goto(hub.address + path);
    await reader.page.getByText('0 of 1 ended').waitFor();
    expect(await reader.page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    const other = await enter(hub, '/players', { key: await hub.newKey(['players:read']) });
    await other.page.getByRole('link', { name: 'Players' }).waitFor();
    expect(await other.page.getByRole('link', { name: 'Batches' }).count()).toBe(0);
  });
});
