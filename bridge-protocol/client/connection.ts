import { decodeHubMessage, encode, ProtocolError } from '../wire/codec.ts';
import type { BridgeMessage, HubMessage } from '../wire/messages.ts';
import type { BridgeSocket, Log, OpenSocket } from './options.ts';
import { Sleepers } from './sleepers.ts';

/** The end of a connection: closed with a code, or refused with an HTTP status before the upgrade. */
export type ConnectionEnd =
  | { kind: 'closed'; code: number; reason: string }
  | { kind: 'refused'; status: number; body: string; retryAfterMs?: number };

/** Above this many unsent bytes, frames that can wait are delayed. */
const UNSENT_BYTES = 1024 * 1024;
const LOOK_AGAIN_MS = 20;

/**
 * One socket from its opening to its end. Callers see parsed messages; a frame that is no message is answered with
 * `error`. Without a frame for `silenceMs` the connection is cut. `onEnd` is called once, as the last callback.
 */
export const createConnection = (parts: {
  openSocket: OpenSocket;
  silenceMs: number;
  now: () => number;
  log: Log;
  onOpen: () => void;
  onMessage: (message: HubMessage) => void;
  onEnd: (end: ConnectionEnd) => void;
}) => {
  const { openSocket, silenceMs, now, log, onOpen, onMessage, onEnd } = parts;
  const sleepers = new Sleepers();
  let socket: BridgeSocket | undefined;
  let watchdog: ReturnType<typeof setTimeout> | undefined;
  let lastFrameAt = now();
  let isOpen = false;
  let isGreeted = false;
  let isEnded = false;
  let isFarewellSaid = false;

  /** False: it has ended before. */
  const finish = (): boolean => {
    if (isEnded) return false;
    isEnded = true;
    clearTimeout(watchdog);
    sleepers.wake();
    return true;
  };

  const end = (how: ConnectionEnd): void => {
    if (finish()) onEnd(how);
  };

  const cut = (reason: string): void => {
    if (isEnded) return;
    socket?.terminate();
    end({ kind: 'closed', code: 1006, reason });
  };

  const watch = (afterMs: number): void => {
    watchdog = setTimeout(() => {
      // A clock that was set back must not make the silence look longer or shorter than one period.
      const silentMs = Math.min(Math.max(now() - lastFrameAt, 0), silenceMs);
      if (silentMs >= silenceMs) cut('silent');
      else watch(silenceMs - silentMs);
    }, afterMs);
  };

  const sendFrame = (frame: string): boolean => {
    if (isEnded || isFarewellSaid || !isOpen || socket === undefined) return false;
    try {
      socket.send(frame);
      return true;
    } catch (error) {
      cut(`send failed: ${String(error)}`);
      return false;
    }
  };

  const send = (message: BridgeMessage): boolean => {
    try {
      return sendFrame(encode(message));
    } catch (error) {
      log('error', `A ${message.type} could not be encoded: ${String(error)}`);
      return false;
    }
  };

  const complain = (error: ProtocolError): void => {
    log('warn', `The hub sent a frame that is not understood: ${error.message}`);
    if (error.re === 'error') return;
    const re = error.re === undefined ? {} : { re: error.re };
    send({ type: 'error', ...re, code: error.code, message: error.message });
  };

  const receive = (frame: string): void => {
    if (isEnded) return;
    lastFrameAt = now();
    try {
      onMessage(decodeHubMessage(frame));
    } catch (error) {
      if (error instanceof ProtocolError) complain(error);
      else log('error', `A frame of the hub could not be handled: ${String(error)}`);
    }
  };

  /** A socket may open before `openSocket` has returned it. */
  const greet = (): void => {
    if (isEnded || isGreeted || !isOpen || socket === undefined) return;
    isGreeted = true;
    try {
      onOpen();
    } catch (error) {
      cut(`no hello: ${String(error)}`);
    }
  };

  const isFull = (): boolean => socket !== undefined && socket.bufferedAmount > UNSENT_BYTES;

  return {
    open: (): void => {
      watch(silenceMs);
      try {
        socket = openSocket({
          open: () => {
            isOpen = true;
            greet();
          },
          message: receive,
          close: (code, reason) => end({ kind: 'closed', code, reason }),
          refused: (refusal) => end({ kind: 'refused', ...refusal }),
        });
      } catch (error) {
        end({ kind: 'closed', code: 1006, reason: String(error) });
      }
      greet();
    },
    /** False when the message did not go out: the connection is not open, or the message too large. */
    send,
    sendFrame,
    /** Sends the last message of this connection: nothing goes out after it, and it stays open. */
    sendLast: (message: BridgeMessage): void => {
      send(message);
      isFarewellSaid = true;
    },
    isFull,
    /** A later turn of the event loop in which less than 1 MiB is unsent; false when the connection has ended. */
    writable: async (): Promise<boolean> => {
      if (!isEnded) await sleepers.sleep(0);
      while (!isEnded && isFull()) await sleepers.sleep(LOOK_AGAIN_MS);
      return !isEnded;
    },
    cut,
    /** Ends the connection here without `onEnd`; the hub gets a proper close. */
    abandon: (reason: string): void => {
      if (finish()) socket?.close(1000, reason);
    },
  };
};
export type Connection = ReturnType<typeof createConnection>;
