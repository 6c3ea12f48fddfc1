import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { CLOSE_CODES, type CloseCodeName, closeReason, encode, type HubMessage } from '../../bridge-protocol/index.ts';
import type { Session } from '../cluster/router.ts';
import type { ResultMessage } from '../commands/settle.ts';
import type { Sync } from '../players/sync.ts';
import { textFrame } from './frame-bytes.ts';

/** Whose token it was. */
export type Identity = {
  readonly projectId: string;
  readonly projectSlug: string;
  readonly serverId: string;
  readonly tokenHash: string;
  /** The token has been replaced and ends then, epoch milliseconds. */
  graceEndsAt: number | undefined;
};

/** `greeting`: its hello is being worked on, frames wait. */
type Phase = 'silent' | 'greeting' | 'welcomed' | 'closed';

/**
 * One socket of a bridge, from the handshake on. Plain state: one sweep looks after all of them. Its times are those of
 * the monotonic clock (`performance.now()`): a clock that is set must not make living sockets look dead. There are tens of
 * thousands, and most are idle: what only a busy one needs is made when it is needed.
 */
export type Connection = Identity & {
  readonly socket: WebSocket;
  /** What the WebSocket writes to. */
  readonly stream: Duplex;
  readonly openedAt: number;
  phase: Phase;
  /** The sweep passes it by until then. */
  lookAt: number;
  lastFrameAt: number;
  lastPingAt: number;
  pings: number;
  /** Pings still to send, one a second, that tell the bridge the hub's clock. */
  clockPings: number;
  /** No new command is sent until the bridge has answered this ping; then it has this window again. */
  held: { untilPing: number; window: number } | undefined;
  probed: boolean;
  session: Session | undefined;
  sync: Sync | undefined;
  /** Frames that came while the hello was being worked on. */
  backlog: string[] | undefined;
  /** Bytes of frames whose effect is not stored yet; over a bound the socket is not read. */
  pendingBytes: number;
  /** Unsent bytes at the last sweep, and since when they have not become fewer. */
  unsentBytes: number;
  stalledSince: number | undefined;
  /** See budget.ts. */
  bytesPaidAt: number;
  parsePaidAt: number;
  overBudgetSince: number | undefined;
  badFrames: number[] | undefined;
  /** Stored outcomes that the bridge has not been told of. */
  acks: string[] | undefined;
  /** The highest sequence of its journal seen; `dirty` until it is stored. */
  journal: { id: string; sequence: number; dirty: boolean };
  /** Outcomes the database did not take; tried again until it does. */
  unsettled: Map<string, ResultMessage> | undefined;
  resyncWanted: boolean;
  resyncAskedAt: number;
  closeName: CloseCodeName | 'bye' | 'cut' | undefined;
  terminateAt: number | undefined;
  /** Another socket speaks for its server now. */
  fenced: boolean;
  /** Ends the socket of another instance that this one took over from, until it has said something itself. */
  displaced: ((name: 'replaced' | 'fenced') => void) | undefined;
};

/** How long a closed socket has to answer the close frame before it is cut. */
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
  clockPings: 0,
  held: undefined,
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
  resyncWanted: false,
  resyncAskedAt: 0,
  closeName: undefined,
  terminateAt: undefined,
  fenced: false,
  displaced: undefined,
});

export const isOpen = (connection: Connection): boolean =>
  connection.phase !== 'closed' && connection.closeName === undefined && connection.socket.readyState === 1;

/** There is something to see to: the next sweep looks at it. */
export const wake = (connection: Connection): void => {
  connection.lookAt = 0;
};

/** So much is collected at most: beyond it a larger write saves nothing. */
const TOGETHER_BYTES = 16_384;

const corked: Duplex[] = [];

const uncorkAll = (): void => {
  for (const stream of corked.splice(0)) if (stream.writableCorked > 0) stream.uncork();
};

/** What is sent in one turn leaves in one write: a call into the kernel costs more than all the rest of a frame. */
const writeTogether = (stream: Duplex, frame: Buffer): void => {
  if (stream.writableCorked === 0) {
    stream.cork();
    if (corked.push(stream) === 1) process.nextTick(uncorkAll);
  }
  stream.write(frame);
  if (stream.writableLength > TOGETHER_BYTES) stream.uncork();
};

/** So many ids fit into one frame however they are written. */
const ACKS_PER_FRAME = 512;

/** Tells the bridge what is stored; on a socket that is gone it does nothing. */
export const sendAcks = (connection: Connection): void => {
  const { acks } = connection;
  connection.acks = undefined;
  while (acks !== undefined && acks.length > 0) send(connection, { type: 'ack', ids: acks.splice(0, ACKS_PER_FRAME) });
};

/** Sends one message; on a socket that is gone it does nothing (rows remember what matters). */
export const send = (connection: Connection, message: HubMessage): void => {
  if (!isOpen(connection)) return;
  wake(connection);
  // They share its write: alone they would cost as much as a command.
  if (connection.acks !== undefined) sendAcks(connection);
  writeTogether(connection.stream, textFrame(encode(message)));
};

/** Says why and closes; what does not answer is cut by the sweep. */
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

/** Ends the socket that this one took over from: `replaced` stops its bridge for good, `fenced` calls it back. */
export const settleTakeover = (connection: Connection, name: 'replaced' | 'fenced'): void => {
  const { displaced } = connection;
  connection.displaced = undefined;
  displaced?.(name);
};

/** Cuts the socket without a word: its bridge has already opened another. */
export const terminate = (connection: Connection): void => {
  connection.closeName ??= 'cut';
  connection.socket.terminate();
};
