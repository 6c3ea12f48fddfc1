import { and, asc, type Column, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { larger, plus, removeSome } from '../expressions.ts';
import type { Tables } from '../schema/tables.ts';
import { createTurns } from '../turns.ts';

export type StatisticsRow = Tables['statistics']['$inferSelect'];

/** The ends of commands. Each has a second count, of the commands of batches among them. */
export const ENDS = ['succeeded', 'refused', 'failed', 'unknown'] as const;
const COUNTS = [...ENDS, 'batchSucceeded', 'batchRefused', 'batchFailed', 'batchUnknown'] as const;
/** The number of commands for each end. */
export type StatisticsCounts = Pick<StatisticsRow, (typeof COUNTS)[number]>;
export const noCounts = (): StatisticsCounts => ({
  succeeded: 0,
  refused: 0,
  failed: 0,
  unknown: 0,
  batchSucceeded: 0,
  batchRefused: 0,
  batchFailed: 0,
  batchUnknown: 0,
});

/** The number of commands for each end, and of players online when the step was written. */
export type StatisticsPoint = Pick<StatisticsRow, 'at' | 'online' | (typeof ENDS)[number]>;

/** The sums of some steps. `online` has been added `seen` times. */
export type StatisticsBucket = StatisticsCounts & Pick<StatisticsRow, 'at' | 'online' | 'seen'>;

/** The source of buckets: steps of five minutes, kept for days, or hours, kept for weeks. */
export type BucketsRequest = {
  of: 'steps' | 'hours';
  projectId: string;
  /** Only of these; undefined: of all. */
  servers: readonly string[] | undefined;
  /** Epoch milliseconds, inclusive; where a bucket begins. */
  since: number;
  bucketMs: number;
};

const HOUR_MS = 60 * 60_000;
const ROWS = 200;

/** A row for each server and step of five minutes, and one for each server and hour. */
export const statisticsQueries = (database: Database) => {
  const { handle, tables, read, commit, reader } = database;
  const { statistics: t, statisticsHours: hour } = tables;
  const total = (column: Column | SQL) => sql<number>`sum(${column})`.mapWith(Number);
  // A chart of a month reads tens of thousands of rows in the reader's thread, which searches share.
  const inTurn = createTurns();

  const counts = <T>(of: (name: (typeof COUNTS)[number]) => T): Record<(typeof COUNTS)[number], T> =>
    Object.fromEntries(COUNTS.map((name) => [name, of(name)])) as Record<(typeof COUNTS)[number], T>;
  const key = [t.projectId, t.at, t.serverId];
  const hourKey = [hour.projectId, hour.at, hour.serverId];

  const partsOf = ({ of, projectId, servers, since, bucketMs }: BucketsRequest) => {
    const from = of === 'steps' ? t : (hour as unknown as typeof t);
    return {
      from,
      bucket: (at: Column | SQL) => sql<number>`${at} - ${at} % ${sql.raw(String(bucketMs))}`.mapWith(Number),
      matches: and(
        eq(from.projectId, projectId),
        gte(from.at, since),
        servers === undefined ? undefined : inArray(from.serverId, [...servers]),
      ),
    };
  };

  return {
    /**
     * Adds counts to the stored ones of their step and hour. For players of a step the maximum is stored, because only one
     * node sees a player. Absent counts are 0, and `seen` is 1.
     */
    add: async (
      rows: readonly (Pick<StatisticsRow, 'projectId' | 'serverId' | 'at' | 'online'> & Partial<StatisticsRow>)[],
    ): Promise<void> => {
      for (let start = 0; start < rows.length; start += ROWS) {
        const some = rows.slice(start, start + ROWS).map((row) => ({ ...noCounts(), seen: 1, ...row }));
        const hours = new Map<string, (typeof some)[number]>();
        for (const row of some) {
          const at = row.at - (row.at % HOUR_MS);
          const address = `${row.projectId} ${row.serverId} ${at}`;
          const known = hours.get(address);
          if (known === undefined) hours.set(address, { ...row, at });
          else for (const name of [...COUNTS, 'online', 'seen'] as const) known[name] += row[name];
        }
        const added = counts((name) => plus(t[name]));
        await commit(
          () =>
            handle
              .insert(t)
              .values(some)
              .onConflictDoUpdate({ target: key, set: { online: larger(t.online), seen: larger(t.seen), ...added } }),
          { rows: some.length },
        );
        const ofHour = counts((name) => plus(hour[name]));
        const { online, seen } = hour;
        await commit(
          () =>
            handle
              .insert(hour)
              .values([...hours.values()])
              .onConflictDoUpdate({ target: hourKey, set: { online: plus(online), seen: plus(seen), ...ofHour } }),
          { rows: hours.size },
        );
      }
    },
    /** The sums of a project's servers since (epoch milliseconds, inclusive), the oldest step first. */
    since: (projectId: string, servers: readonly string[] | undefined, at: number): Promise<StatisticsPoint[]> =>
      read(() =>
        handle
          .select({
            at: t.at,
            online: total(t.online),
            succeeded: total(t.succeeded),
            refused: total(t.refused),
            failed: total(t.failed),
            unknown: total(t.unknown),
          })
          .from(t)
          .where(
            and(
              eq(t.projectId, projectId),
              gte(t.at, at),
              servers === undefined ? undefined : inArray(t.serverId, [...servers]),
            ),
          )
          .groupBy(t.at)
          .orderBy(asc(t.at)),
      ),
    /**
     * The sums of all servers together, by bucket; without buckets that have no row. `online` are the players of all
     * servers, added `seen` times.
     */
    buckets: (request: BucketsRequest): Promise<StatisticsBucket[]> => {
      const { from, bucket, matches } = partsOf(request);
      const together = reader.handle
        .select({
          at: from.at,
          online: sql<number>`sum(${from.online})`.as('online'),
          seen: sql<number>`max(${from.seen})`.as('seen'),
          ...counts((name) => sql<number>`sum(${from[name]})`.as(name)),
        })
        .from(from)
        .where(matches)
        .groupBy(from.at)
        .as('together');
      const sums = () =>
        reader.handle
          .select({
            at: bucket(sql`${together.at}`),
            online: total(sql`${together.online}`),
            seen: total(sql`${together.seen}`),
            ...counts((name) => total(sql`${together[name]}`)),
          })
          .from(together)
          .groupBy(sql`1`);
      return inTurn(request.projectId, () => reader.read(sums));
    },
    /** The most players of all servers together at the end of a step, of the steps that are still kept. */
    peak: (request: Omit<BucketsRequest, 'of' | 'bucketMs'>): Promise<number> => {
      const { matches } = partsOf({ ...request, of: 'steps', bucketMs: 1 });
      const together = reader.handle
        .select({ online: sql<number>`sum(${t.online})`.as('online') })
        .from(t)
        .where(matches)
        .groupBy(t.at)
        .as('together');
      const most = () =>
        reader.handle.select({ online: sql`coalesce(max(${together.online}), 0)`.mapWith(Number) }).from(together);
      return inTurn(request.projectId, async () => (await reader.read(most))[0]?.online ?? 0);
    },
    /** The buckets of each server. */
    bucketsOfEach: (request: BucketsRequest): Promise<(StatisticsBucket & { serverId: string })[]> => {
      const { from, bucket, matches } = partsOf(request);
      const sums = () =>
        reader.handle
          .select({
            at: bucket(from.at),
            serverId: from.serverId,
            online: total(from.online),
            seen: total(from.seen),
            ...counts((name) => total(from[name])),
          })
          .from(from)
          .where(matches)
          .groupBy(sql`1`, from.serverId);
      return inTurn(request.projectId, () => reader.read(sums));
    },
    /** Deletes at most `limit` steps of before (epoch milliseconds); returns how many. */
    prune: (before: number, limit: number): Promise<number> =>
      removeSome(database, 'statistics', { matches: lt(t.at, before), limit, order: t.at }),
    /** Deletes at most `limit` hours of before (epoch milliseconds); returns how many. */
    pruneHours: (before: number, limit: number): Promise<number> =>
      removeSome(database, 'statisticsHours', { matches: lt(hour.at, before), limit, order: hour.at }),
  };
};
