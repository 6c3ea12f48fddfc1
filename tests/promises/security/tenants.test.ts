import { describe, expect, it } from 'vitest';
import { SCOPES } from '../../../server/auth/credentials.ts';
import type { Reply } from '../../kit/caller.ts';
import { shared } from '../../kit/ends.ts';
import { createServer } from '../../kit/make-tenant.ts';
import { bodyOf, routeCases } from '../../kit/routes.ts';
import { type Ids, pathOf, shareTenants, startTenants, unknownIds } from '../../kit/tenants.ts';

const newTenants = shareTenants();
/** For requests that change nothing of what a test looks at. */
const unchanged = shared(async () => {
  const tenants = await startTenants();
  await tenants.hub.newServer('other');
  return tenants;
});

const cases = await routeCases();
const withId = cases.filter(([, { pathParams }]) => pathParams.length > 0);
const withServerFilter = cases.filter(([, { query }]) => query.some(({ name }) => name === 'serverId'));

/** Everything of an answer but its request id, the address it repeats, the count of the limit, and the clock. */
const bytesOf = ({ status, headers, text }: Reply, { servers }: Pick<Ids, 'servers'>): string => {
  const shown = [...headers].filter(([name]) => !/^(date|x-request-id|.*ratelimit.*|content-length)$/.test(name));
  // A refusal repeats the id that was asked for.
  const withoutIds = text.replaceAll(/"(requestId|instance)":"[^"]*"/g, '').replaceAll(`\\"${servers}\\"`, '');
  return JSON.stringify([status, shown, withoutIds]);
};

/** The answer to a key that is limited to an empty server: its code, or 200 without data of other servers. */
const LIMITED: Record<string, string | number> = {
  getHealth: 200,
  listPlayers: 200,
  listPlayerIdentifiers: 200,
  getPlayer: 'player_not_found',
  kick: 'server_not_allowed',
  money: 'server_not_allowed',
  items: 'server_not_allowed',
  vehicles: 'server_not_allowed',
  job: 'server_not_allowed',
  announce: 'server_not_allowed',
  message: 'server_not_allowed',
  revive: 'server_not_allowed',
  heal: 'server_not_allowed',
  freeze: 'server_not_allowed',
  teleport: 'server_not_allowed',
  listItems: 'server_not_allowed',
  listVehicles: 'server_not_allowed',
  listJobs: 'server_not_allowed',
  listActions: 'server_not_allowed',
  runAction: 'server_not_allowed',
  listCommands: 200,
  exportCommands: 200,
  getCommand: 'command_not_found',
  voidCommand: 'command_not_found',
  undoCommand: 'command_not_found',
  repeatCommand: 'command_not_found',
  resolveCommand: 'command_not_found',
  createBatch: 'server_not_allowed',
  listBatches: 200,
  getBatch: 'batch_not_found',
  listBatchCommands: 'batch_not_found',
  exportBatch: 'batch_not_found',
  voidBatch: 'batch_not_found',
  undoBatch: 'batch_not_found',
  createSchedule: 'server_not_allowed',
  listSchedules: 200,
  getSchedule: 'schedule_not_found',
  listScheduleRuns: 'schedule_not_found',
  changeSchedule: 'schedule_not_found',
  runSchedule: 'schedule_not_found',
  deleteSchedule: 'schedule_not_found',
  listServers: 200,
  createServer: 'server_not_allowed',
  getServer: 'server_not_allowed',
  updateServer: 'server_not_allowed',
  previewServerDeletion: 'server_not_allowed',
  deleteServer: 'server_not_allowed',
  rotateServerToken: 'server_not_allowed',
  deletePlayer: 'server_not_allowed',
  listKeys: 200,
  createKey: 'server_not_allowed',
  updateKey: 'server_not_allowed',
  revokeKey: 'server_not_allowed',
  rotateKey: 'server_not_allowed',
  listIntegrations: 200,
  createIntegration: 'server_not_allowed',
  getIntegration: 'integration_not_found',
  updateIntegration: 'integration_not_found',
  deleteIntegration: 'integration_not_found',
  testIntegration: 'integration_not_found',
  listDeliveries: 'integration_not_found',
  listUnmatched: 'integration_not_found',
  decideUnmatched: 'integration_not_found',
  decideLines: 'integration_not_found',
  listDecided: 'integration_not_found',
  listWebhooks: 200,
  createWebhook: 201,
  getWebhook: 'webhook_not_found',
  updateWebhook: 'webhook_not_found',
  deleteWebhook: 'webhook_not_found',
  rotateWebhook: 'webhook_not_found',
  testWebhook: 'webhook_not_found',
  listWebhookDeliveries: 'webhook_not_found',
  retryWebhookDelivery: 'webhook_not_found',
  replayWebhook: 'webhook_not_found',
  getProject: 200,
  changeProject: 'server_not_allowed',
  sumCommands: 200,
  getMe: 200,
  streamEvents: 200,
  signIn: 201,
  getPanelSession: 200,
  signOut: 204,
  getStatistics: 200,
};

describe("another project's things", () => {
  it.each(withId)('do not exist for %s', async (_name, route) => {
    const { foreign, call } = unchanged();
    const ask = async (ids: Ids): Promise<string> => {
      const path = pathOf(route, ids);
      const json = route.bodySchema && bodyOf(route.bodySchema);
      const reply = await call({ method: route.method, path, json, headers: route.headers });
      expect([reply.status, reply.body['code']]).toEqual([404, expect.stringMatching(/^\w+_not_found$/)]);
      return bytesOf(reply, ids);
    };
    expect(await ask(foreign)).toBe(await ask(unknownIds()));
  });

  it.each(withServerFilter)('do not exist for %s with serverId', async (_name, route) => {
    const { own, foreign, call } = unchanged();
    const ask = async ({ servers }: Ids): Promise<string> => {
      return bytesOf(await call({ path: `${pathOf(route, own)}?serverId=${servers}` }), { servers });
    };
    expect(await ask(foreign)).toBe(await ask(unknownIds()));
  });

  it.each(cases.filter(([, { method, pathParams }]) => method === 'GET' && pathParams.length === 0))(
    'are in no answer of %s',
    async (_name, route) => {
      const { foreign, rival, call } = unchanged();
      const { status, text } = await call({ path: route.path });
      expect(status).toBe(200);
      for (const hidden of [...Object.values(foreign), rival.project.id, 'rival']) expect(text).not.toContain(hidden);
    },
  );

  it('are as they were after a walk over every route', async () => {
    const { hub, foreign, rival, call } = await newTenants();
    const read = async (): Promise<unknown[]> => {
      const paths = ['commands', 'players', 'servers', 'keys'].map((name) => `/api/v2/${name}`);
      const replies = await Promise.all(paths.map((path) => call({ path, key: rival.key })));
      return replies.map(({ text }) => text.replaceAll(/"lastUsedAt":(null|"[^"]*")/g, ''));
    };
    const before = await read();
    for (const [, route] of withId) {
      await call({
        method: route.method,
        path: pathOf(route, foreign),
        json: route.bodySchema && bodyOf(route.bodySchema, { all: true }),
      });
    }
    expect(await read()).toEqual(before);
    expect((await hub.store.apiKeys.find(rival.project.id, rival.keyId))?.revokedAt).toBeNull();
  });

  it('may have the same ids without meeting', async () => {
    const { hub, rival, call } = await newTenants();
    await createServer(hub.store, rival.project.id, { id: 'main', name: 'Another main' });
    const kick = { method: 'POST', json: { target: 'char1:ana' }, headers: { 'Idempotency-Key': 'once' } };
    expect(await hub.request('/api/v2/bridge/main/kick', kick)).toMatchObject({ status: 200 });
    const offline = await hub.request('/api/v2/bridge/main/kick', { ...kick, key: rival.key });
    expect(offline.body).toMatchObject({ status: 503, code: 'bridge_offline', executed: 'no' });
    const journal = await call({ path: '/api/v2/commands', key: rival.key });
    expect(journal.text).not.toContain('kick');
  });
});

describe('a key limited to a server', () => {
  it.each(cases)('gets nothing of another tenant from %s', async (_name, route) => {
    const { hub, own, call } = unchanged();
    const key = await hub.newKey(SCOPES, ['other']);
    const json = route.bodySchema && bodyOf(route.bodySchema);
    const path = pathOf(route, own);
    const { status, text, body } = await call({ method: route.method, path, key, json, headers: route.headers });
    expect(LIMITED, 'say here what a limited key gets').toHaveProperty(route.id);
    expect(body['code'] ?? status).toBe(LIMITED[route.id]);
    if (!route.path.endsWith('/keys')) expect(text).not.toMatch(/"(main|char1:ana|cmd_\w+)"/);
  });

  it.each(withServerFilter)('may not ask %s for another tenant by serverId', async (_name, route) => {
    const { hub, own, call } = unchanged();
    const key = await hub.newKey(route.scopes, ['other']);
    const [path] = pathOf(route, own).split('?');
    const { status, body } = await call({ method: route.method, path: `${path}?serverId=main`, key });
    expect([status, body['code']]).toEqual([403, 'server_not_allowed']);
  });
});
