import { createHash, randomBytes } from 'node:crypto';
import { type ClientRequest, request } from 'node:http';
import { connect, isIPv6, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectSecurely, TLSSocket } from 'node:tls';
import { WebSocket } from 'ws';
import { decodeHubMessage, encode, rereadBridgeMessage } from '../bridge-protocol/wire/codec.ts';
import { nextTick } from './pace.ts';

/** A socket that drops everything that is written to it. */
const createConnection = () => new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
const ask = (): ClientRequest => request({ createConnection }).on('error', () => {});
const NOWHERE = { host: 'nowhere.invalid', port: 1 };
/**
 * Node.js checks whether a host is an IPv6 address with an expression whose compilation takes 3 ms the first time and 1
 * ms the second time.
 */
const matchAddress = (): boolean => isIPv6(NOWHERE.host);
/** Resolves no name, so that no connection is opened. */
const lookup = (): void => {};

const TLS_PARTS: readonly (() => void)[] = [
  () => new TLSSocket(new Socket()).on('error', () => {}).destroy(),
  () =>
    connectSecurely({ ...NOWHERE, lookup })
      .on('error', () => {})
      .destroy(),
];

/** The parts of a connection to `url`, each used once without a network: the first use of each takes long. */
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

/** Schemas are built at their first use. */
const SCHEMAS: readonly (() => void)[] = [
  () => rereadBridgeMessage(encode({ type: 'bye', reason: '' })),
  () => decodeHubMessage(encode({ type: 'ping', n: 0, now: 0 })),
];

/**
 * Runs slow first uses one part per tick. All of them together, at the first connection to the hub, would hold the
 * game's thread for too long.
 */
export const makeFirstUses = async ({ url }: { url: string }): Promise<void> => {
  for (const part of [...socketParts(url), ...SCHEMAS]) {
    try {
      part();
    } catch {
      // Nothing depends on this warm-up: a real error is reported at the real use.
    }
    await nextTick();
  }
};
