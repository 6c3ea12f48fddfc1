import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  inArray,
  lt,
  lte,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm';
import { type Database, first, type Whole } from '../database.ts';
import { atMost, after as isAfter, removeSome, rowsFrom } from '../expressions.ts';
import type { Tables } from '../schema/tables.ts';

export type EventRow = Tables['events']['$inferSelect'];
/** An event that has no place yet. */
export type NewEvent = Omit<EventRow, 'seq'>;

/** Tables whose rows may owe events. */
export type OwingTable = 'commands' | 'batches' | 'schedules' | 'scheduleRuns' | 'shopLines' | 'sessions' | 'players';

/** A row whose `outbox` was read as `from`, and becomes `to` (null: its project keeps no events). */
export type Cleared = {
  table: OwingTable;
  /** Its `seq`, `id`, `serverId` or `scheduleId`. */
  key: number | string;
  /** The other key of a run. */
  plannedAt?: number;
  from: number;
  to: number | null;
};

/** Rows that one statement clears. */
const AT_ONCE = 200;

/** Statements that clear rows, each for those with the same values. A row that was changed since it was read stays. */
const clearing = (database: Database, projectId: string, cleared: readonly Cleared[]): (() => Whole)[] => {
  const { engine, handle, tables } = database;
  const { batches, commands, players, schedules, scheduleRuns, sessions, shopLines } = tables;
  const keys = {
    commands: commands.seq,
    batches: batches.id,
    schedules: schedules.id,
    scheduleRuns: scheduleRuns.scheduleId,
    shopLines: shopLines.seq,
    sessions: sessions.serverId,
    players: players.id,
  };
  /** In SQLite one text: it reads a statement with many values anew each time. */
  const isAmong = (key: SQLWrapper, some: number[]): SQL =>
    engine === 'sqlite'
      ? sql`${key} in (select value from json_each(${JSON.stringify(some)}))`
      : sql`${key} in ${some}`;
  const groups = new Map<string, Cleared[]>();
  for (const each of cleared) {
    const name = `${each.table} ${each.plannedAt} ${each.from} ${each.to}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [each]);
    else group.push(each);
  }
  return [...groups.values()].flatMap((group) => {
    const { table, plannedAt, from, to } = group[0] as Cleared;
    // All tables that owe are cleared alike; this one stands for their type.
    const owing = tables[table] as Tables['commands'];
    const key = keys[table] as (typeof keys)['commands'];
    const isRun = plannedAt === undefined ? undefined : eq(scheduleRuns.plannedAt, plannedAt);
    const parts = Array.from({ length: Math.ceil(group.length / AT_ONCE) }, (_, n) =>
      group.slice(n * AT_ONCE, (n + 1) * AT_ONCE).map((each) => each.key as number),
    );
    return parts.map(
      (some) => () =>
        handle
          .update(owing)
          .set({ outbox: to })
          .where(and(eq(owing.projectId, projectId), isAmong(key, some), eq(owing.outbox, from), isRun)),
    );
  });
};

/** Events that projects keep, in the order in which they were told. */
export const eventQueries = (database: Database) => {
  const { handle, tables, prepare, read, reader, together } = database;
  const { events } = tables;
  const isOf = (projectId: string): SQL => eq(events.projectId, projectId);
  const { seq: _, ...columns } = getTableColumns(events);
  const nextPlace =
    database.engine === 'sqlite' ? sql`null, ` : sql`nextval(pg_get_serial_sequence('events', 'seq')), `;
  /** Counts the events after a place; undefined: none. */
  const since = (projectId: string, place: number | undefined) => () =>
    handle
      .select({ rows: count() })
      .from(events)
      .where(place === undefined ? sql`1 = 0` : and(isOf(projectId), gt(events.seq, place)));

  const key = [events.projectId, events.seq] as const;
  const upwards = key.map((column) => asc(column));
  const downwards = key.map((column) => desc(column));
  /** As a range, with the project in the order: for an equality, PostgreSQL walks through the events of all projects. */
  const inStream = (projectId: SQLWrapper | string): SQL[] => [
    sql`${events.projectId} >= ${projectId}`,
    sql`${events.projectId} <= ${projectId}`,
  ];
  const given = sql.placeholder('projectId');
  /** SQLite, in a range, would read all events of the project up to the place. */
  const isBehind =
    database.engine === 'sqlite'
      ? and(eq(events.projectId, given), gt(events.seq, sql.placeholder('seq')))
      : and(...inStream(given), isAfter(key, 'asc', ['projectId', 'seq']));
  const after = prepare('events.after', () =>
    handle
      .select()
      .from(events)
      .where(isBehind)
      .orderBy(...upwards)
      .limit(atMost(sql.placeholder('limit'))),
  );
  const last = prepare('events.last', () =>
    handle
      .select({ id: events.id, seq: events.seq })
      .from(events)
      .where(and(...inStream(given)))
      .orderBy(...downwards)
      .limit(atMost(1)),
  );

  return {
    /**
     * Adds events and clears the rows that owed them, in one transaction. An event that was told already is skipped, also
     * if another node told it. Places are given in the order of the commits: no event comes before one that was read.
     * `place`: the newest event before the rows were read. Returns how many are new. Undefined, and nothing written: there
     * are events after this place, so what was read may have passed.
     */
    tell: async (
      projectId: string,
      list: readonly NewEvent[],
      cleared: readonly Cleared[],
      place?: number,
    ): Promise<number | undefined> => {
      const insert = () =>
        handle
          .insert(events)
          .select(rowsFrom(database, columns, list, { before: nextPlace }))
          .onConflictDoNothing()
          .returning({ id: events.id });
      const works = [...(list.length > 0 ? [insert] : []), ...clearing(database, projectId, cleared)];
      if (works.length === 0) return 0;
      // The lock of the bound holds for all nodes until the commit.
      const results = await together(works, {
        within: { key: `events/${projectId}`, count: since(projectId, place), most: 1 },
      });
      if (results === undefined) return undefined;
      return list.length > 0 ? (results[0] as unknown[]).length : 0;
    },
    /** The next events of a project after a place, in their order. */
    after: (projectId: string, seq: number, limit: number): Promise<EventRow[]> =>
      read(() => after({ projectId, seq, limit })),
    /** Undefined: there is none with this id, or it was pruned. */
    get: (projectId: string, id: string): Promise<EventRow | undefined> =>
      first(
        read(() =>
          handle
            .select()
            .from(events)
            .where(and(eq(events.id, id), isOf(projectId)))
            .limit(1),
        ),
      ),
    /** The events with these ids that are still kept. */
    some: (projectId: string, ids: readonly string[]): Promise<EventRow[]> =>
      read(() =>
        handle
          .select()
          .from(events)
          .where(and(inArray(events.id, [...ids]), isOf(projectId))),
      ),
    /** The newest event; undefined: there is none. */
    last: (projectId: string): Promise<{ id: string; seq: number } | undefined> =>
      first(read(() => last({ projectId }))),
    /** The place before the first event that happened at a time (epoch milliseconds) or later; undefined: there is none. */
    placeBefore: async (projectId: string, at: number): Promise<number | undefined> => {
      const found = reader.handle
        .select({ seq: events.seq })
        .from(events)
        .where(and(...inStream(projectId), gte(events.at, at)))
        .orderBy(...upwards)
        .limit(1);
      const [row] = await reader.read(() => found);
      return row === undefined ? undefined : row.seq - 1;
    },
    /** How many events of a project come after a place, counted up to `most`. */
    countAfter: async (projectId: string, seq: number, most: number): Promise<number> => {
      const some = reader.handle
        .select({ seq: events.seq })
        .from(events)
        .where(and(isOf(projectId), gt(events.seq, seq)))
        .limit(most)
        .as('some');
      const [row] = await reader.read(() => reader.handle.select({ rows: count() }).from(some));
      return row?.rows ?? 0;
    },
    /** How many events all projects have. */
    count: async (): Promise<number> => {
      const [row] = await reader.read(() => reader.handle.select({ rows: count() }).from(events));
      return row?.rows ?? 0;
    },
    /** Deletes at most `limit` events of all projects that are older (epoch milliseconds); returns how many. */
    pruneOld: (before: number, limit: number): Promise<number> =>
      removeSome(database, 'events', { matches: lt(events.at, before), limit, order: events.at }),
    /** The place of the newest event of a project that is one too many; undefined: it has at most `most`. */
    excess: async (projectId: string, most: number): Promise<number | undefined> => {
      const found = reader.handle
        .select({ seq: events.seq })
        .from(events)
        .where(and(...inStream(projectId)))
        .orderBy(...downwards)
        .limit(1)
        .offset(most);
      return (await first(reader.read(() => found)))?.seq;
    },
    /** Deletes at most `limit` events of a project up to a place, the oldest first; returns how many. */
    pruneUpTo: (projectId: string, seq: number, limit: number): Promise<number> =>
      removeSome(database, 'events', { matches: and(isOf(projectId), lte(events.seq, seq)), limit, order: events.seq }),
  };
};
