import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { DatabaseError } from '../../db/errors.ts';
import { isoTime } from './time.ts';
import { Windows } from './windows.ts';

const EVERY_MS = 5_000;

/**
 * While a database is away or its disk is full, every request and every result fails for the same reason. The first line
 * of each kind says so, and one every five seconds says how many were left out.
 */
export const createPacedErrors = ({ now = () => performance.now() }: { now?: () => number } = {}) => {
  const kinds = new Windows({ ms: EVERY_MS, now });
  return {
    /** The number of lines left out since the last one of this message; undefined: leave this one out, too. */
    leftOut: (error: unknown, message: string): number | undefined => {
      if (!(error instanceof DatabaseError) || error.code !== 'unavailable') return 0;
      const { count, before } = kinds.add(message);
      return count > 1 ? undefined : Math.max(0, before - 1);
    },
  };
};

/** Paths of logged objects that may contain a secret. */
const SECRETS = ['key', 'token', 'apiKey', 'authorization', 'password', 'secret', 'cookie'];
const REDACTED = [...SECRETS, ...SECRETS.map((name) => `*.${name}`), 'headers["x-api-key"]', '*.headers["x-api-key"]'];

/** Lines are written together, at this many bytes or milliseconds. */
const WRITE_BYTES = 32_768;
const WRITE_WITHIN_MS = 200;

/** Standard output, collected as bytes: appending to a text would copy it each time. */
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
  // The logger's `flush` calls this function. Twice: the first may only wait for a write that began before the last line.
  const flush = (done: () => void): void => stdout.flush(() => stdout.flush(done));
  return Object.assign({ write }, { flush });
};

/** Leaves lines out that repeat one failure of the database: of the same message and task. */
const paced = (): NonNullable<LoggerOptions['hooks']> => {
  const { leftOut } = createPacedErrors();
  return {
    logMethod(line, write) {
      const [fields, message]: unknown[] = line;
      const isError = typeof fields === 'object' && fields !== null && 'err' in fields;
      const task = isError && 'task' in fields ? fields.task : undefined;
      const count = isError ? leftOut(fields.err, `${message} ${task}`) : 0;
      if (count === undefined) return;
      if (count > 0) Object.assign(fields as object, { leftOut: count });
      write.apply(this, line);
    },
  };
};

export type Log = Logger & {
  /**
   * Writes an `info` line from prepared JSON fields, because checking each field for its type and for secrets costs most of
   * a line. `fields` is the inside of a JSON object and must contain no secret.
   */
  line: (fields: string) => void;
};

/** The structured log: JSON lines on stdout, secrets redacted. */
export const createLogger = (level: string, destination: DestinationStream = openStdout()): Log => {
  const log = pino(
    {
      level,
      hooks: paced(),
      redact: { paths: REDACTED, censor: '[redacted]' },
      base: {},
      timestamp: () => `,"time":"${isoTime(Date.now())}"`,
    },
    destination,
  );
  const line = (fields: string): void => {
    if (log.isLevelEnabled('info')) destination.write(`{"level":30,"time":"${isoTime(Date.now())}",${fields}}\n`);
  };
  return Object.assign(log, { line });
};
