import type { Grant, GrantRequest } from '../database.ts';
import type { Query } from './batch.ts';

/** Requests of one half second are counted together. */
const BUCKET_MS = 500;
const WINDOW_MS = 60_000;

const NOW = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
const ENDING = `(now / ${BUCKET_MS} + 2) * ${BUCKET_MS}`;
const sumOf = (buckets: string): string => `(SELECT coalesce(sum(value::bigint), 0) FROM jsonb_each_text(${buckets}))`;

// One row for a project: {"end of the half second in which the requests may be used": their number}. A count leaves the
// window 60 s after that end, so no 60 s ever contain more than the limit. The statement does not wait for the disk: a
// crash of the server loses less than a second of counting.
const STATEMENT = `
  INSERT INTO rate_limits AS held (project_id, granted, ending, buckets)
  SELECT $1, many, ${ENDING}, jsonb_build_object(${ENDING}, many)
  FROM (SELECT ${NOW} AS now, least($2::bigint, $3::bigint) AS many, set_config('synchronous_commit', 'off', true)) AS first
  ON CONFLICT (project_id) DO UPDATE SET (granted, ending, buckets) = (
    WITH clock AS MATERIALIZED (SELECT ${NOW} AS now),
    live AS MATERIALIZED (
      SELECT coalesce(jsonb_object_agg(key, value), '{}') AS buckets
      FROM clock, jsonb_each(held.buckets) WHERE key::bigint + ${WINDOW_MS} > now
    ),
    given AS MATERIALIZED (
      SELECT greatest(0, least($3::bigint, $2::bigint - ${sumOf('live.buckets')})) AS many, ${ENDING} AS ending
      FROM clock, live
    )
    SELECT many, ending, CASE many WHEN 0 THEN live.buckets
      ELSE live.buckets || jsonb_build_object(ending, coalesce((live.buckets ->> ending::text)::bigint, 0) + many) END
    FROM live, given
  )
  RETURNING granted::float8 AS granted, greatest(0, $2::bigint - ${sumOf('buckets')})::float8 AS free,
    greatest(0, ending - ${NOW})::float8 AS "validMs",
    greatest(0, (SELECT coalesce(min(key::bigint), 0) + ${WINDOW_MS} FROM jsonb_object_keys(buckets) AS key)
      - ${NOW})::float8 AS "resetMs"`;

/** Counts the requests of all nodes, by one compare-and-set statement. */
export const postgresGrants =
  (query: Query) =>
  async ({ projectId, limit, want }: GrantRequest): Promise<Grant> => {
    const [row] = await query(STATEMENT, [projectId, limit, want], 'rateLimits.grant');
    if (row === undefined) throw new Error('The count of requests gave no row.');
    // The columns have the names of the fields, and a float8 is a number.
    return row as Grant;
  };
