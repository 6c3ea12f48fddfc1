import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Config } from './config.ts';
import { paceReads } from './paced-reads.ts';

/** After a restart every bridge comes back at once; whoever finds the kernel's queue full waits for seconds. */
const LISTEN_BACKLOG = 4_096;
const CUT_AFTER_MS = 2_000;

/** Requests that one connection may have waiting: clients that pipeline at all send a few. */
export const MAX_PIPELINED = 64;

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** The last request of a connection, kept on the socket itself: a WeakMap costs every request 2 µs. */
const LATEST = Symbol('latest');
/** Set on a connection whose bytes are no requests any more. */
const BROKEN = Symbol('broken');
type Latest = { request: IncomingMessage; response: ServerResponse; waiting: number };
type Asked = Socket & { [LATEST]?: Latest; [BROKEN]?: true };

/**
 * Starts a request only when the one before it on the same connection has been answered. Node.js reports every request
 * of a chunk at once, some 1,500 of them, and each would be started. A connection with more than `MAX_PIPELINED` waiting
 * is cut.
 */
const oneAtATime =
  (answer: Answer): Answer =>
  (request, response) => {
    const socket: Asked = request.socket;
    if (socket.destroyed) return;
    const latest = socket[LATEST];
    if (latest === undefined) {
      socket[LATEST] = { request, response, waiting: 0 };
      return answer(request, response);
    }
    const before = latest.response;
    latest.request = request;
    latest.response = response;
    if (before.writableFinished || before.closed) return answer(request, response);
    latest.waiting += 1;
    if (latest.waiting > MAX_PIPELINED) return void socket.destroy();
    before.once('close', () => {
      latest.waiting -= 1;
      if (!socket.destroyed) answer(request, response);
    });
  };

/** What is wrong with a request before anything of the hub has read it. */
export type HttpFault =
  | 'malformed_http'
  | 'headers_too_large'
  | 'payload_too_large'
  | 'request_timeout'
  | 'expectation_failed';
/** The answer to such a request, with all of its headers. */
type Refusal = (fault: HttpFault) => { status: number; headers: Record<string, string>; text: string };

const FAULT_OF: Record<string, HttpFault> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

const rawAnswer = ({ status, headers, text }: ReturnType<Refusal>): string => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`;
};

/**
 * Ends a connection whose next bytes are no request. Requests before them are answered first: their callers must learn
 * what happened.
 */
const refuseBroken = (error: NodeJS.ErrnoException, socket: Asked, refusal: Refusal): void => {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  if (socket[BROKEN]) return;
  socket[BROKEN] = true;
  socket.pause();
  const latest = socket[LATEST];
  const finish = (): void => {
    if (socket.writable) socket.end(rawAnswer(refusal(FAULT_OF[error.code ?? ''] ?? 'malformed_http')));
    socket.destroySoon();
  };
  const isDone = latest === undefined || latest.response.writableFinished || latest.response.closed;
  // A request that breaks off has no answer; those before it have one by the next turn, or none.
  if (isDone || !latest.request.complete) setImmediate(finish);
  else latest.response.once('close', finish);
};

/** An answer is ended when its caller takes no byte of it at so many checks in a row, that is for 8 to 10 s. */
const STALLED_CHECKS = 5;
const STALLED_CHECK_MS = 2_000;

/** Bytes that the system has not taken yet. Node.js has no public name for it; without it, whole writes are looked at. */
const queuedIn = (socket: Socket): number =>
  (socket as { _handle?: { writeQueueSize?: number } | null })._handle?.writeQueueSize ?? 0;

/** Ends connections that read nothing of their answer: they would hold its memory for ever. */
const endStalled = (server: Server): void => {
  const sockets = new Set<Socket>();
  const waiting = new Map<Socket, { seen: string; checks: number }>();
  const check = (): void => {
    for (const socket of sockets) {
      if (socket.writableLength === 0) waiting.delete(socket);
      else {
        const seen = `${socket.bytesWritten - socket.writableLength}/${queuedIn(socket)}`;
        const last = waiting.get(socket);
        const checks = seen === last?.seen ? last.checks + 1 : 0;
        waiting.set(socket, { seen, checks });
        // A reset also frees what the system holds for the connection.
        if (checks >= STALLED_CHECKS) socket.resetAndDestroy();
      }
    }
  };
  const timer = setInterval(check, STALLED_CHECK_MS).unref();
  server.once('close', () => clearInterval(timer));
  const forget = (socket: Socket): void => {
    sockets.delete(socket);
    waiting.delete(socket);
  };
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => forget(socket));
  });
  // A bridge's socket: the gateway looks after it.
  server.on('upgrade', (_request, socket: Socket) => forget(socket));
};

/**
 * Serves a request that offers to change to another protocol than WebSocket, such as `h2c`, as if it had not: that is what
 * RFC 9110, section 7.8, asks for. Node.js has given the connection up by then, so its bytes are put back without the offer.
 */
export const serveWithoutUpgrade = (server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void => {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = rawHeaders[n] ?? '';
    if (/^(?:upgrade|http2-settings)$/i.test(name)) continue;
    const value = rawHeaders[n + 1] ?? '';
    lines.push(`${name}: ${/^connection$/i.test(name) ? value.replaceAll(/upgrade|http2-settings/gi, '') : value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
};

/** A request of HTTP/1.1 names one host (RFC 9112, section 3.2). */
const hasHost = ({ headers: { host }, httpVersion }: IncomingMessage): boolean =>
  host === undefined ? httpVersion === '1.0' : /^[\w.:[\]-]*$/.test(host);

/** An HTTP server with bounds on headers, request time and connections. `refusal`: its answer to broken requests. */
export const openServer = (maxConnections: number, answer: Answer, refusal: Refusal): Server => {
  const refuse = (fault: HttpFault, response: ServerResponse): void => {
    const { status, headers, text } = refusal(fault);
    response.writeHead(status, headers).end(text);
  };
  const options = {
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 2_000,
    keepAliveTimeout: 65_000,
    maxHeaderSize: 8_192,
    // Node.js would answer without a body.
    requireHostHeader: false,
  };
  const server = createServer(options);
  server.on(
    'request',
    oneAtATime((request, response) =>
      hasHost(request) ? answer(request, response) : refuse('malformed_http', response),
    ),
  );
  server.on(
    'checkExpectation',
    oneAtATime((_request, response) => refuse('expectation_failed', response)),
  );
  server.on('clientError', (error, socket) => refuseBroken(error, socket as Asked, refusal));
  endStalled(server);
  paceReads(server);
  server.maxConnections = maxConnections;
  return server;
};

/** Reads what an answered caller still sends, so that the connection is free for the next request; in `requestTimeout`. */
export const discardRest = (request: IncomingMessage): void => {
  if (request.complete) return;
  // Who was to read the body would stop it again.
  request.removeAllListeners('data');
  request.resume();
};

/** Resolves when it listens. @throws what the operating system says */
export const listen = (server: Server, { PORT, HOST }: Config): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: PORT, host: HOST, backlog: LISTEN_BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });

/** Takes no new connection. The function that it returns waits until all are answered and closed, 2 s at most. */
export const stopAccepting = (server: Server): (() => Promise<void>) => {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  return async () => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CUT_AFTER_MS);
    });
    await Promise.race([closed, late]);
    clearTimeout(timer);
  };
};

/**
 * Takes nobody in any more, and resolves when nobody is connected; who still reads an answer is cut after 2 s. Sockets on
 * their way to a bridge's are nobody's for a moment and cannot be cut: they are not waited for.
 */
export const stopListening = async (server: Server, answered = stopAccepting(server)): Promise<void> => {
  await answered();
  server.closeAllConnections();
};
