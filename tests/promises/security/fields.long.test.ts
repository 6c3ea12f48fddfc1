import { describe, expect, it } from 'vitest';
import { bodyOf, exampleOf, type Route, routeCases, wrongTexts, wrongValues } from '../../kit/routes.ts';
import { pathOf, shareTenants } from '../../kit/tenants.ts';

const newTenants = shareTenants();

const cases = await routeCases();
const withBody = cases.filter(([, { bodySchema }]) => bodySchema !== undefined);
const withCursor = cases.filter(([, { query }]) => query.some(({ name }) => name === 'cursor'));

/** Unknown names, among them the names of properties that every object has. */
const STRANGERS = ['reson', '__proto__', 'constructor', 'toString', 'a/b~c', '\u202eevil', 'Limit', 'target ', ''];

/** Texts of the validator itself. */
const RAW = /^(Invalid|Too (small|big)|Unrecognized|Required)|expected|received|^$/;

const pointerTo = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

const start = async (route: Route) => {
  const { own, call } = await newTenants();
  // Each case writes the query.
  const path = pathOf({ path: route.path }, own);
  const { method, headers } = route;
  const request = { method, headers, json: route.bodySchema && bodyOf(route.bodySchema) };
  /** Expects a refusal that points to the field. */
  const refuses = async (pointer: string, changes: { json?: unknown; body?: string; query?: string }) => {
    const { query = '', ...payload } = changes;
    const { status, body } = await call({ ...request, ...payload, path: path + query });
    const what = JSON.stringify(changes).slice(0, 200);
    expect([status, body['code']], what).toEqual([422, 'invalid_request']);
    const errors = body['errors'] as { pointer: string; detail: string }[];
    expect(errors.filter(({ detail }) => RAW.test(detail))).toEqual([]);
    const near = errors.filter((error) => error.pointer === pointer || error.pointer.startsWith(`${pointer}/`));
    expect(near, `${what} → ${JSON.stringify(errors)}`).not.toEqual([]);
  };
  return { path, request, call, refuses };
};

/** Caches and libraries add parameters to these: unknown ones are ignored, and named in a header. */
const LENIENT = new Set(['getHealth', 'listPlayers', 'listPlayerIdentifiers', 'getPlayer']);
/** Parameters that mean nothing without another one. */
const NEEDED: Record<string, string> = {
  minBalance: 'account=bank&',
  maxBalance: 'account=bank&',
  each: 'range=24h&',
};
const MAY_BE_EMPTY = new Set(['limit', 'offset', 'search']);

describe('parameters of the query', () => {
  it.each(cases)('that do not exist or are wrong are refused by name, others taken: %s', async (_name, route) => {
    const { path, request, call, refuses } = await start(route);
    const names = STRANGERS.filter((each) => each !== '');
    const ignores = async (query: string, named: string): Promise<void> => {
      const { status, headers } = await call({ path: path + query });
      expect([200, 404], query).toContain(status);
      // An object of Node.js cannot hold it.
      if (named !== '__proto__') expect(headers.get('ignored-parameters'), query).toBe(encodeURIComponent(named));
    };
    const isLenient = LENIENT.has(route.id);
    await Promise.all(
      names.map((name) => {
        const query = `?${encodeURIComponent(name)}=1`;
        return isLenient ? ignores(query, name) : refuses(pointerTo(name), { query });
      }),
    );
    const twice = '?api_key=1&api_key=2';
    await (isLenient ? ignores(twice, 'api_key') : refuses('/api_key', { query: twice }));
    for (const { name, schema } of route.query) {
      const wrong = wrongTexts(schema).filter((text) => text !== '' || !MAY_BE_EMPTY.has(name));
      // Above its maximum a limit is the maximum.
      const queries = wrong
        .filter((text) => name !== 'limit' || !/^[1-9]\d*$/.test(text))
        .map((text) => `?${NEEDED[name] ?? ''}${name}=${encodeURIComponent(text)}`);
      await Promise.all(queries.map((query) => refuses(`/${name}`, { query })));
      const once = `${name}=${encodeURIComponent(String(exampleOf(schema)))}`;
      await refuses(`/${name}`, { query: `?${once}&${once}` });
      if (name !== 'cursor')
        expect([200, 404], once).toContain(
          (await call({ ...request, path: `${path}?${NEEDED[name] ?? ''}${once}` })).status,
        );
    }
  });
});

describe('cursors that no list gave out', () => {
  const encoded = [
    'null',
    '[]',
    '{"__proto__":1}',
    '["x",1]',
    '[["commands"],1]',
    '["commands","1 or 1=1"]',
    '["name",null]',
  ];
  const cursors = ['text-1', '%', ...encoded.map((text) => Buffer.from(text).toString('base64url'))];

  it.each(withCursor)('are refused by name: %s', async (_name, route) => {
    const { refuses } = await start(route);
    for (const cursor of cursors) await refuses('/cursor', { query: `?cursor=${encodeURIComponent(cursor)}` });
  });
});

describe('fields of the body', () => {
  it.each(withBody)('that do not exist, are missing or wrong are refused by name: %s', async (_name, route) => {
    const { request, refuses } = await start(route);
    const { properties = {}, required = [] } = route.bodySchema ?? {};
    for (const name of STRANGERS) {
      const members = [...Object.entries(request.json ?? {}), [name, 1] as const];
      const body = `{${members.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join()}}`;
      await refuses(pointerTo(name), { json: undefined, body });
    }
    for (const [name, schema] of Object.entries(properties)) {
      const bodies = wrongValues(schema).map((value) => ({ ...request.json, [name]: value }));
      await Promise.all(bodies.map((json) => refuses(`/${name}`, { json })));
    }
    for (const name of required) {
      const { [name]: _, ...rest } = { ...request.json };
      await refuses(`/${name}`, { json: rest });
    }
    for (const json of [null, [], [request.json], 'text', 1, true]) await refuses('/', { json });
  });

  it.each(withBody)('are all taken together: %s', async (_name, route) => {
    const { path, request, call } = await start(route);
    const filled = route.bodySchema && bodyOf(route.bodySchema, { all: true });
    // The servers of a key must exist, and its end must lie in the future.
    const real = { expiresAt: '2199-01-01T00:00:00Z', servers: ['main'] };
    const given = Object.keys(filled ?? {});
    const json = filled && {
      ...filled,
      ...Object.fromEntries(Object.entries(real).filter(([name]) => given.includes(name))),
    };
    const { status, text, body } = await call({ ...request, path, json });
    expect(status < 300 || ['invalid_state', 'not_settled', 'already_sent'].includes(String(body['code'])), text).toBe(
      true,
    );
  });
});
