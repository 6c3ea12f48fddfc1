import type { Query } from './query.ts';

// Who has everything is not behind, however long ago the last commit was.
const LAG = `
  SELECT CASE
    WHEN NOT pg_is_in_recovery() THEN NULL
    WHEN pg_last_wal_replay_lsn() >= $1::pg_lsn THEN 0
    ELSE greatest(0, extract(epoch FROM clock_timestamp()
      - coalesce(pg_last_xact_replay_timestamp(), pg_postmaster_start_time())) * 1000)
  END::float8 AS lag`;

/** How far a replica is behind the database that it follows. */
export const postgresReplication = (query: Query) => ({
  /** Where the log of this database ends. */
  position: async (): Promise<string> => {
    const [row] = await query('SELECT pg_current_wal_lsn()::text AS position');
    return String(row?.['position']);
  },
  /** How old the last commit is that has come here, ms; 0 where that position is reached, null for no replica. */
  lagMs: async (position: string): Promise<number | null> => {
    const [row] = await query(LAG, [position]);
    const lag = row?.['lag'];
    return typeof lag === 'number' ? lag : null;
  },
});
