import type { Query } from './query.ts';

const SERIALS = [
  ['players', 'id'],
  ['commands', 'seq'],
] as const;

/** The mark of a database that is being copied to: no hub may work with half of its rows. */
export const postgresCopyMark = (query: Query) => ({
  isSet: async (): Promise<boolean> => {
    const [row] = await query(`SELECT to_regclass('unfinished_copy') IS NOT NULL AS present`);
    return row?.['present'] === true;
  },
  set: async (): Promise<void> => {
    await query('CREATE TABLE IF NOT EXISTS unfinished_copy ()');
  },
  /** It is whole: what is new gets numbers of its own. */
  clear: async (): Promise<void> => {
    for (const [table, column] of SERIALS) {
      const last = `(SELECT coalesce(max("${column}"), 0) + 1 FROM ${table})`;
      await query(`SELECT setval(pg_get_serial_sequence('${table}', '${column}'), ${last}, false)`);
    }
    await query('DROP TABLE IF EXISTS unfinished_copy');
  },
});
