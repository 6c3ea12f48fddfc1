import type { IncomingMessage, Server } from 'node:http';
import type { Config } from './config.ts';

/** After a restart every bridge comes back at once; whoever finds the kernel's queue full waits for seconds. */
const LISTEN_BACKLOG = 4_096;

/** Reads what an answered caller still sends, so that the connection is free for the next request; in `requestTimeout`. */
export const discardRest = (request: IncomingMessage): void => {
  if (request.complete) return;
  // Who was to read the body would stop it again.
  request.removeAllListeners('data');
  request.resume();
};

/** Resolves when it listens. @throws what the operating system says */
export const listen = (server: Server, { PORT, HOST }: Config): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: PORT, host: HOST, backlog: LISTEN_BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });
