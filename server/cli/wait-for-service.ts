import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DatabaseError } from '../../db/port/errors.ts';
import type { Config } from '../platform/config.ts';
import { listen } from '../platform/http.ts';
import { TUNING } from '../platform/tuning.ts';

const TRY_EVERY_MS = 500;
const TELL_EVERY_MS = 10_000;
/** Reasons to wait: the server is starting (57P03), its port is closed, or it does not answer. Others need an operator. */
const STARTING = /^(57P03|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|EAI_AGAIN)$/;

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '');

const isDatabaseStarting = (error: unknown): error is DatabaseError => {
  if (!(error instanceof DatabaseError)) return false;
  if (error.code === 'unavailable') return true;
  const { cause } = error;
  if (error.code !== 'unreachable' || !(cause instanceof Error)) return false;
  return STARTING.test(codeOf(cause)) || /timeout|terminated/i.test(cause.message);
};

/** The client has an error of its own for a closed port and for silence; a refused sign-in or missing TLS is final. */
const isNatsStarting = (error: unknown): error is Error => {
  if (!(error instanceof Error) || /tls/i.test(error.message)) return false;
  return error.name === 'ConnectionError' || error.name === 'TimeoutError' || STARTING.test(codeOf(error));
};

/** A server that the hub needs: its name in the log and in `/readyz`, and which errors mean that it is starting. */
type Service = { name: string; isStarting: (error: unknown) => error is Error };
export const DATABASE: Service = { name: 'database', isStarting: isDatabaseStarting };
export const NATS: Service = { name: 'NATS server', isStarting: isNatsStarting };

/** Answers health checks before the hub starts: alive, not ready. */
const openWaitingRoom = async (config: Config, name: string): Promise<{ close: () => Promise<void> }> => {
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 10_000 }, (request, response) => {
    const isAlive = request.url === '/livez';
    response.writeHead(isAlive ? 200 : 503, { 'content-type': 'text/plain', connection: 'close', 'retry-after': '5' });
    response.end(isAlive ? 'ok\n' : `${name}\n`);
  });
  server.maxConnections = TUNING.maxHttpConnections;
  await listen(server, config);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

/**
 * Connects to a server that the hub needs. Waits without limit for one that is starting; `/readyz` fails meanwhile.
 * @throws the error of `open` for all other reasons
 */
export const openWhenStarted = async <T>(
  open: () => Promise<T>,
  { name, isStarting }: Service,
  { config, log }: { config: Config; log: Logger },
): Promise<T> => {
  let room: Awaited<ReturnType<typeof openWaitingRoom>> | undefined;
  let toldAt = Number.NEGATIVE_INFINITY;
  // The first process of a container ignores signals without a listener.
  const end = (): void => process.exit(0);
  process.on('SIGINT', end).on('SIGTERM', end);
  try {
    for (;;) {
      try {
        return await open();
      } catch (error) {
        if (!isStarting(error)) throw error;
        room ??= await openWaitingRoom(config, name);
        if (performance.now() - toldAt >= TELL_EVERY_MS) {
          toldAt = performance.now();
          log.warn({ reason: error.message }, `waiting for the ${name}`);
        }
        await pause(TRY_EVERY_MS);
      }
    }
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
    await room?.close();
  }
};
