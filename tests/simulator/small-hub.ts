import { onTestFinished, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { encode } from '../../bridge-protocol/wire/codec.ts';
import { decodeBridgeMessage } from '../../bridge-protocol/wire/codec-compiled.ts';
import { LIMITS, SUBPROTOCOL } from '../../bridge-protocol/wire/limits.ts';
import type { BridgeMessage, HubMessage, MessageOf } from '../../bridge-protocol/wire/messages.ts';

const listen = (server: WebSocketServer): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => {
      const address = server.address();
      if (typeof address === 'object' && address !== null) resolve(address.port);
    });
  });

/** The least a bridge needs to talk to: it welcomes everybody, remembers what it heard and says what it is told to. */
export const startSmallHub = async () => {
  const heard: BridgeMessage[] = [];
  const greetings: (string | undefined)[] = [];
  let socket: WebSocket | undefined;
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => SUBPROTOCOL });
  const port = await listen(server);
  const say = (message: HubMessage): void => socket?.send(encode(message));

  server.on('connection', (opened, request) => {
    socket = opened;
    greetings.push(request.headers.authorization);
    opened.on('error', () => opened.terminate());
    opened.on('message', (data) => {
      const message = decodeBridgeMessage(String(data));
      heard.push(message);
      if (message.type === 'bye') opened.close(1000);
      if (message.type !== 'hello') return;
      const ping = { everyMs: LIMITS.pingEveryMs, timeoutMs: LIMITS.pingTimeoutMs };
      const limits = { frameBytes: LIMITS.frameBytes, inFlight: LIMITS.inFlight };
      say({ type: 'welcome', session: 'ses_1', epoch: 1, now: Date.now(), ping, limits });
    });
  });
  onTestFinished(async () => {
    for (const client of server.clients) client.terminate();
    await new Promise((resolve) => server.close(resolve));
  });

  const all = <T extends BridgeMessage['type']>(type: T): MessageOf<BridgeMessage, T>[] =>
    heard.filter((message): message is MessageOf<BridgeMessage, T> => message.type === type);

  return {
    url: `ws://127.0.0.1:${port}/bridge`,
    greetings,
    heard,
    all,
    say,
    /** The first message of a type that `fits`, once it has come. */
    hears: <T extends BridgeMessage['type']>(
      type: T,
      fits: (message: MessageOf<BridgeMessage, T>) => boolean = () => true,
    ): Promise<MessageOf<BridgeMessage, T>> =>
      vi.waitFor(
        () => {
          const found = all(type).find(fits);
          if (found === undefined) throw new Error(`No such ${type} came.`);
          return found;
        },
        { timeout: 5_000, interval: 5 },
      ),
  };
};
