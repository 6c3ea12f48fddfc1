import type { WebSocket } from 'ws';
import type { Router } from '../router.ts';
import { type Connection, close, terminate } from './connection.ts';

const CLOSED_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 20;

/** How a node that stops parts from its bridges. */
export const createFarewell = ({
  connections,
  router,
}: {
  connections: ReadonlyMap<WebSocket, Connection>;
  router: Pick<Router, 'count'>;
}) => {
  const until = async (holds: () => boolean, withinMs: number): Promise<void> => {
    const deadline = performance.now() + withinMs;
    while (!holds() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  };

  return {
    /** Asks every bridge to open its next socket elsewhere within `withinMs`. */
    drain: (withinMs: number): void => {
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
