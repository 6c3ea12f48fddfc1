import type { WebSocket } from 'ws';
import type { Router } from '../cluster/router.ts';
import { type Connection, close, terminate } from './connection.ts';

const CLOSED_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 20;
/** Who comes to the others late, or was sent here once more, has time for another try before the sockets are closed. */
const DRAINED_SHARE = 0.7;

/** How a node that stops parts from its bridges. */
export const createFarewell = ({
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
    /** Asks every bridge to open its next socket, in a cluster elsewhere, before the grace of this one is over. */
    drain: (graceMs: number): void => {
      const withinMs = router.engine === 'nats' ? Math.round(graceMs * DRAINED_SHARE) : graceMs;
      for (const { session } of connections.values()) session?.send({ type: 'drain', withinMs });
    },
    /** Resolves when no bridge is addressed here any more, or after `withinMs`. */
    left: (withinMs: number): Promise<void> => until(() => router.count() === 0, withinMs),
    /** Closes every socket, and resolves when none is left. */
    stop: async (): Promise<void> => {
      for (const connection of connections.values()) close(connection, 'shutting_down', CLOSED_WITHIN_MS);
      await until(() => connections.size === 0, CLOSED_WITHIN_MS);
      for (const connection of connections.values()) terminate(connection);
    },
  };
};
