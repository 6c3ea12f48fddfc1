import { type DestinationStream, type Logger, pino } from 'pino';
import { isoTime } from './iso-time.ts';

/** Wherever a secret could stand in a logged object. */
const SECRETS = ['key', 'token', 'apiKey', 'authorization', 'password', 'secret', 'cookie'];
const REDACTED = [...SECRETS, ...SECRETS.map((name) => `*.${name}`), 'headers["x-api-key"]', '*.headers["x-api-key"]'];

/** Lines are written together: so many bytes, or those of so many milliseconds. */
const WRITE_BYTES = 32_768;
const WRITE_WITHIN_MS = 200;

/** Standard output. Collected as bytes: text would be copied whole with every line that is added to it. */
const openStdout = (): DestinationStream => {
  const stdout = pino.destination({
    fd: 1,
    sync: false,
    contentMode: 'buffer',
    minLength: WRITE_BYTES,
    maxWrite: 2 * WRITE_BYTES,
    periodicFlush: WRITE_WITHIN_MS,
  }) as unknown as { write(bytes: Buffer): boolean; flush(done: () => void): void };
  const write = (line: string): boolean => stdout.write(Buffer.from(line));
  // For `flush` of the logger, which looks for it there.
  const flush = (done: () => void): void => stdout.flush(done);
  return Object.assign({ write }, { flush });
};

/** The structured log: JSON lines on stdout, secrets redacted. */
export const createLogger = (level: string, destination: DestinationStream = openStdout()): Logger =>
  pino(
    {
      level,
      redact: { paths: REDACTED, censor: '[redacted]' },
      base: {},
      timestamp: () => `,"time":"${isoTime(Date.now())}"`,
    },
    destination,
  );

/**
 * Writes lines of the level `info` whose fields are made already, as the inside of a JSON object: looking at each field, for
 * its kind and for secrets in it, is the dearest part of a line. `fields` hold no secret, and are JSON.
 */
export const createLineWriter = (log: Logger): ((fields: string) => void) => {
  // It is where a logger keeps it; the type of a logger does not say so.
  const { [pino.symbols.streamSym]: stream } = log as unknown as { [pino.symbols.streamSym]: DestinationStream };
  return (fields) => {
    if (log.isLevelEnabled('info')) stream.write(`{"level":30,"time":"${isoTime(Date.now())}",${fields}}\n`);
  };
};
