import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { LIMITS } from '../../bridge-protocol/index.ts';
import { openWebSocket } from '../../bridge-protocol/ws.ts';
import { eventually } from '../kit/fake-hub.ts';

type Heard = [string, ...unknown[]];

const listen = async (): Promise<{ server: Server; url: string }> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // The port of a server that listens on TCP.
  const { port } = server.address() as AddressInfo;
  return { server, url: `ws://127.0.0.1:${port}/bridge` };
};

/** A socket of a bridge, and all its events. */
const open = (url: string) => {
  const heard: Heard[] = [];
  const socket = openWebSocket({ url, token: 'cwb_test' })({
    open: () => heard.push(['open']),
    message: (frame) => heard.push(['message', frame]),
    close: (code, reason) => heard.push(['close', code, reason]),
    refused: (refusal) => heard.push(['refused', refusal]),
  });
  onTestFinished(() => socket.terminate());
  const ended = () => eventually(() => expect(heard.at(-1)?.[0]).toMatch(/^(close|refused)$/));
  return { socket, heard, ended };
};

/** A server that accepts, and the sockets it has. */
const accept = async () => {
  const { server, url } = await listen();
  const accepted: WebSocket[] = [];
  const requests: { authorization: string | undefined; protocol: string | undefined }[] = [];
  const webSockets = new WebSocketServer({ server, perMessageDeflate: true });
  webSockets.on('connection', (socket, request) => {
    requests.push({
      authorization: request.headers.authorization,
      protocol: request.headers['sec-websocket-protocol'],
    });
    socket.on('error', () => {});
    socket.on('message', (data) => socket.send(data.toString()));
    accepted.push(socket);
  });
  return { url, accepted, requests };
};

describe('a socket of a bridge', () => {
  it('offers the protocol and the token, and carries text both ways', async () => {
    const { url, accepted, requests } = await accept();
    const { socket, heard, ended } = open(url);
    await eventually(() => expect(heard).toEqual([['open']]));
    expect(requests).toEqual([{ authorization: 'Bearer cwb_test', protocol: 'causeway.v1' }]);
    expect(accepted[0]?.extensions).toBe('');
    socket.send('hällo');
    await eventually(() => expect(heard.at(-1)).toEqual(['message', 'hällo']));
    accepted[0]?.close(4001, '{"code":"silent"}');
    await ended();
    expect(heard.at(-1)).toEqual(['close', 4001, '{"code":"silent"}']);
  });

  it.each([
    ['in seconds', '7', 7_000, 0],
    ['as a date', new Date(Date.now() + 3_600_000).toUTCString(), 3_600_000, 600_000],
  ])('says that it was refused, and for how long %s', async (_how, header, expectedMs, lateMs) => {
    const { server, url } = await listen();
    server.on('upgrade', (_request, socket) => {
      socket.on('error', () => {});
      const body = '{"code":"draining"}';
      socket.end(
        `HTTP/1.1 503 Service Unavailable\r\nRetry-After: ${header}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    });
    const { heard, ended } = open(url);
    await ended();
    expect(heard).toEqual([
      ['refused', { status: 503, body: '{"code":"draining"}', retryAfterMs: expect.any(Number) }],
    ]);
    const [, refusal] = heard[0] ?? [];
    const { retryAfterMs } = refusal as { retryAfterMs: number };
    expect(retryAfterMs).toBeLessThanOrEqual(expectedMs);
    expect(retryAfterMs).toBeGreaterThanOrEqual(expectedMs - lateMs);
  });

  it('does not follow a redirect, with which the token would go', async () => {
    const { server, url } = await listen();
    const asked: (string | undefined)[] = [];
    server.on('upgrade', (request, socket) => {
      asked.push(request.url);
      socket.on('error', () => {});
      socket.end(`HTTP/1.1 307 Moved\r\nLocation: ${url}/elsewhere\r\nContent-Length: 0\r\n\r\n`);
    });
    const { heard, ended } = open(url);
    await ended();
    expect(heard).toEqual([['refused', { status: 307, body: '' }]]);
    expect(asked).toEqual(['/bridge']);
  });

  it('ends with 1006 when a server upgrades and names no subprotocol', async () => {
    const { server, url } = await listen();
    const sockets = new WebSocketServer({ server, handleProtocols: () => false });
    onTestFinished(() => sockets.close());
    const { heard, ended } = open(url);
    await ended();
    expect(heard).toEqual([['close', 1006, 'Server sent no subprotocol']]);
  });

  it('reads a refusal only as far as its bound', async () => {
    const { server, url } = await listen();
    server.on('upgrade', (_request, socket) => {
      socket.on('error', () => {});
      socket.write(`HTTP/1.1 500 Oops\r\nContent-Length: 10000000\r\n\r\n${'x'.repeat(100_000)}`);
    });
    const { heard, ended } = open(url);
    await ended();
    expect(heard).toHaveLength(1);
    expect(heard).toEqual([['refused', { status: 500, body: 'x'.repeat(8 * 1024) }]]);
  });

  it('ends with 1006 when no server listens', async () => {
    const { server, url } = await listen();
    await new Promise((resolve) => server.close(resolve));
    const { heard, ended } = open(url);
    await ended();
    expect(heard).toEqual([['close', 1006, expect.stringContaining('ECONNREFUSED')]]);
  });

  it('ends with 1006 when the server hangs up instead of answering', async () => {
    const { server, url } = await listen();
    server.on('upgrade', (_request, socket) => socket.on('error', () => {}).destroy());
    const { heard, ended } = open(url);
    await ended();
    expect(heard).toEqual([['close', 1006, expect.any(String)]]);
  });

  it('ends when a frame is over the limit', async () => {
    const { url, accepted } = await accept();
    const { heard, ended } = open(url);
    await eventually(() => expect(accepted).toHaveLength(1));
    accepted[0]?.send('x'.repeat(LIMITS.frameBytes + 1));
    await ended();
    expect(heard.filter(([what]) => what === 'close')).toHaveLength(1);
    expect(heard.some(([what]) => what === 'message')).toBe(false);
  });

  it('says nothing twice when it is cut, in whatever state', async () => {
    const { url } = await accept();
    const early = open(url);
    early.socket.terminate();
    early.socket.close(1000, '');
    await early.ended();
    expect(early.heard).toEqual([['close', 1006, expect.any(String)]]);

    const late = open(url);
    await eventually(() => expect(late.heard).toEqual([['open']]));
    late.socket.terminate();
    late.socket.terminate();
    await late.ended();
    expect(late.heard.filter(([what]) => what === 'close')).toHaveLength(1);
    late.socket.send('too late');
  });

  it('cannot be made for an address that is none', () => {
    expect(() => openWebSocket({ url: 'https://hub.example', token: '' })).toThrow(/ws:/);
    expect(() => openWebSocket({ url: 'hub', token: '' })).toThrow();
  });
});
