import { DatabaseError } from '../../db/port/errors.ts';

const EVERY_MS = 5_000;

/**
 * While a database is away or its disk is full, every request and every result fails for the same reason. The first line
 * of each kind says so, and one every five seconds says how many were left out.
 */
export const createPacedErrors = ({ now = () => performance.now() }: { now?: () => number } = {}) => {
  const kinds = new Map<string, { at: number; leftOut: number }>();
  return {
    /** The number of lines left out since the last one of this message; undefined: leave this one out, too. */
    leftOut: (error: unknown, message: string): number | undefined => {
      if (!(error instanceof DatabaseError) || error.code !== 'unavailable') return 0;
      const kind = kinds.get(message);
      if (kind !== undefined && now() - kind.at < EVERY_MS) {
        kind.leftOut += 1;
        return undefined;
      }
      kinds.set(message, { at: now(), leftOut: 0 });
      return kind?.leftOut ?? 0;
    },
  };
};
