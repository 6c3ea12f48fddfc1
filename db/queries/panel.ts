import { and, desc, eq, gt, inArray, isNull, lt, notInArray, or, sql } from 'drizzle-orm';
import { type Database, first } from '../database.ts';
import { atMost, bound, removeSome } from '../expressions.ts';
import type { Tables } from '../schema/tables.ts';
import { isPreviousLive, type NewApiKey } from './api-keys.ts';
import type { NewProject } from './projects.ts';
import type { NewServer } from './servers.ts';

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
    create: async (row: Tables['panelSessions']['$inferSelect']): Promise<void> => {
      await commit(() => handle.insert(panelSessions).values(row), { durable: true });
    },
    /**
     * The session with its key, as long as the secret that signed in is the key's, or its previous one before its end;
     * also one of a key that is revoked or expired, which the caller judges.
     */
    byHash: (hash: string, now: number) => first(read(() => byHash({ hash, now }))),
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
    prune: (before: number, limit: number): Promise<number> => {
      const { lastUsedAt } = panelSessions;
      return removeSome(database, 'panelSessions', { matches: lt(lastUsedAt, before), limit, order: lastUsedAt });
    },
  };
};

/** A browser that has opened a link. */
export type SetupBrowser = { hash: string; expiresAt: number };

/** Links to the setup of a hub, until its first key was used. Times in epoch milliseconds. */
export const setupLinkQueries = (database: Database) => {
  const { handle, tables, read, commit, together } = database;
  const { setupLinks, projects, apiKeys, servers } = tables;
  const unused = handle
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(isNull(apiKeys.lastUsedAt), isNull(apiKeys.revokedAt)));
  const isMade = inArray(setupLinks.keyId, unused);

  return {
    /** Stores a link; all earlier ones end, and so do browsers that have opened them. */
    replace: async (hash: string, expiresAt: number): Promise<void> =>
      void (await together([
        () => handle.delete(setupLinks),
        () => handle.insert(setupLinks).values({ hash, expiresAt }),
      ])),
    /** Replaces the link of a setup whose key was never used. False: there is none. */
    replaceMade: async (hash: string, expiresAt: number): Promise<boolean> => {
      const replace = () =>
        handle
          .update(setupLinks)
          .set({ hash, expiresAt, browserHash: null, browserExpiresAt: null })
          .where(isMade)
          .returning({ hash: setupLinks.hash });
      return (await commit(replace, { durable: true })).length > 0;
    },
    /** Whether the setup has made a key, or this key, that was never used. */
    isMade: async (keyId?: string): Promise<boolean> => {
      const ofKey = keyId === undefined ? undefined : eq(setupLinks.keyId, keyId);
      const find = () => handle.select({ hash: setupLinks.hash }).from(setupLinks).where(and(isMade, ofKey)).limit(1);
      return (await read(find)).length > 0;
    },
    /** Ends the setup that has made this key. */
    end: async (keyId: string): Promise<void> =>
      void (await commit(() => handle.delete(setupLinks).where(eq(setupLinks.keyId, keyId)), { durable: true })),
    /** Gives the link to one browser. False: it is unknown, over, or another browser has it. */
    open: async (hash: string, browser: SetupBrowser, now: number): Promise<boolean> => {
      const open = () =>
        handle
          .update(setupLinks)
          .set({ browserHash: browser.hash, browserExpiresAt: browser.expiresAt })
          .where(and(eq(setupLinks.hash, hash), isNull(setupLinks.browserHash), gt(setupLinks.expiresAt, now)))
          .returning({ hash: setupLinks.hash });
      return (await commit(open, { durable: true })).length > 0;
    },
    /** The setup of a browser that may go on: the key is null until it is made. Undefined: it may not. */
    find: (browserHash: string, now: number): Promise<{ keyId: string | null } | undefined> => {
      const find = () =>
        handle
          .select({ keyId: setupLinks.keyId })
          .from(setupLinks)
          .where(
            and(
              eq(setupLinks.browserHash, browserHash),
              gt(setupLinks.browserExpiresAt, now),
              or(isNull(setupLinks.keyId), isMade),
            ),
          )
          .limit(1);
      return first(read(find));
    },
    /**
     * Writes the first project with its key and server, and ends all links. The browser may go on until the key is used.
     * False, and nothing: there is a project.
     */
    finish: async (
      rows: { project: NewProject; key: NewApiKey; server: NewServer },
      browser?: SetupBrowser,
    ): Promise<boolean> => {
      const { hash = '', expiresAt = 0 } = browser ?? {};
      const row = { hash, expiresAt, browserHash: hash, browserExpiresAt: expiresAt, keyId: rows.key.id };
      const writes = [
        () => handle.insert(projects).values(rows.project),
        () => handle.insert(apiKeys).values(rows.key),
        () => handle.insert(servers).values(rows.server),
        () => handle.delete(setupLinks),
        ...(browser === undefined ? [] : [() => handle.insert(setupLinks).values(row)]),
      ];
      return (await together(writes, { onlyIfEmpty: 'projects' })) !== undefined;
    },
  };
};
