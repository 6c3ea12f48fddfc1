import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { openBrowser } from '../kit/browser.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { ANA, act, rowOf, startStage } from '../kit/panel-stage.ts';

const { visit, signIn } = openBrowser();

type Row = Record<string, unknown>;
const rowsOf = async (hub: TestHub, path: string): Promise<Row[]> => (await hub.request(path)).body['data'] as Row[];
const dialogOf = (page: Page) => page.getByRole('dialog');

const PAYMENT = { type: 'bank', amount: 7, action: 'add', reason: 'gift' };

const pay = async (hub: TestHub): Promise<string> => {
  const { body } = await hub.request('/api/v2/bridge/main/money', { json: { target: ANA, ...PAYMENT } });
  return `/journal/${String(body['id'])}`;
};

const startBatch = async (hub: TestHub): Promise<string> => {
  const json = { serverId: 'main', name: 'money', params: PAYMENT, targets: [ANA] };
  const { body } = await hub.request('/api/v2/batches', { json, headers: { 'Idempotency-Key': 'gift' } });
  const path = `/batches/${String(body['id'])}`;
  await expect.poll(async () => (await hub.request(`/api/v2${path}`)).body['status']).toBe('settled');
  return path;
};

const startSchedule = async (hub: TestHub): Promise<string> => {
  const task = { name: 'money', params: { target: ANA, ...PAYMENT } };
  const when = { cron: '0 18 1 1 *', timeZone: 'UTC' };
  await hub.request('/api/v2/schedules', { json: { serverId: 'main', label: 'Race', task, when } });
  return '/schedules';
};

/**
 * The dialogs that `lost.test.ts` has not. `made`: how often it is done, as the hub tells; `seen`: what another tab of the
 * same page then shows. The clock of the browser is `minutes` off.
 */
type Asking = {
  start: (hub: TestHub) => Promise<string>;
  fill: (page: Page) => Promise<void>;
  send: string;
  made: (hub: TestHub) => Promise<number>;
  seen: string;
  minutes: number;
};

const DIALOGS: Record<string, Asking> = {
  'the undo of a command': {
    start: pay,
    fill: async (page) => {
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await dialogOf(page).getByLabel('Reason').fill('wrong');
    },
    send: 'Undo',
    made: async (hub) => (await rowsOf(hub, '/api/v2/commands')).filter(({ undoes }) => undoes !== undefined).length,
    seen: 'It was undone by',
    minutes: 5,
  },
  'the undo of a batch': {
    start: startBatch,
    fill: async (page) => {
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await dialogOf(page).getByLabel('Reason').fill('wrong');
    },
    send: 'Undo',
    made: async (hub) => (await rowsOf(hub, '/api/v2/batches')).filter(({ undoes }) => undoes !== undefined).length,
    seen: 'The batch that undoes this',
    minutes: -5,
  },
  'a schedule that runs now': {
    start: startSchedule,
    fill: (page) => act(rowOf(page, 'Race'), 'Run now'),
    send: 'Run now',
    made: async (hub) => (await rowsOf(hub, '/api/v2/commands')).length,
    seen: 'Race',
    minutes: 5,
  },
  'a schedule that is changed': {
    start: startSchedule,
    fill: async (page) => {
      await act(rowOf(page, 'Race'), 'Change');
      await dialogOf(page).getByLabel('Label').fill('Night race');
      await dialogOf(page).getByRole('button', { name: 'Preview' }).click();
      await dialogOf(page).getByRole('button', { name: 'Save' }).waitFor();
    },
    send: 'Save',
    made: async (hub) => (await rowsOf(hub, '/api/v2/schedules')).filter(({ label }) => label === 'Night race').length,
    seen: 'Night race',
    minutes: -5,
  },
  'a schedule that is deleted': {
    start: startSchedule,
    fill: (page) => act(rowOf(page, 'Race'), 'Delete'),
    send: 'Delete',
    made: async (hub) => 1 - (await rowsOf(hub, '/api/v2/schedules')).length,
    seen: 'No schedule yet',
    minutes: 5,
  },
  'a server that is added': {
    start: () => Promise.resolve('/servers'),
    fill: async (page) => {
      await page.getByRole('button', { name: 'New server' }).click();
      await page.getByLabel('Id, such as main').fill('west');
      await page.getByLabel('Name', { exact: true }).fill('Wild West');
    },
    send: 'Add it',
    made: async (hub) => (await rowsOf(hub, '/api/v2/servers')).filter(({ name }) => name === 'Wild West').length,
    seen: 'Wild West',
    minutes: -5,
  },
  'the settings of the project': {
    start: () => Promise.resolve('/project'),
    fill: async (page) => {
      await page.getByRole('button', { name: 'Change' }).click();
      await dialogOf(page).getByLabel('Name of your community').fill('Night City');
    },
    send: 'Save',
    made: async (hub) => ((await hub.request('/api/v2/project')).body['name'] === 'Night City' ? 1 : 0),
    seen: 'Night City',
    minutes: 5,
  },
};

it.each(Object.entries(DIALOGS))(
  '%s is done once by a hub that died while it was asked, in two tabs and with a wrong clock',
  async (_name, asking) => {
    const { hub } = await startStage();
    const path = await asking.start(hub);
    const { page, context, expecting } = await visit(hub, path, {}, (opened) =>
      opened.clock.install({ time: Date.now() + asking.minutes * 60_000 }),
    );
    expecting(/ERR_(CONNECTION|INCOMPLETE|EMPTY)|status of (409|503)/);
    await signIn(page, hub.key);
    const other = await context.newPage();
    onTestFinished(() => other.close());
    await other.goto(hub.address + path);
    await other.getByRole('navigation').first().waitFor();
    await asking.fill(page);
    await hub.crash();
    const send = dialogOf(page).getByRole('button', { name: asking.send, exact: true });
    await send.click();
    await dialogOf(page).locator('[data-lost], [data-phase=lost]').waitFor();
    const next = await startHub({ folder: hub.folder, env: { PORT: String(hub.port) } });
    await page.getByText('No connection since').waitFor({ state: 'detached' });
    await expect.poll(async () => (await next.request(`/api/v2/players/${ANA}`)).body['online']).toBe(true);
    // The dialog of a command asks by itself; the others are sent again by the person.
    if ((await dialogOf(page).locator('[data-lost]').count()) > 0) await send.click();
    await expect.poll(() => asking.made(next)).toBe(1);
    await dialogOf(page).locator('[data-lost], [data-phase=lost]').waitFor({ state: 'detached' });
    await other.getByText(asking.seen).first().waitFor();
    expect(await asking.made(next)).toBe(1);
  },
);
