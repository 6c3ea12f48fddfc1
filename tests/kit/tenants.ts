import { COMMAND_NAMES, commandTag } from '../../bridge-protocol/index.ts';
import { derivedBatchId, newId } from '../../server/platform/ids.ts';
import { partialRefundOf } from '../../server/shops/orders.ts';
import { batchOf, scheduleOf } from './batch-rows.ts';
import { createCaller } from './caller.ts';
import { commandOf } from './databases.ts';
import { type HubOptions, shareHub, startHub, type TestHub } from './hub.ts';
import { createServer } from './make-tenant.ts';
import { answerAll, type CommandFrame, playerFrame, welcomeRaw } from './raw-bridge.ts';
import type { Route } from './routes.ts';

/** An id for each collection of the API. */
export type Ids = Record<
  | 'players'
  | 'bridge'
  | 'servers'
  | 'commands'
  | 'batches'
  | 'schedules'
  | 'keys'
  | 'integrations'
  | 'lines'
  | 'webhooks'
  | 'deliveries',
  string
>;

const DAY_MS = 86_400_000;

/** Gives a project a shop without packages, and an order that the staff has to decide. */
const furnishShop = async ({ store }: TestHub, projectId: string, serverId: string, keyId: string) => {
  const at = Date.now();
  const id = newId('int');
  await store.integrations.create({
    id,
    projectId,
    kind: 'orders',
    name: 'A shop',
    serverId,
    secrets: [],
    packages: {},
    maker: { keyId, name: 'a key' },
    createdAt: at,
    updatedAt: at,
  });
  const order = { integrationId: id, transaction: 'order-1', projectId, serverId };
  const note = partialRefundOf(order, 'A part was refunded.', at);
  await store.shopLines.add([note]);
  return { integrations: id, lines: note.id };
};

/** Gives a project a webhook that is paused, and an event that was sent to it. */
const furnishWebhook = async ({ store }: TestHub, projectId: string, keyId: string) => {
  const at = Date.now();
  const [id, eventId] = [newId('whk'), newId('evt')];
  await store.webhooks.create(
    {
      ...{ id, projectId, format: 'json', url: 'clear:https://localhost/hook', types: null, servers: null },
      ...{ names: true, secrets: [], maker: { keyId, name: 'a key' }, off: null, cursor: 0, failures: 0 },
      ...{ failedDays: 0, createdAt: at, updatedAt: at },
    },
    50,
  );
  await store.webhooks.claim(id, 'a node', 60_000);
  const attempt = { projectId, webhookId: id, eventId, eventSeq: 0, type: 'command.settled', attempts: 1, status: 200 };
  const health = { failures: 0, failingSince: null, failedDay: null, failedDays: 0, fault: null, restUntil: null };
  await store.webhooks.record({ id, cursor: 0 }, 'a node', {
    patch: { ...health, cursor: 0, off: 'paused', offAt: at },
    rows: [{ ...attempt, state: 'delivered', detail: null, answer: '', tookMs: 1, at, dueAt: null, events: 1 }],
  });
  await store.webhooks.release(id, 'a node');
  return { webhooks: id, deliveries: eventId };
};

/** Gives a project a player, an indeterminate command and a shop. */
const furnish = async (hub: TestHub, projectId: string, serverId: string, keyId: string, player: string) => {
  const at = Date.now();
  await hub.store.players.upsert(projectId, serverId, [playerFrame(player)], at);
  const id = newId('cmd');
  await hub.store.commands.insert(
    commandOf(id, {
      projectId,
      serverId,
      target: player,
      params: { target: player, type: 'bank', amount: 1, action: 'add', allowNegative: false },
      status: 'indeterminate',
      actor: { keyId, name: 'a key' },
      attempts: 1,
      createdAt: at,
      expiresAt: at + DAY_MS,
      settledAt: at,
    }),
    { durable: false },
  );
  const [batches, schedules] = [derivedBatchId(projectId, serverId, 'gift'), newId('sch')];
  await hub.store.batches.insert(batchOf(batches, { projectId, serverId }));
  const task = { name: 'money', params: { target: player, type: 'bank', amount: 5, action: 'add' } };
  await hub.store.schedules.create(scheduleOf(schedules, { projectId, serverId, keyId, task, paused: true }));
  const ofWebhook = await furnishWebhook(hub, projectId, keyId);
  const shop = await furnishShop(hub, projectId, serverId, keyId);
  return {
    players: player,
    bridge: serverId,
    servers: serverId,
    commands: id,
    batches,
    schedules,
    keys: keyId,
    ...shop,
    ...ofWebhook,
  };
};

/** The custom command of the tenants' bridge. */
const REVIVE = {
  name: 'revive',
  description: 'Brings a player back to life',
  params: { type: 'object', properties: {}, additionalProperties: false },
};

const RESULTS: Record<string, object> = {
  kick: { kicked: true },
  money: { account: 'bank', before: 0, after: 500 },
  announce: { confirmedBy: 'server', players: 0 },
  message: { confirmedBy: 'server' },
  revive: { confirmedBy: 'server' },
  heal: { confirmedBy: 'server' },
  freeze: { confirmedBy: 'server', frozen: true },
  teleport: { confirmedBy: 'server', position: { x: 0, y: 0, z: 0 } },
};

/** The result of the tenants' bridge, which does what the hub asks for. */
const resultOf = ({ name, params }: CommandFrame): object | undefined => {
  if (name === 'items') return { item: params['item'], before: 0, after: 3 };
  if (name === 'vehicles') return { plate: 'NEW 1', model: 'adder', garage: null, ...params };
  if (name === 'job') {
    return { before: { job: 'none', grade: 0 }, after: { job: params['job'], grade: params['grade'] } };
  }
  return RESULTS[name];
};

/** Unused ids of the right form. */
export const unknownIds = (): Ids => ({
  players: 'char1:nobody',
  bridge: 'nowhere',
  servers: 'nowhere',
  commands: newId('cmd'),
  batches: derivedBatchId('', 'nowhere', 'gift'),
  schedules: newId('sch'),
  keys: newId('key'),
  integrations: newId('int'),
  lines: 'lin_0',
  webhooks: newId('whk'),
  deliveries: newId('evt'),
});

/** The path of a route with the ids of the given things. */
export const pathOf = ({ path, query = [] }: Pick<Route, 'path'> & { query?: Route['query'] }, ids: Ids): string => {
  const needsServer = query.some(({ name, required }) => required && name === 'serverId');
  const own = path.replaceAll(/\{(\w+)\}/g, (_whole, param: string) => {
    if (param === 'name') return REVIVE.name;
    const collection = { lineId: 'lines', eventId: 'deliveries' }[param] ?? path.split('/')[3] ?? '';
    const id = (ids as Record<string, string | undefined>)[collection];
    if (id === undefined) throw new Error(`Say in tests/kit/tenants.ts what an id in /${collection} is.`);
    return encodeURIComponent(id);
  });
  return needsServer ? `${own}?serverId=main` : own;
};

/** A shorter grace period than the product's. */
const GRACE = { SHUTDOWN_GRACE_MS: '50' };

/** The tenant whose hub this is, with a bridge of its server `main` that does its work, and a rival; both have everything. */
const furnishBoth = async (hub: TestHub, rivalSlug: string) => {
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, {
    commands: [...COMMAND_NAMES.map(commandTag), 'announce@2'],
  });
  bridge.send({ type: 'commands.custom', commands: [REVIVE] });
  // Frames take effect in their order: after this answer the hub knows the announced commands.
  bridge.send({ type: 'after' });
  await bridge.frame('error');
  answerAll(bridge, (command) => ({ status: 'done', data: resultOf(command) }));
  await hub.newKey(['players:read']);
  const second = (await hub.store.apiKeys.list(hub.project.id)).find(({ id }) => id !== hub.keyId);
  const own = await furnish(hub, hub.project.id, 'main', second?.id ?? '', 'char1:ana');

  const rival = await hub.newProject(rivalSlug);
  const rivalToken = await createServer(hub.store, rival.project.id, { id: 'theirs', name: 'Theirs' });
  const foreign = await furnish(hub, rival.project.id, 'theirs', rival.keyId, 'char1:rita');

  const secrets = [hub.key, hub.token, rival.key, rivalToken ?? ''];
  return { hub, bridge, own, foreign, rival, secrets, call: createCaller({ hub, secrets }) };
};

/** Two tenants on a hub of their own. Tests that only read share them: `shared(startTenants)`. */
export const startTenants = async (options: HubOptions = {}) =>
  furnishBoth(await startHub({ ...options, env: { ...GRACE, ...options.env } }), 'rival');

/** Two new tenants for each test that asks, all on one hub of the file. */
export const shareTenants = () => {
  const newTenant = shareHub({ env: GRACE });
  return async () => {
    const hub = await newTenant();
    return furnishBoth(hub, `rival-of-${hub.project.slug}`);
  };
};
