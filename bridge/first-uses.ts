import { createHash, randomBytes } from 'node:crypto';
import { type ClientRequest, request } from 'node:http';
import { connect, isIPv6, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectSecurely, TLSSocket } from 'node:tls';
import { WebSocket } from 'ws';
import { decodeHubMessage, encode, rereadBridgeMessage } from '../bridge-protocol/wire/codec.ts';
import { nextTick } from './pace.ts';

/** Where nothing that is sent arrives. */
const createConnection = () => new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
const ask = (): ClientRequest => request({ createConnection }).on('error', () => {});
const NOWHERE = { host: 'nowhere.invalid', port: 1 };
/**
 * Node.js asks whether a host is an address of version 6, with an expression whose compiling takes 3 ms the first time and
 * 1 ms the second.
 */
const matchAddress = (): boolean => isIPv6(NOWHERE.host);
/** Answers no name, so that nothing is connected to. */
const lookup = (): void => {};

const TLS_PARTS: readonly (() => void)[] = [
  () => new TLSSocket(new Socket()).on('error', () => {}).destroy(),
  () =>
    connectSecurely({ ...NOWHERE, lookup })
      .on('error', () => {})
      .destroy(),
];

/** What a connection to `url` is made of, each used once without going anywhere: done for the first time it takes long. */
export const socketParts = (url: string): readonly (() => void)[] => [
  () => createHash('sha1').update(randomBytes(16)).digest('base64'),
  () => new Socket().destroy(),
  matchAddress,
  matchAddress,
  () => connect({ ...NOWHERE, lookup }).destroy(),
  () => ask().destroy(),
  () => {
    const asked = ask();
    asked.end();
    setImmediate(() => asked.destroy());
  },
  () => {
    const socket = new WebSocket('ws://127.0.0.1', { createConnection }).on('error', () => {});
    setImmediate(() => socket.terminate());
  },
  ...(url.startsWith('wss:') ? TLS_PARTS : []),
];

/** Schemas are made when they are asked for the first time. */
const SCHEMAS: readonly (() => void)[] = [
  () => rereadBridgeMessage(encode({ type: 'bye', reason: '' })),
  () => decodeHubMessage(encode({ type: 'ping', n: 0, now: 0 })),
];

/**
 * Does once, a part in each tick, what takes milliseconds when it is done for the first time: all at once, with the first
 * connection to the hub, that is more than the game's thread may be held.
 */
export const makeFirstUses = async ({ url }: { url: string }): Promise<void> => {
  for (const part of [...socketParts(url), ...SCHEMAS]) {
    try {
      part();
    } catch {
      // Nothing depends on it: what does not work is told when it is needed.
    }
    await nextTick();
  }
};
