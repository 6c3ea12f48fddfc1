import { asc, desc, gte } from 'drizzle-orm';
import type { Database } from './database.ts';

/** Between the making of a command and its row; also how far the clocks of two nodes may be apart. */
const SLACK_MS = 120_000;

/**
 * Where in the journal a moment is. Rows are in the order in which they were written, which is the order of their times
 * but for a little: so a few looks find a moment, without an index that every command would have to pay for.
 */
export const journalMoments = ({ handle, tables, read }: Database) => {
  const { commands } = tables;
  const row = { seq: commands.seq, createdAt: commands.createdAt };

  const from = async (seq: number) =>
    (
      await read(() =>
        handle.select(row).from(commands).where(gte(commands.seq, seq)).orderBy(asc(commands.seq)).limit(1),
      )
    )[0];

  /** No row before it was made at `at` (epoch milliseconds) or later. */
  const firstSince = async (at: number): Promise<number> => {
    const [last] = await read(() => handle.select(row).from(commands).orderBy(desc(commands.seq)).limit(1));
    let low = (await from(0))?.seq ?? 0;
    let high = (last?.seq ?? 0) + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const found = await from(middle);
      if (found !== undefined && found.createdAt < at) low = found.seq + 1;
      else high = middle;
    }
    return low;
  };

  return {
    /** Everything made since is in this row or a later one. */
    since: (at: number): Promise<number> => firstSince(at - SLACK_MS),
    /** Everything made before is in a row before this one. */
    until: (at: number): Promise<number> => firstSince(at + SLACK_MS),
  };
};
