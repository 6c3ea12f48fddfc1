import { describe, expect, it } from 'vitest';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import { startHub } from '../kit/hub.ts';
import { choose, phase, playerPath } from '../kit/panel-stage.ts';
import { answerAll, playerFrame, reportPlayers, welcomeRaw } from '../kit/raw-bridge.ts';

const { enter } = openBrowser();
const ANA = 'char1:ana';

const start = async (commands: readonly string[]) => {
  const hub = await startHub();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { commands });
  await reportPlayers(hub, bridge, playerFrame(ANA, { accounts: { bank: 5 } }));
  return { hub, bridge };
};

describe('the announcement', () => {
  it('is sent once to all players of a server, and says how many it has reached', async () => {
    const { hub, bridge } = await start(['kick@1', 'announce@1']);
    answerAll(bridge, () => ({ status: 'done', data: { confirmedBy: 'server', players: 1 } }));
    const { page } = await enter(hub, '/servers/main');
    await page.getByRole('button', { name: 'Announce to all' }).click();
    await page.getByRole('button', { name: 'Show now' }).click();
    await page.getByText('Type the text.').waitFor();
    await page.getByLabel('Text').fill('  The race begins at 20:00  ');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show now' }).dblclick();
    await phase(page, 'done').waitFor();
    expect(await phase(page, 'done').textContent()).toContain('Done: shown to 1 player.');
    expect((await bridge.command()).params).toEqual({ message: 'The race begins at 20:00' });
    const { data } = (await hub.request('/api/v2/commands')).body as { data: { name: string }[] };
    expect(data.map(({ name }) => name)).toEqual(['announce']);
  });

  it('is not offered to a key without its scope', async () => {
    const { hub } = await start(['kick@1', 'announce@1']);
    const { page } = await enter(hub, '/servers/main', { key: await hub.newKey(['servers:read']) });
    await page.locator('.pairs code').first().waitFor();
    expect(await page.getByRole('button', { name: 'Announce to all' }).count()).toBe(0);
  });
});

describe('a job', () => {
  it('of a server without a list of jobs takes any grade', async () => {
    const { hub, bridge } = await start(['job@1']);
    const held = { job: 'taxi', grade: 0 };
    answerAll(bridge, ({ params }) => ({
      status: 'done',
      data: { before: held, after: { job: params['job'], grade: params['grade'] } },
      sequence: 1,
    }));
    const { page } = await enter(hub, playerPath(ANA));
    await choose(page, 'Other actions', 'Set job');
    await page.getByRole('combobox', { name: 'Job' }).fill('police');
    await page.getByRole('option', { name: 'police' }).click();
    await page.getByLabel('Grade').fill('-1');
    await page.getByRole('button', { name: 'Set now' }).click();
    await page.getByText('Type a whole number from 0 on.').waitFor();
    await page.getByLabel('Grade').fill('7');
    await page.getByRole('button', { name: 'Set now' }).click();
    await phase(page, 'done').waitFor();
    expect((await bridge.command()).params).toMatchObject({ job: 'police', grade: 7 });
  });
});

describe('an item', () => {
  it('of a list of 20,000 is found as it is typed', async () => {
    const { hub, bridge } = await start(['items@1']);
    answerAll(bridge, () => ({ status: 'done', data: { item: 'item_19999', before: 0, after: 1 }, sequence: 1 }));
    for (let part = 0; part < 20; part += 1) {
      const entries = Array.from({ length: 1_000 }, (_, n) => {
        const number = part * 1_000 + n;
        return { name: `item_${number}`, label: `Thing ${number}` };
      });
      bridge.send({ type: 'catalogue', kind: 'items', hash: 'h', part, last: part === 19, entries });
    }
    const path = '/api/v2/servers/main/items?limit=1';
    await expect.poll(async () => (await hub.request(path)).body['syncedAt']).not.toBe(null);
    const { page } = await enter(hub, playerPath(ANA));
    await choose(page, 'Give', 'Items');
    await page.getByRole('combobox', { name: 'Item' }).pressSequentially('thing 1999');
    await page.getByRole('option', { name: 'Thing 19990' }).waitFor();
    await expect.poll(() => page.locator('.choices > *').count()).toBe(7);
    expect(await page.locator('.choices > *').last().textContent()).toBe('There are more: type a part of the name.');
    await page.getByRole('combobox', { name: 'Item' }).pressSequentially('9');
    await page.getByRole('option', { name: 'Thing 19999' }).click();
    await page.getByRole('button', { name: 'Give now' }).click();
    await phase(page, 'done').waitFor();
    expect((await bridge.command()).params).toMatchObject({ item: 'item_19999' });
  });
});

describe('the panel', () => {
  it('offers what the bridge announces, and nothing else', async () => {
    const { hub } = await start(['items@1', 'heal@1']);
    const { page } = await enter(hub, playerPath(ANA));
    const items = () => page.getByRole('menuitem').allTextContents();
    // Before its server is known, it offers what its scopes allow.
    await page.getByRole('button', { name: 'Give', exact: true }).click();
    await expect.poll(items).toEqual(['Items']);
    await page.keyboard.press('Escape');
    const shown: Record<string, string[]> = {};
    for (const menu of ['Give', 'Take', 'Other actions']) {
      await page.getByRole('button', { name: menu, exact: true }).click();
      await page.getByRole('menuitem').first().waitFor();
      shown[menu] = await items();
      await page.keyboard.press('Escape');
    }
    expect(shown).toEqual({
      Give: ['Items'],
      Take: ['Items'],
      'Other actions': ['Heal', 'More commands', 'Ask the game server', 'All in the journal'],
    });
    expect(await page.getByRole('button', { name: /^(Kick|Message)$/ }).count()).toBe(0);
    await page.goto(`${hub.address}/servers/main`);
    await page.locator('.pairs code').first().waitFor();
    expect(await page.getByRole('button', { name: 'Announce to all' }).count()).toBe(0);
  });

  it('offers kick and what can wait while the bridge is away', async () => {
    const { hub, bridge } = await start(['kick@1', 'money@1', 'items@1', 'heal@1']);
    bridge.socket.close();
    await expect
      .poll(async () => ((await hub.request('/api/v2/servers/main')).body as { connected: boolean }).connected)
      .toBe(false);
    const { page } = await enter(hub, playerPath(ANA));
    await page.getByRole('button', { name: 'Give', exact: true }).click();
    await expect.poll(() => page.getByRole('menuitem').allTextContents()).toEqual(['Money', 'Items', 'Vehicle']);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('button', { name: 'Kick', exact: true }).count()).toBe(1);
    await page.getByRole('button', { name: 'Other actions' }).click();
    await page.getByRole('menuitem', { name: 'Set job' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Revive' }).count()).toBe(0);
  });
});
