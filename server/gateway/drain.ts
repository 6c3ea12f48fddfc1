import type { WebSocket } from 'ws';
import type { Router } from '../cluster/router.ts';
import { type Connection, close, terminate } from './connection.ts';

const CLOSED_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 20;
/** Bridges are asked to leave at this part of the grace period, so that a failed move can be retried. */
const DRAINED_SHARE = 0.7;

/** Lets the bridges of a stopping node move to others. */
export const createDrain = ({
  connections,
  router,
}: {
  connections: ReadonlyMap<WebSocket, Connection>;
  router: Pick<Router, 'count' | 'engine'>;
}) => {
  const until = async (holds: () => boolean, withinMs: number): Promise<void> => {
    const deadline = performance.now() + withinMs;
    while (!holds() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  };

  return {
    /** Asks each bridge to open its next socket, in a cluster at another node, before the grace period ends. */
    drain: (graceMs: number): void => {
      const withinMs = router.engine === 'nats' ? Math.round(graceMs * DRAINED_SHARE) : graceMs;
      for (const { session } of connections.values()) session?.send({ type: 'drain', withinMs });
    },
    /** Resolves when this node holds no bridge, or after `withinMs`. */
    left: (withinMs: number): Promise<void> => until(() => router.count() === 0, withinMs),
    /** Closes every socket, and resolves when none is left. */
    stop: async (): Promise<void> => {
      for (const connection of connections.values()) close(connection, 'shutting_down', CLOSED_WITHIN_MS);
      await until(() => connections.size === 0, CLOSED_WITHIN_MS);
      for (const connection of connections.values()) terminate(connection);
    },
  };
};
