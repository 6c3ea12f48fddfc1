import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { LIMITS, SUBPROTOCOL } from '../../bridge-protocol/wire/limits.ts';

/** An HTTP answer before the upgrade. */
export type Refusal = { status: 307 | 401 | 503; code: string; retryAfterMs?: number };

/** The target of the redirect. */
export const ELSEWHERE = '/elsewhere';
const REASONS = { 307: 'Temporary Redirect', 401: 'Unauthorized', 503: 'Service Unavailable' } as const;

const CLOSE_TIMEOUT_MS = 1_000;

const answerOf = ({ status, code, retryAfterMs }: Refusal): string => {
  const body = JSON.stringify({ type: `/docs/errors#${code}`, title: 'Refused by verify', status, code });
  const retry = retryAfterMs === undefined ? [] : [`Retry-After: ${Math.ceil(retryAfterMs / 1000)}`];
  const head = [
    `HTTP/1.1 ${status} ${REASONS[status]}`,
    'Connection: close',
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...retry,
    ...(status === 307 ? [`Location: ${ELSEWHERE}`] : []),
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
};

/**
 * The server that bridges connect to. `admit` sees each handshake and may refuse it; `onBroken` gets requests that are
 * not a valid handshake.
 * @throws Error when the port is taken
 */
export const openDoor = async ({
  host,
  port,
  admit,
  onSocket,
  onBroken,
}: {
  host: string;
  port: number;
  admit: (request: IncomingMessage) => Refusal | undefined;
  onSocket: (socket: WebSocket) => void;
  onBroken: (problem: string) => void;
}) => {
  const options = {
    perMessageDeflate: false,
    maxPayload: LIMITS.frameBytes * 2,
    maxFragments: 16,
    closeTimeout: CLOSE_TIMEOUT_MS,
    handleProtocols: (offered: Set<string>) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  };
  const sockets = new WebSocketServer({ ...options, noServer: true });
  const streams = new Set<Duplex>();
  const server = createServer((_request, response) => {
    response.writeHead(426, { Connection: 'close' }).end();
  });
  sockets.on('wsClientError', (error, socket) => {
    onBroken(error.message);
    socket.destroy();
  });
  server.on('connection', (stream) => {
    streams.add(stream);
    stream.on('close', () => streams.delete(stream));
  });
  server.on('upgrade', (request, stream: Duplex, head) => {
    stream.on('error', () => stream.destroy());
    const refusal = admit(request);
    if (refusal !== undefined) stream.end(answerOf(refusal));
    else sockets.handleUpgrade(request, stream, head, onSocket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
  const address = server.address();

  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    /** Cuts every connection and stops listening. */
    close: async (): Promise<void> => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const stream of streams) stream.destroy();
      await closed;
    },
  };
};
