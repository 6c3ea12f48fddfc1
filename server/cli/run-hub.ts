import type { Logger } from 'pino';
import { type Database, openDatabase } from '../../db/database.ts';
import type { Config } from '../config.ts';
import { createHub, type Hub } from '../hub.ts';
import { createLogger } from '../logging.ts';
import { CliError } from './output.ts';

const portMessage = ({ PORT, HOST }: Config): string =>
  `port ${PORT} on ${HOST} is in use; stop the other program or set PORT`;

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

const migrate = async (database: Database, config: Config): Promise<void> => {
  if (config.MIGRATE_ON_START) await database.migrate();
  else if ((await database.pending()) > 0) throw new CliError('the database is not up to date; run: causeway migrate');
};

/** Opens the database and starts the hub. `prepare` runs before it listens. @throws CliError, DatabaseError */
export const runHub = async (
  config: Config,
  prepare?: (hub: Hub) => Promise<void>,
): Promise<{ hub: Hub; log: Logger; address: string }> => {
  const log = createLogger(config.LOG_LEVEL);
  const database = await openDatabase({ url: config.DATABASE_URL, log: (message) => log.warn(message) });
  try {
    await migrate(database, config);
    const hub = createHub({ database, config, log });
    await prepare?.(hub);
    const { port } = await hub.start();
    const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
    return { hub, log, address: `http://${host}:${port}` };
  } catch (error) {
    await database.close();
    const code = codeOf(error);
    if (code === 'EADDRINUSE') throw new CliError(portMessage(config));
    if (code === 'EACCES') throw new CliError(`port ${config.PORT} needs rights that this user has not got; set PORT`);
    if (code === 'EADDRNOTAVAIL') throw new CliError(`HOST ${config.HOST} is no address of this machine`);
    throw error;
  }
};

/** Stops on SIGINT and SIGTERM; a second signal ends at once. */
export const stopOnSignal = (stop: () => Promise<void>, log: Logger): void => {
  let isStopping = false;
  const onSignal = (signal: string): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
    log.info({ signal }, 'stopping');
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'the hub did not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
};
