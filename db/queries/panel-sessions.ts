import { and, asc, desc, eq, inArray, lt, notInArray, or, sql } from 'drizzle-orm';
import type { Database } from '../port/database.ts';
import type { Tables } from '../schema/tables.ts';
import { type ApiKeyRow, isPreviousLive } from './api-keys.ts';
import { atMost, bound } from './expressions.ts';
import type { ProjectRow } from './projects.ts';

export type PanelSessionRow = Tables['panelSessions']['$inferSelect'];

/** Sessions of the panel. Only hashes of the cookies are stored. */
export const panelSessionQueries = (database: Database) => {
  const { handle, tables, read, commit } = database;
  const { panelSessions, apiKeys, projects } = tables;

  const byHash = database.prepare('panelSessions.byHash', () => {
    const isPrevious = and(
      eq(apiKeys.previousHash, panelSessions.keyHash),
      isPreviousLive(apiKeys, sql.placeholder('now')),
    );
    return handle
      .select({ session: panelSessions, key: apiKeys, project: projects })
      .from(panelSessions)
      .innerJoin(
        apiKeys,
        and(eq(apiKeys.id, panelSessions.keyId), or(eq(apiKeys.hash, panelSessions.keyHash), isPrevious)),
      )
      .innerJoin(projects, eq(projects.id, panelSessions.projectId))
      .where(eq(panelSessions.hash, sql.placeholder('hash')))
      .limit(atMost(1));
  });

  const touch = database.prepare('panelSessions.touch', () =>
    handle
      .update(panelSessions)
      .set({ lastUsedAt: bound(panelSessions.lastUsedAt, 'at') })
      .where(eq(panelSessions.hash, sql.placeholder('hash'))),
  );

  return {
    create: async (row: PanelSessionRow): Promise<void> => {
      await commit(() => handle.insert(panelSessions).values(row), { durable: true });
    },
    /**
     * The session with its key, as long as the secret that signed in is the key's, or its previous one before its end;
     * also one of a key that is revoked or expired, which the caller judges.
     */
    byHash: async (
      hash: string,
      now: number,
    ): Promise<{ session: PanelSessionRow; key: ApiKeyRow; project: ProjectRow } | undefined> => {
      const [found] = await read(() => byHash({ hash, now }));
      return found;
    },
    touch: async (hash: string, at: number): Promise<void> => {
      await commit(() => touch({ hash, at }));
    },
    /** Durable, so that a power cut does not undo a sign-out. */
    remove: async (hash: string): Promise<void> => {
      await commit(() => handle.delete(panelSessions).where(eq(panelSessions.hash, hash)), { durable: true });
    },
    /** Keeps the `count` most recently used sessions of a key and ends the others. */
    keepNewest: async (keyId: string, count: number): Promise<void> => {
      const ofKey = eq(panelSessions.keyId, keyId);
      const kept = handle
        .select({ hash: panelSessions.hash })
        .from(panelSessions)
        .where(ofKey)
        .orderBy(desc(panelSessions.lastUsedAt), desc(panelSessions.createdAt))
        .limit(count);
      await commit(() => handle.delete(panelSessions).where(and(ofKey, notInArray(panelSessions.hash, kept))));
    },
    /** Deletes at most `limit` that were last used before (epoch milliseconds); returns how many. */
    prune: async (before: number, limit: number): Promise<number> => {
      const oldest = handle
        .select({ hash: panelSessions.hash })
        .from(panelSessions)
        .where(lt(panelSessions.lastUsedAt, before))
        .orderBy(asc(panelSessions.lastUsedAt))
        .limit(limit);
      const remove = () =>
        handle.delete(panelSessions).where(inArray(panelSessions.hash, oldest)).returning({ hash: panelSessions.hash });
      return (await commit(remove)).length;
    },
  };
};
