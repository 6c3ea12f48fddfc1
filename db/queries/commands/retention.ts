import { and, asc, inArray, isNotNull, lt } from 'drizzle-orm';
import type { Database } from '../../port/database.ts';

/** What the hub forgets of a command, and when. The row itself stays. */
export const commandRetention = ({ handle, tables: { commands }, commit }: Database) => ({
  /** Takes the idempotency keys from at most `limit` commands settled before (epoch ms); returns how many. */
  forgetKeys: async (settledBefore: number, limit: number): Promise<number> => {
    const old = handle
      .select({ seq: commands.seq })
      .from(commands)
      .where(and(isNotNull(commands.idempotencyKey), lt(commands.settledAt, settledBefore)))
      .orderBy(asc(commands.settledAt))
      .limit(limit);
    const forget = () =>
      handle
        .update(commands)
        .set({ idempotencyKey: null })
        .where(inArray(commands.seq, old))
        .returning({ seq: commands.seq });
    return (await commit(forget)).length;
  },
});
