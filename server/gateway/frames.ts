import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type BridgeMessage,
  decodeBridgeMessage,
  type MessageOf,
  ProtocolError,
  readDeclaration,
} from '../../bridge-protocol/index.ts';
import type { CustomCommand, Session } from '../cluster/router.ts';
import type { ResultMessage } from '../commands/outcome.ts';
import type { GatewayDeps } from '../parts/parts.ts';
import type { PlayersMessage } from '../players/sync.ts';
import { createCatalogues } from './catalogues.ts';
import { createAdmissionBatches } from './door.ts';
import type { Connection } from './socket.ts';

const MAX_UNSETTLED = 1_024;
/** Largest number of stored outcomes without an acknowledgement. */
const ACKS_AT_MOST = 256;

/** Stores results of commands, then acknowledges them. Results that could not be stored are tried again. */
const createResults = ({ store, commands, background, log }: GatewayDeps) => {
  /** Queues an acknowledgement for the next frame or sweep, and notes the journal's sequence. */
  const acknowledge = (connection: Connection, id: string, sequence: number | undefined): void => {
    if (sequence !== undefined && sequence > connection.journal.sequence) {
      connection.journal = { ...connection.journal, sequence, dirty: true };
    }
    connection.acks ??= [];
    connection.acks.push(id);
    if (connection.acks.length >= ACKS_AT_MOST) connection.sendAcks();
    else connection.wake();
  };

  /** Stores the highest sequence at each sweep and at the end; storing it with each result would double the writes. */
  const saveJournal = (connection: Connection): void => {
    const { projectId, serverId, journal } = connection;
    if (!journal.dirty) return;
    connection.journal = { ...journal, dirty: false };
    const { id: journalId, sequence } = journal;
    background.run('journal sequence', async () => {
      try {
        await store.servers.raiseJournal(projectId, serverId, { journalId, sequence });
      } catch (error) {
        connection.journal = { ...connection.journal, dirty: true };
        connection.wake();
        throw error;
      }
    });
  };

  const settle = async (connection: Connection, message: ResultMessage): Promise<void> => {
    const { session } = connection;
    if (session === undefined) return;
    try {
      await commands.settle(session, message);
      connection.unsettled?.delete(message.id);
    } catch (error) {
      log.error({ err: error, commandId: message.id }, 'an outcome could not be stored; trying again');
      connection.unsettled ??= new Map();
      if (connection.unsettled.size < MAX_UNSETTLED) connection.unsettled.set(message.id, message);
      connection.wake();
      return;
    }
    acknowledge(connection, message.id, message.sequence);
  };

  return {
    settle,
    saveJournal,
    /** Tries again to store the outcomes that failed. */
    retry: (connection: Connection): void => {
      for (const message of connection.unsettled?.values() ?? []) {
        background.run('result again', () => settle(connection, message));
      }
    },
  };
};

/** Reading one announcement can take 0.3 s, so other work runs after each part of this length. */
const TURN_MS = 5;

/**
 * Reads an announcement of custom commands and puts it into the session, unless a newer one has come. `refuse` gets the
 * reason for each command that is not valid; the others count. `charge` gets the start of each part.
 */
const readCustom = async (
  session: Session,
  announcement: MessageOf<BridgeMessage, 'commands.custom'>,
  { refuse, charge }: { refuse: (problem: string) => void; charge: (from: number) => void },
): Promise<void> => {
  session.announcement = announcement;
  const taken = new Map<string, CustomCommand>();
  let from = performance.now();
  try {
    for (const { name, description, ...declared } of announcement.commands) {
      const read = taken.has(name) ? { problem: 'it was announced twice' } : readDeclaration(declared);
      if ('problem' in read) refuse(`${name}: ${read.problem}`.slice(0, 1024));
      else {
        const { schema: params, ...roles } = read;
        taken.set(name, { name, description, params, ...roles });
      }
      if (performance.now() - from < TURN_MS) continue;
      charge(from);
      await nextTurn();
      if (session.announcement !== announcement) return;
      from = performance.now();
    }
    charge(from);
    session.custom = taken;
  } finally {
    if (session.announcement === announcement) session.announcement = undefined;
  }
};

const BAD_FRAMES = 5;
const BAD_FRAMES_WITHIN_MS = 60_000;
/** Over this many bytes, a socket is not read until its frames are stored. */
const PENDING_BYTES = 131_072;
/** Over this many unsent bytes, a socket is not read either: a bridge that reads slowly waits and is not cut. */
const UNSENT_BYTES = 262_144;
const CHARGED_AS_READ: ReadonlySet<string> = new Set(['result', 'received', 'commands.custom']);
/** Memory of a waiting frame beside its text. */
const FRAME_COST = 512;

/** Routes the frames of a bridge. They take effect in order, and the socket is read no faster than that. */
export const createFrames = (
  deps: GatewayDeps & { greet: (connection: Connection, hello: MessageOf<BridgeMessage, 'hello'>) => Promise<void> },
) => {
  const { commands, players, greet, background, metrics, log } = deps;

  const results = createResults(deps);
  const catalogues = createCatalogues(deps);
  const admitted = createAdmissionBatches();

  const complain = (connection: Connection, error: ProtocolError): void => {
    metrics.frames.inc({ code: error.code });
    const re = error.re === undefined ? {} : { re: error.re };
    connection.send({ type: 'error', ...re, code: error.code, message: error.message });
    // A wrong catalogue must not cost the bridge its commands.
    if (error.code === 'unsupported' || error.re === 'catalogue') return;
    const at = performance.now();
    const recent = (connection.badFrames ?? []).filter((then) => at - then < BAD_FRAMES_WITHIN_MS);
    connection.badFrames = [...recent, at];
    if (connection.badFrames.length >= BAD_FRAMES) connection.close('protocol_violation');
  };

  /** Reads the socket again once it is within its bounds. */
  const release = (connection: Connection): void => {
    const { socket, pendingBytes, phase } = connection;
    if (!socket.isPaused || phase === 'greeting' || connection.isOverBudget(performance.now())) return;
    if (pendingBytes > PENDING_BYTES / 2 || socket.bufferedAmount > UNSENT_BYTES) return;
    socket.resume();
  };

  /** Charges the time of a frame. Parts of a snapshot are not charged, because the database limits their rate. */
  const charge = (connection: Connection, bytes: number, from: number, at: number): void => {
    const { socket } = connection;
    if (connection.spend(bytes, at - from, at)) {
      socket.pause();
      connection.wake();
    } else if (connection.isTurnOver(at) && !socket.isPaused) {
      socket.pause();
      setImmediate(release, connection);
    }
  };

  /** Stops reading the socket while too many of its frames are not stored or not answered. */
  const holding = (connection: Connection, bytes: number, name: string, work: () => Promise<unknown>): void => {
    const { socket } = connection;
    connection.pendingBytes += bytes;
    if (connection.pendingBytes > PENDING_BYTES || socket.bufferedAmount > UNSENT_BYTES) {
      socket.pause();
      connection.wake();
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
      log.error({ err: error, serverId: session.serverId }, 'players could not be stored; asking for a new snapshot');
    }
    connection.resyncWanted = true;
    connection.wake();
  };

  const receive = (connection: Connection, message: BridgeMessage, bytes: number): void => {
    const { session } = connection;
    if (session === undefined) return;
    switch (message.type) {
      case 'hello':
        return complain(connection, new ProtocolError('invalid_message', 'hello was said already.', 'hello'));
      case 'commands.custom':
        return holding(connection, bytes, message.type, () =>
          readCustom(session, message, {
            refuse: (problem) =>
              connection.send({ type: 'error', re: message.type, code: 'invalid_schema', message: problem }),
            charge: (from) => charge(connection, 0, from, performance.now()),
          }).then(() => commands.announced(session)),
        );
      case 'catalogue':
        return holding(connection, bytes, message.type, () =>
          catalogues.take(connection, session, message, bytes, (problem) => {
            connection.send({ type: 'error', re: message.type, code: 'invalid_message', message: problem });
          }),
        );
      case 'received':
        return commands.received(session, message.ids);
      case 'result':
        return holding(connection, bytes, 'result', () => results.settle(connection, message));
      case 'players.snapshot':
        // A bridge announces its custom commands before its snapshot (R47), so this bridge has none.
        if (session.announcement === undefined) session.custom ??= new Map();
        return holding(connection, bytes, message.type, () => applyPlayers(connection, message));
      case 'players.changed':
        return holding(connection, bytes, message.type, () => applyPlayers(connection, message));
      case 'players.record':
        return players.record(session, message);
      case 'status': {
        const { type: _, ...state } = message;
        const isTakenBack = state.restartAt === 0 && session.state.restartAt !== 0;
        const takenBack = isTakenBack ? { takenBackAt: Date.now() } : {};
        session.state = { ...session.state, ...state, ...takenBack, reportedAt: Date.now() };
        return;
      }
      case 'bye':
        session.state = { ...session.state, draining: true };
        return connection.close('bye');
      case 'pong': {
        const pingMs = connection.answered(message.n);
        if (pingMs !== undefined) session.state = { ...session.state, pingMs };
        return;
      }
      case 'error':
        return;
      default:
        return message satisfies never;
    }
  };

  const beginGreeting = (connection: Connection, message: BridgeMessage): void => {
    if (message.type !== 'hello') return connection.close('bad_hello');
    connection.phase = 'greeting';
    // Frames that were read wait in the backlog. Later bytes wait in the kernel.
    connection.socket.pause();
    background.run('hello', async () => {
      try {
        await admitted();
        await greet(connection, message);
      } catch (error) {
        log.error({ err: error, serverId: connection.serverId }, 'hello failed');
        connection.close('internal_error');
      }
      catchUp(connection);
      release(connection);
    });
  };

  const take = (connection: Connection, frame: string, bytes: number, from: number): void => {
    if (!connection.isOpen) return;
    let isSnapshot = false;
    let readAt: number | undefined;
    try {
      const message = decodeBridgeMessage(frame);
      isSnapshot = message.type === 'players.snapshot';
      // Only the frame itself is charged: commands limit their results, and announcements are charged while they are read.
      if (CHARGED_AS_READ.has(message.type)) readAt = performance.now();
      if (connection.phase === 'silent') beginGreeting(connection, message);
      else receive(connection, message, frame.length + FRAME_COST);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      if (connection.phase === 'silent') {
        connection.send({ type: 'error', re: 'hello', code: error.code, message: error.message });
        connection.close('bad_hello');
      } else if (error.code === 'frame_too_large') connection.close('frame_too_large');
      else complain(connection, error);
    } finally {
      if (!isSnapshot) charge(connection, bytes, from, readAt ?? performance.now());
    }
  };

  /** Handles the frames that came during the greeting, before later ones. */
  const catchUp = (connection: Connection): void => {
    const { backlog } = connection;
    connection.backlog = undefined;
    for (const frame of backlog ?? []) take(connection, frame, Buffer.byteLength(frame), performance.now());
  };

  return {
    /** `bytes`: size of the frame on the wire. */
    take: (connection: Connection, frame: string, bytes: number): void => {
      if (!connection.isOpen) return;
      const from = performance.now();
      connection.lastFrameAt = from;
      connection.settleTakeover('replaced');
      if (connection.phase === 'greeting') {
        connection.backlog ??= [];
        connection.backlog.push(frame);
        return;
      }
      catchUp(connection);
      take(connection, frame, bytes, from);
    },
    /** Refuses a binary frame: the protocol has none. */
    refuseBinary: (connection: Connection): void => {
      if (!connection.isOpen) return;
      connection.lastFrameAt = performance.now();
      if (connection.phase === 'silent') return connection.close('bad_hello');
      complain(connection, new ProtocolError('invalid_message', 'Frames are text.'));
    },
    /** Reads the socket again if unsent bytes had stopped it; the sweep calls this. */
    release,
    retry: results.retry,
    saveJournal: results.saveJournal,
  };
};
