import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

const END_OF_HEAD = '\r\n\r\n';

/** One masked text frame of a client (RFC 6455, section 5.2), up to 64 KiB. */
export const textFrame = (text: string, mask: Buffer): Buffer => {
  const size = Buffer.byteLength(text);
  const head = size < 126 ? 6 : 8;
  const frame = Buffer.allocUnsafe(head + size);
  frame[0] = 0x81;
  frame[1] = 0x80 | (size < 126 ? size : 126);
  if (size >= 126) frame.writeUInt16BE(size, 2);
  mask.copy(frame, head - 4);
  frame.write(text, head);
  for (let n = 0; n < size; n += 1) frame[head + n] = (frame[head + n] ?? 0) ^ (mask[n & 3] ?? 0);
  return frame;
};

/** Calls `take` for each complete unmasked text frame; answers WebSocket pings. */
const frameReader = (take: (text: string) => void, pong: (payload: Buffer) => void) => {
  let rest: Buffer | undefined;
  return (chunk: Buffer): void => {
    let bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    rest = undefined;
    while (bytes.length >= 2) {
      const code = (bytes[0] ?? 0) & 0x0f;
      const short = (bytes[1] ?? 0) & 0x7f;
      const head = short === 126 ? 4 : short === 127 ? 10 : 2;
      if (bytes.length < head) break;
      const size = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
      if (bytes.length < head + size) break;
      if (code === 1) take(bytes.toString('utf8', head, head + size));
      else if (code === 9) pong(bytes.subarray(head, head + size));
      bytes = bytes.subarray(head + size);
    }
    if (bytes.length > 0) rest = bytes;
  };
};

/** `unsent`: bytes that were queued and not sent yet. */
export type RawClient = { say: (text: string) => void; unsent: () => number; destroy: () => void };

/** Why a connection failed; with the wait that the server asked for, if it sent one. */
export type Refused = Error & { retryAfterS?: number };

const refusalOf = (head: string): Refused => {
  const retryAfter = /\r\nretry-after: *(\d+)/i.exec(head)?.[1];
  const error = new Error(head.split('\r\n', 1)[0]);
  return Object.assign(error, retryAfter === undefined ? {} : { retryAfterS: Number(retryAfter) });
};

/**
 * A WebSocket client with very little CPU use, so that the bench measures the server. Frames of one turn share one
 * write. Resolves when the upgrade is done; `address` is the local address (127.0.0.x).
 */
export const connectRaw = ({
  port,
  path,
  headers = {},
  address,
  onText,
  onClose = () => undefined,
}: {
  port: number;
  path: string;
  headers?: Record<string, string>;
  address?: string;
  onText: (text: string, client: RawClient) => void;
  onClose?: () => void;
}): Promise<RawClient> =>
  new Promise((resolve, reject) => {
    const mask = randomBytes(4);
    const socket: Socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      ...(address === undefined ? {} : { localAddress: address }),
    });
    const say = (text: string): void => {
      if (socket.writableCorked === 0) {
        socket.cork();
        process.nextTick(() => socket.uncork());
      }
      socket.write(textFrame(text, mask));
    };
    const client: RawClient = { say, unsent: () => socket.writableLength, destroy: () => socket.destroy() };
    const pong = (payload: Buffer): void => {
      const frame = textFrame(payload.toString('latin1'), mask);
      frame[0] = 0x8a;
      socket.write(frame);
    };
    const read = frameReader((text) => onText(text, client), pong);
    let head: string | undefined = '';
    socket.on('connect', () => {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n${lines.join('')}\r\n`,
      );
    });
    socket.on('data', (chunk: Buffer) => {
      if (head === undefined) return read(chunk);
      head += chunk.toString('latin1');
      const end = head.indexOf(END_OF_HEAD);
      if (end === -1) return;
      const answer = head.slice(0, end);
      const early = Buffer.from(head.slice(end + END_OF_HEAD.length), 'latin1');
      head = undefined;
      if (!answer.startsWith('HTTP/1.1 101')) {
        socket.destroy();
        return reject(refusalOf(answer));
      }
      resolve(client);
      if (early.length > 0) read(early);
    });
    socket.on('error', reject);
    socket.on('close', () => {
      reject(new Error('the connection ended'));
      onClose();
    });
  });
