import { randomUUID } from 'node:crypto';
import { io } from 'socket.io-client';
import { helloFrame } from '../../tests/kit/frames.ts';
import { connectRaw, type RawClient } from './raw-websocket.ts';

export type BridgePlan = {
  port: number;
  /** Names of the servers, one bridge each. */
  servers: readonly string[];
  /** Their tokens, if the server requires tokens. */
  tokens: readonly string[];
  /** Loopback addresses to call from: one has ports for some 28,000 connections. */
  address?: string;
};

/** The game's result of a command; every bridge returns the same data. */
const done = (name: string, type: unknown = 'bank'): object =>
  name === 'money' ? { account: type, before: 1000, after: 1500 } : { kicked: true };

const answerJson = (text: string, client: RawClient): void => {
  const { id, name } = JSON.parse(text);
  client.say(JSON.stringify({ id, data: done(name) }));
};

const connectJson = async ({ port, servers }: BridgePlan): Promise<unknown> =>
  Promise.all(
    servers.map((server) => connectRaw({ port, path: '/bridge', headers: { 'X-Server': server }, onText: answerJson })),
  );

/** The identity of a bridge across reconnections: one start of its process, one journal. */
export type Identity = { instance: string; journal: string };
export const newIdentity = (): Identity => ({ instance: randomUUID(), journal: randomUUID() });

const hello = ({ instance, journal }: Identity): string =>
  JSON.stringify(helloFrame({ instance, journal: { class: 'durable', id: journal, sequence: 0 } }));

/** Connects one bridge to a Causeway hub; resolves when it is welcomed. */
export const connectCauseway = ({
  port,
  token,
  address,
  identity = newIdentity(),
  onClose = () => undefined,
}: {
  port: number;
  token: string;
  address?: string;
  identity?: Identity;
  onClose?: () => void;
}): Promise<RawClient> =>
  new Promise((resolve, reject) => {
    let sequence = 0;
    const onText = (text: string, client: RawClient): void => {
      const frame = JSON.parse(text);
      if (frame.type === 'command') {
        sequence += 1;
        client.say(
          `{"type":"result","id":"${frame.id}","status":"done","data":${JSON.stringify(done(frame.name, frame.params.type))},"sequence":${sequence}}`,
        );
      } else if (frame.type === 'ping') client.say(`{"type":"pong","n":${frame.n},"now":${Date.now()}}`);
      else if (frame.type === 'welcome') resolve(client);
    };
    connectRaw({
      port,
      path: '/bridge',
      headers: { Authorization: `Bearer ${token}`, 'Sec-WebSocket-Protocol': 'causeway.v1' },
      onText,
      ...(address === undefined ? {} : { address }),
      onClose: () => {
        reject(new Error('closed before the welcome'));
        onClose();
      },
    }).then((client) => client.say(hello(identity)), reject);
  });

const connectSocketIo = async ({ port, servers }: BridgePlan): Promise<unknown> =>
  Promise.all(
    servers.map(
      (server) =>
        new Promise<void>((resolve, reject) => {
          const socket = io(`http://127.0.0.1:${port}`, {
            transports: ['websocket'],
            forceNew: true,
            auth: { server },
          });
          for (const name of ['kick', 'money']) socket.on(name, (_params, answer) => answer(done(name)));
          socket.on('connect', () => resolve());
          socket.on('connect_error', reject);
        }),
    ),
  );

/** How the bridges of each contestant connect and answer. */
export const BRIDGES = {
  causeway: ({ port, tokens }: BridgePlan): Promise<unknown> =>
    Promise.all(tokens.map((token) => connectCauseway({ port, token }))),
  json: connectJson,
  'socket.io': connectSocketIo,
} satisfies Record<string, (plan: BridgePlan) => Promise<unknown>>;
export type BridgeKind = keyof typeof BRIDGES;
