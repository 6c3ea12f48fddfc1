import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../db/port/database.ts';
import { DatabaseError } from '../../db/port/errors.ts';
import type { Config } from '../platform/config.ts';
import { listen } from '../platform/http.ts';
import { TUNING } from '../platform/tuning.ts';

const TRY_EVERY_MS = 500;
const TELL_EVERY_MS = 10_000;
/** Reasons to wait: the server is starting (57P03), its port is closed, or it does not answer. Others need an operator. */
const STARTING = /^(57P03|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|EAI_AGAIN)$/;

const isStarting = (error: unknown): error is DatabaseError => {
  if (!(error instanceof DatabaseError)) return false;
  if (error.code === 'unavailable') return true;
  const { cause } = error;
  if (error.code !== 'unreachable' || !(cause instanceof Error)) return false;
  return STARTING.test('code' in cause ? String(cause.code) : '') || /timeout|terminated/i.test(cause.message);
};

/** Answers health checks before the hub starts: alive, not ready. */
const openWaitingRoom = async (config: Config): Promise<{ close: () => Promise<void> }> => {
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 10_000 }, (request, response) => {
    const isAlive = request.url === '/livez';
    response.writeHead(isAlive ? 200 : 503, { 'content-type': 'text/plain', connection: 'close', 'retry-after': '5' });
    response.end(isAlive ? 'ok\n' : 'database\n');
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
 * Opens the database. Waits without limit for a PostgreSQL server that is starting; `/readyz` fails meanwhile.
 * @throws DatabaseError for all other reasons
 */
export const openWhenStarted = async (
  open: () => Promise<Database>,
  config: Config,
  log: Logger,
): Promise<Database> => {
  if (config.DATABASE_URL.startsWith('file:')) return open();
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
        room ??= await openWaitingRoom(config);
        if (performance.now() - toldAt >= TELL_EVERY_MS) {
          toldAt = performance.now();
          log.warn({ reason: error.message }, 'waiting for the database');
        }
        await pause(TRY_EVERY_MS);
      }
    }
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
    await room?.close();
  }
};
