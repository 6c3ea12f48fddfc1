import {
  and,
  asc,
  count,
  eq,
  gt,
  isNotNull,
  isNull,
  ne,
  notInArray,
  or,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm';
import { type Database, first, type Insertion, insertWithin } from '../database.ts';
import { atMost, bound } from '../expressions.ts';
import type { Tables } from '../schema/tables.ts';
import { type Page, type PageRequest, readPage } from './cursor.ts';

export type ApiKeyRow = Tables['apiKeys']['$inferSelect'];
export type NewApiKey = Tables['apiKeys']['$inferInsert'];
export type ApiKeyPatch = Partial<Omit<NewApiKey, 'id' | 'projectId' | 'createdAt' | 'updatedAt'>>;

/** Whether the previous secret of a key still works at `now`. */
export const isPreviousLive = ({ previousExpiresAt }: Tables['apiKeys'], now: SQLWrapper): SQL | undefined =>
  or(isNull(previousExpiresAt), gt(previousExpiresAt, now));

/** API keys of all projects. Only hashes are stored. */
export const apiKeyQueries = (database: Database) => {
  const { handle, tables, read, commit } = database;
  const { apiKeys, projects } = tables;
  const ofProject = (projectId: string, id: string) => and(eq(apiKeys.projectId, projectId), eq(apiKeys.id, id));

  const byHash = database.prepare('apiKeys.byHash', () => {
    const hash = sql.placeholder('hash');
    const isPrevious = and(eq(apiKeys.previousHash, hash), isPreviousLive(apiKeys, sql.placeholder('now')));
    return handle
      .select({ key: apiKeys, project: projects })
      .from(apiKeys)
      .innerJoin(projects, eq(projects.id, apiKeys.projectId))
      .where(or(eq(apiKeys.hash, hash), isPrevious))
      .limit(atMost(1));
  });

  const touch = database.prepare('apiKeys.touch', () =>
    handle
      .update(apiKeys)
      .set({ lastUsedAt: bound(apiKeys.lastUsedAt, 'at') })
      .where(eq(apiKeys.id, sql.placeholder('id'))),
  );

  const isLive = (now: number): SQL | undefined =>
    and(isNull(apiKeys.revokedAt), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)));

  /** Keys that are limited to some of these servers. */
  const reachesOnly = (servers: readonly string[]): SQL | undefined => {
    const elements = sql.raw(database.engine === 'sqlite' ? 'json_each' : 'json_array_elements_text');
    const others = sql`select 1 from ${elements}(${apiKeys.servers}) where ${notInArray(sql`value`, [...servers])}`;
    return and(isNotNull(apiKeys.servers), sql`not exists (${others})`);
  };

  return {
    /** @throws DatabaseError failed if the id or the hash is taken, or there is no such project */
    create: async (row: NewApiKey): Promise<ApiKeyRow> => {
      const [created] = await commit(() => handle.insert(apiKeys).values(row).returning(), { durable: true });
      if (created === undefined) throw new Error('An insert gave no row.');
      return created;
    },
    /** `full`: the project has `most` keys that are neither revoked nor expired at `now`. */
    createWithin: (row: NewApiKey, most: number, now: number): Promise<Insertion> => {
      const { projectId } = row;
      const insert = () => handle.insert(apiKeys).values(row).returning({ id: apiKeys.id });
      const live = () =>
        handle
          .select({ rows: count() })
          .from(apiKeys)
          .where(and(eq(apiKeys.projectId, projectId), isLive(now)));
      return insertWithin(database, insert, { key: `keys/${projectId}`, count: live, most });
    },
    find: (projectId: string, id: string): Promise<ApiKeyRow | undefined> =>
      first(read(() => handle.select().from(apiKeys).where(ofProject(projectId, id)).limit(1))),
    /**
     * The key with this hash, or with this previous hash before its end; also one that is revoked or expired, which
     * the caller judges.
     */
    byHash: (hash: string, now: number) => first(read(() => byHash({ hash, now }))),
    list: (projectId: string): Promise<ApiKeyRow[]> =>
      read(() =>
        handle
          .select()
          .from(apiKeys)
          .where(eq(apiKeys.projectId, projectId))
          .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id)),
      ),
    /**
     * In the order in which they were made; `servers`: only keys that reach none but these. @throws InvalidCursor
     */
    page: (
      projectId: string,
      { servers, ...page }: PageRequest & { servers?: readonly string[] | undefined },
    ): Promise<Page<ApiKeyRow>> => {
      const { createdAt, id } = apiKeys;
      const among = servers === undefined ? undefined : reachesOnly(servers);
      return readPage({ list: 'keys', by: { createdAt, id } }, page, ({ behind, order, rows }) =>
        read(() =>
          handle
            .select()
            .from(apiKeys)
            .where(and(eq(apiKeys.projectId, projectId), among, behind))
            .orderBy(...order)
            .limit(rows),
        ),
      );
    },
    /** The scopes of every other key that will be live at `at` and not limited to some servers. */
    scopesOfOthers: async (projectId: string, id: string, at: number): Promise<string[][]> => {
      const query = handle
        .select({ scopes: apiKeys.scopes })
        .from(apiKeys)
        .where(and(eq(apiKeys.projectId, projectId), ne(apiKeys.id, id), isNull(apiKeys.servers), isLive(at)));
      return (await read(() => query)).map(({ scopes }) => scopes);
    },
    update: (projectId: string, id: string, patch: ApiKeyPatch, at: number): Promise<ApiKeyRow | undefined> => {
      const update = () =>
        handle
          .update(apiKeys)
          .set({ ...patch, updatedAt: at })
          .where(ofProject(projectId, id))
          .returning();
      return first(commit(update, { durable: true }));
    },
    /** Ends a previous secret without an end, as long as the key has this new one. Durable: it must not come back. */
    endPrevious: async ({ id, hash }: Pick<ApiKeyRow, 'id' | 'hash'>, at: number): Promise<void> => {
      const end = () =>
        handle
          .update(apiKeys)
          .set({ previousHash: null, updatedAt: at })
          .where(and(eq(apiKeys.id, id), eq(apiKeys.hash, hash), isNull(apiKeys.previousExpiresAt)));
      await commit(end, { durable: true });
    },
    /** Records last uses. They do not count as changes. */
    touch: async (entries: readonly { id: string; at: number }[]): Promise<void> => {
      await Promise.all(entries.map((entry) => commit(() => touch(entry))));
    },
  };
};
