import type { Query } from './query.ts';

const SERIALS = [
  ['players', 'id'],
  ['commands', 'seq'],
  ['deliveries', 'seq'],
  ['shop_lines', 'seq'],
] as const;

/** Marks a database as an unfinished copy, which no hub may use. */
export const postgresCopyMark = (query: Query) => ({
  isSet: async (): Promise<boolean> => {
    const [row] = await query(`SELECT to_regclass('unfinished_copy') IS NOT NULL AS present`);
    return row?.['present'] === true;
  },
  set: async (): Promise<void> => {
    await query('CREATE TABLE IF NOT EXISTS unfinished_copy ()');
  },
  /** Removes the mark and moves the sequences behind the copied rows. */
  clear: async (): Promise<void> => {
    for (const [table, column] of SERIALS) {
      const last = `(SELECT coalesce(max("${column}"), 0) + 1 FROM ${table})`;
      await query(`SELECT setval(pg_get_serial_sequence('${table}', '${column}'), ${last}, false)`);
    }
    await query('DROP TABLE IF EXISTS unfinished_copy');
  },
});
