import { describe, expect, it } from 'vitest';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import type { TestHub } from '../kit/hub.ts';
import { act, POLICE, rowOf, startStage } from '../kit/panel-stage.ts';

const { enter } = openBrowser();

const schedulesOf = async (hub: TestHub) =>
  (await hub.request('/api/v2/schedules')).body['data'] as Record<string, unknown>[];

/** A schedule over REST; returns its id. */
const schedule = async (hub: TestHub, when: object): Promise<string> => {
  const task = { name: 'announce', params: { message: 'The race begins' } };
  const { body } = await hub.request('/api/v2/schedules', { json: { serverId: 'main', label: 'Race', task, when } });
  return String(body['id']);
};

describe('a schedule', () => {
  it('is made with the time zone of the browser, and shows its next five times', async () => {
    const { hub } = await startStage();
    await hub.request('/api/v2/project', { method: 'PATCH', json: { reasonFor: ['money'] } });
    const { page, expecting } = await enter(hub, '/', { timezoneId: 'America/Sao_Paulo' });
    expecting(/status of 422/);
    await page.getByRole('link', { name: 'Schedules' }).click();
    await page.getByText('No schedule yet').waitFor();
    await page.getByRole('button', { name: 'New schedule' }).click();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('Say why. It stays in the journal.').waitFor();
    await page.getByLabel('Label').and(page.locator(':focus')).waitFor();
    await page.getByLabel('Label').fill('Salary');
    await page.getByLabel('Amount for each player').fill('2,000');
    await page.getByRole('textbox', { name: 'Reason' }).fill('salary');
    await page.getByLabel('Identifiers of the players').fill('char1:ana char1:bob');
    await page.getByLabel('When').selectOption('Cron expression');
    await page.getByLabel('Five parts').fill('nonsense');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('alert').getByText('This is not accepted: cron must have five parts').waitFor();
    await page.getByLabel('When').selectOption('Every week');
    await page.getByLabel('Weekday').selectOption('Monday');
    await page.getByLabel('Time', { exact: true }).fill('07:05');
    await page.getByLabel(/^Make up one run/).check();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Control+Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Next times').waitFor();
    await dialog.getByText(/Add 2,000 to .+ · 2 players · 4,000 in all/).waitFor();
    const hiddenPx = async () => {
      const end = await dialog.locator('[data-next]').last().boundingBox();
      const foot = await dialog.getByRole('button', { name: 'Make it' }).boundingBox();
      return (end?.y ?? 0) + (end?.height ?? 0) - (foot?.y ?? 0);
    };
    await expect.poll(hiddenPx).toBeLessThanOrEqual(0);
    const times = await dialog.locator('[data-next] time').evaluateAll((all) => all.map((each) => each.dateTime));
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'America/Sao_Paulo', weekday: 'long' });
    expect(times.map((at) => clock.format(new Date(at)))).toEqual(Array.from({ length: 5 }, () => 'Monday'));
    expect(await violationsOf(page)).toEqual([]);
    expect(await schedulesOf(hub)).toEqual([]);
    // What was said is about what stands in the form.
    await page.getByLabel('Time', { exact: true }).fill('07:06');
    await dialog.getByRole('button', { name: 'Make it' }).waitFor({ state: 'detached' });
    await page.getByLabel('Time', { exact: true }).fill('07:05');
    await dialog.getByRole('button', { name: 'Make it' }).click();
    await page.getByText('It has not run yet.').waitFor();
    expect(await page.getByRole('list', { name: 'Next times' }).locator('time').count()).toBe(5);
    const params = { type: 'bank', amount: 2_000, action: 'add', reason: 'salary' };
    expect(await schedulesOf(hub)).toMatchObject([
      {
        label: 'Salary',
        serverId: 'main',
        missed: 'run_once',
        when: { cron: '5 7 * * 1', timeZone: 'America/Sao_Paulo' },
        task: { name: 'money', params, targets: ['char1:ana', 'char1:bob'], deliver: 'now' },
      },
    ]);
  });

  it('is for all who have a job when it runs, and is changed as such', async () => {
    const { hub } = await startStage({ catalogues: POLICE });
    const jobs = async () => (await hub.request('/api/v2/servers/main/jobs')).body['data'];
    await expect.poll(jobs).toHaveLength(1);
    const { page } = await enter(hub, '/schedules/new');
    await page.getByLabel('Label').fill('Salary');
    await page.getByLabel('Amount for each player').fill('2000');
    const job = page.getByRole('combobox', { name: 'All players with this job' });
    await job.fill('ls');
    await page.getByRole('option', { name: 'LSPD' }).click();
    await page.getByText('Who has this job at that moment, also offline.').waitFor();
    expect(await page.getByLabel('Identifiers of the players').count()).toBe(0);
    await page.getByLabel('When').selectOption('Every week');
    await page.getByLabel('Time', { exact: true }).fill('07:05');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('dialog').getByText('Job: \u2068police\u2069 · now 2 players · 4,000 in all').waitFor();
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.getByText('It has not run yet.').waitFor();
    const targets = async () => (await schedulesOf(hub)).map(({ task }) => (task as { targets: object }).targets);
    expect(await targets()).toEqual([{ job: 'police' }]);
    await page.goto(`${hub.address}/schedules`);
    await rowOf(page, 'Salary').getByText('Job: \u2068police\u2069').waitFor();
    await act(rowOf(page, 'Salary'), 'Change');
    await expect.poll(() => job.inputValue()).toContain('LSPD');
    await page.getByLabel('All players online').check();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(targets).toEqual([{ online: true, job: 'police' }]);
  });

  it('that finds its players itself says before it runs now how many they are, and the sum', async () => {
    const { hub, economy } = await startStage();
    const params = { type: 'bank', amount: 500, action: 'add', reason: 'night' };
    const task = { name: 'money', params, targets: { online: true } };
    const when = { cron: '0 18 1 1 *', timeZone: 'UTC' };
    await hub.request('/api/v2/schedules', { json: { serverId: 'main', label: 'Night', task, when } });
    const { page } = await enter(hub, '/schedules');
    await act(rowOf(page, 'Night'), 'Run now');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Online now · now 2 players · 1,000 in all').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    // The list does not know it yet.
    const [{ id } = {}] = await schedulesOf(hub);
    const changed = { ...task, params: { ...params, amount: 900 } };
    await hub.request(`/api/v2/schedules/${id}`, { method: 'PATCH', json: { task: changed } });
    await act(rowOf(page, 'Night'), 'Run now');
    await dialog.getByText('now 2 players · 1,800 in all').waitFor();
    // It is changed while the question is open.
    await hub.request(`/api/v2/schedules/${id}`, { method: 'PATCH', json: { task } });
    const run = dialog.getByRole('button', { name: 'Run now' });
    await run.click();
    await dialog.getByText('it was changed meanwhile').waitFor();
    expect(economy.applied).toEqual([]);
    await dialog.getByText('now 2 players · 1,000 in all').waitFor();
    await run.click();
    await expect.poll(() => economy.applied.map(({ delta }) => delta)).toEqual([500, 500]);
  });

  it('keeps a command without a reason when its name and times are changed, and needs one for a new command', async () => {
    const { hub } = await startStage();
    const params = { type: 'bank', amount: 20, action: 'add' };
    const task = { name: 'money', params, targets: ['char1:ana'] };
    const when = { cron: '0 18 * * *', timeZone: 'UTC' };
    await hub.request('/api/v2/schedules', { json: { serverId: 'main', label: 'Salary', task, when } });
    await hub.request('/api/v2/project', { method: 'PATCH', json: { reasonFor: ['money'] } });
    const { page } = await enter(hub, '/schedules');
    const sheet = page.getByRole('dialog');
    await act(rowOf(page, 'Salary'), 'Change');
    await page.getByLabel('Label').fill('Night salary');
    await page.getByLabel('Time', { exact: true }).fill('19:00');
    await sheet.getByRole('button', { name: 'Preview' }).click();
    await sheet.getByText('Next times').waitFor();
    await sheet.getByRole('button', { name: 'Save' }).click();
    const row = rowOf(page, 'Night salary');
    await row.getByText('Every day, 19:00 (UTC)').waitFor();
    expect(await schedulesOf(hub)).toMatchObject([{ label: 'Night salary', task: { params } }]);
    await act(row, 'Change');
    await page.getByLabel('Amount for each player').fill('30');
    await sheet.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('Say why. It stays in the journal.').waitFor();
  });

  it('is paused, resumed and deleted', async () => {
    const { hub } = await startStage();
    await schedule(hub, { cron: '0 18 * * *', timeZone: 'UTC' });
    const { page } = await enter(hub, '/schedules');
    const row = rowOf(page, 'Race');
    await row.getByText('Every day, 18:00 (UTC)').waitFor();
    await act(row, 'Pause');
    await row.getByText('Paused').waitFor();
    expect(await schedulesOf(hub)).toMatchObject([{ paused: true, next: [] }]);
    await act(row, 'Resume');
    await row.locator('time').waitFor();
    await act(row, 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No schedule yet').waitFor();
    expect(await schedulesOf(hub)).toEqual([]);
  });

  it('that is over is called so, and not offered a pause', async () => {
    const { hub } = await startStage();
    await schedule(hub, { at: new Date(Date.now() + 5_000).toISOString() });
    await expect.poll(() => schedulesOf(hub)).toMatchObject([{ next: [] }]);
    const { page } = await enter(hub, '/schedules');
    const row = rowOf(page, 'Race');
    await row.getByText('Over', { exact: true }).waitFor();
    await row.getByRole('button', { name: /^Actions for/ }).click();
    expect(await row.getByRole('menuitem').allTextContents()).toEqual(['Run now', 'Change', 'Duplicate', 'Delete']);
  });

  it('that runs once is not offered a pause, and goes on if it is paused', async () => {
    const { hub } = await startStage();
    const id = await schedule(hub, { at: new Date(Date.now() + 3_600_000).toISOString() });
    const { page } = await enter(hub, '/schedules');
    const row = rowOf(page, 'Race');
    const actions = async (): Promise<string[]> => {
      await row.getByRole('button', { name: /^Actions for/ }).click();
      const found = await row.getByRole('menuitem').allTextContents();
      await page.keyboard.press('Escape');
      return found;
    };
    expect(await actions()).toEqual(['Run now', 'Change', 'Duplicate', 'Delete']);
    await hub.request(`/api/v2/schedules/${id}`, { method: 'PATCH', json: { paused: true } });
    await page.reload();
    await row.getByText('Paused').waitFor();
    await act(row, 'Resume');
    await row.locator('time').waitFor();
  });

  it('runs now once, however often it is asked, also from a new dialog, and says what it made', async () => {
    const { hub } = await startStage();
    await schedule(hub, { cron: '0 18 1 1 *', timeZone: 'UTC' });
    const { page, expecting } = await enter(hub, '/schedules');
    expecting(/status of 502/);
    const keys: (string | undefined)[] = [];
    let isLost = true;
    await page.route('**/schedules/*/run', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      const answer = await route.fetch();
      if (!isLost) return route.fulfill({ response: answer });
      isLost = false;
      return route.fulfill({ status: 502, body: '' });
    });
    await act(rowOf(page, 'Race'), 'Run now');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Its planned times stay.').waitFor();
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await act(rowOf(page, 'Race'), 'Run now');
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await dialog.getByRole('link', { name: 'Open in the journal' }).click();
    await page.locator('.timeline li').first().waitFor();
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    expect((await hub.request('/api/v2/commands')).body['data']).toHaveLength(1);
  });

  it('whose answer was lost is made once, also when its form is filled in again', async () => {
    const { hub } = await startStage();
    const { page, expecting } = await enter(hub, '/schedules');
    expecting(/net::ERR_FAILED/);
    const sheet = page.getByRole('dialog');
    const fill = async (): Promise<void> => {
      await page.getByRole('button', { name: 'New schedule' }).click();
      await sheet.getByLabel('Label').fill('Salary');
      await sheet.getByLabel('Amount for each player').fill('7');
      await sheet.getByRole('textbox', { name: 'Reason' }).fill('salary');
      await sheet.getByLabel('Identifiers of the players').fill('char1:ana');
      await sheet.getByRole('button', { name: 'Preview' }).click();
    };
    await fill();
    await sheet.locator('[data-next]').first().waitFor();
    await page.route('**/api/v2/schedules', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      return route.abort('failed');
    });
    await sheet.getByRole('button', { name: 'Make it' }).click();
    await sheet.locator('[data-lost]').waitFor();
    await page.unrouteAll();
    expect(await schedulesOf(hub)).toHaveLength(1);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard it' }).click();
    await fill();
    await sheet.getByRole('button', { name: 'Make it' }).click();
    await page.getByRole('heading', { name: 'Salary' }).waitFor();
    expect(await schedulesOf(hub)).toHaveLength(1);
  });

  it('is changed, and keeps its server and the rest', async () => {
    const { hub } = await startStage();
    await schedule(hub, { cron: '30 20 * * 1-5', timeZone: 'UTC' });
    const { page } = await enter(hub, '/schedules');
    const row = rowOf(page, 'Race');
    await row.getByText('Monday to Friday, 20:30 (UTC)').waitFor();
    await act(row, 'Change');
    const sheet = page.getByRole('dialog');
    expect(await sheet.getByLabel('Five parts').inputValue()).toBe('30 20 * * 1-5');
    expect(await sheet.getByLabel('Server').count()).toBe(0);
    await sheet.getByLabel('When').selectOption('Every month');
    await sheet.getByRole('button', { name: 'Preview' }).click();
    await sheet.locator('[data-next] time').first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await sheet.getByRole('button', { name: 'Save' }).click();
    await row.getByText('Every month on the 1st, 18:00 (UTC)').waitFor();
    expect(await schedulesOf(hub)).toMatchObject([
      { label: 'Race', serverId: 'main', task: { name: 'announce' }, when: { cron: '0 18 1 * *', timeZone: 'UTC' } },
    ]);
  });

  it('is duplicated with its players, who have their names on its page', async () => {
    const { hub } = await startStage();
    const params = { type: 'bank', amount: 5, action: 'add', reason: 'prize' };
    const task = { name: 'money', params, targets: ['char1:ana', 'char1:bob'], expiresInSeconds: 900 };
    const when = { cron: '0 12 * * 0', timeZone: 'UTC' };
    await hub.request('/api/v2/schedules', { json: { serverId: 'main', label: 'Prize', task, when } });
    const { page } = await enter(hub, '/schedules');
    await rowOf(page, 'Prize').getByText('2 players').waitFor();
    await act(rowOf(page, 'Prize'), 'Duplicate');
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel('Label').fill('Second prize');
    await sheet.getByRole('button', { name: 'Preview' }).click();
    await sheet.getByRole('button', { name: 'Make it' }).click();
    await page.getByRole('heading', { name: 'Second prize' }).waitFor();
    const names = Object.values(
      (await hub.request(`/api/v2/schedules/${page.url().split('/').at(-1)}`)).body['targetNames'] as object,
    ) as string[];
    expect(names).toHaveLength(2);
    for (const name of names) await page.getByRole('link', { name, exact: true }).waitFor();
    expect(await schedulesOf(hub)).toMatchObject([
      { label: 'Second prize', task, when },
      { label: 'Prize', task, when },
    ]);
  });

  it('keeps a command for which the form has no fields', async () => {
    const { hub } = await startStage();
    const task = { name: 'job', params: { target: 'char1:ana', job: 'police', grade: 1 } };
    const when = { cron: '15,45 8-22/2 * * *', timeZone: 'UTC' };
    await hub.request('/api/v2/schedules', { json: { serverId: 'main', label: 'Duty', task, when } });
    const { page } = await enter(hub, '/schedules');
    const row = rowOf(page, 'Duty');
    expect(await row.locator('code').getAttribute('title')).toMatch(/^.+\n.+\n.+$/);
    await act(row, 'Change');
    const sheet = page.getByRole('dialog');
    await sheet.getByText('This form has no fields for its command.').waitFor();
    await sheet.getByLabel('Label').fill('On duty');
    await sheet.getByRole('button', { name: 'Preview' }).click();
    await sheet.getByRole('button', { name: 'Save' }).click();
    await rowOf(page, 'On duty').waitFor();
    expect(await schedulesOf(hub)).toMatchObject([{ label: 'On duty', task, when }]);
  });

  it('lists its runs, with links to what they made', async () => {
    const { hub } = await startStage();
    const id = await schedule(hub, { at: new Date(Date.now() + 5_000).toISOString() });
    const runs = async () => (await hub.request(`/api/v2/schedules/${id}/runs`)).body['data'];
    await expect.poll(runs).toMatchObject([{ status: 'done' }]);
    const { page } = await enter(hub, `/schedules/${id}`);
    await page.locator('[data-runs] tbody tr', { hasText: 'Done' }).waitFor();
    await page.getByRole('link', { name: 'Open in the journal' }).click();
    await page.locator('.timeline li').first().waitFor();
  });

  it('is only looked at by a key that may not change it', async () => {
    const { hub } = await startStage();
    await schedule(hub, { before: 'restart', minutes: 5 });
    const { page } = await enter(hub, '/schedules', { key: await hub.newKey(['commands:read']) });
    await page.getByText('5 minutes before a restart').waitFor();
    expect(await page.getByRole('button', { name: 'New schedule' }).count()).toBe(0);
    expect(await page.locator('main').getByRole('button').count()).toBe(0);
  });
});
