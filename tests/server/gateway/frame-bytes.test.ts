import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { LIMITS } from '../../../bridge-protocol/index.ts';
import { textFrame } from '../../../server/gateway/socket.ts';

let server: WebSocketServer;
let url: string;
beforeAll(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  await once(server, 'listening');
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

/** The texts that a WebSocket client reads when a server writes these texts and closes. */
const readBack = async (texts: readonly string[]): Promise<string[]> => {
  server.once('connection', (socket, { socket: stream }) => {
    stream.write(Buffer.concat(texts.map(textFrame)));
    socket.close(1000);
  });
  const client = new WebSocket(url);
  const read: string[] = [];
  client.on('message', (data, isBinary) => read.push(isBinary ? 'binary' : String(data)));
  const [code] = await once(client, 'close');
  expect(code).toBe(1000);
  return read;
};

describe('a frame in one piece', () => {
  it.each([0, 1, 125, 126, 127, 65_535, 65_536, LIMITS.frameBytes])(
    'is read as it was meant: %i bytes',
    async (size) => {
      const text = 'a'.repeat(size);
      expect(await readBack([text])).toEqual([text]);
    },
  );

  it('counts bytes, not characters', async () => {
    const texts = ['Łukasz 🔥', 'ł'.repeat(63), '𝄞'.repeat(16_384), ''];
    expect(await readBack(texts)).toEqual(texts);
  });
});
