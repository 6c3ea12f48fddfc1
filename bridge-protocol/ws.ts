import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import type { OpenSocket, SocketEvents } from './client/bridge.ts';
import { LIMITS, SUBPROTOCOL } from './wire/limits.ts';

const HANDSHAKE_TIMEOUT_MS = 10_000;
const REFUSAL_BYTES = 8 * 1024;

/** `Retry-After` in milliseconds: a number of seconds, or a date. */
const retryAfterOf = (header: string | undefined): { retryAfterMs?: number } => {
  if (header === undefined) return {};
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? { retryAfterMs: Math.max(0, ms) } : {};
};

/** Reads the body of a refusal as far as its bound; it may end early in any way. */
const readRefusal = (response: IncomingMessage, done: (body: string) => void): void => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const finish = (): void => done(Buffer.concat(chunks).subarray(0, REFUSAL_BYTES).toString());
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= REFUSAL_BYTES) response.destroy();
  });
  response.on('error', finish);
  response.on('end', finish);
  response.on('close', finish);
};

/**
 * Opens sockets of a bridge over `ws`. Nothing that happens on such a socket is thrown: it ends with exactly one of
 * `close` and `refused`.
 * @throws Error when `url` is not a `ws:` or `wss:` address
 */
export const openWebSocket = ({ url, token }: { url: string; token: string }): OpenSocket => {
  if (!URL.canParse(url) || !/^wss?:$/.test(new URL(url).protocol))
    throw new Error(`${url} is not a ws: or wss: address.`);
  return (events: SocketEvents) => {
    const socket = new WebSocket(url, [SUBPROTOCOL], {
      headers: { Authorization: `Bearer ${token}` },
      maxPayload: LIMITS.frameBytes,
      perMessageDeflate: false,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    });
    let isEnded = false;
    let isRefused = false;
    let failure = '';
    const end = (tell: () => void): void => {
      if (isEnded) return;
      isEnded = true;
      tell();
    };

    socket.on('error', (error) => {
      failure = error.message;
    });
    socket.on('unexpected-response', (request, response) => {
      isRefused = true;
      request.on('error', () => {});
      readRefusal(response, (body) => {
        request.destroy();
        const status = response.statusCode ?? 0;
        end(() => events.refused({ status, body, ...retryAfterOf(response.headers['retry-after']) }));
        socket.terminate();
      });
    });
    socket.on('open', () => events.open());
    socket.on('message', (data, isBinary) => {
      if (!isBinary) events.message(data.toString());
    });
    socket.on('close', (code, reason) => {
      // The status is known then; the response ends by itself, with or without its body.
      if (isRefused) return;
      end(() => events.close(code, reason.toString() || (code === 1006 ? failure : '')));
    });

    return {
      send: (frame) => socket.send(frame, () => {}),
      close: (code, reason) => socket.close(code, reason),
      terminate: () => socket.terminate(),
      get bufferedAmount() {
        return socket.bufferedAmount;
      },
    };
  };
};
