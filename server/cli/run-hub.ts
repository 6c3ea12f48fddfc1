import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DatabaseError } from '../../db/errors.ts';
import { openDatabase } from '../../db/open.ts';
import { postgresIdentity } from '../../db/postgres/database.ts';
import type { Bus } from '../cluster/bus.ts';
import { listen } from '../http/server.ts';
import { createHub, type Hub } from '../hub.ts';
import { type Config, TUNING, type Tuning, urlOf } from '../platform/config.ts';
import { createLogger, type Log } from '../platform/log.ts';
import { bringUpToDate } from './database.ts';
import { CliError } from './output.ts';

const reasonFor = (error: unknown, { PORT, HOST }: Config): string | undefined => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return `port ${PORT} on ${HOST} is in use; stop the other program or set PORT`;
    case 'EACCES':
      return `port ${PORT} needs rights that this user has not got; set PORT`;
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `HOST ${HOST} is no address of this machine; correct HOST`;
    default:
      return undefined;
  }
};

const explained = async <T>(config: Config, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const reason = reasonFor(error, config);
    throw reason === undefined ? error : new CliError(reason);
  }
};

/** Checks the port before the database is opened: a second start must not change the state of the first hub. */
const assertListenable = ({ PORT, HOST }: Config): Promise<unknown> => {
  const probe = createServer();
  const listening = once(probe, 'listening');
  probe.listen({ port: PORT, host: HOST, exclusive: true });
  return listening.then(() => {
    const closed = once(probe, 'close');
    probe.close();
    return closed;
  });
};

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
const DATABASE: Service = { name: 'database', isStarting: isDatabaseStarting };
const NATS: Service = { name: 'NATS server', isStarting: isNatsStarting };

/** Answers health checks before the hub starts: alive, not ready. */
const openWaitingRoom = async (config: Config, name: string): Promise<{ close: () => Promise<void> }> => {
  const server = createHttpServer({ headersTimeout: 10_000, requestTimeout: 10_000 }, (request, response) => {
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
const openWhenStarted = async <T>(
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

const openBus = async (url: string, cluster: string, config: Config, log: Logger): Promise<Bus> => {
  // Loaded only in a cluster.
  const { connectNats } = await import('../cluster/bus-nats.ts');
  try {
    const connect = () => connectNats({ url, cluster, name: config.NODE_NAME, log });
    return await openWhenStarted(connect, NATS, { config, log });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(`no NATS server answers at NATS_URL (${reason}); check that it runs and correct NATS_URL`);
  }
};

/**
 * Opens the database and starts the hub. `claim` runs before the database is touched, `prepare` before the hub listens.
 * @throws CliError, DatabaseError
 */
export const runHub = async (
  config: Config,
  { claim, prepare, tuning = {} }: { claim?: () => void; prepare?: () => void; tuning?: Partial<Tuning> } = {},
): Promise<{ hub: Hub; log: Log; address: string }> => {
  const log = createLogger(config.LOG_LEVEL);
  await explained(config, () => assertListenable(config));
  claim?.();
  const { DATABASE_URL, DATABASE_CONNECTIONS: connections, NATS_URL: busUrl } = config;
  const options = { log: (message: string) => log.warn(message), limits: { connections } };
  const open = () => openDatabase({ url: DATABASE_URL, ...options });
  const waiting = { config, log };
  const isFile = DATABASE_URL.startsWith('file:');
  const database = await explained(config, () => (isFile ? open() : openWhenStarted(open, DATABASE, waiting)));
  let bus: Bus | undefined;
  try {
    await bringUpToDate(database, config);
    if (busUrl !== undefined) bus = await openBus(busUrl, await postgresIdentity(database), config, log);
    const hub = createHub({ database, ...(bus && { bus }), config, tuning, log });
    // PostgreSQL refuses this first write while its disk is full.
    if (!isFile) await openWhenStarted(hub.join, DATABASE, waiting);
    prepare?.();
    const { port } = await explained(config, hub.start);
    return { hub, log, address: urlOf(config.HOST, port) };
  } catch (error) {
    await bus?.close();
    await database.close();
    throw error;
  }
};
