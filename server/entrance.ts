import type { Logger } from 'pino';
import { DatabaseError } from '../db/port/errors.ts';
import type { Background } from './platform/background.ts';

const RETRY_EVERY_MS = 5_000;

/**
 * The writes of a starting hub. On a full disk, the hub starts anyway and only reads until there is room: it refuses
 * bridges and commands.
 */
export const createEntrance = ({
  enter,
  background,
  log,
}: {
  /** Takes over the database; may be repeated after a failure. */
  enter: () => Promise<void>;
  background: Pick<Background, 'every'>;
  log: Logger;
}) => {
  let hasEntered = false;

  /** The reason if the disk is full, undefined after success. @throws every other error */
  const attempt = async (): Promise<string | undefined> => {
    try {
      await enter();
      hasEntered = true;
      return undefined;
    } catch (error) {
      if (error instanceof DatabaseError && error.isFull) return error.message;
      throw error;
    }
  };

  return {
    isReadOnly: (): boolean => !hasEntered,
    /** Takes over, or notes that the disk is full. @throws DatabaseError, ConfigError */
    open: async (): Promise<void> => {
      const reason = await attempt();
      if (reason === undefined) return;
      log.error({ reason }, 'the disk is full; the hub only reads until you make room');
    },
    /** Runs `work` once, as soon as the hub has entered. */
    onceEntered: (work: () => void): void => {
      if (hasEntered) return work();
      background.every('entrance', RETRY_EVERY_MS, async () => {
        if (hasEntered || (await attempt()) !== undefined) return;
        work();
        log.info('the disk has room again; the hub takes bridges and commands');
      });
    },
  };
};
