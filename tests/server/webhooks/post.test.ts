import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { type AddressInfo, createServer as createRaw, type Server, type Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readReach } from '../../../server/platform/reach.ts';
import { Addresses } from '../../../server/webhooks/address.ts';
import { createPost } from '../../../server/webhooks/post.ts';
import { atEnd } from '../../kit/ends.ts';
import { startNameServer } from '../../kit/name-server.ts';
import { SELF_SIGNED } from '../../kit/self-signed.ts';

/** Listens on loopback until the test ends; whoever is connected then is cut off. */
const portOf = async (server: Server, host = '127.0.0.1'): Promise<number> => {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket.on('error', () => undefined));
    socket.once('close', () => open.delete(socket));
  });
  server.listen(0, host);
  await once(server, 'listening');
  atEnd(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
};
const serve = async (listener: RequestListener): Promise<string> =>
  `http://127.0.0.1:${await portOf(createServer(listener))}/hook`;

type Options = { mayReach?: string; servers?: string[]; ca?: string; deadlineMs?: number };
const postTo = (url: string, { mayReach = '127.0.0.1', servers, ...more }: Options = {}) => {
  const reach = readReach(mayReach);
  if (reach === undefined) throw new Error(`not a reach: ${mayReach}`);
  return createPost({ addresses: new Addresses({ reach, servers }), ...more })(url, {
    body: '{"name":"é"}',
    headers: { 'webhook-id': 'evt_1' },
  });
};

it('posts the body byte for byte with its headers', async () => {
  const got: unknown[] = [];
  const url = await serve((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method, headers } = request;
      got.push([method, Buffer.concat(parts).toString(), headers['webhook-id'], headers['content-length']]);
      response.writeHead(204, { 'retry-after': '7' }).end();
    });
  });
  expect(await postTo(url)).toMatchObject({ status: 204, fault: null, isLate: false, headers: { 'retry-after': '7' } });
  expect(got).toEqual([['POST', '{"name":"é"}', 'evt_1', '13']]);
});

it('an endpoint that hangs is given up at the deadline', async () => {
  const url = await serve(() => undefined);
  expect(await postTo(url, { deadlineMs: 100 })).toMatchObject({ status: null, fault: 'timeout', isLate: true });
});

it('an endpoint that sends its headers one sign at a time is given up at the deadline', async () => {
  const server = createRaw((socket) => {
    const signs = [...`HTTP/1.1 200 OK\r\nX-Slow: ${'a'.repeat(10_000)}`];
    const timer = setInterval(() => socket.write(signs.shift() ?? 'a'), 5);
    socket.once('close', () => clearInterval(timer));
  });
  const url = `http://127.0.0.1:${await portOf(server)}/`;
  expect(await postTo(url, { deadlineMs: 200 })).toMatchObject({ status: null, fault: 'timeout' });
});

it('an answer that drips counts by its status, and is cut at the deadline', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('a'), 5);
    response.once('close', () => clearInterval(timer));
  });
  const posted = await postTo(url, { deadlineMs: 300 });
  expect(posted).toMatchObject({ status: 200, fault: null, isLate: true, text: expect.stringMatching(/^a+$/) });
});

it('of an answer of 50 MB, four kilobytes are read', async () => {
  const whole = 50 * 1024 * 1024;
  let written = 0;
  let closed: Promise<unknown> | undefined;
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': whole });
    const part = Buffer.alloc(65_536, 'a');
    const more = (): void => {
      while (written < whole && !response.destroyed) {
        written += part.length;
        if (!response.write(part)) return;
      }
    };
    response.on('drain', more);
    closed = once(response, 'close');
    more();
  });
  const posted = await postTo(url);
  expect(posted).toMatchObject({ status: 200, text: 'a'.repeat(4_096) });
  await closed;
  expect(written).toBeLessThan(whole / 2);
});

it.each([
  ['in the middle of its headers', 'HTTP/1.1 200 OK\r\nContent-', { status: null, fault: 'connection' }],
  ['before it says a word', '', { status: null, fault: 'connection' }],
  ['with something that is not HTTP', 'SSH-2.0-hello\r\n\r\n', { status: null, fault: 'connection' }],
  ['in the middle of its body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal', { status: 200, text: 'hal' }],
])('an endpoint that closes %s', async (_when, text, expected) => {
  const server = createRaw((socket) => socket.once('data', () => socket.end(text)));
  expect(await postTo(`http://127.0.0.1:${await portOf(server)}/`)).toMatchObject(expected);
});

it('a proxy that the environment names is not asked', async () => {
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy']) vi.stubEnv(name, 'http://127.0.0.1:1');
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  onTestFinished(() => void vi.unstubAllEnvs());
  const url = await serve((_request, response) => response.end('direct'));
  expect(await postTo(url)).toMatchObject({ status: 200, text: 'direct' });
});

it('nobody listens there', async () => {
  const server = createRaw();
  const port = await portOf(server);
  await new Promise((resolve) => server.close(resolve));
  expect(await postTo(`http://127.0.0.1:${port}/`)).toMatchObject({
    fault: 'connection',
    detail: expect.stringContaining('ECONNREFUSED'),
  });
});

it('a redirect is an answer like any other, and nobody follows it', async () => {
  let requests = 0;
  const url = await serve((_request, response) => {
    requests += 1;
    const location = requests === 1 ? 'http://169.254.169.254/latest' : '/again';
    response.writeHead(307, { location }).end();
  });
  expect(await postTo(url)).toMatchObject({ status: 307, fault: null });
  expect(await postTo(url)).toMatchObject({ status: 307, fault: null });
  expect(requests).toBe(2);
});

/** A server with TLS, and how many have connected to it. */
const secure = async (): Promise<{ port: number; connections: () => number }> => {
  let connections = 0;
  const server = createSecure(SELF_SIGNED, (_request, response) => response.end('ok'));
  server.on('connection', () => {
    connections += 1;
  });
  return { port: await portOf(server), connections: () => connections };
};

it('a certificate must be good and of this host', async () => {
  const { port } = await secure();
  const { cert: ca } = SELF_SIGNED;
  expect(await postTo(`https://127.0.0.1:${port}/`, { ca })).toMatchObject({ status: 200, text: 'ok' });
  expect(await postTo(`https://127.0.0.1:${port}/`)).toMatchObject({ status: null, fault: 'certificate' });
  const { address } = await startNameServer(() => ['127.0.0.1']);
  expect(await postTo(`https://other.example:${port}/`, { ca, servers: [address] })).toMatchObject({
    status: null,
    fault: 'certificate',
    detail: expect.stringContaining('ALTNAME'),
  });
  const plain = new URL(await serve((_request, response) => response.end()));
  expect(await postTo(`https://127.0.0.1:${plain.port}/`, { ca })).toMatchObject({ status: null });
});

it('a name that turns private at the second look-up is not connected to', async () => {
  const { port, connections } = await secure();
  const turns = ['127.0.0.1', '127.0.0.2'];
  const names = await startNameServer((_name, family) => (family === 6 ? [] : turns.splice(0, 1)));
  const to = { servers: [names.address] };
  // The certificate is of another name: the connection was made.
  expect(await postTo(`https://turns.example:${port}/`, to)).toMatchObject({ fault: 'certificate' });
  expect(connections()).toBe(1);
  expect(await postTo(`https://turns.example:${port}/`, to)).toMatchObject({ fault: 'refused_address' });
  expect(connections()).toBe(1);
  expect(names.asked.filter((each) => each === '4 turns.example')).toHaveLength(2);
});

it.each([
  ['two addresses of which one is bad', ['127.0.0.1', '127.0.0.2']],
  ['the mapped form of a private address', ['::ffff:7f00:2']],
  ['the embedded form of a private address', ['::7f00:1']],
])('a name with %s is not connected to', async (_what, found) => {
  const { port, connections } = await secure();
  const { address } = await startNameServer(() => found);
  const posted = await postTo(`https://bad.example:${port}/`, { servers: [address] });
  expect(posted).toMatchObject({
    status: null,
    fault: 'refused_address',
    detail: expect.stringContaining('not public'),
  });
  expect(connections()).toBe(0);
});

it.each(['http://169.254.169.254/', 'https://[::1]/', 'http://localhost/', 'https://user@127.0.0.1/'])(
  'a stored address that is not allowed any more is refused before the post: %s',
  async (url) => {
    expect(await postTo(url)).toMatchObject({ status: null, fault: 'refused_address' });
  },
);
