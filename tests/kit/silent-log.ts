import { createLogger, type Log } from '../../server/platform/log.ts';

/** A log that nobody reads. Without a destination, each one would write to stdout five times a second, also nothing. */
export const silentLog = (): Log => createLogger('silent', { write: () => undefined });
