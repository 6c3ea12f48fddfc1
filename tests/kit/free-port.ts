import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that Linux chooses for port 0: its `ip_local_port_range` begins at 32768. */
const FIRST = 10_000;
const LAST = 32_000;

const given = new Set<number>();

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/**
 * A port of 127.0.0.1 for a process that is killed and started on it again.
 *
 * A port that the system chose may be chosen again as soon as it is let go, by any listener or outgoing connection.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
};
