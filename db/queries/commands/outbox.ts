import { and, asc, eq, getTableColumns, inArray, isNull, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { type Database, first } from '../../database.ts';
import { atMost, choose, literally } from '../../expressions.ts';
import { owesEvents } from '../../schema/commands.ts';
import type { Tables } from '../../schema/tables.ts';
import type { OwingTable } from '../events.ts';
import { commandColumns } from './read.ts';
import { STEP } from './transitions.ts';

const isOwed = (column: SQLWrapper): SQL => sql`${column} > 0`;
const isOdd = (column: SQLWrapper): SQL => sql`${column} % 2 = 1`;

/** Rows that owe events of their projects. Each list has at most `limit` rows. */
export const owedQueries = (database: Database) => {
  const { handle, tables, prepare, read, reader } = database;
  const { batches, commands, players, schedules, scheduleRuns, servers, sessions, shopLines } = tables;
  const given = sql.placeholder('projectId');
  const most = atMost(sql.placeholder('limit'));
  const owing: Record<OwingTable, SQL> = {
    commands: owesEvents,
    batches: isOwed(batches.outbox),
    schedules: isOdd(schedules.outbox),
    scheduleRuns: isOwed(scheduleRuns.outbox),
    shopLines: isOdd(shopLines.outbox),
    sessions: isOdd(sessions.outbox),
    players: isOwed(players.outbox),
  };
  const projectsOf = (Object.keys(owing) as OwingTable[]).map((table) => {
    // All tables that owe are read alike; this one stands for their type.
    const from = tables[table] as Tables['commands'];
    return prepare(`${table}.projectsThatOwe`, () =>
      handle.select({ id: from.projectId }).from(from).where(owing[table]).groupBy(from.projectId),
    );
  });
  const { targets: _, ...batchColumns } = getTableColumns(batches);

  const ofCommands = prepare('commands.owed', () =>
    handle
      .select({ seq: commands.seq, ...commandColumns(database) })
      .from(commands)
      .where(and(eq(commands.projectId, given), owing.commands))
      .orderBy(asc(commands.seq))
      .limit(most),
  );
  const ofBatches = prepare('batches.owed', () =>
    handle
      .select(batchColumns)
      .from(batches)
      .where(and(eq(batches.projectId, given), owing.batches))
      .orderBy(asc(batches.id))
      .limit(most),
  );
  const ofSchedules = prepare('schedules.owed', () =>
    handle
      .select()
      .from(schedules)
      .where(and(eq(schedules.projectId, given), owing.schedules))
      .orderBy(asc(schedules.id))
      .limit(most),
  );
  const ofRuns = prepare('scheduleRuns.owed', () =>
    handle
      .select({ run: getTableColumns(scheduleRuns), schedule: schedules })
      .from(scheduleRuns)
      .leftJoin(schedules, eq(schedules.id, scheduleRuns.scheduleId))
      .where(and(eq(scheduleRuns.projectId, given), owing.scheduleRuns))
      .orderBy(asc(scheduleRuns.plannedAt))
      .limit(most),
  );
  const ofLines = prepare('shopLines.owed', () =>
    handle
      .select()
      .from(shopLines)
      .where(and(eq(shopLines.projectId, given), owing.shopLines))
      .orderBy(asc(shopLines.seq))
      .limit(most),
  );
  const ofSessions = prepare('sessions.owed', () => {
    const { serverId, epoch, connected, connectedAt, disconnectedAt, outbox } = sessions;
    return handle
      .select({ serverId, epoch, connected, connectedAt, disconnectedAt, outbox, name: servers.name })
      .from(sessions)
      .leftJoin(servers, and(eq(servers.projectId, sessions.projectId), eq(servers.id, sessions.serverId)))
      .where(and(eq(sessions.projectId, given), owing.sessions))
      .orderBy(asc(sessions.serverId));
  });
  const ofPlayers = prepare('players.owed', () => {
    const { id, serverId, identifier, name, online, firstSeenAt, outbox } = players;
    return handle
      .select({ id, serverId, identifier, name, online, firstSeenAt, outbox })
      .from(players)
      .where(and(eq(players.projectId, given), owing.players))
      .orderBy(asc(players.id))
      .limit(most);
  });

  return {
    /** The projects with rows that owe events. */
    projectsThatOwe: async (): Promise<string[]> => {
      const found = await Promise.all(projectsOf.map((statement) => read(() => statement())));
      return [...new Set(found.flat().map(({ id }) => id))];
    },
    /** When the oldest command of all that owe an event was stored, or ended; null: none does. */
    oldestOwed: async (): Promise<number | null> => {
      const at = sql<string | number | null>`min(coalesce(${commands.settledAt}, ${commands.createdAt}))`;
      const found = reader.handle.select({ at }).from(commands).where(owing.commands);
      const oldest = (await first(reader.read(() => found)))?.at ?? null;
      return oldest === null ? null : Number(oldest);
    },
    owedCommands: (projectId: string, limit: number) => read(() => ofCommands({ projectId, limit })),
    owedBatches: (projectId: string, limit: number) => read(() => ofBatches({ projectId, limit })),
    owedSchedules: (projectId: string, limit: number) => read(() => ofSchedules({ projectId, limit })),
    /** Runs with their schedules; null: it is deleted. */
    owedRuns: (projectId: string, limit: number) => read(() => ofRuns({ projectId, limit })),
    owedLines: (projectId: string, limit: number) => read(() => ofLines({ projectId, limit })),
    /** Sessions with the name of their server; null: it is deleted. They are as many as the project has servers. */
    owedSessions: (projectId: string) => read(() => ofSessions({ projectId })),
    owedPlayers: (projectId: string, limit: number) => read(() => ofPlayers({ projectId, limit })),
  };
};

/** Begins and ends that a project keeps events. */
export const keepingQueries = ({ handle, tables, prepare, read, reader, commit }: Database) => {
  const { batches, commands, projects, sessions } = tables;
  const durable = { durable: true };
  const isOf = (projectId: string): SQL => eq(projects.id, projectId);
  const keepers = prepare('projects.keepers', () =>
    handle
      .select({ id: projects.id, since: projects.eventsSince })
      .from(projects)
      .where(literally(eq(projects.keepEvents, true))),
  );

  return {
    /** The projects that keep events. `since`: null while rows from before are still being marked. */
    keepers: (): Promise<{ id: string; since: number | null }[]> => read(() => keepers()),
    /** Begins, or ends with `keep` false: rows that are inserted from now on owe events, or none. False: it was so. */
    setKeeping: async (projectId: string, keep: boolean, at: number): Promise<boolean> => {
      const set = { keepEvents: keep, eventsSince: null, updatedAt: at };
      const isOther = literally(eq(projects.keepEvents, !keep));
      const update = () =>
        handle
          .update(projects)
          .set(set)
          .where(and(isOf(projectId), isOther))
          .returning({ id: projects.id });
      return (await commit(update, durable)).length > 0;
    },
    /** Notes that all rows from before are marked; returns since when that is so. Undefined: no events are kept. */
    setSince: async (projectId: string, at: number): Promise<number | undefined> => {
      const update = () =>
        handle
          .update(projects)
          .set({ eventsSince: sql`coalesce(${projects.eventsSince}, ${at})`, updatedAt: at })
          .where(and(isOf(projectId), literally(eq(projects.keepEvents, true))))
          .returning({ since: projects.eventsSince });
      return (await first(commit(update, durable)))?.since ?? undefined;
    },
    /** Marks open batches and the sessions of a project that are not marked. */
    markFew: async (projectId: string): Promise<void> => {
      const open = () =>
        handle
          .update(batches)
          .set({ outbox: 0 })
          .where(and(eq(batches.projectId, projectId), isNull(batches.outbox), sql`${batches.status} <> 'settled'`));
      await commit(open, durable);
      // 2: the receivers know that it is online.
      const known = choose(literally(eq(sessions.connected, true)), sql`2`, sql`0`);
      const there = () =>
        handle
          .update(sessions)
          .set({ outbox: known })
          .where(and(eq(sessions.projectId, projectId), isNull(sessions.outbox)));
      await commit(there, durable);
    },
    /** Whether commands of an open batch are still being stored. */
    isWriting: async (projectId: string): Promise<boolean> => {
      const writing = handle
        .select({ id: batches.id })
        .from(batches)
        .where(
          and(eq(batches.projectId, projectId), sql`${batches.status} <> 'settled'`, eq(batches.status, 'writing')),
        )
        .limit(1);
      return (await read(() => writing)).length > 0;
    },
    /** Marks open commands of a project that are not marked, `STEP` in one statement; returns how many. */
    markCommands: async (projectId: string): Promise<number> => {
      // Each status has an index of its own. The reader's thread walks past those that are marked.
      const unmarked = (status: 'waiting' | 'accepted' | 'dispatched' | 'indeterminate') =>
        reader.read(() =>
          reader.handle
            .select({ seq: commands.seq })
            .from(commands)
            .where(
              and(eq(commands.projectId, projectId), literally(eq(commands.status, status)), isNull(commands.outbox)),
            )
            .limit(STEP),
        );
      let marked = 0;
      for (const status of ['waiting', 'accepted', 'dispatched', 'indeterminate'] as const) {
        for (let some = await unmarked(status); some.length > 0; some = await unmarked(status)) {
          const seqs = some.map(({ seq }) => seq);
          const mark = () =>
            handle
              .update(commands)
              .set({ outbox: 0 })
              .where(and(inArray(commands.seq, seqs), isNull(commands.outbox)))
              .returning({ seq: commands.seq });
          marked += (await commit(mark, durable)).length;
        }
      }
      return marked;
    },
  };
};
