import { connect } from 'node:net';
import { onTestFinished } from 'vitest';

/** The bytes of one frame of a WebSocket client. The mask is all zeros, so the payload stands there as it is. */
export const wireFrame = (payload: string | Buffer, { opcode = 1, fin = true } = {}): Buffer => {
  const body = Buffer.from(payload);
  const first = (fin ? 0x80 : 0) | opcode;
  if (body.length < 126) return Buffer.concat([Buffer.from([first, 0x80 | body.length, 0, 0, 0, 0]), body]);
  if (body.length < 65_536) {
    return Buffer.concat([Buffer.from([first, 0xfe, body.length >> 8, body.length & 0xff, 0, 0, 0, 0]), body]);
  }
  const head = Buffer.alloc(14);
  head.set([first, 0xff]);
  head.writeUInt32BE(body.length, 6);
  return Buffer.concat([head, body]);
};

/** A message as one text frame on the wire. */
export const wireMessage = (message: object): Buffer => wireFrame(JSON.stringify(message));

type UpgradeChanges = {
  path?: string;
  method?: string;
  token?: string | null;
  without?: string[];
  headers?: string[];
};

/** An upgrade request as text; every line can be left out (`without`, by its beginning) or added. */
export const upgradeRequest = ({
  path = '/bridge',
  method = 'GET',
  token = null,
  without = [],
  headers = [],
}: UpgradeChanges) =>
  [
    `${method} ${path} HTTP/1.1`,
    ...[
      'Host: hub',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Protocol: causeway.v1',
      ...(token === null ? [] : [`Authorization: Bearer ${token}`]),
    ].filter((line) => !without.some((start) => line.startsWith(start))),
    ...headers,
    '',
    '',
  ].join('\r\n');

/** A TCP socket to the hub, from an address of this machine, that keeps what it reads and closes only when it is told to. */
export const openTcp = (port: number, localAddress = '127.0.0.1') => {
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
  let text = '';
  const watchers = new Set<() => void>();
  const notify = (): void => {
    for (const watcher of [...watchers]) watcher();
  };
  let state: 'open' | 'ended' | 'closed' = 'open';
  socket.on('error', () => undefined);
  socket.on('data', (data) => {
    // Answers to floods have megabytes; tests read only the end.
    text = (text + data.toString('latin1')).slice(-200_000);
    notify();
  });
  socket.on('end', () => {
    if (state === 'open') state = 'ended';
    notify();
  });
  socket.on('close', () => {
    state = 'closed';
    notify();
  });
  onTestFinished(() => {
    socket.destroy();
  });

  const until = (holds: () => boolean, what: string, withinMs = 30_000): Promise<void> =>
    new Promise((resolve, reject) => {
      const done = (settle: () => void): void => {
        clearTimeout(timer);
        watchers.delete(check);
        settle();
      };
      const check = (): void => {
        if (holds()) done(resolve);
      };
      const timer = setTimeout(() => done(() => reject(new Error(`${what}; read: ${text.slice(-500)}`))), withinMs);
      watchers.add(check);
      check();
    });

  return {
    socket,
    text: (): string => text,
    send: (bytes: string | Buffer): void => {
      socket.write(bytes);
    },
    reads: (part: string, withinMs?: number): Promise<void> =>
      until(() => text.includes(part), `"${part}" did not come`, withinMs),
    /** The hub has sent its last byte. */
    ended: (withinMs?: number): Promise<void> => until(() => state !== 'open', 'the hub did not end', withinMs),
    closed: (withinMs?: number): Promise<void> => until(() => state === 'closed', 'the socket did not close', withinMs),
    isOpen: (): boolean => state === 'open',
    reset: (): void => {
      socket.resetAndDestroy();
    },
  };
};
export type Tcp = ReturnType<typeof openTcp>;

/** Status, headers and body of the HTTP answer to an upgrade request. */
export const answerTo = async (port: number, request: string) => {
  const tcp = openTcp(port);
  tcp.send(request);
  await tcp.reads('\r\n\r\n');
  const status = Number(tcp.text().slice(9, 12));
  if (status !== 101) await tcp.ended();
  const [head = '', body = ''] = tcp.text().split('\r\n\r\n', 2);
  tcp.socket.destroy();
  const problem: Record<string, unknown> = head.includes('application/problem+json') ? JSON.parse(body) : {};
  return { status, head, problem };
};
