import { describe, expect, it } from 'vitest';
import { openTcp } from '../../kit/raw-tcp.ts';
import { startTenants } from '../../kit/tenants.ts';

const INSIDES = /\n\s+at |node_modules|node:internal|\.[jt]s:\d|\/home\/|\/work\//;
const CHUNK = `${(8_192).toString(16)}\r\n${' '.repeat(8_192)}\r\n`;
const BODY = '{"target":"char1:ana"}';

type Changes = { headers?: string[]; body?: string; version?: string; host?: string[]; connection?: string };
const write = (line: string, changes: Changes = {}): string => {
  const { headers = [], body = '', version = 'HTTP/1.1', host = ['Host: hub'], connection = 'close' } = changes;
  return [`${line} ${version}`, ...host, `Connection: ${connection}`, ...headers, '', body].join('\r\n');
};
const health = (changes?: Changes) => write('GET /api/v2/health', changes);
const kick = (headers: string[], body = BODY) =>
  write('POST /api/v2/bridge/main/kick', { headers: ['Content-Type: application/json', ...headers], body });
const chunked = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;

/** Requests that the hub answers itself, with headers; `KEY` stands for the key. */
const ANSWERED: [what: string, status: number, request: string][] = [
  ['dots that leave the API', 404, write('GET /api/v2/players/../../../etc/passwd')],
  ['encoded dots', 404, write('GET /api/v2/players/%2e%2e/%2e%2e/package.json')],
  ['dots below the assets', 404, write('GET /docs/assets/../../package.json')],
  ['encoded slashes below the assets', 404, write('GET /docs/assets/..%2f..%2fpackage.json')],
  ['a long address', 404, write(`GET /api/v2/players/${'x'.repeat(7_000)}`)],
  ['a fragment', 200, write('GET /api/v2/health#x')],
  ['an absolute address', 200, write('GET http://elsewhere/api/v2/health')],
  ['two keys', 401, health({ headers: ['X-API-Key: KEY'] })],
  ['two request ids', 200, health({ headers: ['X-Request-Id: a', 'X-Request-Id: b'] })],
  ['HTTP/1.0', 200, health({ version: 'HTTP/1.0' })],
  ['TRACE', 405, write('TRACE /api/v2/health')],
  ['a body of GET', 200, health({ headers: ['Content-Type: application/json', 'Content-Length: 2'], body: '{}' })],
  ['a kick', 200, kick([`Content-Length: ${BODY.length}`])],
  ['a kick in a chunk', 200, kick(['Transfer-Encoding: chunked'], chunked)],
  ['ten megabytes in chunks', 413, kick(['Transfer-Encoding: chunked'], CHUNK.repeat(1_280))],
  ['ten megabytes announced', 413, kick(['Content-Length: 10000000'], '{')],
  [
    'chunks without a content type',
    415,
    write('POST /api/v2/bridge/main/kick', { headers: ['Transfer-Encoding: chunked'], body: chunked }),
  ],
];

/** Requests that Node.js refuses before the hub, and one whose backslashes are slashes, as in each URL. */
const CUT_OFF: [what: string, status: number, request: string][] = [
  ['backslashes', 404, write('GET /docs/assets/..\\..\\package.json')],
  ['a NUL in the address', 400, write('GET /api/v2/players/a\0b')],
  ['a NUL in a header', 400, health({ headers: ['X-Request-Id: a\0b'] })],
  ['a very long address', 431, write(`GET /api/v2/players/${'x'.repeat(9_000)}`)],
  ['a very long header', 431, health({ headers: [`A: ${'x'.repeat(9_000)}`] })],
  ['a thousand headers', 431, health({ headers: Array(1_000).fill('A: abcdefgh') })],
  ['an unknown method', 400, write('FOO /api/v2/health')],
  ['OPTIONS *', 400, write('OPTIONS *')],
  ['CONNECT', 400, write('CONNECT hub:22')],
  ['HTTP/3.0', 400, health({ version: 'HTTP/3.0' })],
  ['no Host', 400, health({ host: [] })],
  ['a hostile Host', 400, health({ host: ['Host: a b<c>'] })],
  ['TLS', 400, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['another upgrade', 404, health({ headers: ['Upgrade: websocket'], connection: 'Upgrade' })],
  ['a length and chunks', 400, kick(['Content-Length: 5', 'Transfer-Encoding: chunked'], chunked)],
  ['two lengths', 400, kick([`Content-Length: ${BODY.length}`, 'Content-Length: 5'])],
  ['a negative length', 400, kick(['Content-Length: -1'])],
  ['broken chunks', 400, kick(['Transfer-Encoding: chunked'], 'zz\r\n{}')],
  ['an expectation', 417, health({ headers: ['Expect: the-best'] })],
];
const FAULTS: Record<number, string> = { 400: 'malformed_http', 417: 'expectation_failed', 431: 'headers_too_large' };

const idIn = (text: string): string | undefined => /^x-request-id: (req_\w+)\r$/im.exec(text)?.[1];
const problemIn = (text: string): Record<string, unknown> => JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));

type Tenants = Awaited<ReturnType<typeof startTenants>>;

/** Sends the bytes with a good key; the answer is complete, tells nothing, and the hub is well. */
const exchange = async ({ hub, bridge, call }: Tenants, request: string) => {
  const before = bridge.frames.length;
  const tcp = openTcp(hub.port);
  const bytes = request.replace('\r\n', `\r\nX-API-Key: ${hub.key}\r\n`).replace('KEY\r\n', `${hub.key}\r\n`);
  tcp.send(Buffer.from(bytes, 'latin1'));
  await tcp.ended(30_000);
  const text = tcp.text();
  expect(text).not.toMatch(INSIDES);
  expect(text).not.toContain(hub.key);
  expect((await call({ path: '/api/v2/health' })).status).toBe(200);
  const kicks = bridge.frames.slice(before).filter(({ type }) => type === 'command').length;
  return { status: Number(text.slice(9, 12)), text, kicks };
};

describe('on the wire', () => {
  it('a valid request gets its answer, with every header', async () => {
    const tenants = await startTenants({ panel: true });
    for (const [what, wanted, request] of ANSWERED) {
      const { status, text, kicks } = await exchange(tenants, request);
      expect([what, status], text.slice(0, 500)).toEqual([what, wanted]);
      expect(text, what).toMatch(/^x-content-type-options: nosniff\r$/im);
      expect(text, what).toMatch(/^x-request-id: req_\w+\r$/im);
      expect(kicks, what).toBe(what.startsWith('a kick') ? 1 : 0);
    }
  });

  it('an invalid or oversized request ends the connection', async () => {
    const tenants = await startTenants({ panel: true });
    for (const [what, wanted, request] of CUT_OFF) {
      const { status, text, kicks } = await exchange(tenants, request);
      expect([what, status, kicks], text.slice(0, 500)).toEqual([what, wanted, 0]);
      const code = FAULTS[status];
      if (code === undefined) continue;
      expect([what, problemIn(text)]).toMatchObject([what, { code, status, executed: 'no', requestId: idIn(text) }]);
      expect(text, what).toMatch(/^connection: close\r$/im);
    }
  });
});
