import type { GatewayDeps } from '../parts/parts.ts';
import type { createFrames } from './frames.ts';
import type { Connection } from './socket.ts';

const RESYNC_EVERY_MS = 1_000;
/** Idle connections are re-checked at this interval; socket events do not wake the sweep. */
const REST_MS = 2_000;

/** One timer for all sockets: hello timeout, heartbeat, unconfirmed commands, slow consumers, close timeout. */
export const socketSweep = ({
  tuning,
  commands,
  frames,
}: GatewayDeps & { frames: ReturnType<typeof createFrames> }) => {
  /** Fires up to two sweeps early, so that the promised timeout holds even if a sweep is late. */
  const before = (ms: number): number => Math.max(ms / 2, ms - 2 * tuning.sweepEveryMs);
  const silenceMs = before(tuning.pingEveryMs + tuning.pingTimeoutMs);
  const unconfirmedMs = before(tuning.receivedCloseMs);

  /** Cuts a silent socket at once, because it would not answer a close frame. */
  const giveUp = (connection: Connection, name: 'silent' | 'no_received' | 'slow_consumer'): void => {
    connection.close(name);
    connection.terminate();
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
      connection.ping();
    }
    return true;
  };

  const checkWelcomed = (connection: Connection, at: number): void => {
    const overSince = connection.overBudgetSince(at);
    if (overSince !== undefined) {
      if (at - overSince >= tuning.overBudgetMs) return connection.close('over_budget');
      // The hub has stopped reading the socket, so the bridge is not silent.
      connection.lastFrameAt = at;
      connection.wake();
    }
    if (at - connection.lastFrameAt >= silenceMs) return giveUp(connection, 'silent');
    if (at - connection.lastPingAt >= tuning.pingEveryMs) connection.ping();
    connection.sendAcks();
    const isAwaited = overSince === undefined && checkProgress(connection, at);
    frames.saveJournal(connection);
    frames.release(connection);
    if (connection.resyncWanted && at - connection.resyncAskedAt >= RESYNC_EVERY_MS) {
      connection.resyncWanted = false;
      connection.resyncAskedAt = at;
      connection.send({ type: 'players.resync' });
    }
    const hasUnsettled = connection.unsettled !== undefined && connection.unsettled.size > 0;
    if (hasUnsettled) frames.retry(connection);
    if (isAwaited || connection.resyncWanted || hasUnsettled) connection.wake();
  };

  /** The time of the connection's next possible deadline. */
  const nextLook = ({ phase, openedAt, lastFrameAt, lastPingAt }: Connection, at: number): number => {
    if (phase === 'silent') return Math.min(at + REST_MS, openedAt + tuning.helloTimeoutMs);
    return Math.min(at + REST_MS, lastFrameAt + silenceMs, lastPingAt + tuning.pingEveryMs);
  };

  const look = (connection: Connection, at: number): void => {
    if (connection.terminateAt !== undefined && at >= connection.terminateAt) return connection.terminate();
    if (!connection.isOpen) return;
    if (isSlow(connection, at)) return giveUp(connection, 'slow_consumer');
    if (connection.phase === 'silent' && at - connection.openedAt >= tuning.helloTimeoutMs) {
      return connection.close('no_hello');
    }
    if (connection.phase === 'welcomed') checkWelcomed(connection, at);
    if (connection.unsentBytes > 0 || connection.socket.isPaused) connection.wake();
  };

  return (connections: Iterable<Connection>): void => {
    const at = performance.now();
    for (const connection of connections) {
      if (connection.lookAt > at) continue;
      connection.lookAt = nextLook(connection, at);
      look(connection, at);
    }
  };
};
