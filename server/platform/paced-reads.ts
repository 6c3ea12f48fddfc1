import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** A read of 64 KiB can hold 1,500 requests, which take some 15 ms: it is parsed in pieces. */
const PIECE_BYTES = 4_096;

/** Bytes parsed in one turn of the event loop before others have to wait for the next turn. */
const TURN_BYTES = 16_384;
/** Time for the parsing of bytes that have waited, in each turn. */
const TURN_MS = 5;

/** `isHttp` until an upgrade: then the socket is somebody else's. */
type Reader = { socket: Socket; parse: (piece: Buffer) => void; rest: Buffer; isWaiting: boolean; isHttp: boolean };

/** Readers by address: each address has one piece parsed before the next address has its one. */
const createQueue = () => {
  const addresses = new Map<string, Set<Reader>>();
  const addressOf = ({ socket }: Reader): string => socket.remoteAddress ?? '';
  return {
    size: () => addresses.size,
    add: (reader: Reader): void => {
      reader.isWaiting = true;
      const readers = addresses.get(addressOf(reader)) ?? new Set();
      addresses.set(addressOf(reader), readers.add(reader));
    },
    /** The next one, which is no longer waiting; its address is the last one then. */
    take: (): Reader | undefined => {
      const [first] = addresses;
      if (first === undefined) return undefined;
      const [address, readers] = first;
      addresses.delete(address);
      const [reader] = readers;
      if (reader === undefined) return undefined;
      readers.delete(reader);
      if (readers.size > 0) addresses.set(address, readers);
      reader.isWaiting = false;
      return reader;
    },
  };
};

const NOTHING = Buffer.alloc(0);

/** Parses one piece of what was read. A connection that was cut meanwhile has nothing left to parse. */
const parsePiece = (reader: Reader): void => {
  const { rest, socket } = reader;
  const isLast = rest.length <= PIECE_BYTES || socket.destroyed;
  reader.rest = isLast ? NOTHING : rest.subarray(PIECE_BYTES);
  if (!socket.destroyed) reader.parse(isLast ? rest : rest.subarray(0, PIECE_BYTES));
};

/** Turns of the event loop, each with a bound for what is parsed. */
const createTurns = () => {
  const queue = createQueue();
  let left = TURN_BYTES;
  let isOpen = false;
  const open = (): void => {
    isOpen = true;
    left = TURN_BYTES;
    setImmediate(next);
  };
  const next = (): void => {
    isOpen = false;
    if (queue.size() === 0) return;
    open();
    left = 0;
    const endsAt = performance.now() + TURN_MS;
    for (let reader = queue.take(); reader !== undefined; reader = queue.take()) {
      if (reader.isHttp) parsePiece(reader);
      if (reader.rest.length > 0) queue.add(reader);
      else if (reader.isHttp) reader.socket.resume();
      if (performance.now() >= endsAt) return;
    }
  };
  return {
    read: (reader: Reader, chunk: Buffer): void => {
      if (!isOpen) open();
      reader.rest = reader.rest.length === 0 ? chunk : Buffer.concat([reader.rest, chunk]);
      if (reader.isWaiting) return;
      while (reader.rest.length > 0 && left > 0) {
        left -= Math.min(reader.rest.length, PIECE_BYTES);
        parsePiece(reader);
      }
      if (reader.rest.length === 0) return;
      reader.socket.pause();
      queue.add(reader);
    },
  };
};

/**
 * Bounds what one turn of the event loop parses, whoever sent it. Node.js parses all that it has read of a
 * connection at once, and then all of the next connection, and serves nobody in between.
 */
export const paceReads = (server: Server): void => {
  const turns = createTurns();
  const readers = new WeakMap<Socket, { reader: Reader; onData: (chunk: Buffer) => void }>();
  server.on('connection', (socket: Socket) => {
    // The parser's own listener. Listening to `data` also takes the socket's reads out of Node's native code.
    const parse = socket.listeners('data').at(-1) as Reader['parse'] | undefined;
    if (parse === undefined) return;
    const reader: Reader = { socket, parse: parse.bind(socket), rest: NOTHING, isWaiting: false, isHttp: true };
    const onData = (chunk: Buffer): void => turns.read(reader, chunk);
    socket.off('data', parse);
    socket.on('data', onData);
    readers.set(socket, { reader, onData });
  });
  // Bytes behind the request of an upgrade are not HTTP: the new owner of the socket reads them, after the head.
  server.prependListener('upgrade', (_request, socket: Socket) => {
    const found = readers.get(socket);
    if (found === undefined) return;
    socket.off('data', found.onData);
    if (found.reader.rest.length > 0) socket.unshift(found.reader.rest);
    found.reader.rest = NOTHING;
    found.reader.isHttp = false;
  });
};
