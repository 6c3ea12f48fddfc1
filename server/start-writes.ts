import type { Logger } from 'pino';
import { DatabaseError } from '../db/port/errors.ts';
import type { Background } from './platform/background.ts';
import type { Phase } from './platform/shutdown.ts';

const RETRY_EVERY_MS = 5_000;

/**
 * The first writes of a hub, which take over the database. On a full disk, the hub starts anyway and only reads until
 * there is room: it refuses bridges and commands.
 */
export const createStartWrites = ({
  write,
  background,
  log,
  phase,
}: {
  /** Takes over the database; may be repeated after a failure. */
  write: () => Promise<void>;
  background: Pick<Background, 'every'>;
  log: Logger;
  phase: Pick<Phase, 'isReadOnly'>;
}) => {
  let isWritten = false;

  /** The reason if the disk is full, undefined after success. @throws every other error */
  const attempt = async (): Promise<string | undefined> => {
    try {
      await write();
      isWritten = true;
      phase.isReadOnly = false;
      return undefined;
    } catch (error) {
      if (error instanceof DatabaseError && error.isFull) return error.message;
      throw error;
    }
  };

  return {
    /** Writes, or logs that the disk is full. @throws DatabaseError, ConfigError */
    run: async (): Promise<void> => {
      const reason = await attempt();
      if (reason === undefined) return;
      log.error({ reason }, 'the disk is full; the hub only reads until you make room');
    },
    /** Runs `work` once, as soon as the writes have succeeded. */
    onceWritten: (work: () => void): void => {
      if (isWritten) return work();
      background.every('start writes', RETRY_EVERY_MS, async () => {
        if (isWritten || (await attempt()) !== undefined) return;
        work();
        log.info('the disk has room again; the hub takes bridges and commands');
      });
    },
  };
};
