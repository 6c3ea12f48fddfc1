import { describe, expect, it } from 'vitest';
import { MAX_ANNOUNCE_BYTES, MAX_BATCH_BYTES, MAX_BODY_BYTES } from '../../../server/http/request.ts';
import type { Call } from '../../kit/caller.ts';
import { bodyOf, type Route, routeCases } from '../../kit/routes.ts';
import { eventually } from '../../kit/stage.ts';
import { pathOf, shareTenants } from '../../kit/tenants.ts';

const newTenants = shareTenants();

const cases = await routeCases();
const withBody = cases.filter(([, { bodySchema }]) => bodySchema !== undefined);
const withId = cases.filter(([, { pathParams }]) => pathParams.length > 0);

const TEXTS = [
  '\0',
  'char1:ana\0',
  '__proto__',
  'constructor',
  'toString',
  '\u202etxt.exe',
  '\u200b',
  '\u{1f9ff}'.repeat(40),
  '\ufdfa'.repeat(60),
  'İ',
  "' or '1'='1",
  '"; drop table players; --',
  '%',
  '_%_',
  '\\',
  '%00',
  '../../../etc/passwd',
  '..%2f..%2fetc%2fpasswd',
  '//evil.example',
  '{{7*7}}#{7*7}<%= 7*7 %>',
  '<script>alert(1)</script>',
  '\r\nX-Injected: 1',
  'NaN',
  '-0',
  '1e999',
  'x'.repeat(3_000),
];
const RAW_IDS = ['%', '%zz', '%E0%A4', '%ff%fe', '%00', '%2e%2e%2f', '%252e%252e', ';x=1', '~', '*', ':id', '{id}'];

const HEADER_TEXTS = ['%00', '__proto__', "' or '1'='1", '../up', '\xe9', ',,,', '"', 'x=,;', 'NaN', 'x'.repeat(500)];

const MALFORMED: (string | Buffer)[] = [
  Buffer.from([0, 255, 254, 128, 192, 0]),
  '{',
  '{"a":1,}',
  "{'a':1}",
  'NaN',
  '{"a":"\0"}',
  '{} {}',
  '// {}',
  '\ud800',
];
const ofSize = (bytes: number): string => JSON.stringify({ reson: 'x'.repeat(bytes - 12) });
/** Deeply nested values, which the hub refuses before it parses them, and values that try to change the prototype of all objects. */
const depth = 9_000;
const UNWANTED = [
  '{"a":'.repeat(depth) + 1 + '}'.repeat(depth),
  '['.repeat(depth) + ']'.repeat(depth),
  '['.repeat(30_000),
  '{"__proto__":{"x":1}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"reson":1,"reson":2}',
  ofSize(65_536),
];
const LARGE: Readonly<Record<string, number>> = { createBatch: MAX_BATCH_BYTES, announce: MAX_ANNOUNCE_BYTES };
const mostOf = ({ id }: Route): number => LARGE[id] ?? MAX_BODY_BYTES;
const tooLargeFor = (route: Route) => [ofSize(mostOf(route) + 1), Buffer.from(ofSize(3_000_000))];
const OTHER_TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/jsonx',
  'text/json',
  'json',
  '*/*',
  'application/json, text/plain',
  'text/plain; application/json',
];
const JSON_TYPES = ['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON'];
const ODD_TYPES = ['application/json;', 'application/json ;x=1', 'application/problem+json', 'application/json\t'];

const start = async (route: Route) => {
  const tenants = await newTenants();
  const { hub, own, call } = tenants;
  const path = pathOf(route, own);
  const json = route.bodySchema && bodyOf(route.bodySchema);
  const ask = ({ headers, ...more }: Partial<Call>) =>
    call({ method: route.method, path, json, ...more, headers: { ...route.headers, ...headers } });
  /** After every attack: the hub is healthy, and no request is pending. */
  const isWell = async (): Promise<void> => {
    expect((await call({ path: '/api/v2/health' })).status).toBe(200);
    await eventually(() => hub.sizes()).toMatchObject({ queued: 0, inFlight: 0 });
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  };
  return { ...tenants, path, json, ask, isWell };
};

describe.each(withBody)('hostile bodies to %s', (_name, route) => {
  it('in text fields are refused or are only text', async () => {
    const { json, ask, isWell } = await start(route);
    const fields = Object.entries(route.bodySchema?.properties ?? {}).filter(([, { type }]) => type === 'string');
    const bodies = fields.flatMap(([name]) => TEXTS.map((text) => ({ ...json, [name]: text })));
    const answers = await Promise.all(bodies.map((body) => ask({ json: body })));
    for (const { headers } of answers) expect(headers.has('x-injected')).toBe(false);
    await isWell();
  });

  it('that are not JSON are 400, and unexpected ones 422', async () => {
    const { ask, isWell } = await start(route);
    const refuses = async (body: NonNullable<Call['body']>, status: number, code: string): Promise<void> => {
      const answer = await ask({ json: undefined, body });
      expect([answer.status, answer.body['code']], String(body.slice(0, 20))).toEqual([status, code]);
    };
    await Promise.all([
      ...MALFORMED.map((body) => refuses(body, 400, 'malformed_json')),
      ...UNWANTED.map((body) => refuses(body, 422, 'invalid_request')),
    ]);
    await isWell();
  });

  it('of another content type are 415, and fields of JSON are never lost', async () => {
    const { json, ask } = await start(route);
    for (const type of OTHER_TYPES) {
      const answer = await ask({ json: { ...json }, headers: { 'Content-Type': type } });
      expect([answer.status, answer.body['code']], type).toEqual([415, 'unsupported_media_type']);
    }
    for (const type of JSON_TYPES) {
      const answer = await ask({ json: { ...json, reson: 1 }, headers: { 'Content-Type': type } });
      expect(answer.status, type).toBe(422);
    }
    for (const type of ODD_TYPES) {
      const answer = await ask({ json: { ...json, reson: 1 }, headers: { 'Content-Type': type } });
      expect([415, 422], type).toContain(answer.status);
    }
  });
});

describe('bodies beyond the limit', () => {
  it('are refused with 413 on every route', async () => {
    const { own, call } = await newTenants();
    const refuses = async (route: Route, body: string | Buffer): Promise<void> => {
      const answer = await call({ method: route.method, path: pathOf(route, own), body, headers: route.headers });
      expect([route.id, answer.status, answer.body['code']]).toEqual([route.id, 413, 'payload_too_large']);
    };
    await Promise.all(withBody.flatMap(([, route]) => tooLargeFor(route).map((body) => refuses(route, body))));
    // The connections are kept, and good for more.
    for (const [, route] of withBody) for (const body of tooLargeFor(route)) await refuses(route, body);
    expect((await call({ path: '/api/v2/health' })).status).toBe(200);
  });
});

describe.each(withId)('hostile ids to %s', (_name, route) => {
  it('are ids of nothing', async () => {
    const { path, own, ask, isWell } = await start(route);
    const ids = [...TEXTS.map((text) => encodeURIComponent(text.toWellFormed())), ...RAW_IDS];
    const collection = path.split('/')[3] as keyof typeof own;
    const refuses = async (id: string): Promise<void> => {
      const answer = await ask({ path: path.replace(encodeURIComponent(own[collection]), () => id) });
      expect(answer.headers.has('x-injected')).toBe(false);
      expect([404, 405], id.slice(0, 80)).toContain(answer.status);
    };
    await Promise.all(ids.map(refuses));
    await isWell();
  });
});

describe.each(cases)('hostile headers to %s', (_name, route) => {
  it('change nothing', async () => {
    const { hub, ask, isWell } = await start(route);
    const names = ['Prefer', 'Idempotency-Key', 'Last-Event-ID', 'Cache-Control', 'traceparent', 'X-Forwarded-For'];
    const sendAll = async (value: string): Promise<void> => {
      const headers = Object.fromEntries([...names, 'Accept', 'Origin', 'X-Request-Id'].map((name) => [name, value]));
      const answer = await ask({ headers });
      expect(answer.headers.get('traceparent')).toBeNull();
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    };
    const sendId = async (id: string): Promise<void> => {
      expect((await ask({ headers: { 'X-Request-Id': id } })).headers.get('x-request-id')).toMatch(/^req_\w+$/);
    };
    const ids = ['a b', 'x'.repeat(65), '<b>', '\xe9', 'a\tb', '{jndi:ldap://x}', hub.key, hub.token];
    await Promise.all([...HEADER_TEXTS.map(sendAll), ...ids.map(sendId)]);
    const own = await ask({ headers: { 'X-Request-Id': 'bot:4711_a.b-c' } });
    expect(own.headers.get('x-request-id')).toBe('bot:4711_a.b-c');
    await isWell();
  });
});
