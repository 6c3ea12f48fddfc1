import { and, eq, gt, isNull } from 'drizzle-orm';
import type { Database } from '../port/database.ts';

import type { NewApiKey } from './api-keys.ts';
import type { NewProject } from './projects.ts';
import type { NewServer } from './servers.ts';

/** Links to the setup of an empty hub. Times in epoch milliseconds. */
export const setupLinkQueries = (database: Database) => {
  const { handle, tables, read, commit, together } = database;
  const { setupLinks, projects, apiKeys, servers } = tables;

  return {
    /** Stores a link; all earlier ones end, and so do browsers that have opened them. */
    replace: async (hash: string, expiresAt: number): Promise<void> =>
      void (await together([
        () => handle.delete(setupLinks),
        () => handle.insert(setupLinks).values({ hash, expiresAt }),
      ])),
    /** Gives the link to one browser. False: it is unknown, over, or another browser has it. */
    open: async (hash: string, browser: { hash: string; expiresAt: number }, now: number): Promise<boolean> => {
      const open = () =>
        handle
          .update(setupLinks)
          .set({ browserHash: browser.hash, browserExpiresAt: browser.expiresAt })
          .where(and(eq(setupLinks.hash, hash), isNull(setupLinks.browserHash), gt(setupLinks.expiresAt, now)))
          .returning({ hash: setupLinks.hash });
      return (await commit(open, { durable: true })).length > 0;
    },
    /** Whether a browser may go on with the setup. */
    isOpen: async (browserHash: string, now: number): Promise<boolean> => {
      const find = () =>
        handle
          .select({ hash: setupLinks.hash })
          .from(setupLinks)
          .where(and(eq(setupLinks.browserHash, browserHash), gt(setupLinks.browserExpiresAt, now)))
          .limit(1);
      return (await read(find)).length > 0;
    },
    /** Writes the first project with its key and server, and ends all links. False, and nothing: there is a project. */
    finish: (rows: { project: NewProject; key: NewApiKey; server: NewServer }): Promise<boolean> =>
      together(
        [
          () => handle.insert(projects).values(rows.project),
          () => handle.insert(apiKeys).values(rows.key),
          () => handle.insert(servers).values(rows.server),
          () => handle.delete(setupLinks),
        ],
        { onlyIfEmpty: 'projects' },
      ),
  };
};
