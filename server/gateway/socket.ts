import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { CLOSE_CODES, type CloseCodeName, closeReason, encode, type HubMessage } from '../../bridge-protocol/index.ts';
import type { Session } from '../cluster/router.ts';
import type { ResultMessage } from '../commands/outcome.ts';
import type { Sync } from '../players/sync.ts';
import type { PartialCatalogue } from './catalogues.ts';

/** Bytes of frames that one connection may send per second, on average. */
const BYTES_PER_SECOND = 4 * 1_048_576;
const BURST_BYTES = 16 * 1_048_576;
/** Milliseconds per second that the hub spends on frames of one connection, on average; and the largest burst. */
const PARSE_MS_PER_SECOND = 200;
const BURST_PARSE_MS = 200;
/** Milliseconds before the event loop serves other connections. */
const TURN_PARSE_MS = 5;

const BURST_BYTES_MS = (BURST_BYTES / BYTES_PER_SECOND) * 1_000;
const BURST_PARSE_WAIT_MS = (BURST_PARSE_MS / PARSE_MS_PER_SECOND) * 1_000;
const TURN_PARSE_WAIT_MS = (TURN_PARSE_MS / PARSE_MS_PER_SECOND) * 1_000;

/** The server of the token. */
export type Identity = {
  readonly projectId: string;
  readonly projectSlug: string;
  readonly serverId: string;
  readonly tokenHash: string;
  /** End of a rotated token's grace period, epoch milliseconds. */
  graceEndsAt: number | undefined;
};

/** Time to answer a close frame before the socket is cut. */
const CLOSE_WITHIN_MS = 2_000;
/** Bridges of a disabled server retry after this time, so that they are back soon after it is enabled. */
export const DISABLED_FOR_MS = 20_000;

const FINAL_TEXT = 0x81;

/**
 * One text frame of a server (RFC 6455, section 5.2) in one buffer. The library writes head and text separately, and a
 * second write costs more than the rest of a frame. `text` has at most 2 GiB.
 */
export const textFrame = (text: string): Buffer => {
  const size = Buffer.byteLength(text);
  const head = size < 126 ? 2 : size < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + size);
  frame[0] = FINAL_TEXT;
  if (head === 2) frame[1] = size;
  else if (head === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(size, 2);
  } else {
    frame[1] = 127;
    frame.writeUInt32BE(0, 2);
    frame.writeUInt32BE(size, 6);
  }
  frame.write(text, head);
  return frame;
};

/** Largest write: beyond it, combining frames saves nothing. */
const TOGETHER_BYTES = 16_384;

const corked: Duplex[] = [];

const uncorkAll = (): void => {
  for (const stream of corked.splice(0)) if (stream.writableCorked > 0) stream.uncork();
};

/** Frames of one turn of the event loop are sent in one write: a system call costs more than the rest of a frame. */
const writeTogether = (stream: Duplex, frame: Buffer): void => {
  if (stream.writableCorked === 0) {
    stream.cork();
    if (corked.push(stream) === 1) process.nextTick(uncorkAll);
  }
  stream.write(frame);
  if (stream.writableLength > TOGETHER_BYTES) stream.uncork();
};

/** Number of ids that fit into one frame in any case. */
const ACKS_PER_FRAME = 512;
/** A bridge uses the largest of its last four clock offsets, so this many pings replace them all. */
const CLOCK_PINGS = 4;
/** A larger step back means that the clock was set, not corrected. */
const STEP_BACK_MS = 1_000;

/**
 * One socket of a bridge, from the handshake on: its state, what it has sent and may send. One sweep serves all sockets.
 * Times are of the monotonic clock (`performance.now()`), so that setting the clock does not make sockets look dead. There
 * are tens of thousands, mostly idle, so state that only busy sockets need is made on first use.
 */
export class Connection implements Identity {
  readonly socket: WebSocket;
  /** The TCP socket below the WebSocket. */
  readonly stream: Duplex;
  readonly projectId: string;
  readonly projectSlug: string;
  readonly serverId: string;
  readonly tokenHash: string;
  graceEndsAt: number | undefined;
  readonly openedAt = performance.now();
  /** `greeting`: its hello is being processed, and later frames wait. */
  phase: 'silent' | 'greeting' | 'welcomed' | 'closed' = 'silent';
  /** The sweep skips it until this time. */
  lookAt = 0;
  lastFrameAt = this.openedAt;
  lastPingAt = this.openedAt;
  probed = false;
  session: Session | undefined = undefined;
  sync: Sync | undefined = undefined;
  /** Frames that came while the hello was being processed. */
  backlog: string[] | undefined = undefined;
  /** Bytes of frames whose effect is not stored yet. Over a bound, the socket is not read. */
  pendingBytes = 0;
  /** Unsent bytes at the last sweep, and since when they have not decreased. */
  unsentBytes = 0;
  stalledSince: number | undefined = undefined;
  badFrames: number[] | undefined = undefined;
  /** Stored outcomes that are not acknowledged yet. */
  acks: string[] | undefined = undefined;
  /** The highest journal sequence seen; `dirty` until it is stored. */
  journal = { id: '', sequence: -1, dirty: false };
  /** Outcomes that could not be stored; they are tried again. */
  unsettled: Map<string, ResultMessage> | undefined = undefined;
  /** The catalogue of which parts have come. */
  catalogue: PartialCatalogue | undefined = undefined;
  resyncWanted = false;
  resyncAskedAt = 0;
  closeName: CloseCodeName | 'bye' | 'cut' | undefined = undefined;
  terminateAt: number | undefined = undefined;
  /** A newer socket has replaced this one. */
  fenced = false;
  /** Ends the replaced socket of another instance. Called when this socket has sent its first frame. */
  displaced: ((name: 'replaced' | 'fenced') => void) | undefined = undefined;
  #pings = 0;
  /** The largest difference between the hub's clock and the monotonic clock that the bridge has been told. */
  #clockSkew = Number.NEGATIVE_INFINITY;
  /** When its frames so far would fit its rates, by their bytes and by the time they took. The distance from now is its debt. */
  #bytesPaidAt = 0;
  #parsePaidAt = 0;
  #overBudgetSince: number | undefined = undefined;

  constructor(socket: WebSocket, stream: Duplex, identity: Identity) {
    this.socket = socket;
    this.stream = stream;
    this.projectId = identity.projectId;
    this.projectSlug = identity.projectSlug;
    this.serverId = identity.serverId;
    this.tokenHash = identity.tokenHash;
    this.graceEndsAt = identity.graceEndsAt;
  }

  get isOpen(): boolean {
    return this.phase !== 'closed' && this.closeName === undefined && this.socket.readyState === 1;
  }

  /** Lets the next sweep check this socket. */
  wake(): void {
    this.lookAt = 0;
  }

  /** Sends one message. Does nothing on a closed socket, because the rows keep all that matters. */
  send(message: HubMessage): void {
    if (!this.isOpen) return;
    this.wake();
    // Acknowledgements share this write: alone they would cost as much as a command.
    if (this.acks !== undefined) this.sendAcks();
    writeTogether(this.stream, textFrame(encode(message)));
  }

  /** Acknowledges stored outcomes. Does nothing on a closed socket. */
  sendAcks(): void {
    const { acks } = this;
    this.acks = undefined;
    while (acks !== undefined && acks.length > 0) this.send({ type: 'ack', ids: acks.splice(0, ACKS_PER_FRAME) });
  }

  /** Asks for a sign of life, and tells the hub's clock. */
  ping(): void {
    const [at, now] = [performance.now(), Date.now()];
    this.lastPingAt = at;
    this.#pings += 1;
    this.#clockSkew = Math.max(this.#clockSkew, now - at);
    this.send({ type: 'ping', n: this.#pings, now });
  }

  /** Notes the answer to a ping. Returns how long the last one took, whole milliseconds; undefined: it is not the last. */
  answered(n: number): number | undefined {
    return n === this.#pings ? Math.round(performance.now() - this.lastPingAt) : undefined;
  }

  /** Tells the hub's clock, whatever the bridge has been told before. */
  tellClock(): void {
    this.#clockSkew = Number.NEGATIVE_INFINITY;
    for (let n = 0; n < CLOCK_PINGS; n += 1) this.ping();
  }

  /** Before a command: by the offsets from before a step back, the bridge would take it for late. */
  tellStepBack(): void {
    if (Date.now() - performance.now() < this.#clockSkew - STEP_BACK_MS) this.tellClock();
  }

  /** Closes with a reason. The sweep cuts a socket that does not answer. */
  close(name: CloseCodeName | 'bye', r = name === 'disabled' ? DISABLED_FOR_MS : undefined): void {
    if (this.closeName !== undefined || this.phase === 'closed') return;
    this.sendAcks();
    this.closeName = name;
    this.terminateAt = performance.now() + CLOSE_WITHIN_MS;
    this.lookAt = this.terminateAt;
    if (name === 'bye') this.socket.close(1000, '');
    else this.socket.close(CLOSE_CODES[name], closeReason(name, r));
  }

  /** Cuts the socket without a close frame: its bridge has already opened another. */
  terminate(): void {
    this.closeName ??= 'cut';
    this.socket.terminate();
  }

  /** Ends the socket that this one replaced: `replaced` stops its bridge for good, `fenced` lets it reconnect. */
  settleTakeover(name: 'replaced' | 'fenced'): void {
    const { displaced } = this;
    this.displaced = undefined;
    displaced?.(name);
  }

  /** Books one frame at this time (now). True: the connection is over its budget. Its frames take time from all others. */
  spend(bytes: number, parseMs: number, at: number): boolean {
    this.#bytesPaidAt = Math.max(this.#bytesPaidAt, at) + (bytes / BYTES_PER_SECOND) * 1_000;
    this.#parsePaidAt = Math.max(this.#parsePaidAt, at) + (parseMs / PARSE_MS_PER_SECOND) * 1_000;
    if (!this.isOverBudget(at)) return false;
    this.#overBudgetSince ??= at;
    return true;
  }

  /** True if the hub must not read the connection now. */
  isOverBudget(at: number): boolean {
    return this.#debt(at) > 1;
  }

  /** True if the hub must serve other connections before it reads this one again. */
  isTurnOver(at: number): boolean {
    return this.#parsePaidAt - at > TURN_PARSE_WAIT_MS;
  }

  /** The time since which the connection is over its rates; undefined once half of its burst is free again. */
  overBudgetSince(at: number): number | undefined {
    if (this.#overBudgetSince !== undefined && this.#debt(at) <= 0.5) this.#overBudgetSince = undefined;
    return this.#overBudgetSince;
  }

  /** The debt as a share of the burst. Over 1, the connection is not read. */
  #debt(at: number): number {
    return Math.max((this.#bytesPaidAt - at) / BURST_BYTES_MS, (this.#parsePaidAt - at) / BURST_PARSE_WAIT_MS);
  }
}
