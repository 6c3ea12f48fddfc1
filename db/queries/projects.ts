import { and, asc, count, eq, gte, inArray } from 'drizzle-orm';
import type { Database } from '../port/database.ts';
import type { Tables } from '../schema/tables.ts';
import { literally } from './expressions.ts';

export type ProjectRow = Tables['projects']['$inferSelect'];
export type NewProject = Tables['projects']['$inferInsert'];
export type ProjectPatch = Partial<Omit<NewProject, 'id' | 'createdAt' | 'updatedAt'>>;

/** Rows that one statement deletes. */
const BATCH = 500;

/** Tenants. */
export const projectQueries = (database: Database) => {
  const { handle, tables, read, commit, search } = database;
  const { projects, apiKeys, servers, sessions, players, commands, strayResults, panelSessions, statistics } = tables;

  const first = async (condition: ReturnType<typeof eq>): Promise<ProjectRow | undefined> => {
    const [row] = await read(() => handle.select().from(projects).where(condition).limit(1));
    return row;
  };

  const emptied = async (removeBatch: () => Promise<unknown[]>): Promise<void> => {
    while ((await removeBatch()).length > 0);
  };

  const removePlayers = (projectId: string) => {
    const ids = handle.select({ id: players.id }).from(players).where(eq(players.projectId, projectId)).limit(BATCH);
    return commit(() => handle.delete(players).where(inArray(players.id, ids)).returning({ id: players.id }));
  };

  const removeCommands = (projectId: string) => {
    const ids = handle
      .select({ seq: commands.seq })
      .from(commands)
      .where(eq(commands.projectId, projectId))
      .limit(BATCH);
    return commit(() => handle.delete(commands).where(inArray(commands.seq, ids)).returning({ seq: commands.seq }));
  };

  const removeStrayResults = (projectId: string) => {
    const ofProject = eq(strayResults.projectId, projectId);
    const ids = handle.select({ id: strayResults.commandId }).from(strayResults).where(ofProject).limit(BATCH);
    return commit(() =>
      handle
        .delete(strayResults)
        .where(and(ofProject, inArray(strayResults.commandId, ids)))
        .returning({ id: strayResults.commandId }),
    );
  };

  const removeStatistics = (projectId: string) => {
    const ofProject = eq(statistics.projectId, projectId);
    const steps = handle.select({ at: statistics.at }).from(statistics).where(ofProject).limit(BATCH);
    return commit(() =>
      handle
        .delete(statistics)
        .where(and(ofProject, inArray(statistics.at, steps)))
        .returning({ at: statistics.at }),
    );
  };

  return {
    /** Undefined if the slug is taken. */
    create: async (row: NewProject): Promise<ProjectRow | undefined> => {
      const insert = () => handle.insert(projects).values(row).onConflictDoNothing().returning();
      const [created] = await commit(insert, { durable: true });
      return created;
    },
    bySlug: (slug: string) => first(eq(projects.slug, slug)),
    byId: (id: string) => first(eq(projects.id, id)),
    list: (): Promise<ProjectRow[]> => read(() => handle.select().from(projects).orderBy(asc(projects.slug))),
    /** Undefined if there is no such project. @throws DatabaseError failed if the new slug is taken */
    update: async (id: string, patch: ProjectPatch, at: number): Promise<ProjectRow | undefined> => {
      const update = () =>
        handle
          .update(projects)
          .set({ ...patch, updatedAt: at })
          .where(eq(projects.id, id))
          .returning();
      const [row] = await commit(update, { durable: true });
      return row;
    },
    /** Deletes a project and everything of it, in bounded batches. False if there was none. */
    remove: async (id: string): Promise<boolean> => {
      await emptied(() => removePlayers(id));
      await emptied(() => removeCommands(id));
      await emptied(() => removeStrayResults(id));
      await emptied(() => removeStatistics(id));
      await commit(() => handle.delete(panelSessions).where(eq(panelSessions.projectId, id)));
      await commit(() => handle.delete(sessions).where(eq(sessions.projectId, id)));
      await commit(() => handle.delete(servers).where(eq(servers.projectId, id)));
      await commit(() => handle.delete(apiKeys).where(eq(apiKeys.projectId, id)));
      const remove = () => handle.delete(projects).where(eq(projects.id, id)).returning({ id: projects.id });
      return (await commit(remove, { durable: true })).length > 0;
    },
    /** Those created or changed since (epoch milliseconds, inclusive). */
    changedSince: (at: number): Promise<ProjectRow[]> =>
      read(() => handle.select().from(projects).where(gte(projects.updatedAt, at))),
    /** Of all servers of the project, or of some. */
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
        read(() => handle.select({ rows: search.totals.count }).from(search.totals.from).where(ofProject)),
        read(() => handle.select({ rows: search.totals.count }).from(search.totals.from).where(online)),
      ]);
      return {
        servers: inServers?.rows ?? 0,
        players: Number(inPlayers?.rows ?? 0),
        playersOnline: Number(inOnline?.rows ?? 0),
      };
    },
  };
};
