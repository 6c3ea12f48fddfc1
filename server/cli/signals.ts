import type { Logger } from 'pino';

const PARENT_CHECK_MS = 250;
/** As early as possible: it may end during the start. */
const parent = process.ppid;

/** A signal to npm or npx ends it and the shell between, and does not reach this process: its parent has ended then. */
const whenNpmEnds = (act: () => void): void => {
  if (process.env['npm_package_name'] !== 'causeway') return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    act();
  }, PARENT_CHECK_MS);
  timer.unref();
};

/** Stops on SIGINT and SIGTERM, and with the npm of this checkout; a second signal ends at once. */
export const stopOnSignal = (stop: () => Promise<void>, log: Logger): void => {
  let isStopping = false;
  const begin = (why: object): void => {
    isStopping = true;
    log.info(why, 'stopping');
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'the hub did not stop cleanly');
        process.exit(1);
      },
    );
  };
  const onSignal = (signal: string): void => {
    if (isStopping) process.exit(1);
    begin({ signal });
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  whenNpmEnds(() => {
    if (!isStopping) begin({ reason: 'npm has ended' });
  });
};
