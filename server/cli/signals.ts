import type { Logger } from 'pino';

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
