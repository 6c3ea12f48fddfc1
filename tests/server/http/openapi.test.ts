import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { COMMAND_NAMES } from '../../../bridge-protocol/index.ts';
import { createCore, HubProblem } from '../../../clients/typescript/core.ts';
import { ERRORS } from '../../../server/platform/errors.ts';
import { readApiDocument, readAppRoutes } from '../../kit/api-document.ts';
import { createEconomy, startGameServer } from '../../kit/game-server.ts';
import { get } from '../../kit/get.ts';
import { startHub } from '../../kit/hub.ts';
import { readRoutes } from '../../kit/routes.ts';

/** Every endpoint: operationId, method, path, scopes. */
const ENDPOINTS = [
  'getHealth GET /api/v2/health',
  'listPlayers GET /api/v2/players players:read',
  'listPlayerIdentifiers GET /api/v2/players/identifiers players:read',
  'getPlayer GET /api/v2/players/{identifier} players:read',
  'deletePlayer DELETE /api/v2/players/{identifier} players:write',
  'kick POST /api/v2/bridge/{serverId}/kick commands:kick',
  'money POST /api/v2/bridge/{serverId}/money commands:money',
  'items POST /api/v2/bridge/{serverId}/items commands:items',
  'vehicles POST /api/v2/bridge/{serverId}/vehicles commands:vehicles',
  'job POST /api/v2/bridge/{serverId}/job commands:job',
  'announce POST /api/v2/bridge/{serverId}/announce commands:announce',
  'message POST /api/v2/bridge/{serverId}/message commands:announce',
  'revive POST /api/v2/bridge/{serverId}/revive commands:player',
  'heal POST /api/v2/bridge/{serverId}/heal commands:player',
  'freeze POST /api/v2/bridge/{serverId}/freeze commands:player',
  'teleport POST /api/v2/bridge/{serverId}/teleport commands:player',
  'listActions GET /api/v2/bridge/{serverId}/actions commands:custom',
  'runAction POST /api/v2/bridge/{serverId}/actions/{name} commands:custom',
  'listCommands GET /api/v2/commands commands:read',
  'sumCommands GET /api/v2/commands/sums commands:read',
  'exportCommands GET /api/v2/commands.csv commands:read',
  'getCommand GET /api/v2/commands/{id} commands:read',
  'voidCommand POST /api/v2/commands/{id}/void commands:resolve',
  'undoCommand POST /api/v2/commands/{id}/undo',
  'repeatCommand POST /api/v2/commands/{id}/again',
  'resolveCommand POST /api/v2/commands/{id}/resolve commands:resolve',
  'createBatch POST /api/v2/batches commands:batch',
  'listBatches GET /api/v2/batches commands:read',
  'getBatch GET /api/v2/batches/{id} commands:read',
  'listBatchCommands GET /api/v2/batches/{id}/commands commands:read',
  'exportBatch GET /api/v2/batches/{id}/commands.csv commands:read',
  'undoBatch POST /api/v2/batches/{id}/undo commands:batch',
  'voidBatch POST /api/v2/batches/{id}/void commands:resolve',
  'createSchedule POST /api/v2/schedules schedules:write',
  'listSchedules GET /api/v2/schedules commands:read',
  'getSchedule GET /api/v2/schedules/{id} commands:read',
  'listScheduleRuns GET /api/v2/schedules/{id}/runs commands:read',
  'changeProject PATCH /api/v2/project project:write',
  'runSchedule POST /api/v2/schedules/{id}/run schedules:write',
  'changeSchedule PATCH /api/v2/schedules/{id} schedules:write',
  'deleteSchedule DELETE /api/v2/schedules/{id} schedules:write',
  'listServers GET /api/v2/servers servers:read',
  'createServer POST /api/v2/servers servers:write',
  'getServer GET /api/v2/servers/{serverId} servers:read',
  'updateServer PATCH /api/v2/servers/{serverId} servers:write',
  'previewServerDeletion GET /api/v2/servers/{serverId}/deletion servers:read',
  'deleteServer DELETE /api/v2/servers/{serverId} servers:write',
  'rotateServerToken POST /api/v2/servers/{serverId}/token servers:write',
  'listItems GET /api/v2/servers/{serverId}/items servers:read',
  'listVehicles GET /api/v2/servers/{serverId}/vehicles servers:read',
  'listJobs GET /api/v2/servers/{serverId}/jobs servers:read',
  'listKeys GET /api/v2/keys keys:write',
  'createKey POST /api/v2/keys keys:write',
  'updateKey PATCH /api/v2/keys/{id} keys:write',
  'revokeKey DELETE /api/v2/keys/{id} keys:write',
  'rotateKey POST /api/v2/keys/{id}/rotate keys:write',
  'listIntegrations GET /api/v2/integrations integrations:write',
  'createIntegration POST /api/v2/integrations integrations:write',
  'getIntegration GET /api/v2/integrations/{id} integrations:write',
  'updateIntegration PATCH /api/v2/integrations/{id} integrations:write',
  'deleteIntegration DELETE /api/v2/integrations/{id} integrations:write',
  'testIntegration POST /api/v2/integrations/{id}/test integrations:write',
  'listDeliveries GET /api/v2/integrations/{id}/deliveries integrations:write',
  'listUnmatched GET /api/v2/integrations/{id}/unmatched integrations:write',
  'decideLines POST /api/v2/integrations/{id}/unmatched integrations:write',
  'listDecided GET /api/v2/integrations/{id}/decided integrations:write',
  'decideUnmatched POST /api/v2/integrations/{id}/unmatched/{lineId} integrations:write',
  'receiveTebex POST /api/v2/integrations/{id}/tebex',
  'receiveOrder POST /api/v2/integrations/{id}/orders',
  'listWebhooks GET /api/v2/webhooks webhooks:write',
  'createWebhook POST /api/v2/webhooks webhooks:write commands:read',
  'getWebhook GET /api/v2/webhooks/{id} webhooks:write',
  'updateWebhook PATCH /api/v2/webhooks/{id} webhooks:write commands:read',
  'deleteWebhook DELETE /api/v2/webhooks/{id} webhooks:write',
  'rotateWebhook POST /api/v2/webhooks/{id}/rotate webhooks:write',
  'testWebhook POST /api/v2/webhooks/{id}/test webhooks:write',
  'listWebhookDeliveries GET /api/v2/webhooks/{id}/deliveries webhooks:write',
  'retryWebhookDelivery POST /api/v2/webhooks/{id}/deliveries/{eventId}/retry webhooks:write',
  'replayWebhook POST /api/v2/webhooks/{id}/replay webhooks:write',
  'getProject GET /api/v2/project',
  'streamEvents GET /api/v2/events players:read commands:read',
  'signIn POST /api/v2/panel/session',
  'getMe GET /api/v2/me',
  'getPanelSession GET /api/v2/panel/session',
  'signOut DELETE /api/v2/panel/session',
  'getStatistics GET /api/v2/statistics servers:read',
];

const CODES = Object.keys(ERRORS);
const routes = await readRoutes();

describe('the OpenAPI document', () => {
  it('is served as it is built, without a key', async () => {
    const hub = await startHub();
    const response = await fetch(`${hub.address}/api/v2/openapi.json`);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(await readApiDocument());
  });

  it('is OpenAPI 3.1 and names every endpoint with its scopes', async () => {
    const document = JSON.parse(await readApiDocument());
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.components.securitySchemes).toEqual({
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
    });
    const described = routes.map(({ id, method, path, scopes }) => [id, method, path, ...scopes].join(' '));
    expect(described.toSorted()).toEqual(ENDPOINTS.toSorted());
    const sections = document.tags.map(({ name }: { name: string }) => name);
    expect(new Set(routes.flatMap(({ operation }) => operation.tags))).toEqual(new Set(sections));
    expect(sections[0]).toBe('Players');
  });

  it('leaves no route of the API out', () => {
    const described = new Set(routes.map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`));
    const hidden = readAppRoutes()
      .filter(({ method, path }) => method !== 'ALL' && path.startsWith('/api/'))
      .map(({ method, path }) => `${method} ${path}`)
      .filter((route) => !described.has(route));
    expect(hidden).toEqual(['GET /api/v2/openapi.json']);
  });

  it.each(routes)(
    'says in words what $id needs, and how it can fail',
    ({ operation, scopes, isSigned, bodySchema, pathParams }) => {
      expect(operation.summary).toMatch(/^[A-Z]/);
      for (const scope of scopes) expect(operation.description).toContain(scope);
      const keyless = isSigned ? 'No API key.' : 'Any key will do.';
      if (scopes.length === 0) expect(operation.description).toContain(keyless);
      const wanted = [401, 403, 422, 429, 500, 503];
      if (bodySchema !== undefined) wanted.push(400, 413, ...(isSigned ? [] : [415]));
      if (pathParams.length > 0) wanted.push(404);
      const problems = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400);
      expect(problems.map(([status]) => Number(status))).toEqual(expect.arrayContaining(wanted));
      for (const [status, { description, content }] of problems) {
        expect(content).toMatchObject({
          'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
        });
        // Health at 503 is an answer too.
        if (content !== undefined && 'application/json' in content) continue;
        expect(CODES, status).toEqual(expect.arrayContaining(description.split(', ')));
      }
    },
  );

  it.each(routes.filter(({ isSigned }) => !isSigned))(
    'says which headers the answers of $id have',
    ({ id, operation }) => {
      const limits = [
        'RateLimit',
        'RateLimit-Policy',
        'X-RateLimit-Limit',
        'X-RateLimit-Remaining',
        'X-RateLimit-Reset',
      ];
      const named = (status: string) => Object.keys(operation.responses[status]?.headers ?? {});
      for (const status of Object.keys(operation.responses)) {
        const isCounted = !['401', '408', '417', '431'].includes(status);
        expect(named(status), status).toEqual(isCounted ? expect.arrayContaining(limits) : []);
        // The health of a hub whose database is down is an answer, and no refusal.
        const isRefusal = status === '429' || (status === '503' && id !== 'getHealth');
        expect(named(status).includes('Retry-After'), status).toBe(isRefusal);
      }
    },
  );

  it('says where an answer has its address, its next page, and that it was replayed', () => {
    const where = (name: string) =>
      routes
        .flatMap(({ id, operation }) =>
          Object.entries(operation.responses).map(([status, { headers = {} }]) =>
            name in headers ? `${id} ${status}` : '',
          ),
        )
        .filter(Boolean);
    expect(where('Link')).toEqual(['listPlayers 200']);
    const commands = COMMAND_NAMES.flatMap((name) => [`${name} 200`, `${name} 202`]);
    const others = ['createBatch 202', 'undoBatch 202', 'createSchedule 201', 'runSchedule 202'];
    const more = ['runAction', 'undoCommand', 'repeatCommand'].flatMap((name) => [`${name} 200`, `${name} 202`]);
    const replayed = [...commands, ...more, ...others];
    // Errors are described once for all routes: that of a command may be an earlier one's.
    const done = where('Idempotency-Replayed').filter((each) => / 2\d\d$/.test(each));
    expect(done.toSorted()).toEqual(replayed.toSorted());
    const located = [...replayed.filter((each) => !each.endsWith(' 200')), 'voidCommand 202', 'createWebhook 201'];
    expect(where('Location').toSorted()).toEqual(located.toSorted());
  });

  it('lists every error code, and no other', async () => {
    const document = JSON.parse(await readApiDocument());
    expect(document.components.schemas.Problem.properties.code.enum.toSorted()).toEqual(CODES.toSorted());
  });
});

describe('a client made of the document', () => {
  it('lists players, reads one, gives money, kicks, and reads the journal', async () => {
    const hub = await startHub();
    const economy = createEconomy({ 'char1:ana': 1000 });
    startGameServer({ url: () => hub.bridgeUrl, token: hub.token, folder: hub.folder, economy });
    const { request, command } = createCore({ url: hub.address, apiKey: hub.key });

    const list = () => request('get', '/api/v2/players', { query: { limit: 10, online: 'true' } });
    await expect.poll(async () => (await list()).pagination.total).toBe(1);
    const identifier = (await list()).data[0]?.identifier ?? '';
    expect(identifier).toBe('char1:ana');

    const body = { target: identifier, type: 'bank', amount: 500, action: 'add' } as const;
    const money = await request('post', '/api/v2/bridge/{serverId}/money', { path: { serverId: 'main' }, body });
    expect(money.result).toEqual({ account: 'bank', before: 1000, after: 1500 });

    const read = () => request('get', '/api/v2/players/{identifier}', { path: { identifier } });
    await expect.poll(async () => (await read()).accounts['bank']).toBe(1500);
    expect((await read()).inventory[0]?.label).toBe('Bread');

    expect((await command('kick', { serverId: 'main', target: identifier })).happened).toBe('yes');
    expect(economy.kicked).toEqual([identifier]);

    const journal = await request('get', '/api/v2/commands', { query: { target: identifier } });
    expect(journal.data.map(({ name, status }) => [name, status])).toEqual([
      ['kick', 'succeeded'],
      ['money', 'succeeded'],
    ]);

    // @ts-expect-error: no command can be read without its id
    await expect(request('get', '/api/v2/commands/{id}')).rejects.toThrow(TypeError);
    // @ts-expect-error: without a key, a schedule may run twice
    const run = request('post', '/api/v2/schedules/{id}/run', { path: { id: 'sch_none' } });
    await expect(run).rejects.toBeInstanceOf(HubProblem);
    await expect(request('get', '/api/v2/commands/{id}', { path: { id: 'cmd_none' } })).rejects.toMatchObject({
      code: 'command_not_found',
    });
  });
});

describe('the reference page', () => {
  it('needs no key and loads nothing from elsewhere', async () => {
    const hub = await startHub({ panel: true });
    const page = await fetch(`${hub.address}/docs/api`);
    expect(page.status).toBe(200);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining(["default-src 'none'", "script-src 'self'", "base-uri 'none'"]),
    );
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/);
    const html = await page.text();
    expect(html).not.toMatch(/<script(?![^>]* src=)|\son\w+=/);
    const links = [...html.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]*)"/g)].map((match) => match[1] ?? '');
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) {
      expect(link).toMatch(/^\/docs\/assets\//);
      const asset = await fetch(hub.address + link);
      expect([asset.status, asset.headers.get('x-content-type-options')]).toEqual([200, 'nosniff']);
      await asset.arrayBuffer();
    }
  });

  it('comes packed as the browser can take it, is kept, and has the look of the panel', async () => {
    const { address } = await startHub({ panel: true });
    const page = (await get(`${address}/docs/api`)).body.toString();
    const [path = ''] = /\/docs\/assets\/swagger-ui-bundle-[\w-]+\.js/.exec(page) ?? [];
    const plain = await get(address + path);
    expect([plain.headers['content-encoding'], plain.headers['vary']]).toEqual([undefined, 'Accept-Encoding']);
    const br = await get(address + path, { 'Accept-Encoding': 'gzip, deflate, br' });
    expect([br.headers['content-encoding'], brotliDecompressSync(br.body).equals(plain.body)]).toEqual(['br', true]);
    expect(br.body.length).toBeLessThan(plain.body.length / 3);
    const gzip = await get(address + path, { 'Accept-Encoding': 'br;q=0, gzip' });
    expect([gzip.headers['content-encoding'], gunzipSync(gzip.body).equals(plain.body)]).toEqual(['gzip', true]);
    const again = await get(address + path, { 'If-None-Match': String(br.headers['etag']) });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    const [style = ''] = /\/docs\/assets\/reference-[\w-]+\.css/.exec(page) ?? [];
    expect((await get(address + style)).body.toString()).toContain('--ground');
  });

  it.each(['..%2fpackage.json', '%2e%2e/package.json', 'swagger-ui.js.map', '__proto__', 'constructor', '%00'])(
    'serves nothing else: %s',
    async (name) => {
      const hub = await startHub({ panel: true });
      const { status, body } = await hub.request(`/docs/assets/${name}`, { key: null });
      expect([status, body.code]).toEqual([404, 'not_found']);
    },
  );
});
