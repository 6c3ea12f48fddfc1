import { describe, expect, it } from 'vitest';
import { delayAnswers, openBrowser } from '../kit/browser.ts';
import { createGate } from '../kit/gate.ts';
import { ANA, choose, playerPath, record, startStage } from '../kit/panel-stage.ts';

const { enter } = openBrowser();

const HOSTILE = [
  '<img src=x onerror="document.title=1">',
  '"><script>document.title=1</script>',
  '\u202Enimda',
  'a\u200Bd\u200Bm\u200Bin',
  '😀'.repeat(60),
  '{{7*7}} <%= 7*7 %>',
  'Z̵̢͓̯͎̟͍̬̀̋̈́̒a̴̛̜͓̗̰̱͋̈́l̷̢̧͇̫̹̉͊g̸̗̮̙̈́͌̕͝o̸̧͕̜̦̓',
  'אבגדה (admin)',
];

const names = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`char1:n${String(n).padStart(3, '0')}`, n]));

describe('the players', () => {
  it('are found with the keyboard alone, and the address holds the search', async () => {
    const { hub } = await startStage({ players: names });
    const { page } = await enter(hub, '/players');
    await page.getByText('400 players').waitFor();
    await page.getByRole('heading', { name: 'Players', level: 1 }).click();
    await page.keyboard.press('/');
    await page.keyboard.type('N12');
    await page.getByText('10 players').waitFor();
    expect(new URL(page.url()).search).toBe('?search=N12');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => page.evaluate<string>('document.activeElement.textContent')).toMatch(/char1:n12\d/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /Name of char1:n12/ }).waitFor();
    await page.goBack();
    await page.getByText('10 players').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('N12');
    await page.reload();
    await page.getByText('10 players').waitFor();
  });

  it('are opened with Enter as they were typed, however late the answer is', async () => {
    const { hub } = await startStage({ players: names });
    const { page } = await enter(hub, '/players');
    await page.getByText('400 players').waitFor();
    await delayAnswers(page, 150);
    await page.getByRole('searchbox').fill('n12');
    await page.getByText('10 players').waitFor();
    await page.getByRole('searchbox').fill('n321');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^Name of/ }).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Name of char1:n321');
  });

  it('that are known match what is typed before the hub answers, and late searches are cancelled', async () => {
    const { hub } = await startStage({ players: names });
    const { page } = await enter(hub, '/players');
    await page.getByText('400 players').waitFor();
    const known = page.locator('.players a').first();
    const text = ((await known.textContent()) ?? '').replace('Name of char1:', '');
    const held = createGate();
    await page.route(/search=/, async (route) => {
      await held.opened;
      await route.continue().catch(() => undefined);
    });
    const cancelled: string[] = [];
    page.on('requestfailed', (request) => {
      cancelled.push(new URL(request.url()).searchParams.get('search') ?? '');
    });
    await page.getByRole('searchbox').fill('no');
    await page.waitForURL(/search=no$/);
    await page.getByRole('searchbox').fill('nob');
    await page.waitForURL(/search=nob$/);
    expect(cancelled).toEqual([]);
    await page.getByRole('searchbox').fill(text);
    await expect.poll(() => page.locator('.players a').allTextContents()).toEqual([expect.stringContaining(text)]);
    await expect.poll(() => cancelled).toEqual(['no']);
    expect(await page.getByText('400 players').count()).toBe(0);
    held.open();
    await page.getByText('1 player', { exact: true }).waitFor();
  });

  it('are loaded page by page on scroll, and only visible rows exist', async () => {
    const { hub } = await startStage({ players: names });
    const { page } = await enter(hub, '/players');
    await page.locator('.players a').first().waitFor();
    const seen = new Set<string>();
    for (let turn = 0; turn < 60; turn += 1) {
      for (const text of await page.locator('.players a').allTextContents()) seen.add(text.replace('Name of ', ''));
      expect(await page.locator('.players a').count()).toBeLessThan(60);
      await page.mouse.move(600, 500);
      await page.mouse.wheel(0, 600);
      if (Object.keys(names).every((name) => seen.has(name))) break;
    }
    await expect
      .poll(async () => {
        for (const text of await page.locator('.players a').allTextContents()) seen.add(text.replace('Name of ', ''));
        await page.mouse.wheel(0, 400);
        return Object.keys(names).filter((name) => !seen.has(name)).length;
      })
      .toBe(0);
  });

  it('show a message when no player matches', async () => {
    const { hub } = await startStage();
    const { page } = await enter(hub, '/players?search=nobody-like-this&online=true');
    await page
      .getByText('No player matches “\u2068nobody-like-this\u2069” · Online: \u2068Online now\u2069.')
      .waitFor();
    await page.getByRole('button', { name: 'Clear', exact: true }).last().click();
    await page.locator('.players a').first().waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
    expect(new URL(page.url()).search).toBe('');
  });

  it('change while they are looked at', async () => {
    const { hub, game } = await startStage();
    const { page } = await enter(hub, '/players?online=true');
    await page.locator('.players a').nth(1).waitFor();
    await page.evaluate('window.sameDocument = true');
    const record = {
      identifier: ANA,
      name: 'Ana Renamed',
      online: true,
      identifiers: [],
      accounts: { bank: 77_777 },
      inventory: [],
      vehicles: [],
      metadata: {},
    };
    game.bridge.changed({ players: [record] });
    await page.getByText('77,777').waitFor();
    game.bridge.changed({ players: [{ ...record, online: false }] });
    const row = page.locator('.player', { hasText: 'Ana Renamed' });
    await expect.poll(() => row.getByText('Offline').count()).toBe(1);
    game.bridge.changed({ players: [{ ...record, identifier: 'char1:cid', name: 'Cid has joined' }] });
    await page.getByRole('button', { name: '1 new: show' }).click();
    await page.locator('.players a', { hasText: 'Cid has joined' }).waitFor();
    expect(await page.evaluate('window.sameDocument')).toBe(true);
  });

  it('lead back from the address of an unknown player or page', async () => {
    const { hub } = await startStage();
    const { page, expecting } = await enter(hub, '/players/main/char1%3Anobody');
    expecting(/status of 404/);
    await page.getByText('There is no player').waitFor();
    await page.getByRole('link', { name: 'Back to the players' }).click();
    await page.locator('.players a').first().waitFor();
    await page.goto(`${hub.address}/plaiers/main`);
    await page.getByRole('heading', { name: 'There is no such page.' }).waitFor();
    await page.getByRole('link', { name: 'Back to the start' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  it('keep their own record when an answer about another one comes late', async () => {
    const { hub, game } = await startStage();
    const { page } = await enter(hub, playerPath('char1:bob'));
    await page.getByRole('heading', { name: /Name of char1:bob/ }).waitFor();
    // From page to page, without the list between them.
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or act' }).fill('char1:ana');
    await page.getByRole('option', { name: 'Name of char1:ana' }).click();
    await page.getByRole('heading', { name: /Name of char1:ana/ }).waitFor();
    const gate = createGate();
    await page.route('**/api/v2/players/char1%3Aana*', async (route) => {
      await gate.pass();
      await route.continue();
    });
    await choose(page, 'Other actions', 'Ask the game server');
    await page.goBack();
    await page.getByRole('heading', { name: /Name of char1:bob/ }).waitFor();
    const answered = page.waitForResponse('**/api/v2/players/char1%3Aana*');
    gate.open();
    await (await answered).finished();
    game.bridge.changed({ players: [record('char1:bob', { accounts: { bank: 77_777 } })] });
    await page.getByText('77,777').first().waitFor();
    expect(await page.locator('.head-line').textContent()).toContain('char1:bob');
  });

  it('are shown with all that their game server says of them', async () => {
    const { hub, game } = await startStage();
    const metadata = {
      job: { label: 'Police', grade: { level: 2 } },
      licences: ['boat', 'gun'],
      jailed: false,
      '<b>': 1,
    };
    const record = {
      identifier: ANA,
      name: 'Ana',
      online: true,
      identifiers: [],
      accounts: { bank: 1 },
      inventory: [],
    };
    game.bridge.changed({ players: [{ ...record, vehicles: [], metadata }] });
    await expect.poll(async () => (await hub.request(`/api/v2/players/${ANA}`)).body['name']).toBe('Ana');
    const { page } = await enter(hub, playerPath(ANA));
    const about = page.locator('.about');
    await expect.poll(() => about.locator('dt').allTextContents()).toEqual(expect.arrayContaining(['Job', '<b>']));
    const values = Object.fromEntries(
      await about
        .locator('dl > div')
        .evaluateAll((rows) => rows.map((row) => [row.getAttribute('title'), row.querySelector('dd')?.textContent])),
    );
    expect(values).toMatchObject({
      job: 'label: Police, grade: level: 2',
      licences: 'boat, gun',
      jailed: 'false',
      '<b>': '1',
    });
    expect(await page.getByText('Last seen').count()).toBe(0);
    game.bridge.changed({ players: [{ ...record, online: false, vehicles: [], metadata }] });
    await page.getByText('Last seen').waitFor();
  });

  it.each(HOSTILE)('are shown as text, whatever they call themselves: %s', async (name) => {
    const { hub, game } = await startStage();
    const item = { slot: 1, name, label: name, count: 1, metadata: { [name]: name } };
    game.bridge.changed({
      players: [
        {
          identifier: ANA,
          name,
          online: true,
          identifiers: [],
          accounts: { bank: 1 },
          inventory: [item],
          vehicles: [{ plate: name.slice(0, 16), model: name, label: name, stored: true, garage: name, metadata: {} }],
          metadata: {},
        },
      ],
    });
    await expect.poll(async () => (await hub.request(`/api/v2/players/${ANA}`)).body['name']).toBe(name);
    const { page } = await enter(hub, playerPath(ANA));
    const visible = name.replaceAll(/[\u202E\u200B]/g, '\uFFFD');
    await expect.poll(() => page.locator('h1').textContent()).toBe(visible);
    expect(await page.locator('.section .label').first().textContent()).toBe(visible);
    expect(await page.locator('main img, main script, main iframe').count()).toBe(0);
    expect(await page.title()).toBe(`${visible} · Causeway`);
    await page.getByRole('button', { name: 'Kick' }).click();
    expect(await page.locator('.sentence').textContent()).toContain(`Kick ${visible} from Main.`);
    const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    expect(isWide).toBe(false);
  });
});
