import type { Commands } from '../commands/commands.ts';
import type { Tuning } from '../platform/tuning.ts';
import { overBudgetSince } from './budget.ts';
import { type Connection, close, isOpen, send, sendAcks, terminate, wake } from './connection.ts';
import type { Frames } from './frames.ts';

const RESYNC_EVERY_MS = 1_000;
/** Idle connections are re-checked at this interval; socket events do not wake the sweep. */
const REST_MS = 2_000;

/** A bridge uses the largest of its last four clock offsets, so this many pings replace them all. */
const CLOCK_PINGS = 4;
const CLOCK_PING_EVERY_MS = 1_000;
/** A larger step back means that the clock was set, not corrected. */
const STEP_BACK_MS = 1_000;
/** For this long after a step, a returning bridge may have offsets from before it. */
const REMEMBERED_MS = 120_000;

/** Asks for four pings one second apart, which tell the bridge the hub's clock. */
export const tellClock = (connection: Connection): void => {
  connection.clockPings = CLOCK_PINGS;
  wake(connection);
};

/** One timer for all sockets: hello timeout, heartbeat, unconfirmed commands, slow consumers, close timeout. */
export const createSweep = ({
  tuning,
  commands,
  frames,
  now,
}: {
  tuning: Tuning;
  commands: Commands;
  frames: Frames;
  now: () => number;
}) => {
  /** Fires up to two sweeps early, so that the promised timeout holds even if a sweep is late. */
  const before = (ms: number): number => Math.max(ms / 2, ms - 2 * tuning.sweepEveryMs);
  const silenceMs = before(tuning.pingEveryMs + tuning.pingTimeoutMs);
  const unconfirmedMs = before(tuning.receivedCloseMs);

  const ping = (connection: Connection, at: number): void => {
    connection.lastPingAt = at;
    connection.pings += 1;
    send(connection, { type: 'ping', n: connection.pings, now: now() });
  };

  /** Cuts a silent socket at once, because it would not answer a close frame. */
  const giveUp = (connection: Connection, name: 'silent' | 'no_received' | 'slow_consumer'): void => {
    close(connection, name);
    terminate(connection);
  };

  const isSlow = (connection: Connection, at: number): boolean => {
    const unsent = connection.socket.bufferedAmount;
    const hasProgress = unsent === 0 || unsent < connection.unsentBytes;
    connection.unsentBytes = unsent;
    if (hasProgress) connection.stalledSince = undefined;
    else connection.stalledSince ??= at;
    if (unsent > tuning.slowConsumerBytes) return true;
    return connection.stalledSince !== undefined && at - connection.stalledSince >= tuning.slowConsumerMs;
  };

  /** Pings a bridge that does not confirm its commands, then closes it. Returns whether a confirmation is awaited. */
  const checkProgress = (connection: Connection, at: number): boolean => {
    const since = connection.session && commands.unconfirmedSince(connection.session);
    if (since === undefined) {
      connection.probed = false;
      return false;
    }
    if (at - since >= unconfirmedMs) giveUp(connection, 'no_received');
    else if (at - since >= tuning.receivedProbeMs && !connection.probed) {
      connection.probed = true;
      ping(connection, at);
    }
    return true;
  };

  let skew = now() - performance.now();
  let steppedBackAt = Number.NEGATIVE_INFINITY;

  /** Whether the clock was set back since the last call, by comparison with the monotonic clock. */
  const hasSteppedBack = (at: number): boolean => {
    const before = skew;
    skew = now() - at;
    return skew < before - STEP_BACK_MS;
  };

  /** Holds new commands until the bridge has answered four pings: by its old offsets, they would look expired. */
  const hold = (connection: Connection): void => {
    const { session } = connection;
    if (connection.phase !== 'welcomed' || session === undefined || session.window === 0) return;
    tellClock(connection);
    connection.held = { untilPing: connection.pings + CLOCK_PINGS, window: connection.held?.window ?? session.window };
    commands.setWindow(session, 0);
  };

  const checkClock = (connection: Connection, at: number): void => {
    if (connection.clockPings === 0) return;
    wake(connection);
    if (at - connection.lastPingAt < CLOCK_PING_EVERY_MS) return;
    ping(connection, at);
    connection.clockPings -= 1;
  };

  const checkWelcomed = (connection: Connection, at: number): void => {
    const overSince = overBudgetSince(connection, at);
    if (overSince !== undefined) {
      if (at - overSince >= tuning.overBudgetMs) return close(connection, 'over_budget');
      // The hub has stopped reading the socket, so the bridge is not silent.
      connection.lastFrameAt = at;
      wake(connection);
    }
    if (at - connection.lastFrameAt >= silenceMs) return giveUp(connection, 'silent');
    if (at - connection.lastPingAt >= tuning.pingEveryMs) ping(connection, at);
    checkClock(connection, at);
    sendAcks(connection);
    const isAwaited = overSince === undefined && checkProgress(connection, at);
    frames.saveJournal(connection);
    frames.release(connection);
    if (connection.resyncWanted && at - connection.resyncAskedAt >= RESYNC_EVERY_MS) {
      connection.resyncWanted = false;
      connection.resyncAskedAt = at;
      send(connection, { type: 'players.resync' });
    }
    const hasUnsettled = connection.unsettled !== undefined && connection.unsettled.size > 0;
    if (hasUnsettled) frames.retry(connection);
    if (isAwaited || connection.resyncWanted || hasUnsettled) wake(connection);
  };

  /** The time of the connection's next possible deadline. */
  const nextLook = ({ phase, openedAt, lastFrameAt, lastPingAt }: Connection, at: number): number => {
    if (phase === 'silent') return Math.min(at + REST_MS, openedAt + tuning.helloTimeoutMs);
    return Math.min(at + REST_MS, lastFrameAt + silenceMs, lastPingAt + tuning.pingEveryMs);
  };

  const look = (connection: Connection, at: number): void => {
    if (connection.terminateAt !== undefined && at >= connection.terminateAt) return terminate(connection);
    if (!isOpen(connection)) return;
    if (isSlow(connection, at)) return giveUp(connection, 'slow_consumer');
    if (connection.phase === 'silent' && at - connection.openedAt >= tuning.helloTimeoutMs) {
      return close(connection, 'no_hello');
    }
    if (connection.phase === 'welcomed') checkWelcomed(connection, at);
    if (connection.unsentBytes > 0 || connection.socket.isPaused) wake(connection);
  };

  return (connections: Iterable<Connection>): void => {
    const at = performance.now();
    const isSetBack = hasSteppedBack(at);
    if (isSetBack) steppedBackAt = at;
    for (const connection of connections) {
      const isNew = connection.clockPings > 0 && at - steppedBackAt < REMEMBERED_MS;
      if (isSetBack || (isNew && connection.held === undefined)) hold(connection);
      if (connection.lookAt > at) continue;
      connection.lookAt = nextLook(connection, at);
      look(connection, at);
    }
  };
};
