import { describe, expect, it } from 'vitest';
import { openBrowser, violationsOf } from '../kit/browser.ts';
import type { TestHub } from '../kit/hub.ts';
import { startStage } from '../kit/panel-stage.ts';

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
    const { page, expecting } = await enter(hub, '/', { timezoneId: 'America/Sao_Paulo' });
    expecting(/status of 422/);
    await page.getByRole('link', { name: 'Schedules' }).click();
    await page.getByText('No schedule yet').waitFor();
    await page.getByRole('link', { name: 'New schedule' }).click();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('Say why. It stays in the journal.').waitFor();
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
    await page.getByRole('button', { name: 'Preview' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Next times').waitFor();
    const times = await dialog.locator('[data-next] time').evaluateAll((all) => all.map((each) => each.dateTime));
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'America/Sao_Paulo', weekday: 'long' });
    expect(times.map((at) => clock.format(new Date(at)))).toEqual(Array.from({ length: 5 }, () => 'Monday'));
    expect(await violationsOf(page)).toEqual([]);
    expect(await schedulesOf(hub)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Preview' }).click();
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

  it('is paused, resumed and deleted', async () => {
    const { hub } = await startStage();
    await schedule(hub, { cron: '0 18 * * *', timeZone: 'UTC' });
    const { page } = await enter(hub, '/schedules');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused').waitFor();
    expect(await schedulesOf(hub)).toMatchObject([{ paused: true, next: [] }]);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('list', { name: 'Next times' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No schedule yet').waitFor();
    expect(await schedulesOf(hub)).toEqual([]);
  });

  it('lists its runs, with links to what they made', async () => {
    const { hub } = await startStage();
    const id = await schedule(hub, { at: new Date(Date.now() + 1_500).toISOString() });
    const runs = async () => (await hub.request(`/api/v2/schedules/${id}/runs`)).body['data'];
    await expect.poll(runs).toMatchObject([{ status: 'done' }]);
    const { page } = await enter(hub, `/schedules/${id}`);
    await page.locator('[data-runs] li', { hasText: 'Done' }).waitFor();
    await page.getByRole('link', { name: 'Open in the journal' }).click();
    await page.locator('.timeline li').first().waitFor();
  });

  it('is only looked at by a key that may not change it', async () => {
    const { hub } = await startStage();
    await schedule(hub, { before: 'restart', minutes: 5 });
    const { page } = await enter(hub, '/schedules', { key: await hub.newKey(['commands:read']) });
    await page.getByText('5 minutes before a restart').waitFor();
    expect(await page.getByRole('link', { name: 'New schedule' }).count()).toBe(0);
    expect(await page.locator('main').getByRole('button').count()).toBe(0);
  });
});
