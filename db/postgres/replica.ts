import type { Query } from './query.ts';

// A replica with the whole log has no delay, even if the last commit is old.
const LAG = `
  SELECT CASE
    WHEN NOT pg_is_in_recovery() THEN NULL
    WHEN pg_last_wal_replay_lsn() >= $1::pg_lsn THEN 0
    ELSE greatest(0, extract(epoch FROM clock_timestamp()
      - coalesce(pg_last_xact_replay_timestamp(), pg_postmaster_start_time())) * 1000)
  END::float8 AS lag`;

/** The delay of a replica. */
export const postgresReplication = (query: Query) => ({
  /** The end of this database's write-ahead log. */
  position: async (): Promise<string> => {
    const [row] = await query('SELECT pg_current_wal_lsn()::text AS position');
    return String(row?.['position']);
  },
  /** The age of the last replayed commit in ms; 0 if the position is reached; null if this is not a replica. */
  lagMs: async (position: string): Promise<number | null> => {
    const [row] = await query(LAG, [position]);
    const lag = row?.['lag'];
    return typeof lag === 'number' ? lag : null;
  },
});
