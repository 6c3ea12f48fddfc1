import { once } from 'node:events';
import { vi } from 'vitest';
import { WebSocketServer } from 'ws';
import {
  type BridgeMessage,
  CLOSE_CODES,
  closeReason,
  decodeBridgeMessage,
  encode,
  type HubMessage,
  LIMITS,
  type MessageOf,
  type OpenSocket,
  type SocketEvents,
  SUBPROTOCOL,
} from '../../bridge-protocol/index.ts';

/** Waits for a value that is not undefined. */
export const until = <T>(look: () => T | undefined): Promise<T> =>
  vi.waitFor(
    () => {
      const value = look();
      if (value === undefined) throw new Error('not yet');
      return value;
    },
    { interval: 2, timeout: 30_000 },
  );

/** Waits until a check passes. */
export const eventually = (check: () => void): Promise<void> => vi.waitFor(check, { interval: 2, timeout: 30_000 });

/** One socket on the hub's side. Each frame of the bridge is decoded, so an invalid one fails the test. */
const createHubSocket = (events: SocketEvents, onMessage: (message: BridgeMessage) => void) => {
  const messages: BridgeMessage[] = [];
  const frames: string[] = [];
  const ending = { terminated: false, closed: undefined as { code: number; reason: string } | undefined };
  const of = <T extends BridgeMessage['type']>(type: T): MessageOf<BridgeMessage, T>[] =>
    messages.filter((message): message is MessageOf<BridgeMessage, T> => message.type === type);
  return {
    events,
    messages,
    frames,
    ending,
    buffered: { bytes: 0 },
    send: (message: HubMessage): void => events.message(encode(message)),
    of,
    /** The first message of a type that `fits`, once it has come. */
    hears: <T extends BridgeMessage['type']>(
      type: T,
      fits: (message: MessageOf<BridgeMessage, T>) => boolean = () => true,
    ): Promise<MessageOf<BridgeMessage, T>> => until(() => of(type).find(fits)),
    take: (frame: string): void => {
      frames.push(frame);
      const message = decodeBridgeMessage(frame);
      messages.push(message);
      onMessage(message);
    },
  };
};
export type HubSocket = ReturnType<typeof createHubSocket>;

/**
 * A hub without a network (`serveFakeHub` gives it one): accepts every socket, and welcomes every hello unless told
 * otherwise.
 */
export const createFakeHub = ({ now = Date.now }: { now?: () => number } = {}) => {
  const sockets: HubSocket[] = [];
  const behaviour = {
    opens: true,
    welcomes: true,
    byes: true,
    replaces: false,
    /** The catalogues that the hub has. */
    catalogues: {} as NonNullable<MessageOf<HubMessage, 'welcome'>['catalogues']>,
  };

  const welcome = (socket: HubSocket): void =>
    socket.send({
      type: 'welcome',
      session: `ses_${sockets.indexOf(socket) + 1}`,
      epoch: sockets.indexOf(socket) + 1,
      now: now(),
      ping: { everyMs: 15_000, timeoutMs: 10_000 },
      limits: { frameBytes: LIMITS.frameBytes, inFlight: LIMITS.inFlight },
      catalogues: behaviour.catalogues,
    });

  const greet = (socket: HubSocket): void => {
    welcome(socket);
    if (behaviour.replaces) socket.events.close(CLOSE_CODES.replaced, closeReason('replaced'));
  };

  const onMessage = (socket: HubSocket, message: BridgeMessage): void => {
    if (message.type === 'hello' && behaviour.welcomes) queueMicrotask(() => greet(socket));
    if (message.type === 'bye' && behaviour.byes) queueMicrotask(() => socket.events.close(1000, ''));
  };

  const accept = (events: SocketEvents): HubSocket => {
    const socket: HubSocket = createHubSocket(events, (message) => onMessage(socket, message));
    sockets.push(socket);
    return socket;
  };

  const openSocket: OpenSocket = (events) => {
    const socket = accept(events);
    if (behaviour.opens) queueMicrotask(() => events.open());
    return {
      send: socket.take,
      close: (code, reason) => {
        socket.ending.closed = { code, reason };
        queueMicrotask(() => events.close(code, reason));
      },
      terminate: () => {
        socket.ending.terminated = true;
        queueMicrotask(() => events.close(1006, ''));
      },
      get bufferedAmount() {
        return socket.buffered.bytes;
      },
    };
  };

  return {
    /** A bridge has connected; `events` are how it hears of the hub. */
    accept,
    openSocket,
    sockets,
    behaviour,
    welcome,
    /** The socket number `nth` (from 0), once it exists. */
    socket: (nth: number): Promise<HubSocket> => until(() => sockets[nth]),
  };
};
export type FakeHub = ReturnType<typeof createFakeHub>;

/** Lets bridges reach a fake hub over a real socket. `atEnd` is told how to close it. */
export const serveFakeHub = async (hub: FakeHub, atEnd: (dispose: () => void) => void) => {
  const tokens: (string | undefined)[] = [];
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => SUBPROTOCOL });
  server.on('connection', (socket, request) => {
    tokens.push(request.headers.authorization);
    const { take } = hub.accept({
      open: () => undefined,
      message: (frame) => socket.send(frame),
      close: (code, reason) => socket.close(code, reason),
      refused: () => undefined,
    });
    socket.on('error', () => socket.terminate());
    socket.on('message', (data) => take(String(data)));
  });
  atEnd(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `ws://127.0.0.1:${port}/bridge`, tokens };
};
