import type { TestHub } from './hub.ts';
import { ANA, playerPath, startStage } from './panel-stage.ts';

/** A hub where something has happened: done, refused, a second server that is not there, a few keys. */
export const startBusyStage = async () => {
  const stage = await startStage();
  const { hub } = stage;
  await hub.newServer('west');
  await hub.newKey(['players:read', 'commands:kick'], ['main']);
  const money = (amount: number, action: 'add' | 'remove') =>
    hub.request('/api/v2/bridge/main/money', {
      json: { target: ANA, type: 'bank', amount, action, reason: 'event prize' },
    });
  await money(500, 'add');
  await money(1_000_000, 'remove');
  return stage;
};

/** A shop, made when it is first asked for. */
const shopOf = async (hub: TestHub, label: string): Promise<string> => {
  const { body } = await hub.request('/api/v2/integrations');
  const [known] = body['data'] as { id: string }[];
  if (known !== undefined) return known.id;
  const params = { type: 'bank', amount: 500, action: 'add', reason: label };
  const packages = {
    vip: [
      { name: 'money', params },
      { name: 'custom:welcome', params: {} },
    ],
  };
  const json = { kind: 'tebex', name: label, secret: 'a-long-secret-of-the-shop', serverId: 'main', packages };
  return String((await hub.request('/api/v2/integrations', { json })).body.id);
};

/** A batch, whose page is one of them. */
const startBatch = async (hub: TestHub, label: string): Promise<string> => {
  const params = { type: 'bank', amount: 7, action: 'add', reason: label };
  const targets = ['char1:bob', 'char1:nobody'];
  const { body } = await hub.request('/api/v2/batches', {
    json: { serverId: 'main', name: 'money', label, params, targets },
    headers: { 'Idempotency-Key': 'christmas' },
  });
  return String(body['id']);
};

/** A schedule, whose page is one of them. */
const makeSchedule = async (hub: TestHub, label: string): Promise<string> => {
  const task = { name: 'announce', params: { message: 'The race begins' } };
  const when = { cron: '0 18 * * 5', timeZone: 'Europe/Berlin' };
  const { body } = await hub.request('/api/v2/schedules', { json: { serverId: 'main', label, task, when } });
  return String(body['id']);
};

/** Every page by its name, with the text that shows that it is loaded. */
export const panelPages = async (
  hub: TestHub,
  label = 'Christmas',
): Promise<{ name: string; path: string; ready: string }[]> => {
  const [latest] = (await hub.request('/api/v2/commands?limit=1')).body['data'] as { id: string }[];
  const batch = await startBatch(hub, label);
  const schedule = await makeSchedule(hub, label);
  const shop = await shopOf(hub, label);
  return [
    { name: 'overview', path: '/', ready: '.server' },
    { name: 'players', path: '/players', ready: '.players a' },
    { name: 'player', path: playerPath(ANA), ready: '.history tbody tr' },
    { name: 'journal', path: '/journal', ready: '.commands li' },
    { name: 'command', path: `/journal/${latest?.id}`, ready: '.timeline li' },
    { name: 'batches', path: '/batches', ready: '.commands li' },
    { name: 'batch', path: `/batches/${batch}`, ready: '.commands li' },
    { name: 'new batch', path: '/batches/new', ready: 'form select' },
    { name: 'schedules', path: '/schedules', ready: '.rows tbody tr' },
    { name: 'schedule', path: `/schedules/${schedule}`, ready: 'main .times' },
    { name: 'new schedule', path: '/schedules/new', ready: 'form select' },
    { name: 'servers', path: '/servers', ready: '.rows tbody tr' },
    { name: 'server', path: '/servers/main', ready: '.pairs code' },
    { name: 'shops', path: '/shops', ready: '.rows tbody tr' },
    { name: 'shop', path: `/shops/${shop}`, ready: '.card code' },
    { name: 'change of a shop', path: `/shops/${shop}/edit`, ready: 'form [data-package]' },
    { name: 'keys', path: '/keys', ready: '.rows tbody tr' },
    { name: 'webhooks', path: '/webhooks', ready: 'main .empty' },
    { name: 'project', path: '/project', ready: 'meter' },
  ];
};
