import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Logger } from 'pino';
import { openDatabase } from '../../db/open.ts';
import type { Bus } from '../cluster/bus.ts';
import { createHub, type Hub } from '../hub.ts';
import { type Config, removedSettings } from '../platform/config.ts';
import { createLogger, type Log } from '../platform/logging.ts';
import type { Tuning } from '../platform/tuning.ts';
import { bringUpToDate } from './database.ts';
import { CliError } from './output.ts';
import { DATABASE, NATS, openWhenStarted } from './wait-for-service.ts';

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

type RunOptions = {
  /** Runs before the database is touched. */
  claim?: () => void;
  /** Runs before the hub listens. */
  prepare?: (hub: Hub) => Promise<void>;
  tuning?: Partial<Tuning>;
};

/** Opens the database and starts the hub. @throws CliError, DatabaseError */
export const runHub = async (
  config: Config,
  { claim, prepare, tuning = {} }: RunOptions = {},
): Promise<{ hub: Hub; log: Log; address: string }> => {
  const log = createLogger(config.LOG_LEVEL);
  const removed = removedSettings(process.env);
  if (removed !== undefined) log.warn(removed);
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
    if (busUrl !== undefined) bus = await openBus(busUrl, (await database.identity?.()) ?? '', config, log);
    const hub = createHub({ database, ...(bus && { bus }), config, tuning, log });
    // PostgreSQL refuses this first write while its disk is full.
    if (!isFile) await openWhenStarted(hub.join, DATABASE, waiting);
    await prepare?.(hub);
    const { port } = await explained(config, hub.start);
    const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
    return { hub, log, address: `http://${host}:${port}` };
  } catch (error) {
    await bus?.close();
    await database.close();
    throw error;
  }
};
