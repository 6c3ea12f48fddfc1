import { decodeHubMessage, encode, ProtocolError } from '../wire/codec.ts';
import type { BridgeMessage, HubMessage } from '../wire/messages.ts';
import type { BridgeSocket, Log, OpenSocket } from './options.ts';

/** The end of a connection: closed with a code, or refused with an HTTP status before the upgrade. */
export type ConnectionEnd =
  | { kind: 'closed'; code: number; reason: string }
  | { kind: 'refused'; status: number; body: string; retryAfterMs?: number };

/** Above this many unsent bytes, frames that can wait are delayed. */
const UNSENT_BYTES = 1024 * 1024;
const LOOK_AGAIN_MS = 20;

/** Waits of at most some time, which an event ends early. */
export class Sleepers {
  readonly #wakes = new Set<() => void>();

  /** Resolves after `ms`, or with the next `wake`. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#wakes.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#wakes.add(wake);
    });
  }

  wake(): void {
    for (const wake of this.#wakes) wake();
  }
}

/**
 * One socket from its opening to its end. Callers see parsed messages; a frame that is no message is answered with
 * `error`. Without a frame for `silenceMs` the connection is cut. `onEnd` is called once, as the last callback.
 */
export class Connection {
  readonly #parts;
  readonly #sleepers = new Sleepers();
  #socket: BridgeSocket | undefined;
  #watchdog: ReturnType<typeof setTimeout> | undefined;
  #lastFrameAt: number;
  #isOpen = false;
  #isGreeted = false;
  #isEnded = false;
  #isFarewellSaid = false;

  constructor(parts: {
    openSocket: OpenSocket;
    silenceMs: number;
    now: () => number;
    log: Log;
    onOpen: () => void;
    onMessage: (message: HubMessage) => void;
    onEnd: (end: ConnectionEnd) => void;
  }) {
    this.#parts = parts;
    this.#lastFrameAt = parts.now();
  }

  open(): void {
    this.#watch(this.#parts.silenceMs);
    try {
      this.#socket = this.#parts.openSocket({
        open: () => {
          this.#isOpen = true;
          this.#greet();
        },
        message: (frame) => this.#receive(frame),
        close: (code, reason) => this.#end({ kind: 'closed', code, reason }),
        refused: (refusal) => this.#end({ kind: 'refused', ...refusal }),
      });
    } catch (error) {
      this.#end({ kind: 'closed', code: 1006, reason: String(error) });
    }
    this.#greet();
  }

  /** False when the message did not go out: the connection is not open, or the message too large. */
  send(message: BridgeMessage): boolean {
    try {
      return this.sendFrame(encode(message));
    } catch (error) {
      this.#parts.log('error', `A ${message.type} could not be encoded: ${String(error)}`);
      return false;
    }
  }

  sendFrame(frame: string): boolean {
    if (this.#isEnded || this.#isFarewellSaid || !this.#isOpen || this.#socket === undefined) return false;
    try {
      this.#socket.send(frame);
      return true;
    } catch (error) {
      this.cut(`send failed: ${String(error)}`);
      return false;
    }
  }

  /** Sends the last message of this connection: nothing goes out after it, and it stays open. */
  sendLast(message: BridgeMessage): void {
    this.send(message);
    this.#isFarewellSaid = true;
  }

  isFull(): boolean {
    return this.#socket !== undefined && this.#socket.bufferedAmount > UNSENT_BYTES;
  }

  /** A later turn of the event loop in which less than 1 MiB is unsent; false when the connection has ended. */
  async writable(): Promise<boolean> {
    if (!this.#isEnded) await this.#sleepers.sleep(0);
    while (!this.#isEnded && this.isFull()) await this.#sleepers.sleep(LOOK_AGAIN_MS);
    return !this.#isEnded;
  }

  cut(reason: string): void {
    if (this.#isEnded) return;
    this.#socket?.terminate();
    this.#end({ kind: 'closed', code: 1006, reason });
  }

  /** Ends the connection here without `onEnd`; the hub gets a proper close. */
  abandon(reason: string): void {
    if (this.#finish()) this.#socket?.close(1000, reason);
  }

  #finish(): boolean {
    // It has ended before.
    if (this.#isEnded) return false;
    this.#isEnded = true;
    clearTimeout(this.#watchdog);
    this.#sleepers.wake();
    return true;
  }

  #end(how: ConnectionEnd): void {
    if (this.#finish()) this.#parts.onEnd(how);
  }

  #watch(afterMs: number): void {
    const { silenceMs, now } = this.#parts;
    this.#watchdog = setTimeout(() => {
      // A clock that was set back must not make the silence look longer or shorter than one period.
      const silentMs = Math.min(Math.max(now() - this.#lastFrameAt, 0), silenceMs);
      if (silentMs >= silenceMs) this.cut('silent');
      else this.#watch(silenceMs - silentMs);
    }, afterMs);
  }

  #receive(frame: string): void {
    const { now, log, onMessage } = this.#parts;
    if (this.#isEnded) return;
    this.#lastFrameAt = now();
    try {
      onMessage(decodeHubMessage(frame));
    } catch (error) {
      if (error instanceof ProtocolError) this.#complain(error);
      else log('error', `A frame of the hub could not be handled: ${String(error)}`);
    }
  }

  #complain(error: ProtocolError): void {
    this.#parts.log('warn', `The hub sent a frame that is not understood: ${error.message}`);
    if (error.re === 'error') return;
    const re = error.re === undefined ? {} : { re: error.re };
    this.send({ type: 'error', ...re, code: error.code, message: error.message });
  }

  #greet(): void {
    // A socket may open before `openSocket` has returned it.
    if (this.#isEnded || this.#isGreeted || !this.#isOpen || this.#socket === undefined) return;
    this.#isGreeted = true;
    try {
      this.#parts.onOpen();
    } catch (error) {
      this.cut(`no hello: ${String(error)}`);
    }
  }
}
