import type { RawData, WebSocket } from 'ws';
import { decodeBridgeMessage, ProtocolError } from '../../bridge-protocol/wire/codec.ts';
import type { BridgeMessage, MessageOf } from '../../bridge-protocol/wire/messages.ts';

const TEXT_KEPT = 400;

/** One received frame of a bridge; an invalid frame has no `message`, and `problem` contains the reason. */
export type Frame = {
  /** Milliseconds on the monotonic clock. */
  at: number;
  bytes: number;
  text: string;
  message?: BridgeMessage;
  problem?: { code: ProtocolError['code'] | 'binary'; text: string; re?: string };
};

/** Parses one WebSocket message. It never throws. */
const readFrame = (data: Buffer, isBinary: boolean): Frame => {
  const text = data.toString();
  const frame: Frame = { at: performance.now(), bytes: data.length, text };
  if (isBinary) return { ...frame, problem: { code: 'binary', text: 'a binary frame' } };
  try {
    return { ...frame, message: decodeBridgeMessage(text) };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const re = error.re === undefined ? {} : { re: error.re };
    return { ...frame, problem: { code: error.code, text: error.message, ...re } };
  }
};

/** The frame as it is stored: without players and catalogues, which are large and are not needed again. */
const slim = (frame: Frame): Frame => {
  const { message } = frame;
  const text = frame.text.slice(0, TEXT_KEPT);
  if (message?.type === 'catalogue') return { ...frame, text, message: { ...message, entries: [] } };
  if (message?.type !== 'players.snapshot' && message?.type !== 'players.changed') return { ...frame, text };
  return { ...frame, text, message: { ...message, players: [] } };
};

const FRAMES_KEPT = 20_000;
const BYTES_KEPT = 32 * 1024 * 1024;

export type Socket = WebSocket;

/** How a connection ended; `violation` is the violation of the WebSocket protocol itself. */
export type Ending = { code: number; reason: string; at: number; violation?: string };

const bufferOf = (data: RawData): Buffer =>
  Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data);

/**
 * One connection of the bridge as the hub sees it: its frames in order, and its end. It stores a limited number of
 * frames; a bridge that sends more is disconnected.
 */
export const createLine = ({
  socket,
  number,
  onFrame,
  onEnd,
}: {
  socket: Socket;
  number: number;
  onFrame: (frame: Frame) => void;
  onEnd: () => void;
}) => {
  const frames: Frame[] = [];
  let bytes = 0;
  let ending: Ending | undefined;

  const end = (how: Omit<Ending, 'at'>): void => {
    if (ending !== undefined) return;
    ending = { ...how, at: performance.now() };
    onEnd();
  };

  const receive = (data: RawData, isBinary: boolean): void => {
    if (ending !== undefined) return;
    const frame = readFrame(bufferOf(data), isBinary);
    const kept = slim(frame);
    frames.push(kept);
    bytes += Math.max(kept.text.length, kept.message?.type === 'result' ? frame.bytes : 0);
    onFrame(frame);
    if (frames.length < FRAMES_KEPT && bytes < BYTES_KEPT) return;
    socket.terminate();
    end({ code: 1006, reason: `verify cut the line after ${frames.length} frames` });
  };

  socket.on('error', (error: Error & { code?: string }) => {
    const violation = error.code?.startsWith('WS_ERR_') === true ? { violation: error.message } : {};
    end({ code: 1006, reason: error.message, ...violation });
  });
  socket.on('message', receive);
  socket.on('close', (code, reason) => end({ code, reason: reason.toString() }));

  return {
    number,
    openedAt: performance.now(),
    /** The received frames, without the records of players. */
    frames: frames as readonly Frame[],
    /** Set by the hub. */
    hello: undefined as MessageOf<BridgeMessage, 'hello'> | undefined,
    welcomedAt: undefined as number | undefined,
    ending: (): Ending | undefined => ending,
    isOpen: (): boolean => ending === undefined && socket.readyState === socket.OPEN,
    /** Sends an object as one frame; the frame may be lost with the connection. */
    send: (message: object): void => {
      socket.send(JSON.stringify(message), () => {});
    },
    /** Sends a text unchanged, whether it is a valid frame or not. */
    sendText: (text: string): void => {
      socket.send(text, () => {});
    },
    /** Resolves when all sent bytes have left this process, or can no longer leave it. */
    flushed: (): Promise<void> =>
      new Promise((resolve) => {
        socket.ping('', false, () => resolve());
      }),
    close: (code: number, reason = ''): void => socket.close(code, reason),
    /** Cuts the connection without a close frame. */
    cut: (): void => socket.terminate(),
  };
};
export type Line = ReturnType<typeof createLine>;
