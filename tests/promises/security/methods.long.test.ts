import { describe, expect, it } from 'vitest';
import { readRoutes, routeCases } from '../../kit/routes.ts';
import { pathOf, shareTenants, startTenants } from '../../kit/tenants.ts';

const newTenants = shareTenants();

const routes = (await readRoutes()).filter(({ isSigned }) => !isSigned);
const cases = await routeCases();
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];

/** The methods of each path, as the document has them; HEAD comes with GET. */
const methodsByPath = new Map<string, string[]>();
for (const { path, method } of routes) {
  methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), ...(method === 'GET' ? ['GET', 'HEAD'] : [method])]);
}
// It could also be a player of this name.
methodsByPath.get('/api/v2/players/identifiers')?.push('DELETE');

describe('methods', () => {
  it.each([...methodsByPath])('%s allows %s, and names them to a caller with a key', async (path, methods) => {
    const { own, call } = await newTenants();
    const request = { path: pathOf({ path }, own), headers: { 'X-HTTP-Method-Override': 'DELETE' } };
    for (const method of METHODS) {
      const stranger = await call({ ...request, method, key: null });
      expect([method, stranger.status, stranger.body['code']]).toEqual([method, 401, 'missing_api_key']);
      expect(stranger.headers.get('allow')).toBeNull();
    }
    for (const method of METHODS.filter((each) => !methods.includes(each))) {
      const { status, headers, body } = await call({ ...request, method });
      expect([method, status, body['code']]).toEqual([method, 405, 'method_not_allowed']);
      expect(headers.get('allow')?.split(', ').toSorted()).toEqual(methods.toSorted());
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});

describe.each(cases.filter(([, { method }]) => method === 'GET'))('HEAD for %s', (_name, route) => {
  it('is the GET without its body', async () => {
    const { own, call } = await newTenants();
    const path = pathOf(route, own);
    const get = await call({ path });
    const head = await call({ method: 'HEAD', path });
    expect([head.status, head.text]).toEqual([get.status, '']);
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
    expect((await call({ method: 'HEAD', path, key: null })).status).toBe(401);
  });
});

describe('streams of events', () => {
  it('are not kept open by HEAD, nor by readers who have left', async () => {
    const { call } = await startTenants({ tuning: { maxEventStreams: 2 } });
    const path = '/api/v2/events';
    for (let turn = 0; turn < 6; turn += 1) expect((await call({ method: 'HEAD', path })).status).toBe(200);
    for (let turn = 0; turn < 6; turn += 1) await expect.poll(async () => (await call({ path })).status).toBe(200);
  });
});

describe('addresses that are not of the API', () => {
  const ADDRESSES = [
    '/api/v2',
    '/api/v2/',
    '/api/v2/player',
    '/api/v2//players',
    '/API/V2/players',
    '/api/v1/players',
    '/api/v2/players/char1:ana/inventory',
    '/api/v2/bridge/main/restart',
    '/api/v2/bridge/main',
    '/admin',
    '/.env',
    '/.git/config',
    '/server/cli/main.ts',
    '/hub.db',
    '/docs/../package.json',
    '/constructor',
    '/__proto__',
  ];

  it('are 404 with a key, and never anything but 401 or 404 without', async () => {
    const { call } = await startTenants({ panel: true });
    for (const path of ADDRESSES) {
      const known = await call({ path });
      expect([path, known.status, known.body['code']]).toEqual([path, 404, 'not_found']);
      expect([401, 404], path).toContain((await call({ path, key: null })).status);
      expect([401, 404], path).toContain((await call({ method: 'POST', path, json: {}, key: null })).status);
    }
  });
});

describe('a body where none belongs', () => {
  it.each(cases.filter(([, { method }]) => method === 'DELETE'))(
    'is held to the same limits: %s',
    async (_name, route) => {
      const { own, call } = await newTenants();
      const request = { method: 'DELETE', path: pathOf(route, own) };
      expect((await call({ ...request, body: '{}', headers: { 'Content-Type': 'text/plain' } })).status).toBe(415);
      expect((await call({ ...request, body: ' '.repeat(70_000) })).status).toBe(413);
      expect((await call(request)).status).toBe(204);
    },
  );
});
