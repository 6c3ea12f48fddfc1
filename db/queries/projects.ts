import { and, asc, count, eq, getTableColumns, gte, inArray, sql } from 'drizzle-orm';
import { type Database, first } from '../database.ts';
import { literally, removeSome, storedTotals } from '../expressions.ts';
import { TABLE_NAMES, type Tables } from '../schema/tables.ts';

export type ProjectRow = Tables['projects']['$inferSelect'];
export type NewProject = Tables['projects']['$inferInsert'];
export type ProjectPatch = Partial<Omit<NewProject, 'id' | 'createdAt' | 'updatedAt'>>;

/** The smaller one of two bounds; null is none. */
const smaller = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/** The bounds of money that hold: those of the operator, or smaller ones of the project itself. Null: none. */
export const moneyBounds = ({
  maxAmount,
  maxBatchTotal,
  ownMaxAmount,
  ownMaxBatchTotal,
}: Pick<ProjectRow, 'maxAmount' | 'maxBatchTotal' | 'ownMaxAmount' | 'ownMaxBatchTotal'>) => ({
  maxAmount: smaller(maxAmount, ownMaxAmount),
  maxBatchTotal: smaller(maxBatchTotal, ownMaxBatchTotal),
});

/** Rows that one statement deletes. */
const BATCH = 500;

/** Tenants. */
export const projectQueries = (database: Database) => {
  const { handle, tables, prepare, read, commit } = database;
  const { projects, servers, players } = tables;
  const stored = storedTotals(tables);
  /** Every table with rows of projects; referencing tables first. */
  const ofProjects = TABLE_NAMES.toReversed().filter((name) => 'projectId' in getTableColumns(tables[name]));

  const byId = prepare('projects.byId', () =>
    handle
      .select()
      .from(projects)
      .where(eq(projects.id, sql.placeholder('id'))),
  );
  const since = gte(projects.updatedAt, sql.placeholder('at'));
  const changedSince = prepare('projects.changedSince', () => handle.select().from(projects).where(since), 'anew');

  return {
    /** Undefined if the slug is taken. */
    create: (row: NewProject): Promise<ProjectRow | undefined> => {
      const insert = () => handle.insert(projects).values(row).onConflictDoNothing().returning();
      return first(commit(insert, { durable: true }));
    },
    bySlug: (slug: string): Promise<ProjectRow | undefined> =>
      first(read(() => handle.select().from(projects).where(eq(projects.slug, slug)).limit(1))),
    byId: (id: string): Promise<ProjectRow | undefined> => first(read(() => byId({ id }))),
    /** Whether there is any. */
    isAny: async (): Promise<boolean> =>
      (await read(() => handle.select({ id: projects.id }).from(projects).limit(1))).length > 0,
    list: (): Promise<ProjectRow[]> => read(() => handle.select().from(projects).orderBy(asc(projects.slug))),
    /** Undefined if there is no such project. @throws DatabaseError failed if the new slug is taken */
    update: (id: string, patch: ProjectPatch, at: number): Promise<ProjectRow | undefined> => {
      const update = () =>
        handle
          .update(projects)
          .set({ ...patch, updatedAt: at })
          .where(eq(projects.id, id))
          .returning();
      return first(commit(update, { durable: true }));
    },
    /** Deletes a project and everything of it, in bounded batches. False if there was none. */
    remove: async (id: string): Promise<boolean> => {
      for (const name of ofProjects) {
        // All tables with rows of projects are emptied alike; this one stands for their type.
        const matches = eq((tables[name] as Tables['players']).projectId, id);
        while ((await removeSome(database, name, { matches, limit: BATCH })) > 0);
      }
      const remove = () => handle.delete(projects).where(eq(projects.id, id)).returning({ id: projects.id });
      return (await commit(remove, { durable: true })).length > 0;
    },
    /** Projects created or changed since (epoch milliseconds, inclusive). */
    changedSince: (at: number): Promise<ProjectRow[]> => read(() => changedSince({ at })),
    /** Counts players and servers: of the whole project, or of some servers. */
    totals: async (
      projectId: string,
      some?: readonly string[],
    ): Promise<{ servers: number; players: number; playersOnline: number }> => {
      const among = <T extends typeof players.serverId | typeof servers.id>(column: T) =>
        some === undefined ? undefined : inArray(column, [...some]);
      const ofProject = and(eq(players.projectId, projectId), among(players.serverId));
      const ofServers = and(eq(servers.projectId, projectId), among(servers.id));
      const online = and(ofProject, literally(eq(players.online, true)));
      const [[inServers], [inPlayers], [inOnline]] = await Promise.all([
        read(() => handle.select({ rows: count() }).from(servers).where(ofServers)),
        read(() => handle.select({ rows: stored.count }).from(stored.from).where(ofProject)),
        read(() => handle.select({ rows: stored.count }).from(stored.from).where(online)),
      ]);
      return {
        servers: inServers?.rows ?? 0,
        players: inPlayers?.rows ?? 0,
        playersOnline: inOnline?.rows ?? 0,
      };
    },
  };
};
