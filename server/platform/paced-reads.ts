import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A read of 64 KiB can hold 1,500 requests, which take about 15 ms, so it is parsed in pieces of this size. */
const PIECE_BYTES = 4_096;

/** Bytes parsed in one turn of the event loop; the rest waits for the next turn. */
const TURN_BYTES = 16_384;
/** Milliseconds for parsing waiting bytes in each turn. */
const TURN_MS = 5;

/** The last request of a connection, on its socket: bytes behind it are not read. */
export const LAST = Symbol('last request');
export type Ending = Socket & { [LAST]?: IncomingMessage };

/** `isHttp` is false after an upgrade. */
type Reader = { socket: Socket; parse: (piece: Buffer) => void; rest: Buffer; isWaiting: boolean; isHttp: boolean };

/** Readers by address: each address gets one piece parsed in turn. */
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
    /** Takes the next reader; its address moves to the end. */
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

/** Parses one piece of a read. A connection that was cut has none left. */
const parsePiece = (reader: Reader): void => {
  const { rest } = reader;
  const socket: Ending = reader.socket;
  const isOver = socket.destroyed || socket[LAST]?.complete === true;
  const isLast = rest.length <= PIECE_BYTES || isOver;
  reader.rest = isLast ? NOTHING : rest.subarray(PIECE_BYTES);
  if (!isOver) reader.parse(isLast ? rest : rest.subarray(0, PIECE_BYTES));
};

/** Bounds parsing in each turn of the event loop. */
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
 * Bounds the bytes that one turn of the event loop parses. Node.js would parse all that it has read of one connection,
 * then all of the next, without serving other work in between.
 */
export const paceReads = (server: Server): void => {
  const turns = createTurns();
  const readers = new WeakMap<Socket, { reader: Reader; onData: (chunk: Buffer) => void }>();
  server.on('connection', (socket: Socket) => {
    // The parser's own listener. Listening to `data` also moves the reads out of Node's native code.
    const parse = socket.listeners('data').at(-1) as Reader['parse'] | undefined;
    if (parse === undefined) return;
    const reader: Reader = { socket, parse: parse.bind(socket), rest: NOTHING, isWaiting: false, isHttp: true };
    const onData = (chunk: Buffer): void => turns.read(reader, chunk);
    socket.off('data', parse);
    socket.on('data', onData);
    readers.set(socket, { reader, onData });
  });
  // Bytes behind such a request are not HTTP, and Node.js gives the parser to another connection.
  const letGo = (_request: IncomingMessage, socket: Duplex): void => {
    const found = readers.get(socket as Socket);
    if (found === undefined) return;
    socket.off('data', found.onData);
    if (found.reader.rest.length > 0) socket.unshift(found.reader.rest);
    found.reader.rest = NOTHING;
    found.reader.isHttp = false;
  };
  server.prependListener('upgrade', letGo);
  server.prependListener('connect', letGo);
};
