import type { Logger } from 'pino';
import { type BridgeMessage, decodeBridgeMessage, ProtocolError } from '../../bridge-protocol/index.ts';
import type { Store } from '../../db/store.ts';
import type { Background } from '../background.ts';
import type { Commands } from '../commands.ts';
import type { Metrics } from '../metrics.ts';
import type { PlayersMessage } from '../players/sync.ts';
import type { Players } from '../players.ts';
import { isOverBudget, spend } from './budget.ts';
import { type Connection, close, isOpen, send, settleTakeover, wake } from './connection.ts';
import { readCustom } from './custom.ts';
import type { Greet } from './greet.ts';
import { createResults } from './results.ts';
import { createTurnstile } from './turnstile.ts';

const BAD_FRAMES = 5;
const BAD_FRAMES_WITHIN_MS = 60_000;
/** Beyond this a socket is not read until its frames are stored. */
const PENDING_BYTES = 131_072;
/** Nor while so much of what it is told is not sent yet: who asks faster than it listens waits, and is not cut. */
const UNSENT_BYTES = 262_144;
/** What a frame costs to hold, beside its text. */
const FRAME_COST = 512;

/** Routes one frame of a bridge. Frames take effect in arrival order; the socket is not read faster than they do. */
export const createFrames = (deps: {
  store: Pick<Store, 'servers'>;
  commands: Commands;
  players: Players;
  greet: Greet;
  background: Background;
  metrics: Metrics;
  log: Logger;
  now: () => number;
}) => {
  const { commands, players, greet, background, metrics, log, now } = deps;

  const results = createResults(deps);
  const turn = createTurnstile();

  const complain = (connection: Connection, error: ProtocolError): void => {
    metrics.frames.inc({ code: error.code });
    const re = error.re === undefined ? {} : { re: error.re };
    send(connection, { type: 'error', ...re, code: error.code, message: error.message });
    if (error.code === 'unsupported') return;
    const at = performance.now();
    const recent = (connection.badFrames ?? []).filter((then) => at - then < BAD_FRAMES_WITHIN_MS);
    connection.badFrames = [...recent, at];
    if (connection.badFrames.length >= BAD_FRAMES) close(connection, 'protocol_violation');
  };

  /** Reads the socket again once what held it back is done. */
  const release = (connection: Connection): void => {
    const { socket, pendingBytes } = connection;
    if (!socket.isPaused || isOverBudget(connection, performance.now())) return;
    if (pendingBytes > PENDING_BYTES / 2 || socket.bufferedAmount > UNSENT_BYTES) return;
    socket.resume();
  };

  /**
   * Counts a frame. The parts of a snapshot are paced by the database. Orders pace their results: only reading these counts.
   */
  const charge = (
    connection: Connection,
    type: string | undefined,
    frame: string,
    from: number,
    read: number,
  ): void => {
    if (type === 'players.snapshot') return;
    const at = performance.now();
    const parseMs = (type === 'result' || type === 'received' ? read : at) - from;
    if (!spend(connection, Buffer.byteLength(frame), parseMs, at)) return;
    connection.socket.pause();
    wake(connection);
  };

  /** Holds the socket back while too much of what it sent is not stored yet, or not answered. */
  const holding = (connection: Connection, bytes: number, name: string, work: () => Promise<unknown>): void => {
    const { socket } = connection;
    connection.pendingBytes += bytes;
    if (connection.pendingBytes > PENDING_BYTES || socket.bufferedAmount > UNSENT_BYTES) {
      socket.pause();
      wake(connection);
    }
    background.run(name, async () => {
      try {
        await work();
      } finally {
        connection.pendingBytes -= bytes;
        release(connection);
      }
    });
  };

  const applyPlayers = async (connection: Connection, message: PlayersMessage): Promise<void> => {
    const { session, sync } = connection;
    if (session === undefined || sync === undefined) return;
    try {
      if ((await players.apply(session, sync, message)) === 'ok') return;
    } catch (error) {
      log.error({ err: error, serverId: session.serverId }, 'players could not be stored; asking again');
    }
    connection.resyncWanted = true;
    wake(connection);
  };

  const receive = (connection: Connection, message: BridgeMessage, bytes: number): void => {
    const { session } = connection;
    if (session === undefined) return;
    switch (message.type) {
      case 'hello':
        return complain(connection, new ProtocolError('invalid_message', 'hello was said already.', 'hello'));
      case 'commands.custom':
        session.custom = readCustom(message, (problem) => {
          send(connection, { type: 'error', re: message.type, code: 'invalid_schema', message: problem });
        });
        return;
      case 'received':
        return commands.received(session, message.ids);
      case 'result':
        return holding(connection, bytes, 'result', () => results.settle(connection, message));
      case 'players.snapshot':
        // A bridge announces its commands before its snapshot (R47): this one has none.
        session.custom ??= new Map();
        return holding(connection, bytes, message.type, () => applyPlayers(connection, message));
      case 'players.changed':
        return holding(connection, bytes, message.type, () => applyPlayers(connection, message));
      case 'players.record':
        return players.record(session, message);
      case 'status': {
        const { type: _, ...state } = message;
        session.state = { ...session.state, ...state, reportedAt: now() };
        return;
      }
      case 'bye':
        session.state = { ...session.state, draining: true };
        return close(connection, 'bye');
      case 'pong':
        if (connection.held !== undefined && message.n >= connection.held.untilPing) {
          commands.setWindow(session, connection.held.window);
          connection.held = undefined;
        }
        return;
      case 'error':
        return;
    }
  };

  const beginGreeting = (connection: Connection, message: BridgeMessage): void => {
    if (message.type !== 'hello') return close(connection, 'bad_hello');
    connection.phase = 'greeting';
    // What has been read already waits in the backlog, the rest in the kernel.
    connection.socket.pause();
    background.run('hello', async () => {
      try {
        await turn();
        await greet(connection, message);
      } catch (error) {
        log.error({ err: error, serverId: connection.serverId }, 'hello failed');
        close(connection, 'internal_error');
      }
      catchUp(connection);
      release(connection);
    });
  };

  const take = (connection: Connection, frame: string): void => {
    if (!isOpen(connection)) return;
    const from = performance.now();
    let read = from;
    let type: string | undefined;
    try {
      const message = decodeBridgeMessage(frame);
      read = performance.now();
      type = message.type;
      if (connection.phase === 'silent') beginGreeting(connection, message);
      else receive(connection, message, frame.length + FRAME_COST);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      if (connection.phase === 'silent') {
        send(connection, { type: 'error', re: 'hello', code: error.code, message: error.message });
        close(connection, 'bad_hello');
      } else if (error.code === 'frame_too_large') close(connection, 'frame_too_large');
      else complain(connection, error);
    } finally {
      charge(connection, type, frame, from, read);
    }
  };

  /** Takes the frames that came during the greeting, before any that came later. */
  const catchUp = (connection: Connection): void => {
    const { backlog } = connection;
    connection.backlog = undefined;
    for (const frame of backlog ?? []) take(connection, frame);
  };

  return {
    take: (connection: Connection, frame: string): void => {
      if (!isOpen(connection)) return;
      connection.lastFrameAt = performance.now();
      settleTakeover(connection, 'replaced');
      if (connection.phase === 'greeting') {
        connection.backlog ??= [];
        connection.backlog.push(frame);
        return;
      }
      catchUp(connection);
      take(connection, frame);
    },
    /** A binary frame: there are none in this protocol. */
    refuseBinary: (connection: Connection): void => {
      if (!isOpen(connection)) return;
      connection.lastFrameAt = performance.now();
      if (connection.phase === 'silent') return close(connection, 'bad_hello');
      complain(connection, new ProtocolError('invalid_message', 'Frames are text.'));
    },
    /** For the sweep: what was sent meanwhile may have been what held the socket back. */
    release,
    retry: results.retry,
    saveJournal: results.saveJournal,
  };
};
export type Frames = ReturnType<typeof createFrames>;
