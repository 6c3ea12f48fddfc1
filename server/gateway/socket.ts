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

/**
 * Limits the frames of one bridge, because they take time from all others. `bytesPaidAt` and `parsePaidAt` are the times
 * at which the connection's frames would fit its rates; their distance from now is its debt.
 */
export type Budget = Pick<Connection, 'bytesPaidAt' | 'parsePaidAt' | 'overBudgetSince'>;

const BURST_BYTES_MS = (BURST_BYTES / BYTES_PER_SECOND) * 1_000;
const BURST_PARSE_WAIT_MS = (BURST_PARSE_MS / PARSE_MS_PER_SECOND) * 1_000;
const TURN_PARSE_WAIT_MS = (TURN_PARSE_MS / PARSE_MS_PER_SECOND) * 1_000;

/** The debt as a share of the burst. Over 1, the connection is not read. */
const debtOf = ({ bytesPaidAt, parsePaidAt }: Budget, at: number): number =>
  Math.max((bytesPaidAt - at) / BURST_BYTES_MS, (parsePaidAt - at) / BURST_PARSE_WAIT_MS);

/** True if the hub must not read the connection now. */
export const isOverBudget = (budget: Budget, at: number): boolean => debtOf(budget, at) > 1;

/** True if the hub must serve other connections before it reads this one again. */
export const isTurnOver = ({ parsePaidAt }: Budget, at: number): boolean => parsePaidAt - at > TURN_PARSE_WAIT_MS;

/** Books one frame. `at`: now. True: the connection is over its budget. */
export const spend = (budget: Budget, bytes: number, parseMs: number, at: number): boolean => {
  budget.bytesPaidAt = Math.max(budget.bytesPaidAt, at) + (bytes / BYTES_PER_SECOND) * 1_000;
  budget.parsePaidAt = Math.max(budget.parsePaidAt, at) + (parseMs / PARSE_MS_PER_SECOND) * 1_000;
  if (!isOverBudget(budget, at)) return false;
  budget.overBudgetSince ??= at;
  return true;
};

/** The time since which the connection is over its rates; undefined once half of its burst is free again. */
export const overBudgetSince = (budget: Budget, at: number): number | undefined => {
  if (budget.overBudgetSince !== undefined && debtOf(budget, at) <= 0.5) budget.overBudgetSince = undefined;
  return budget.overBudgetSince;
};

/** The server of the token. */
export type Identity = {
  readonly projectId: string;
  readonly projectSlug: string;
  readonly serverId: string;
  readonly tokenHash: string;
  /** End of a rotated token's grace period, epoch milliseconds. */
  graceEndsAt: number | undefined;
};

/** `greeting`: its hello is being processed, and later frames wait. */
type Phase = 'silent' | 'greeting' | 'welcomed' | 'closed';

/**
 * One socket of a bridge, from the handshake on. Plain state: one sweep serves all sockets. Times are of the monotonic
 * clock (`performance.now()`), so that setting the clock does not make sockets look dead. There are tens of thousands,
 * mostly idle, so state that only busy sockets need is made on first use.
 */
export type Connection = Identity & {
  readonly socket: WebSocket;
  /** The TCP socket below the WebSocket. */
  readonly stream: Duplex;
  readonly openedAt: number;
  phase: Phase;
  /** The sweep skips it until this time. */
  lookAt: number;
  lastFrameAt: number;
  lastPingAt: number;
  pings: number;
  /** The largest difference between the hub's clock and the monotonic clock that the bridge has been told. */
  clockSkew: number;
  probed: boolean;
  session: Session | undefined;
  sync: Sync | undefined;
  /** Frames that came while the hello was being processed. */
  backlog: string[] | undefined;
  /** Bytes of frames whose effect is not stored yet. Over a bound, the socket is not read. */
  pendingBytes: number;
  /** Unsent bytes at the last sweep, and since when they have not decreased. */
  unsentBytes: number;
  stalledSince: number | undefined;
  /** Times at which the frames of this connection would fit its rates: see `Budget`. */
  bytesPaidAt: number;
  parsePaidAt: number;
  overBudgetSince: number | undefined;
  badFrames: number[] | undefined;
  /** Stored outcomes that are not acknowledged yet. */
  acks: string[] | undefined;
  /** The highest journal sequence seen; `dirty` until it is stored. */
  journal: { id: string; sequence: number; dirty: boolean };
  /** Outcomes that could not be stored; they are tried again. */
  unsettled: Map<string, ResultMessage> | undefined;
  /** The catalogue of which parts have come. */
  catalogue: PartialCatalogue | undefined;
  resyncWanted: boolean;
  resyncAskedAt: number;
  closeName: CloseCodeName | 'bye' | 'cut' | undefined;
  terminateAt: number | undefined;
  /** A newer socket has replaced this one. */
  fenced: boolean;
  /** Ends the replaced socket of another instance. Called when this socket has sent its first frame. */
  displaced: ((name: 'replaced' | 'fenced') => void) | undefined;
};

/** Time to answer a close frame before the socket is cut. */
const CLOSE_WITHIN_MS = 2_000;
/** Bridges of a disabled server retry after this time, so that they are back soon after it is enabled. */
export const DISABLED_FOR_MS = 20_000;

export const createConnection = (
  socket: WebSocket,
  stream: Duplex,
  { projectId, projectSlug, serverId, tokenHash, graceEndsAt }: Identity,
): Connection => ({
  socket,
  stream,
  projectId,
  projectSlug,
  serverId,
  tokenHash,
  graceEndsAt,
  openedAt: performance.now(),
  phase: 'silent',
  lookAt: 0,
  lastFrameAt: performance.now(),
  lastPingAt: performance.now(),
  pings: 0,
  clockSkew: Number.NEGATIVE_INFINITY,
  probed: false,
  session: undefined,
  sync: undefined,
  backlog: undefined,
  pendingBytes: 0,
  unsentBytes: 0,
  stalledSince: undefined,
  bytesPaidAt: 0,
  parsePaidAt: 0,
  overBudgetSince: undefined,
  badFrames: undefined,
  acks: undefined,
  journal: { id: '', sequence: -1, dirty: false },
  unsettled: undefined,
  catalogue: undefined,
  resyncWanted: false,
  resyncAskedAt: 0,
  closeName: undefined,
  terminateAt: undefined,
  fenced: false,
  displaced: undefined,
});

export const isOpen = (connection: Connection): boolean =>
  connection.phase !== 'closed' && connection.closeName === undefined && connection.socket.readyState === 1;

/** Lets the next sweep check this socket. */
export const wake = (connection: Connection): void => {
  connection.lookAt = 0;
};

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

/** Acknowledges stored outcomes. Does nothing on a closed socket. */
export const sendAcks = (connection: Connection): void => {
  const { acks } = connection;
  connection.acks = undefined;
  while (acks !== undefined && acks.length > 0) send(connection, { type: 'ack', ids: acks.splice(0, ACKS_PER_FRAME) });
};

/** Sends one message. Does nothing on a closed socket, because the rows keep all that matters. */
export const send = (connection: Connection, message: HubMessage): void => {
  if (!isOpen(connection)) return;
  wake(connection);
  // Acknowledgements share this write: alone they would cost as much as a command.
  if (connection.acks !== undefined) sendAcks(connection);
  writeTogether(connection.stream, textFrame(encode(message)));
};

/** Asks for a sign of life, and tells the hub's clock (`now`). */
export const ping = (connection: Connection, now: number): void => {
  const at = performance.now();
  connection.lastPingAt = at;
  connection.pings += 1;
  connection.clockSkew = Math.max(connection.clockSkew, now - at);
  send(connection, { type: 'ping', n: connection.pings, now });
};

/** A bridge uses the largest of its last four clock offsets, so this many pings replace them all. */
const CLOCK_PINGS = 4;
/** A larger step back means that the clock was set, not corrected. */
const STEP_BACK_MS = 1_000;

/** Tells the hub's clock, whatever the bridge has been told before. */
export const tellClock = (connection: Connection, now: number): void => {
  connection.clockSkew = Number.NEGATIVE_INFINITY;
  for (let n = 0; n < CLOCK_PINGS; n += 1) ping(connection, now);
};

/** The session of a welcomed bridge, over its socket. `isHeld`: this node may act for bridges. */
export const sessionOver = (
  connection: Connection,
  facts: Omit<Session, 'isOpen' | 'send'>,
  { isHeld, now }: { isHeld: () => boolean; now: () => number },
): Session => ({
  ...facts,
  isOpen: () => isOpen(connection) && !connection.fenced && isHeld(),
  send: (message) => {
    const at = now();
    // By its clock offsets from before a step back, the bridge would take a command for late.
    const hasSteppedBack = at - performance.now() < connection.clockSkew - STEP_BACK_MS;
    if (message.type === 'command' && hasSteppedBack) tellClock(connection, at);
    send(connection, message);
  },
});

/** Closes with a reason. The sweep cuts a socket that does not answer. */
export const close = (connection: Connection, name: CloseCodeName | 'bye', r?: number): void => {
  if (connection.closeName !== undefined || connection.phase === 'closed') return;
  sendAcks(connection);
  connection.closeName = name;
  connection.terminateAt = performance.now() + CLOSE_WITHIN_MS;
  connection.lookAt = connection.terminateAt;
  if (name === 'bye') connection.socket.close(1000, '');
  else
    connection.socket.close(
      CLOSE_CODES[name],
      closeReason(name, r ?? (name === 'disabled' ? DISABLED_FOR_MS : undefined)),
    );
};

/** Ends the socket that this one replaced: `replaced` stops its bridge for good, `fenced` lets it reconnect. */
export const settleTakeover = (connection: Connection, name: 'replaced' | 'fenced'): void => {
  const { displaced } = connection;
  connection.displaced = undefined;
  displaced?.(name);
};

/** Cuts the socket without a close frame: its bridge has already opened another. */
export const terminate = (connection: Connection): void => {
  connection.closeName ??= 'cut';
  connection.socket.terminate();
};
