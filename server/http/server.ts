import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../platform/config.ts';
import { inTime } from '../platform/time.ts';

/** Letters, digits and `-._~` mean the same with and without percent-encoding (RFC 3986, section 6.2.2.2). */
const NEEDLESSLY_ENCODED = /%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/gi;
/** A path that is not in its usual form: an absolute target, dots, backslashes, a fragment, encoded characters. */
const UNUSUAL = /^[^/]|[%\\#]|\/\./;

/**
 * The target of a request in its usual form, so that everything that decides by the path sees one and the same:
 * `/%61pi/v2`, `/x/../api/v2` and `http://hub/api/v2` are `/api/v2`. What is no target stays as it is.
 */
export const usualTarget = (target: string): string => {
  const at = target.indexOf('?');
  const given = at === -1 ? target : target.slice(0, at);
  if (!UNUSUAL.test(given)) return target;
  const path = given.replaceAll(NEEDLESSLY_ENCODED, (code) => decodeURIComponent(code));
  const url = path.startsWith('/') ? `http://hub${path}` : path;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return target;
  return new URL(url).pathname + (at === -1 ? '' : target.slice(at));
};

/** After a restart, all bridges connect at once; if the kernel's queue is full, a client retries after seconds. */
const LISTEN_BACKLOG = 4_096;
const CUT_AFTER_MS = 2_000;

/** Waiting requests of one connection: clients that pipeline send only a few. */
export const MAX_PIPELINED = 64;

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** The state of a connection, stored on its socket: a WeakMap costs 2 µs per request. */
const CONNECTION = Symbol('connection');
type Connection = {
  /** The newest request and its response. */
  request: IncomingMessage | undefined;
  response: ServerResponse | undefined;
  /** The response that the newest request waits for. */
  before: ServerResponse | undefined;
  /** The number of requests that wait. */
  waiting: number;
  /** A request with `Upgrade` that is served. Its answer ends the connection. */
  last: IncomingMessage | undefined;
  /** Bytes came that are not a request. */
  isBroken: boolean;
};

const connectionOf = (socket: Socket & { [CONNECTION]?: Connection }): Connection => {
  socket[CONNECTION] ??= {
    request: undefined,
    response: undefined,
    before: undefined,
    waiting: 0,
    last: undefined,
    isBroken: false,
  };
  return socket[CONNECTION];
};

/**
 * Starts a request only after the previous one of its connection is answered. Node.js emits all requests of a chunk at
 * once, up to 1,500. A connection with more than `MAX_PIPELINED` waiting requests is cut. Behind an answer that closes the
 * connection, requests are not started (RFC 9112, section 9.6): the caller is told nothing of them, and may repeat them.
 */
const oneAtATime =
  (answer: Answer): Answer =>
  (request, response) => {
    const { socket } = request;
    if (!socket.writable) return;
    const connection = connectionOf(socket);
    if (connection.last !== undefined) response.shouldKeepAlive = false;
    // Not `writableFinished`: only once it is closed has Node.js ended a socket that it will not use again.
    const before = connection.response?.closed === false ? connection.response : undefined;
    connection.request = request;
    connection.response = response;
    connection.before = before;
    if (before === undefined) return answer(request, response);
    connection.waiting += 1;
    if (connection.waiting > MAX_PIPELINED) return void socket.destroy();
    before.once('close', () => {
      connection.waiting -= 1;
      // Behind broken bytes, the rest of a truncated request never comes.
      if (socket.writable && (request.complete || !connection.isBroken)) answer(request, response);
    });
  };

/** A fault of a request that the HTTP parser found. */
export type HttpFault =
  | 'malformed_http'
  | 'headers_too_large'
  | 'payload_too_large'
  | 'request_timeout'
  | 'expectation_failed';
/** The whole response to such a request. */
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
 * Ends a connection after bytes that are not a request. Earlier requests are answered first.
 */
const refuseBroken = (error: NodeJS.ErrnoException, socket: Socket, refusal: Refusal): void => {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const connection = connectionOf(socket);
  if (connection.isBroken) return;
  connection.isBroken = true;
  socket.pause();
  const { request, response, before } = connection;
  // A truncated request gets no answer but this one, which must not be read as that of a request before it.
  const owed = request?.complete === false ? before : response;
  const finish = (): void => {
    if (socket.writable) socket.end(rawAnswer(refusal(FAULT_OF[error.code ?? ''] ?? 'malformed_http')));
    socket.destroySoon();
  };
  // Written answers leave before the next turn of the event loop.
  if (owed === undefined || owed.writableFinished || owed.closed) setImmediate(finish);
  else owed.once('close', finish);
};

/** Longer than the headers of a request may take, so that a slow request is answered first. */
const STALLED_MS = 15_000;

/**
 * Cuts connections whose caller reads no byte of a response, within 15 to 30 s: they would hold its memory. Node.js counts
 * a large write that leaves slowly as activity.
 */
const endStalled = (server: Server): void => {
  server.setTimeout(STALLED_MS, (socket) => {
    const { response } = connectionOf(socket);
    // A reset also frees the kernel's buffers of the connection.
    if (socket.writableLength > 0) socket.resetAndDestroy();
    // Idle between two requests. A response that is not made yet may take its time.
    else if (response?.closed === true) socket.destroy();
    else socket.setTimeout(STALLED_MS);
  });
};

/** Whether a request asks for a WebSocket (RFC 6455, section 4.1). A handshake has no body. */
const asksForWebSocket = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' &&
  headers['transfer-encoding'] === undefined &&
  Number(headers['content-length'] ?? 0) === 0;

/**
 * Whether a request becomes an `upgrade` event. All other requests are served, and end their connection: Node.js drops what
 * it has read behind them (22.23, 24.21, 26.12). RFC 9112, section 9.3.2, lets callers repeat what was not answered.
 */
const takesUpgrade = (request: IncomingMessage): boolean => {
  const connection = connectionOf(request.socket);
  // The refusal of a handshake would be read as the answer of the request before it.
  const isTaken = asksForWebSocket(request) && connection.response?.closed !== false;
  if (!isTaken) connection.last = request;
  return isTaken;
};

/** Whether a body ends with its last chunk or a length (RFC 9112, section 6.3). The parser does not check it behind an offer. */
const hasKnownEnd = (request: IncomingMessage): boolean =>
  connectionOf(request.socket).last !== request ||
  /^(?:(?:.*,)?\s*chunked)?$/i.test(request.headers['transfer-encoding'] ?? '');

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
    // Node.js would send a response without a body.
    requireHostHeader: false,
    shouldUpgradeCallback: takesUpgrade,
  };
  const server = createServer(options);
  server.on(
    'request',
    oneAtATime((request, response) =>
      hasHost(request) && hasKnownEnd(request) ? answer(request, response) : refuse('malformed_http', response),
    ),
  );
  server.on(
    'checkExpectation',
    oneAtATime((_request, response) => refuse('expectation_failed', response)),
  );
  server.on('clientError', (error, socket) => refuseBroken(error, socket as Socket, refusal));
  // Without a listener, Node.js cuts the connection, although earlier requests of it may be unanswered. It has taken its own
  // listener for errors away.
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    refuseBroken(new Error('CONNECT is for proxies'), socket as Socket, refusal);
  });
  endStalled(server);
  server.maxConnections = maxConnections;
  return server;
};

/** Reads the rest of an answered request's body, so that the connection can serve the next one. */
export const discardRest = (request: IncomingMessage): void => {
  if (request.complete) return;
  // Other readers of the body would pause it again.
  request.removeAllListeners('data');
  request.resume();
};

/** Resolves when the server listens. @throws the error of the operating system */
export const listen = (server: Server, { PORT, HOST }: Config): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: PORT, host: HOST, backlog: LISTEN_BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });

/** Accepts no new connections. The returned function waits until all are answered and closed, 2 s at most. */
export const stopAccepting = (server: Server): (() => Promise<void>) => {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  return () => inTime(closed, CUT_AFTER_MS);
};

/**
 * Accepts no new connections, and resolves when none is open; after 2 s, open ones are cut. Sockets during an upgrade
 * cannot be cut and are not waited for.
 */
export const stopListening = async (server: Server, answered = stopAccepting(server)): Promise<void> => {
  await answered();
  server.closeAllConnections();
};
