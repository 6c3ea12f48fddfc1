import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { WebSocket } from 'ws';
import { decodeHubMessage, encode, rereadBridgeMessage } from '../bridge-protocol/codec.ts';
import { nextTick } from './pace.ts';

/** Where nothing that is sent arrives. */
const createConnection = () => new PassThrough();

const useRequest = (): void => {
  const made = request({ createConnection });
  made.on('error', () => {});
  made.destroy();
};

const useWebSocket = (): void => {
  const made = new WebSocket('ws://127.0.0.1', { createConnection });
  made.on('error', () => {});
  made.terminate();
};

const PARTS: readonly (() => void)[] = [
  () => createHash('sha1').update(randomBytes(16)).digest('base64'),
  () => new Socket().destroy(),
  useRequest,
  useWebSocket,
  () => rereadBridgeMessage(encode({ type: 'bye', reason: '' })),
  () => decodeHubMessage(encode({ type: 'ping', n: 0, now: 0 })),
];

/**
 * Does once, a part in each tick, what takes Node.js and the schemas milliseconds when it is done for the first time: all
 * at once, with the first connection to the hub, that is more than the game's thread may be held.
 */
export const makeFirstUses = async ({ url }: { url: string }): Promise<void> => {
  const tls = () => new TLSSocket(new Socket()).on('error', () => {}).destroy();
  for (const part of url.startsWith('wss:') ? [...PARTS, tls] : PARTS) {
    part();
    await nextTick();
  }
};
